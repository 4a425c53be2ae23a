//! Going back behind an effect over HTTP: refused at every path that does it, unless the client means it.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use serde_json::{Value as Json, json};
use superstep::{
    EffectError, Failure, Schemas,
    dynamic::{DynCtx, DynGraph, DynGraphBuilder, Halt, START},
};
use superstep_server::Server;

use crate::{client::Running, graphs::memory};

const ID: &str = "33333333-3333-4333-8333-333333333333";

/// Prepares, then pays once.
fn shop(paid: &Arc<AtomicUsize>) -> DynGraph {
    let paid = paid.clone();
    DynGraphBuilder::new()
        .name("shop")
        .last_value("x")
        .node("prepare", |_: DynCtx| async { Ok::<_, Halt>(()) })
        .node("pay", move |ctx: DynCtx| {
            let paid = paid.clone();
            async move {
                let pay = || async move { Ok(paid.fetch_add(1, Ordering::SeqCst) + 1) };
                let n: usize = ctx.once("pay", pay).await?;
                Ok::<_, Halt>(json!({ "x": n }))
            }
        })
        .edge(START, "prepare")
        .edge("prepare", "pay")
        .build()
        .unwrap()
}

fn at(rest: &str) -> String {
    format!("/threads/{ID}{rest}")
}

/// A server with a thread that has paid, the step before, and how often it was paid.
async fn paid() -> (Running, Json, Arc<AtomicUsize>) {
    let paid = Arc::new(AtomicUsize::new(0));
    let server = Server::on(memory()).dynamic("shop", &shop(&paid), Schemas::default());
    let server = Running::start(server).await;
    server.post("/threads", json!({"thread_id": ID})).await.ok();
    let run = json!({"assistant_id": "shop", "input": {"x": 0}});
    let end = server.post(&at("/runs/wait"), run).await.ok();
    assert_eq!(end["x"], 1);
    let history = server.post(&at("/history"), json!({})).await.ok();
    let before = history.as_array().unwrap().iter();
    let mut before = before.filter(|state| state["next"] == json!(["pay"]));
    let before = before.next().unwrap()["checkpoint_id"].clone();
    (server, before, paid)
}

#[tokio::test]
async fn no_path_goes_back_behind_an_effect_unasked() {
    let (server, before, paid) = paid().await;
    let run = json!({"assistant_id": "shop", "input": null, "checkpoint_id": before});
    let address = json!({"checkpoint_ns": "", "checkpoint_id": before});
    let addressed = json!({"assistant_id": "shop", "input": null, "checkpoint": address});
    let again = json!({"assistant_id": "shop", "input": {"x": 5}, "checkpoint_id": before});
    let copied = server.post(&at("/copy"), json!({})).await.ok();
    let copy = copied["thread_id"].as_str().unwrap();
    for (path, body) in [
        (at("/runs/wait"), &run),
        (at("/runs/stream"), &run),
        (at("/runs"), &addressed),
        (at("/runs/wait"), &again),
        (format!("/threads/{copy}/runs/wait"), &run),
        (
            at("/state"),
            &json!({"values": {"x": 9}, "checkpoint_id": before}),
        ),
        (
            at("/state"),
            &json!({"values": null, "as_node": "__copy__", "checkpoint": address}),
        ),
    ] {
        let reply = server.post(&path, body.clone()).await;
        let why = reply.detail(409);
        for said in ["pay", "happened", "repeat_effects"] {
            assert!(why.contains(said), "{path}: {why}");
        }
    }
    assert_eq!(paid.load(Ordering::SeqCst), 1);
    let runs = server.get(&at("/runs")).await.ok();
    assert_eq!(runs.as_array().unwrap().len(), 1, "none was queued");
}

#[tokio::test]
async fn a_client_that_means_it_goes_back() {
    let (server, before, paid) = paid().await;
    let run = json!({
        "assistant_id": "shop", "input": null, "checkpoint_id": before, "repeat_effects": true,
    });
    let end = server.post(&at("/runs/wait"), run).await.ok();
    assert_eq!((&end["x"], paid.load(Ordering::SeqCst)), (&json!(2), 2));
    let update = json!({
        "values": {"x": 7}, "as_node": "prepare", "checkpoint_id": before, "repeat_effects": true,
    });
    server.post(&at("/state"), update).await.ok();
    let state = server.get(&at("/state")).await.ok();
    assert_eq!(state["next"], json!(["pay"]));
    let wrong = json!({"values": {}, "checkpoint_id": before, "repeat_effects": "yes"});
    server.post(&at("/state"), wrong).await.detail(422);
}

