//! Runs without a thread of their client's.

use serde_json::json;
use superstep::{
    Cancel, CancelRequest, RunId, Schemas, Value,
    http::Method,
    runs::{AfterRun, EnqueueRun},
    saver::StampThread,
};

use crate::{
    client::Running,
    graphs::{Gate, gate, memory, server},
    sse::Events,
};

const ID: &str = "11111111-1111-4111-8111-111111111111";

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
    let saver = backends.saver.clone().unwrap();
    let removal = AfterRun {
        removes_thread: true,
        ..AfterRun::default()
    };
    // The process was killed before the thread of one run was removed; the other run had a thread of its client's.
    for (n, after_run) in [(1, removal), (2, AfterRun::default())] {
        let run = EnqueueRun {
            after_run,
            stamp: Some(StampThread::at(1, Value::Null)),
            ..EnqueueRun::new(ID.replace('1', &n.to_string()), RunId(n), "one")
        };
        saver.run_queue().enqueue(run).await.unwrap();
        let request = CancelRequest {
            how: Cancel::Now,
            reason: "enough".to_owned(),
            at: 1,
        };
        saver
            .runs()
            .request_cancel(RunId(n), request)
            .await
            .unwrap();
    }
    let server = Running::start(server(backends)).await;
    while server.get(&format!("/threads/{ID}")).await.status != 404 {
        tokio::task::yield_now().await;
    }
    let kept = format!("/threads/{}", ID.replace('1', "2"));
    server.get(&kept).await.ok();
}
