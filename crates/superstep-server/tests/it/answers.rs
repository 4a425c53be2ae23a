//! Answers over HTTP: each reaches the question that its client has seen, or the client is told.

use std::{sync::Arc, time::Duration};

use serde_json::{Value as Json, json};
use superstep::{
    Backends, Schemas,
    dynamic::{DynCtx, DynGraph, DynGraphBuilder, Halt, START},
    http::Method,
};
use superstep_server::Server;

use crate::{
    client::Running,
    graphs::{Gate, gate, memory},
};

const ID: &str = "66666666-6666-4666-8666-666666666666";

fn at(rest: &str) -> String {
    format!("/threads/{ID}{rest}")
}

/// Asks, waits at a gate, and asks again.
fn asks(gates: &Arc<Gate>) -> DynGraph {
    let gates = gates.clone();
    DynGraphBuilder::new()
        .name("asks")
        .last_value("said")
        .node("ask", move |ctx: DynCtx| {
            let gates = gates.clone();
            async move {
                let first = ctx.ask(json!("first?"))?;
                gates.entered.add_permits(1);
                gates.open.acquire().await.unwrap().forget();
                let second = ctx.ask(json!("second?"))?;
                Ok::<_, Halt>(json!({ "said": [first, second] }))
            }
        })
        .edge(START, "ask")
        .build()
        .unwrap()
}

async fn serve(backends: Backends, id: &str, graph: &DynGraph) -> Running {
    Running::start(Server::on(backends).dynamic(id, graph, Schemas::default())).await
}

/// A thread that has asked its first question, and the id of that.
async fn asked(server: &Running) -> String {
    server.post("/threads", json!({"thread_id": ID})).await.ok();
    let first = json!({"assistant_id": "asks", "input": {}});
    let asked = server.post(&at("/runs/wait"), first).await.ok();
    let id = asked["__interrupt__"][0]["id"].as_str();
    id.expect("it asks").to_owned()
}

fn answer(resume: Json) -> Json {
    json!({"assistant_id": "asks", "command": {"resume": resume}})
}

async fn open(server: &Running) -> Vec<Json> {
    let state = server.get(&at("/state")).await.ok();
    let asks = state["interrupts"].as_array().cloned().unwrap_or_default();
    asks.into_iter().map(|ask| ask["value"].clone()).collect()
}

#[tokio::test]
async fn a_plain_answer_while_no_question_is_open_does_not_wait_for_the_next_one() {
    let gates = Gate::shut();
    let server = serve(memory(), "asks", &asks(&gates)).await;
    asked(&server).await;
    let run = server.post(&at("/runs"), answer(json!("yes"))).await.ok();
    gates.entered.acquire().await.unwrap().forget();
    let refused = server.post(&at("/runs"), answer(json!("yes"))).await;
    assert!(refused.detail(409).contains("not open"), "{refused:?}");
    gates.open.add_permits(8);
    let join = at(&format!("/runs/{}/join", run["run_id"].as_str().unwrap()));
    server.get(&join).await.ok();
    assert_eq!(open(&server).await, [json!("second?")]);
}

#[tokio::test]
async fn a_plain_answer_does_not_wait_in_a_thread_that_is_paused() {
    let gates = Gate::shut();
    let server = serve(memory(), "asks", &asks(&gates)).await;
    server.post("/threads", json!({"thread_id": ID})).await.ok();
    let first = json!({"assistant_id": "asks", "input": {}, "interrupt_before": ["ask"]});
    server.post(&at("/runs/wait"), first).await.ok();
    let refused = server.post(&at("/runs/wait"), answer(json!("yes"))).await;
    assert!(refused.detail(409).contains("not open"), "{refused:?}");
    let state = server.get(&at("/state")).await.ok();
    assert_eq!(state["next"], json!(["ask"]));
}

#[tokio::test]
async fn a_message_to_an_agent_that_works_on_another_is_refused() {
    let gates = Gate::shut();
    let server = serve(memory(), "asks", &asks(&gates)).await;
    asked(&server).await;
    let run = server.post(&at("/runs"), answer(json!("yes"))).await.ok();
    gates.entered.acquire().await.unwrap().forget();
    let message = json!({
        "jsonrpc": "2.0", "id": 1, "method": "message/send",
        "params": {"message": {
            "role": "user", "messageId": "m", "contextId": ID,
            "parts": [{"kind": "data", "data": {"yes": true}}],
        }},
    });
    let reply = server.post("/a2a/asks", message).await;
    assert!(reply.json["error"].is_object(), "{reply:?}");
    gates.open.add_permits(8);
    let join = at(&format!("/runs/{}/join", run["run_id"].as_str().unwrap()));
    server.get(&join).await.ok();
    assert_eq!(open(&server).await, [json!("second?")]);
}

