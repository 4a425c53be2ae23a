//! Room for replies: a second try with a wider limit, and what lost tries took.

use std::sync::Arc;

use superstep_model::{
    Assembly, Delta, Effort, Finish, ManagedModel, Model, ModelError, ModelId, Money, Policy,
    Reply, Request, Usage,
};

use crate::fake::{Fake, Log, Play, Step, finish, from, hello, says, server, text, usage};

/// A reply of reasoning alone, which used up its limit.
fn thinks() -> Play {
    let thought = Step::Give(Delta::Reasoning("let me see".into()));
    Play::Streams(vec![
        usage(100, 1),
        from(),
        thought,
        finish(Finish::Length),
        usage(100, 400),
    ])
}

fn asking() -> Request {
    Request {
        max_tokens: Some(400),
        ..hello()
    }
}

/// The reply, streamed or in one piece.
async fn answer(model: &dyn Model, request: &Request, streams: bool) -> Result<Reply, ModelError> {
    if !streams {
        return model.invoke(request).await;
    }
    let mut deltas = model.stream(request).await?;
    let mut reply = Assembly::new(&ModelId::new("openai", "gpt-4o"));
    while let Some(delta) = deltas.next().await {
        reply.add(delta?)?;
    }
    reply.finish()
}

fn limits(fake: &Fake) -> Vec<Option<u32>> {
    let seen = fake.seen.lock().unwrap();
    seen.iter().map(|request| request.max_tokens).collect()
}

#[tokio::test(start_paused = true)]
async fn a_reply_cut_before_its_first_word_is_asked_for_once_more_with_more_room() {
    for streams in [true, false] {
        let fake = Arc::new(Fake::new([thinks(), says("Four.")]));
        let log = Arc::new(Log::default());
        let model = ManagedModel::new(fake.clone(), Policy::default()).observed(log.clone());
        let reply = answer(&model, &asking(), streams).await.unwrap();
        assert_eq!(reply.content.text(), "Four.");
        assert_eq!(limits(&fake), [Some(400), Some(1600)]);
        let both = Usage {
            input: 200,
            output: 420,
            ..Usage::default()
        };
        assert_eq!(reply.usage, Some(both), "{streams}");
        let answered = reply.answered.unwrap();
        assert_eq!(answered.finish, Finish::Stop);
        let paid = answered.paid.unwrap();
        // 200 tokens in for $2.50 and 420 out for $10 a million, rounded up per call.
        assert_eq!((paid.attempts, paid.cost), (2, Some(Money::micros(4_700))));
        assert_eq!(log.lines().len(), 6, "{:?}", log.lines());
    }
}

#[tokio::test(start_paused = true)]
async fn a_reply_that_is_lost_twice_is_an_error_that_names_the_limit_and_the_cost() {
    for streams in [true, false] {
        let fake = Arc::new(Fake::new([thinks(), thinks()]));
        let model = ManagedModel::new(fake.clone(), Policy::default());
        let error = answer(&model, &asking(), streams).await.unwrap_err();
        assert_eq!(error.code(), "SS5026");
        assert_eq!(
            error.to_string(),
            "openai:gpt-4o used up the limit of 1600 output tokens before its first word \
             (it took 1000 tokens, $0.0085)"
        );
        assert_eq!(error.lost().unwrap().usage.output, 800);
        assert_eq!(limits(&fake), [Some(400), Some(1600)]);
    }
}

#[tokio::test(start_paused = true)]
async fn without_a_limit_of_its_own_a_lost_reply_is_no_reason_for_a_second_call() {
    let fake = Arc::new(Fake::new([thinks()]));
    let model = ManagedModel::new(fake.clone(), Policy::default());
    let error = answer(&model, &hello(), true).await.unwrap_err();
    let said = "used up the provider's limit of output tokens";
    assert!(error.to_string().contains(said), "{error}");
    assert_eq!(fake.attempts(), 1);
}

#[tokio::test(start_paused = true)]
async fn words_that_are_cut_are_passed_on_as_they_are() {
    for streams in [true, false] {
        let cut = vec![from(), text("Half a"), finish(Finish::Length), usage(5, 2)];
        let fake = Arc::new(Fake::new([Play::Streams(cut)]));
        let model = ManagedModel::new(fake.clone(), Policy::default());
        let reply = answer(&model, &asking(), streams).await.unwrap();
        assert_eq!(reply.content.text(), "Half a");
        assert_eq!(fake.attempts(), 1);
    }
}

#[tokio::test(start_paused = true)]
async fn a_limit_that_a_person_chose_replaces_that_of_a_request_and_is_kept() {
    let policy = Policy {
        max_tokens: Some(900),
        effort: Some(Effort::Low),
        ..Policy::default()
    };
    let fake = Arc::new(Fake::new([says("Four."), thinks()]));
    let model = ManagedModel::new(fake.clone(), policy);
    let hard = Request {
        effort: Some(Effort::High),
        ..asking()
    };
    assert!(model.invoke(&hard).await.is_ok());
    let error = model.invoke(&asking()).await.unwrap_err();
    assert!(error.to_string().contains("limit of 900"), "{error}");
    let seen = fake.seen.lock().unwrap();
    let asked: Vec<_> = seen.iter().map(|it| (it.max_tokens, it.effort)).collect();
    let limit = Some(900);
    assert_eq!(
        asked,
        [(limit, Some(Effort::High)), (limit, Some(Effort::Low))]
    );
}

#[tokio::test(start_paused = true)]
async fn a_reply_and_an_error_say_what_the_attempts_before_took() {
    let breaks = |words: &str| {
        Play::Streams(vec![
            from(),
            usage(100, 1),
            text(words),
            Step::Fail(server(500)),
        ])
    };
    let fake = Arc::new(Fake::new([breaks("half an answer"), says("whole")]));
    let model = ManagedModel::new(fake, Policy::default());
    let reply = model.invoke(&hello()).await.unwrap();
    let usage = reply.usage.unwrap();
    assert_eq!((usage.input, usage.output), (200, 24));
    let paid = reply.answered.unwrap().paid.unwrap();
    assert_eq!(paid.attempts, 2);
    assert!(paid.estimated);

    let fake = Arc::new(Fake::always(breaks("half")));
    let model = ManagedModel::new(fake, Policy::default());
    let error = model.invoke(&hello()).await.unwrap_err();
    assert_eq!(error.code(), "SS5006");
    assert_eq!(error.lost().unwrap().usage.input, 300);
    assert!(error.to_string().contains("(it took 303 tokens"), "{error}");
}
