//! Runs without a thread of their client's.

use serde_json::json;
use superstep::{
    Schemas,
    http::Method,
    store::{Namespace, PutOptions},
};

use crate::{
    client::Running,
    graphs::{Gate, gate, memory, server},
    sse::Events,
};

/// The thread of a run, by where the run is.
fn thread(place: &str) -> String {
    place.split("/runs/").next().unwrap().to_owned()
}

#[tokio::test]
async fn a_run_without_a_thread_leaves_none() {
    let backends = memory();
    let saver = backends.saver.clone().unwrap();
    let server = Running::start(server(backends)).await;
    for (input, end) in [
        (json!({"x": 1}), json!({"x": 2})),
        (
            json!({"x": -1}),
            json!({"__error__": {"error": "ValueError", "message": "boom"}}),
        ),
    ] {
        let body = json!({"assistant_id": "one", "input": input});
        let waited = server.post("/runs/wait", body.clone()).await;
        let path = thread(waited.header("content-location").unwrap());
        assert_eq!(waited.ok(), end);
        server.get(&path).await.detail(404);
        let request = server.request(Method::POST, "/runs/stream");
        let events = Events::open(&server, request.body(body.to_string())).await;
        assert!(events.rest().await.len() >= 3);
    }
    let empty = json!({"assistant_id": "one", "input": null});
    let empty = server.post("/runs/wait", empty).await.ok();
    assert_eq!(empty["__error__"]["error"], "SS1101");
    assert_eq!(server.post("/threads/count", json!({})).await.ok(), 0);
    assert!(saver.threads().await.unwrap().is_empty());
}

#[tokio::test]
async fn a_run_without_a_thread_keeps_its_own_if_it_is_told_to() {
    let server = Running::start(server(memory())).await;
    let body = json!({"assistant_id": "one", "input": {"x": 1}, "on_completion": "keep"});
    let waited = server.post("/runs/wait", body).await;
    let path = thread(waited.header("content-location").unwrap());
    let kept = server.get(&path).await.ok();
    assert_eq!(kept["values"], json!({"x": 2}));
    assert_eq!(kept["metadata"]["graph_id"], "one");
    let odd = json!({"assistant_id": "one", "input": {"x": 1}, "on_completion": "maybe"});
    server.post("/runs/wait", odd).await.detail(422);
}

#[tokio::test]
async fn a_run_whose_client_is_gone_takes_its_thread_with_it_at_its_end() {
    let gates = Gate::shut();
    let backends = memory();
    let saver = backends.saver.clone().unwrap();
    let server = server(backends).dynamic("gate", &gate(&gates), Schemas::default());
    let server = Running::start(server).await;
    let body = json!({"assistant_id": "gate", "input": {"x": 0}});
    let request = server.request(Method::POST, "/runs/stream");
    let mut events = Events::open(&server, request.body(body.to_string())).await;
    events.next().await.unwrap();
    gates.entered.acquire().await.unwrap().forget();
    let listed = server
        .post("/threads/search", json!({"status": "busy"}))
        .await
        .ok();
    let id = listed[0]["thread_id"].as_str().unwrap().to_owned();
    drop(events);
    gates.open.add_permits(1);
    // It is gone some time after the end of its run: readers of the list see either.
    while server.post("/threads/count", json!({})).await.ok() != 0 {
        tokio::task::yield_now().await;
    }
    server.get(&format!("/threads/{id}")).await.detail(404);
    assert!(saver.threads().await.unwrap().is_empty());
}

#[tokio::test]
async fn what_a_crash_left_of_runs_without_a_thread_goes() {
    let backends = memory();
    let store = backends.store.clone().unwrap();
    let ids = ["1", "2", "3"].map(|n| {
        format!(
            "{0}-{1}-4{2}-8{2}-{0}{1}",
            n.repeat(8),
            n.repeat(4),
            n.repeat(3)
        )
    });
    {
        let before = Running::start(server(backends.clone())).await;
        for id in &ids {
            before.post("/threads", json!({"thread_id": id})).await.ok();
        }
    }
    // The process was killed while a thread was removed with its run; while a run was accepted, a moment ago; and while a run on
    // a thread of its client's was.
    let place = Namespace::new(["runs", "after"]).unwrap();
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let now = u64::try_from(now.unwrap().as_micros()).unwrap();
    for (id, made, temporary) in [
        (&ids[1], now, true),
        (&ids[2], 0, false),
        (&ids[0], 0, true),
    ] {
        let after = json!({"thread": id, "made": made, "temporary": temporary});
        let put = store.put(&place, id, after, PutOptions::default());
        put.await.unwrap();
    }
    let server = Running::start(server(backends)).await;
    while server.get(&format!("/threads/{}", ids[0])).await.status != 404 {
        tokio::task::yield_now().await;
    }
    for id in &ids[1..] {
        server.get(&format!("/threads/{id}")).await.ok();
    }
}