#[tokio::test]
async fn the_same_answer_again_is_that_of_its_run_and_another_is_refused() {
    let gates = Gate::shut();
    gates.open.add_permits(8);
    let server = serve(memory(), "asks", &asks(&gates)).await;
    let first = asked(&server).await;
    let by_id = answer(json!({ first.as_str(): "yes" }));
    let took = server.post(&at("/runs/wait"), by_id.clone()).await.ok();
    assert!(took["__interrupt__"].is_array(), "{took}");
    // A webhook may be delivered twice.
    let again = server.post(&at("/runs/wait"), by_id).await.ok();
    assert_eq!(again, took);
    let respond = |response: &str| json!({"id": 1, "method": "input.respond", "params": {"interrupt_id": first, "response": response}});
    let again = server.post(&at("/commands"), respond("yes")).await.ok();
    assert_eq!(again["type"], "success", "{again}");
    let other = server.post(&at("/commands"), respond("no")).await.ok();
    assert_eq!(other["error"], "no_such_interrupt", "{other}");
    let late = answer(json!({ first.as_str(): "no" }));
    let late = server.post(&at("/runs/wait"), late).await;
    assert!(late.detail(409).contains("not open"), "{late:?}");
    let runs = server.get(&at("/runs")).await.ok();
    assert_eq!(runs.as_array().unwrap().len(), 2, "{runs}");
    assert_eq!(open(&server).await, [json!("second?")]);
}

#[tokio::test]
async fn the_same_answer_sent_twice_with_a_delay_is_undone_by_one_cancellation() {
    let gates = Gate::shut();
    let server = serve(memory(), "asks", &asks(&gates)).await;
    let first = asked(&server).await;
    let mut delayed = answer(json!({ first.as_str(): "yes" }));
    delayed["after_seconds"] = json!(3600);
    let took = server.post(&at("/runs"), delayed.clone()).await.ok();
    let again = server.post(&at("/runs"), delayed).await.ok();
    assert_eq!(again["run_id"], took["run_id"]);
    let undo = at(&format!(
        "/runs/{}/cancel",
        took["run_id"].as_str().unwrap()
    ));
    assert_eq!(server.post(&undo, json!({})).await.status, 202);
    let runs = server.get(&at("/runs")).await.ok();
    let open_runs = runs.as_array().unwrap().iter();
    assert_eq!(
        open_runs.filter(|run| run["status"] == "pending").count(),
        0,
        "{runs}"
    );
    assert_eq!(open(&server).await, [json!("first?")]);
}

#[tokio::test]
async fn the_same_answer_again_is_that_of_its_run_while_that_sleeps() {
    let naps = DynGraphBuilder::new()
        .name("asks")
        .last_value("said")
        .node("ask", |ctx: DynCtx| async move {
            let said = ctx.ask(json!("first?"))?;
            Ok::<_, Halt>(json!({ "said": said }))
        })
        .node("nap", |ctx: DynCtx| async move {
            ctx.sleep(Duration::from_secs(24 * 60 * 60)).await?;
            Ok::<_, Halt>(json!({}))
        })
        .edge(START, "ask")
        .edge("ask", "nap")
        .build()
        .unwrap();
    let server = serve(memory(), "asks", &naps).await;
    let first = asked(&server).await;
    let by_id = answer(json!({ first.as_str(): "yes" }));
    let took = server.post(&at("/runs"), by_id.clone()).await.ok();
    let run = at(&format!("/runs/{}", took["run_id"].as_str().unwrap()));
    loop {
        let state = server.get(&at("/state")).await.ok();
        let is_pending = server.get(&run).await.ok()["status"] == "pending";
        if state["next"] == json!(["nap"]) && is_pending {
            break;
        }
    }
    let again = server.post(&at("/runs"), by_id).await.ok();
    assert_eq!(again["run_id"], took["run_id"]);
    let runs = server.get(&at("/runs")).await.ok();
    assert_eq!(runs.as_array().unwrap().len(), 2, "{runs}");
}

#[tokio::test]
async fn a_thread_is_not_given_to_a_graph_that_cannot_read_it() {
    let gates = Gate::shut();
    let server = Server::on(memory())
        .dynamic("asks", &asks(&gates), Schemas::default())
        .dynamic("gate", &gate(&gates), Schemas::default());
    let server = Running::start(server).await;
    asked(&server).await;
    let path = at("");
    let patch = json!({"metadata": {"graph_id": "gate"}});
    let refused = server.call(Method::PATCH, &path, patch).await;
    assert_eq!(refused.status, 409, "{refused:?}");
    let run = json!({"assistant_id": "gate", "input": {"x": 1}});
    let refused = server.post(&at("/runs/wait"), run).await;
    assert_eq!(refused.status, 409, "{refused:?}");
    let thread = server.get(&path).await.ok();
    assert_eq!(thread["metadata"]["graph_id"], "asks");
    assert_eq!(open(&server).await, [json!("first?")]);
}

#[tokio::test]
async fn a_thread_that_its_graph_cannot_read_hides_no_other() {
    let (gates, backends) = (Gate::shut(), memory());
    let before = serve(backends.clone(), "asks", &asks(&gates)).await;
    asked(&before).await;
    drop(before);
    let server = serve(backends, "asks", &gate(&gates)).await;
    let other = server.post("/threads", json!({})).await.ok();
    let found = server.post("/threads/search", json!({})).await.ok();
    let found = found.as_array().unwrap();
    assert!(found.iter().any(|it| it["thread_id"] == other["thread_id"]));
    let unreadable = found.iter().find(|it| it["thread_id"] == ID).unwrap();
    assert_eq!(unreadable["status"], "error");
    assert_eq!(unreadable["error"]["error"], "SS1204");
    let count = server.post("/threads/count", json!({})).await.ok();
    assert_eq!(count, json!(2));
}
