//! Answers that wait for their time: shown with their question, undone, and given once over a kill of the server.

use serde_json::{Value as Json, json};
use superstep::http::Method;

use crate::{
    client::Running,
    graphs::{memory, server},
    victim::Process,
};

const ID: &str = "6f3c1f7a-3b0e-4b7e-9f0a-000000000001";

fn at(rest: &str) -> String {
    format!("/threads/{ID}{rest}")
}

/// A thread that asks whether to publish, and the id of its question.
async fn asked() -> (Running, String) {
    let server = Running::start(server(memory())).await;
    let thread = json!({ "thread_id": ID });
    server.post("/threads", thread).await.ok();
    let run = json!({ "assistant_id": "hitl", "input": { "topic": "tides" } });
    server.post(&at("/runs/wait"), run).await.ok();
    let state = server.get(&at("/state")).await.ok();
    let ask = state["interrupts"][0]["id"].as_str().unwrap().to_owned();
    assert_eq!(state["interrupts"][0]["schema"]["type"], "boolean");
    (server, ask)
}

fn later(ask: &str, answer: Json, seconds: f64) -> Json {
    json!({
        "assistant_id": "hitl",
        "command": { "resume": { ask: answer } },
        "after_seconds": seconds,
        "multitask_strategy": "reject",
    })
}

#[tokio::test]
async fn an_answer_that_waits_is_shown_with_its_question_and_cancelling_it_leaves_that_open() {
    let (server, ask) = asked().await;
    let before = server.get(&at("")).await.ok();
    assert_eq!(before.get("queued_answers"), None, "{before}");
    let run = later(&ask, json!(true), 3600.0);
    let run = server.post(&at("/runs"), run).await.ok();
    let busy = json!({ "status": "busy", "select": ["thread_id", "interrupts", "queued_answers"] });
    let found = server.post("/threads/search", busy).await.ok();
    let waiting = &found[0]["queued_answers"][0];
    assert_eq!(waiting["run_id"], run["run_id"], "{found}");
    assert_eq!(waiting["answers"], json!({ (&*ask): true }), "{found}");
    assert!(waiting["due_at"].as_str().unwrap() > run["created_at"].as_str().unwrap());
    assert!(found[0]["interrupts"].to_string().contains(&ask), "{found}");

    // A second answer does not come behind it.
    let second = server
        .post(&at("/runs"), later(&ask, json!(false), 0.0))
        .await;
    assert!(second.status >= 400, "{second:?}");

    let only = json!({ "thread_id": ID, "run_ids": [run["run_id"]], "status": "pending" });
    let cancelled = server.post("/runs/cancel", only.clone()).await;
    assert_eq!(cancelled.status, 204, "{cancelled:?}");
    let after = server.get(&at("")).await.ok();
    assert_eq!(after["status"], "interrupted", "{after}");
    assert_eq!(after["interrupts"], before["interrupts"]);
    assert_eq!(after.get("queued_answers"), None, "{after}");
    assert_eq!(server.post("/runs/cancel", only).await.status, 404);

    // The question takes another answer then, once.
    let answer = later(&ask, json!(false), 0.0);
    let end = server.post(&at("/runs/wait"), answer).await.ok();
    assert_eq!(end["log"], json!(["written", "published: false"]), "{end}");
}

#[tokio::test]
async fn an_answer_that_waits_for_a_question_that_another_answered_changes_nothing() {
    let (server, ask) = asked().await;
    let mut first = later(&ask, json!(true), 0.5);
    first["multitask_strategy"] = json!("enqueue");
    let first = server.post(&at("/runs"), first).await.ok();
    let mut second = later(&ask, json!(false), 0.6);
    second["multitask_strategy"] = json!("enqueue");
    let second = server.post(&at("/runs"), second).await.ok();
    let join = |run: &Json| at(&format!("/runs/{}/join", run["run_id"].as_str().unwrap()));
    server.get(&join(&first)).await.ok();
    let end = server.get(&join(&second)).await.ok();
    assert_eq!(end["__error__"]["error"], "SS1105", "{end}");
    let state = server.get(&at("/state")).await.ok();
    let log = &state["values"]["log"];
    assert_eq!(log, &json!(["written", "published: true"]), "{state}");
}

#[tokio::test]
async fn an_answer_that_waits_survives_a_kill_and_is_undone_or_given_once() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("threads.db");
    let mut server = Process::start(&place);
    let mut threads = Vec::new();
    for seconds in [1, 3600] {
        let thread = server.call(Method::POST, "/threads", json!({})).await;
        let thread = thread["thread_id"].as_str().unwrap().to_owned();
        let runs = format!("/threads/{thread}/runs");
        let run = json!({ "assistant_id": "asks", "input": { "said": [] } });
        let asked = server
            .call(Method::POST, &format!("{runs}/wait"), run)
            .await;
        let ask = asked["__interrupt__"][0]["id"].as_str().unwrap().to_owned();
        let answer = json!({ "assistant_id": "asks", "command": { "resume": { (&*ask): "yes" } }, "after_seconds": seconds });
        let run = server.call(Method::POST, &runs, answer).await;
        threads.push((thread, ask, run["run_id"].as_str().unwrap().to_owned()));
    }
    server.kill();
    server = Process::start(&place);

    let (thread, _, run) = &threads[0];
    let path = format!("/threads/{thread}/runs/{run}/join");
    let end = server.call(Method::GET, &path, json!(null)).await;
    assert_eq!(end["said"], json!(["yes", "done"]), "{end}");

    let (thread, ask, run) = &threads[1];
    let path = format!("/threads/{thread}");
    let shown = server.call(Method::GET, &path, json!(null)).await;
    let waiting = &shown["queued_answers"][0];
    assert_eq!(waiting["run_id"], *run, "{shown}");
    assert_eq!(waiting["answers"], json!({ (&**ask): "yes" }), "{shown}");
    let only = json!({ "thread_id": thread, "run_ids": [run], "status": "pending" });
    let cancel = server.request(Method::POST, "/runs/cancel");
    let (status, _) = server.answer(cancel.body(only.to_string())).await;
    assert_eq!(status, 204);
    let shown = server.call(Method::GET, &path, json!(null)).await;
    assert_eq!(shown["status"], "interrupted", "{shown}");
    assert_eq!(shown["values"]["said"], json!([]), "{shown}");
    assert!(shown["interrupts"].to_string().contains(&**ask), "{shown}");
    server.kill();
}
