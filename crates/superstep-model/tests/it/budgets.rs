//! What runs and threads may use.

use std::{path::Path, sync::Arc};

use serde_json::json;
use superstep_model::{
    Budget, Delta, ErrorKind, Finish, ManagedModel, Message, Model, Money, Policy, Prices, Request,
    call::{Limits, Spent},
    config::{Config, Scope},
};

use crate::fake::{Fake, Log, Play, Step, finish, from, hello, says, text, usage};

fn tokens(most: u64) -> Limits {
    Limits {
        tokens: Some(most),
        ..Limits::default()
    }
}

fn money(most: Money) -> Limits {
    Limits {
        money: Some(most),
        ..Limits::default()
    }
}

fn within(fake: &Arc<Fake>, budget: &Budget) -> ManagedModel {
    ManagedModel::new(fake.clone(), Policy::default()).within(budget.clone())
}

fn asking(max_tokens: u32) -> Request {
    Request {
        max_tokens: Some(max_tokens),
        ..hello()
    }
}

#[tokio::test(start_paused = true)]
async fn a_model_that_never_ends_stops_at_the_limit() {
    let fake = Arc::new(Fake::always(says("more")));
    let budget = Budget::new(tokens(1_000));
    let caller = within(&fake, &budget);
    let mut calls = 0;
    let error = loop {
        match caller.invoke(&hello()).await {
            Ok(_) => calls += 1,
            Err(error) => break error,
        }
    };
    // 120 tokens a call; before the ninth 960 are spent, which leaves room for its question.
    assert_eq!((calls, error.code()), (9, "SS5014"));
    assert_eq!(budget.spent().usage.total(), 1_080);
    assert!(error.to_string().contains("1080 tokens"), "{error}");
    assert!(error.hint().unwrap().contains("the thread is kept"));
    assert!(!error.is_transient());
    assert_eq!(fake.attempts(), 9);
}

#[tokio::test(start_paused = true)]
async fn a_call_that_could_pass_the_limit_is_not_made() {
    let fake = Arc::new(Fake::always(says("x")));
    let caller = within(&fake, &Budget::new(tokens(1_000)));
    let error = caller.invoke(&asking(1_001)).await.unwrap_err();
    assert_eq!((error.code(), fake.attempts()), ("SS5014", 0));
    assert!(error.to_string().contains("up to 1004 tokens"), "{error}");
    assert!(caller.invoke(&asking(900)).await.is_ok());

    // Ten dollars for a million tokens written.
    let caller = within(&fake, &Budget::new(money(Money::micros(5_000))));
    let error = caller.invoke(&asking(501)).await.unwrap_err();
    assert_eq!(error.code(), "SS5014");
    assert!(error.to_string().contains("$0.005018"), "{error}");
    assert!(caller.invoke(&asking(490)).await.is_ok());
}

#[tokio::test(start_paused = true)]
async fn calls_side_by_side_cannot_pass_the_limit_together() {
    let second = std::time::Duration::from_secs(1);
    let slow = Play::Streams(vec![
        text("x"),
        Step::Wait(second),
        finish(Finish::Stop),
        usage(3, 400),
    ]);
    let fake = Arc::new(Fake::always(slow));
    let budget = Budget::new(tokens(1_000));
    let caller = within(&fake, &budget);
    let request = asking(400);
    let (a, b, c) = tokio::join!(
        caller.invoke(&request),
        caller.invoke(&request),
        caller.invoke(&request)
    );
    let made = [a.is_ok(), b.is_ok(), c.is_ok()];
    assert_eq!(made.iter().filter(|made| **made).count(), 2);
    assert_eq!(budget.spent().usage.total(), 806);
    // What was held for calls that are over is free again.
    assert!(caller.invoke(&asking(190)).await.is_ok());
}

#[tokio::test(start_paused = true)]
async fn a_run_and_its_thread_are_both_counted() {
    let fake = Arc::new(Fake::always(says("x")));
    let (run, thread) = (Budget::new(tokens(10_000)), Budget::new(tokens(150)));
    let caller = within(&fake, &run).within(thread.clone());
    caller.invoke(&hello()).await.unwrap();
    caller.invoke(&hello()).await.unwrap();
    let error = caller.invoke(&hello()).await.unwrap_err();
    assert!(error.to_string().contains("150 tokens"), "{error}");
    assert_eq!(run.spent().usage.total(), 240);
    assert_eq!(thread.spent().usage.total(), 240);
    // The run that was refused by the thread keeps nothing aside.
    let other = within(&fake, &run);
    assert!(other.invoke(&asking(9_700)).await.is_ok());
}

