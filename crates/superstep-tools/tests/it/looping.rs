//! The loop of a model and its tools.

use serde_json::json;
use superstep::{
    RunOptions, Value,
    model::{Delta, Finish},
    prelude::*,
    tools::Policy,
};

use crate::fixture::{Desk, calls, text, to_dana};

#[tokio::test]
async fn calls_that_need_nobody_are_made_side_by_side() {
    let both = calls(&[
        ("add", json!({"left": 2, "right": 3})),
        ("add", json!({"left": 9})),
    ]);
    let desk = Desk::new(vec![both, text("5 and 10")]);
    let outcome = desk.say("add them").await.unwrap();
    assert!(matches!(outcome, Outcome::Done(_)));
    let said = [
        "human: add them", "ai: ", "tool: 5", "tool: 10", "ai: 5 and 10",
    ];
    assert_eq!(desk.transcript().await, said);
}

#[tokio::test]
async fn what_is_wrong_with_a_call_goes_back_to_the_model() {
    let desk = Desk::new(vec![
        calls(&[("send_txet", to_dana("hi"))]),
        calls(&[("add", json!({"left": "two"}))]),
        text("I cannot"),
    ]);
    desk.say("go").await.unwrap();
    let said = desk.transcript().await;
    assert!(said[2].contains("there is no tool `send_txet`; there are: add, read_page, send_text"));
    assert!(
        said[4].contains("the arguments do not fit `add`"),
        "{said:?}"
    );
    assert_eq!(said[5], "ai: I cannot");
}

#[tokio::test]
async fn after_two_repairs_the_run_fails_and_the_thread_is_kept() {
    let bad = || calls(&[("add", json!("{\"left\": 1"))]);
    let desk = Desk::new(vec![bad(), bad(), bad(), text("never said")]);
    let error = desk.say("go").await.unwrap_err();
    assert_eq!(error.code(), "SS5104");
    let said = desk.transcript().await;
    assert_eq!(
        said.len(),
        5,
        "the question, two replies, two results: {said:?}"
    );
}

#[tokio::test]
async fn a_model_that_goes_in_circles_is_stopped() {
    let again = || calls(&[("add", json!({"left": 1}))]);
    let desk = Desk::new((0..8).map(|_| again()).collect());
    let error = desk.say("go").await.unwrap_err();
    assert_eq!(error.code(), "SS5103");
}

#[tokio::test]
async fn a_model_that_never_ends_meets_its_limit() {
    let lines = (0..20).map(|n| calls(&[("add", json!({"left": n}))]));
    let desk = Desk::new(lines.collect());
    let error = desk.say("go").await.unwrap_err();
    assert_eq!(
        (error.code(), desk.transcript().await.len()),
        ("SS5102", 17)
    );
}

#[tokio::test]
async fn a_chat_fed_by_json_does_not_die_of_its_length() {
    let desk = Desk::new((0..12).map(|n| text(&format!("reply {n}"))).collect());
    for n in 0..12 {
        let input = json!({"messages": [{"type": "human", "content": format!("hello {n}")}]});
        let input = Value::from(input);
        let outcome = desk
            .graph
            .dynamic()
            .invoke(input, &RunOptions::on("t"))
            .await;
        assert!(outcome.is_ok(), "message {n}: {:?}", outcome.err());
    }
    assert_eq!(desk.transcript().await.last().unwrap(), "ai: reply 11");
}

#[tokio::test]
async fn words_of_the_agent_do_not_begin_a_new_turn_of_the_user() {
    let empty = || vec![Delta::Finish(Finish::Stop)];
    let lines = (0..20).map(|n| match n % 2 {
        0 => empty(),
        _ => calls(&[("add", json!({"left": n}))]),
    });
    let desk = Desk::new(lines.collect());
    let error = desk.say("go").await.unwrap_err();
    assert_eq!(error.code(), "SS5102");
}

#[tokio::test]
async fn an_empty_reply_is_asked_for_again() {
    let empty = vec![Delta::Finish(Finish::Stop)];
    let desk = Desk::new(vec![empty, text("here")]);
    desk.say("go").await.unwrap();
    assert_eq!(desk.transcript().await.last().unwrap(), "ai: here");
}

#[tokio::test]
async fn why_the_model_stopped_is_told() {
    let refusal = vec![Delta::Finish(Finish::Refusal)];
    let desk = Desk::new(vec![refusal]);
    let Outcome::Done(state) = desk.say("go").await.unwrap() else {
        panic!("nothing is asked");
    };
    assert_eq!(state.finish, Some(Finish::Refusal));
}

#[tokio::test]
async fn a_denied_call_is_not_made_and_the_model_is_told() {
    let lines = vec![calls(&[("send_text", to_dana("hi"))]), text("well")];
    let desk = Desk::with(lines, Policy::default().deny("send_text"));
    desk.say("go").await.unwrap();
    assert_eq!(
        desk.transcript().await[2],
        "tool: `send_text` may not be called"
    );
    assert!(desk.ledger.sent().is_empty());
}
