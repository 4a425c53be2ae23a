//! Inboxes that know one form of questions: below `/inbox` every question has it, and can be answered.

use serde_json::{Value as Json, json};
use superstep::{
    Schemas,
    dynamic::{DynCtx, DynGraph, DynGraphBuilder, Halt, START},
};

use crate::{
    client::Running,
    graphs::{memory, server},
};

const ID: &str = "77777777-7777-4777-8777-777777777777";

/// Asks twice at once: in words, and in the form of inboxes.
fn both() -> DynGraph {
    let plain = |ctx: DynCtx| async move {
        let said = ctx.ask(json!({ "question": "Which color?", "of": ["red", "blue"] }))?;
        Ok::<_, Halt>(json!({ "color": said }))
    };
    let formed = |ctx: DynCtx| async move {
        let said = ctx.ask(json!([{
            "action_request": { "action": "send", "args": { "to": "ada@example.org" } },
            "config": { "allow_accept": true, "allow_ignore": true },
            "description": "A mail",
        }]))?;
        Ok::<_, Halt>(json!({ "sent": said }))
    };
    DynGraphBuilder::new()
        .name("both")
        .last_value("color")
        .last_value("sent")
        .node("a_plain", plain)
        .node("formed", formed)
        .edge(START, "a_plain")
        .edge(START, "formed")
        .build()
        .unwrap()
}

async fn served() -> Running {
    Running::start(server(memory()).dynamic("both", &both(), Schemas::default())).await
}

async fn asked(server: &Running, graph: &str, input: Json) {
    server.post("/threads", json!({"thread_id": ID})).await.ok();
    let run = json!({"assistant_id": graph, "input": input});
    let path = format!("/threads/{ID}/runs/wait");
    let end = server.post(&path, run).await.ok();
    assert!(end["__interrupt__"].is_array(), "{end}");
}

/// What an inbox does with an answer: a run of its own, read to the end.
async fn answer(server: &Running, graph: &str, given: Json) -> Json {
    let body = json!({"assistant_id": graph, "command": {"resume": [given]}});
    let run = server
        .post(&format!("/inbox/threads/{ID}/runs"), body)
        .await;
    let run = run.ok()["run_id"].as_str().unwrap().to_owned();
    let path = format!("/threads/{ID}/runs/{run}/join");
    server.get(&path).await.ok()
}

/// The open questions as an inbox reads them of its list.
async fn listed(server: &Running, prefix: &str) -> Vec<Json> {
    let wanted = json!({"status": "interrupted", "metadata": {}, "limit": 10, "offset": 0});
    let path = format!("{prefix}/threads/search");
    let found = server.post(&path, wanted).await.ok();
    let by_task = found[0]["interrupts"].as_object().cloned();
    let asks = by_task.unwrap_or_default();
    let asks = asks.values().flat_map(|asks| asks.as_array().unwrap());
    asks.map(|ask| ask["value"].clone()).collect()
}

#[tokio::test]
async fn a_question_in_words_is_one_that_an_inbox_can_answer() {
    let server = served().await;
    asked(&server, "both", json!({})).await;
    let raw = listed(&server, "").await;
    assert!(
        raw.contains(&json!({"question": "Which color?", "of": ["red", "blue"]})),
        "other clients see it as it is: {raw:?}"
    );
    let shown = listed(&server, "/inbox").await;
    assert_eq!(shown.len(), 2);
    for one in &shown {
        let item = &one[0];
        assert!(item["action_request"]["action"].is_string(), "{one}");
        assert!(item["config"]["allow_respond"].is_boolean() || raw.contains(one));
    }
    for path in ["", "/state"] {
        let thread = server.get(&format!("/inbox/threads/{ID}{path}")).await.ok();
        assert!(
            thread["interrupts"].to_string().contains("allow_respond"),
            "{thread}"
        );
    }
    let end = answer(&server, "both", json!({"type": "response", "args": "blue"})).await;
    assert_eq!(end["color"], "blue", "the graph gets the words: {end}");
    assert_eq!(end["__interrupt__"].as_array().unwrap().len(), 1, "{end}");
    // The other one is answered as it always was.
    let end = answer(&server, "both", json!({"type": "accept", "args": null})).await;
    assert_eq!(end["sent"], json!([{"type": "accept", "args": null}]));
    assert_eq!(end.get("__interrupt__"), None, "{end}");
}

#[tokio::test]
async fn an_answer_that_a_question_in_words_does_not_take_is_refused_and_it_stays_open() {
    let server = served().await;
    asked(&server, "hitl", json!({"topic": "tides"})).await;
    let path = format!("/inbox/threads/{ID}/runs");
    for wrong in [
        json!([{"type": "accept", "args": null}]),
        json!([{"type": "ignore", "args": null}]),
        json!([{"type": "response", "args": "  "}]),
        json!([{"type": "response", "args": {"a": 1}}]),
    ] {
        let body = json!({"assistant_id": "hitl", "command": {"resume": wrong}});
        let refused = server.post(&path, body).await;
        assert!(refused.detail(422).contains("in words"), "{refused:?}");
    }
    assert_eq!(listed(&server, "/inbox").await.len(), 1);
    let nothing = json!({"assistant_id": "hitl", "input": {"topic": "sand"}});
    server.post(&path, nothing).await.ok();
}

#[tokio::test]
async fn an_inbox_that_leaves_a_thread_ends_it() {
    let server = served().await;
    asked(&server, "both", json!({})).await;
    let path = format!("/inbox/threads/{ID}/state");
    let end = json!({"values": null, "as_node": "__end__"});
    server.post(&path, end).await.ok();
    let thread = server.get(&format!("/inbox/threads/{ID}")).await.ok();
    assert_eq!(thread["status"], "idle");
    let late = json!({"assistant_id": "both", "command": {"resume": [{"type": "response", "args": "red"}]}});
    let late = server
        .post(&format!("/inbox/threads/{ID}/runs"), late)
        .await;
    late.detail(409);
}
