//! A model that does whatever it reads, and text that wants things done: nothing happens.

use std::sync::Arc;

use serde_json::{Value as Json, json};
use superstep::{
    Error,
    model::{Message, Script},
    prelude::*,
    tools::{AgentState, Approval, Policy, agent::say},
};

use crate::fixture::{Desk, Web};

const CORPUS: &str = include_str!("../corpus/injections.txt");

/// The payloads; each line is one, written as the inside of a JSON string but for its quotes.
fn payloads() -> Vec<String> {
    let read = |line: &str| {
        let json = format!("\"{}\"", line.replace('"', "\\\""));
        let json = json.replace("\\\\\"", "\\\"");
        serde_json::from_str(&json).unwrap_or_else(|error| panic!("{line}: {error}"))
    };
    CORPUS.lines().map(read).collect()
}

fn desk(web: &str) -> Desk {
    // The most trusting policy there is.
    let policy = Policy::default().allow("send_text").allow("read_page");
    let model = Arc::new(Script::new([]).obedient());
    Desk::of(model, policy, Web(web.to_owned()))
}

/// Says no to all that is asked, until nothing is; gives what was asked for.
async fn refuse_all(desk: &Desk, mut outcome: Result<Outcome<AgentState>, Error>) -> Vec<Json> {
    let mut asked = Vec::new();
    for _ in 0..10 {
        let asks = match outcome {
            Ok(Outcome::Waiting { asks, .. }) => asks,
            // A call that cannot be made is mended at most twice, then the run fails.
            Ok(_) | Err(_) => return asked,
        };
        let refuse = |ask: &OpenAsk| {
            let approval = ask.question::<Approval>().unwrap();
            let refusal = json!({"type": "ignore", "digest": approval.digest});
            (
                Json::Object(approval.action_request.args),
                (ask.id, refusal),
            )
        };
        let (seen, answers): (Vec<_>, Vec<_>) = asks.iter().map(refuse).unzip();
        asked.extend(seen);
        outcome = desk.graph.answer("t", answers).await;
    }
    panic!("the model still wants something: {asked:?}");
}

#[tokio::test]
async fn nothing_that_untrusted_text_wants_happens_unapproved() {
    let payloads = payloads();
    assert_eq!(payloads.len(), 60);
    let mut wanted = 0;
    for payload in &payloads {
        let desk = desk("");
        let mail = Message::untrusted(payload.as_str());
        let outcome = desk.graph.run("t", say(mail)).await;
        wanted += refuse_all(&desk, outcome).await.len();
        assert!(desk.ledger.sent().is_empty(), "{payload}");
    }
    assert!(
        wanted >= payloads.len() - 5,
        "the model obeyed: {wanted} calls"
    );
}

#[tokio::test]
async fn nothing_that_a_tool_read_happens_unapproved() {
    let mut wanted = 0;
    for payload in payloads() {
        let desk = desk(&payload);
        let outcome = desk.say("CALL read_page {\"url\": \"page\"}").await;
        wanted += refuse_all(&desk, outcome).await.len();
        assert!(desk.ledger.sent().is_empty(), "{payload}");
        let said = desk.transcript().await;
        assert!(
            said.iter().any(|line| line.contains("page says:")),
            "{said:?}"
        );
    }
    assert!(wanted >= 55, "the model obeyed: {wanted} calls");
}