/// Pays, and does not hear whether it was paid.
fn lossy(paid: &Arc<AtomicUsize>) -> DynGraph {
    let paid = paid.clone();
    DynGraphBuilder::new()
        .name("lossy")
        .last_value("x")
        .node("pay", move |ctx: DynCtx| {
            let paid = paid.clone();
            async move {
                let pay = || async move {
                    paid.fetch_add(1, Ordering::SeqCst);
                    Err::<usize, _>(EffectError::from(Failure::new("Lost", "no answer")))
                };
                let n = ctx.once("pay", pay).await?;
                Ok::<_, Halt>(json!({ "x": n }))
            }
        })
        .edge(START, "pay")
        .build()
        .unwrap()
}

#[tokio::test]
async fn new_input_and_edits_do_not_forget_what_nobody_knows() {
    let paid = Arc::new(AtomicUsize::new(0));
    let server = Server::on(memory())
        .dynamic("lossy", &lossy(&paid), Schemas::default())
        .dynamic("shop", &shop(&paid), Schemas::default());
    let server = Running::start(server).await;
    server.post("/threads", json!({"thread_id": ID})).await.ok();
    let input = json!({"assistant_id": "lossy", "input": {"x": 0}});
    server.post(&at("/runs/wait"), input.clone()).await;
    assert_eq!(paid.load(Ordering::SeqCst), 1);
    let copied = server.post(&at("/copy"), json!({})).await.ok();
    let copy = format!("/threads/{}", copied["thread_id"].as_str().unwrap());
    for thread in [at(""), copy] {
        for (path, body) in [
            ("/runs/wait", &input),
            ("/runs/stream", &input),
            ("/runs", &input),
            ("/state", &json!({"values": {}, "as_node": "pay"})),
            ("/state", &json!({"values": null, "as_node": "__end__"})),
        ] {
            let reply = server.post(&format!("{thread}{path}"), body.clone()).await;
            let why = reply.detail(409);
            for said in ["pay", "may have happened", "repeat_effects"] {
                assert!(why.contains(said), "{path}: {why}");
            }
        }
        let other = json!({"assistant_id": "shop", "input": {"x": 0}});
        let reply = server.post(&format!("{thread}/runs/wait"), other).await;
        assert!(reply.detail(409).contains("belongs to graph `lossy`"));
    }
    let runs = server.get(&at("/runs")).await.ok();
    assert_eq!(runs.as_array().unwrap().len(), 1, "none was queued");
    assert_eq!(paid.load(Ordering::SeqCst), 1);
    let meant = json!({"assistant_id": "lossy", "input": {"x": 0}, "repeat_effects": true});
    server.post(&at("/runs/wait"), meant).await;
    assert_eq!(paid.load(Ordering::SeqCst), 2, "who means it says so");
}

#[tokio::test]
async fn branches_are_listed_and_compared() {
    let server = Running::start(crate::graphs::server(crate::graphs::memory())).await;
    let thread = server.post("/threads", json!({})).await.ok();
    let id = thread["thread_id"].as_str().unwrap();
    let path = format!("/threads/{id}");
    let run = json!({"assistant_id": "one", "input": {"x": 1}});
    server.post(&format!("{path}/runs/wait"), run).await.ok();
    let branches = server.get(&format!("{path}/branches")).await.ok();
    let first = &branches[0]["checkpoint_id"];
    assert_eq!(branches.as_array().map(Vec::len), Some(1));
    assert_eq!(
        (&branches[0]["is_head"], &branches[0]["fork_id"]),
        (&json!(true), &Json::Null)
    );

    let history = server.get(&format!("{path}/history")).await.ok();
    let states = history.as_array().unwrap();
    let before = &states[states.len() - 1]["checkpoint_id"];
    let edit = json!({"values": {"x": 7}, "checkpoint_id": before, "as_node": "count"});
    server.post(&format!("{path}/state"), edit).await.ok();
    let branches = server.get(&format!("{path}/branches")).await.ok();
    let branches = branches.as_array().unwrap();
    assert_eq!(branches.len(), 2, "{branches:?}");
    assert_eq!(
        (&branches[0]["is_head"], &branches[1]["is_head"]),
        (&json!(true), &json!(false))
    );
    assert_eq!(&branches[1]["checkpoint_id"], first);
    assert_eq!(
        (&branches[0]["fork_id"], &branches[1]["fork_id"]),
        (before, before)
    );

    let of = |branch: &Json| branch["checkpoint_id"].as_str().unwrap().to_owned();
    let (a, b) = (of(&branches[1]), of(&branches[0]));
    let compared = server
        .get(&format!("{path}/compare?a={a}&b={b}"))
        .await
        .ok();
    let expected = json!([{"path": "/x", "a": 2, "b": 7}]);
    assert_eq!(compared, json!({"differences": expected, "is_cut": false}));
    let same = server
        .get(&format!("{path}/compare?a={a}&b={a}"))
        .await
        .ok();
    assert_eq!(same["differences"], json!([]));
    server
        .get(&format!("{path}/compare?a={a}&b=x"))
        .await
        .detail(422);
}