#[tokio::test(start_paused = true)]
async fn a_thread_that_goes_on_counts_on() {
    let fake = Arc::new(Fake::always(says("x")));
    let reply = ManagedModel::new(fake.clone(), Policy::default());
    let reply = reply.invoke(&hello()).await.unwrap();
    let thread = [
        Message::user("hello"),
        reply.into(),
        Message::model("of old, without usage"),
    ];
    let spent = Budget::spent_by(&thread, &Prices::built_in());
    assert_eq!(spent.usage.total(), 120);
    assert_eq!(spent.money, Money::micros(450));
    assert_eq!(spent.unpriced, None);
    let budget = Budget::resumed(money(Money::micros(450)), spent);
    let error = within(&fake, &budget).invoke(&hello()).await.unwrap_err();
    assert_eq!(error.code(), "SS5014");
    assert!(error.to_string().contains("$0.00045"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn a_model_without_a_price_is_refused_where_money_is_limited() {
    let fake = Arc::new(Fake::always(says("x")).named("nobody", "knows"));
    let log = Arc::new(Log::default());
    let caller = within(&fake, &Budget::new(money(Money::dollars(1))));
    let error = caller.invoke(&hello()).await.unwrap_err();
    assert_eq!((error.code(), fake.attempts()), ("SS5019", 0));
    assert!(
        error
            .to_string()
            .contains("no price is known for nobody:knows")
    );

    // Tokens can be limited all the same, and the price is shown as unknown.
    let caller = within(&fake, &Budget::new(tokens(1_000))).observed(log.clone());
    caller.invoke(&hello()).await.unwrap();
    assert_eq!(log.lines().last().unwrap(), "1 ended 120 n/a");

    let mine = r#"{"as_of": "2026-10-01", "models": {"nobody:*": {"input": 1, "output": 1}}}"#;
    let priced = within(&fake, &Budget::new(money(Money::dollars(1))));
    let priced = priced.priced(Prices::built_in().with(Prices::parse(mine).unwrap()));
    assert!(priced.invoke(&hello()).await.is_ok());
}

#[tokio::test(start_paused = true)]
async fn a_thread_that_used_a_model_without_a_price_says_so() {
    let data = json!({"type": "ai", "content": "x", "usage_metadata": {"input_tokens": 5},
        "response_metadata": {"provider": "nobody", "model_name": "knows", "finish_reason": "stop"}});
    let message: Message = serde_json::from_value(data).unwrap();
    let spent = Budget::spent_by([&message], &Prices::built_in());
    assert_eq!(spent.unpriced.as_deref(), Some("nobody:knows"));
    let fake = Arc::new(Fake::always(says("x")));
    let budget = Budget::resumed(money(Money::dollars(1)), spent);
    let error = within(&fake, &budget).invoke(&hello()).await.unwrap_err();
    assert!(error.to_string().contains("nobody:knows"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn a_model_on_this_machine_costs_nothing() {
    let mut fake = Fake::always(says("x")).named("own", "weights");
    fake.caps.local = true;
    let fake = Arc::new(fake);
    let budget = Budget::new(money(Money::default()));
    assert!(within(&fake, &budget).invoke(&hello()).await.is_ok());
    assert_eq!(budget.spent().money, Money::default());
}

#[tokio::test(start_paused = true)]
async fn a_price_that_a_person_chose_counts_for_a_gateway_on_this_machine() {
    let mut fake = Fake::always(says("x")).named("compatible", "big");
    fake.caps.local = true;
    let fake = Arc::new(fake);
    let price = |name: &str| {
        let text = format!("[prices]\n\"{name}\" = {{ input = 10, output = 50.5 }}\n");
        let file = Config::parse(Path::new("config.toml"), Scope::User, &text);
        let mut config = Config::default();
        config.files.push(file.unwrap());
        config.prices()
    };
    for name in ["openai:big", "compatible:big", "openai:*"] {
        let budget = Budget::new(money(Money::micros(2_000)));
        let model = within(&fake, &budget).priced_by(price(name), "openai");
        assert_eq!(model.price().map(|it| it.cached), Some(Money::dollars(10)));
        let reply = model.invoke(&hello()).await.unwrap();
        // 100 tokens for $10 and 20 for $50.50 a million.
        let paid = reply.answered.unwrap().paid.unwrap();
        assert_eq!(paid.cost, Some(Money::micros(2_010)), "{name}");
        assert_eq!(paid.prices, "your settings");
        let error = model.invoke(&hello()).await.unwrap_err();
        assert_eq!(error.code(), "SS5014", "{name}");
    }
    let other = within(&fake, &Budget::new(Limits::default()));
    let other = other.priced_by(price("openai:other"), "openai");
    assert_eq!(other.price(), Some(Default::default()));
}

#[tokio::test(start_paused = true)]
async fn no_tokens_at_all_are_no_count_and_are_estimated() {
    let words = "four bytes are a token ".repeat(40);
    for counted in [usage(0, 0), usage(3, 0), usage(0, 230)] {
        let free = Play::Streams(vec![text(&words), finish(Finish::Stop), counted]);
        let fake = Arc::new(Fake::always(free));
        let budget = Budget::new(tokens(600));
        let caller = within(&fake, &budget);
        let reply = caller.invoke(&asking(250)).await.unwrap();
        assert_eq!(reply.usage.unwrap().output, 230);
        assert!(reply.usage.unwrap().input > 0);
        assert!(reply.answered.unwrap().paid.unwrap().estimated);
        let mut pieces = caller.stream(&asking(250)).await.unwrap();
        let mut last = Vec::new();
        while let Some(piece) = pieces.next().await {
            last.push(piece.unwrap());
        }
        assert!(
            matches!(&last[last.len() - 2..], [Delta::Usage(usage), Delta::Paid(_)] if usage.output == 230)
        );
        let error = caller.invoke(&asking(250)).await.unwrap_err();
        assert_eq!((error.code(), fake.attempts()), ("SS5014", 2));
    }
}

#[tokio::test(start_paused = true)]
async fn usage_that_cannot_be_is_counted_without_wrapping() {
    let huge = Play::Streams(vec![
        text("x"),
        finish(Finish::Stop),
        usage(u64::MAX, u64::MAX),
    ]);
    let fake = Arc::new(Fake::new([huge]));
    let budget = Budget::new(Limits {
        tokens: Some(u64::MAX),
        money: Some(Money::micros(u64::MAX)),
        wall: None,
    });
    let caller = within(&fake, &budget);
    caller.invoke(&hello()).await.unwrap();
    let spent = budget.spent();
    assert_eq!(spent.usage.total(), u64::MAX);
    assert_eq!(spent.money, Money::micros(u64::MAX));
    assert_eq!(caller.invoke(&hello()).await.unwrap_err().code(), "SS5014");

    // Below zero cannot be said, so it cannot give anything back.
    let negative = json!({"type": "ai", "content": "", "usage_metadata": {"input_tokens": -5}});
    assert!(serde_json::from_value::<Message>(negative).is_err());
}

#[tokio::test(start_paused = true)]
async fn seeded_sums_never_give_anything_back() {
    let prices = Prices::built_in();
    for seed in 0..200_u64 {
        let mut dice = seed.wrapping_add(1);
        let mut spent = Spent::default();
        let (mut total, mut paid) = (0, Money::default());
        for _ in 0..50 {
            dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let used = superstep_model::Usage {
                input: dice >> (dice % 64),
                cached: dice.rotate_left(7),
                output: dice.rotate_left(13) >> (dice % 61),
                reasoning: dice,
            };
            let id = superstep_model::ModelId::new("openai", "gpt-4o");
            spent.add(&id, used, prices.cost(&id, &used));
            assert!(spent.usage.total() >= total, "seed {seed}");
            assert!(spent.money >= paid, "seed {seed}");
            (total, paid) = (spent.usage.total(), spent.money);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn attempts_that_failed_half_way_are_paid_for() {
    let half = Play::Streams(vec![
        from(),
        usage(100, 1),
        text(&"x".repeat(400)),
        Step::Fail(ErrorKind::Cut),
    ]);
    let fake = Arc::new(Fake::new([half, says("whole")]));
    let budget = Budget::new(Limits::default());
    within(&fake, &budget).invoke(&hello()).await.unwrap();
    // 100 read and about 100 written, then 120.
    assert_eq!(budget.spent().usage.total(), 320);
}

#[tokio::test(start_paused = true)]
async fn an_attempt_that_used_up_the_budget_is_the_last() {
    let half = Play::Streams(vec![text(&"x".repeat(4_000)), Step::Fail(ErrorKind::Cut)]);
    let fake = Arc::new(Fake::always(half));
    let caller = within(&fake, &Budget::new(tokens(500)));
    let error = caller.invoke(&hello()).await.unwrap_err();
    assert_eq!((error.code(), fake.attempts()), ("SS5014", 1));
}

#[test]
fn calls_on_many_threads_cannot_pass_the_limit_together() {
    let reply = Play::Streams(vec![text("x"), finish(Finish::Stop), usage(3, 10)]);
    let fake = Arc::new(Fake::always(reply));
    let budget = Budget::new(tokens(2_000));
    let caller = within(&fake, &budget);
    let made: usize = std::thread::scope(|scope| {
        let work = || {
            let mut runtime = tokio::runtime::Builder::new_current_thread();
            let runtime = runtime.enable_time().build().unwrap();
            let calls = (0..100).map(|_| runtime.block_on(caller.invoke(&asking(10))));
            calls.filter(Result::is_ok).count()
        };
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(work)).collect();
        threads.into_iter().map(|one| one.join().unwrap()).sum()
    });
    let spent = budget.spent().usage.total();
    assert_eq!(spent, made as u64 * 13);
    // No more than the limit, and not much less: what the refused ones wanted was set aside.
    assert!((1_800..=2_000).contains(&spent), "{spent}");
}
