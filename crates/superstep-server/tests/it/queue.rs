//! Runs in the background: in the queue when they are accepted, one after the other on a thread, and what
//! happens when they have ended.

use serde_json::{Value as Json, json};
use superstep::{Schemas, http::Method};
use superstep_server::Server;

use crate::{
    client::Running,
    graphs::{Gate, gate, memory, server},
    sse::Events,
};

const ID: &str = "11111111-1111-4111-8111-111111111111";

fn at(rest: &str) -> String {
    format!("/threads/{ID}{rest}")
}

async fn started(gates: &std::sync::Arc<Gate>) -> Running {
    let server: Server = server(memory()).dynamic("gate", &gate(gates), Schemas::default());
    let server = Running::start(server).await;
    server.post("/threads", json!({"thread_id": ID})).await.ok();
    server
}

async fn create(server: &Running, body: Json) -> String {
    let run = server.post(&at("/runs"), body).await.ok();
    run["run_id"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_run_in_the_background_is_listed_joined_and_forgotten() {
    let gates = Gate::shut();
    let server = started(&gates).await;
    let body = json!({"assistant_id": "gate", "input": {"x": 0}, "metadata": {"k": "v"}});
    let reply = server.post(&at("/runs"), body).await;
    let place = reply.header("content-location").unwrap().to_owned();
    let run = reply.ok();
    assert_eq!(
        (&run["thread_id"], &run["metadata"]["k"]),
        (&json!(ID), &json!("v"))
    );
    assert_eq!(run["metadata"].get("__server__"), None);
    assert_eq!(run["kwargs"]["input"], json!({"x": 0}));
    gates.entered.acquire().await.unwrap().forget();
    assert_eq!(server.get(&place).await.ok()["status"], "running");
    gates.open.add_permits(1);
    assert_eq!(
        server.get(&format!("{place}/join")).await.ok(),
        json!({"x": 1})
    );
    assert_eq!(server.get(&place).await.ok()["status"], "success");
    let gone = server.call(Method::DELETE, &place, json!({})).await;
    assert_eq!(gone.status, 204);
    server.get(&place).await.detail(404);
    assert_eq!(server.get(&at("/runs")).await.ok(), json!([]));
}

#[tokio::test]
async fn runs_of_a_thread_wait_for_each_other_and_one_may_take_the_place_of_others() {
    let gates = Gate::shut();
    let server = started(&gates).await;
    let body = json!({"assistant_id": "gate", "input": {"x": 0}});
    let first = create(&server, body.clone()).await;
    gates.entered.acquire().await.unwrap().forget();
    let second = create(&server, body.clone()).await;
    let status = async |run: &str| {
        let run = server.get(&at(&format!("/runs/{run}"))).await.ok();
        run["status"].as_str().unwrap().to_owned()
    };
    assert_eq!(status(&second).await, "pending");
    let mut third = body;
    third["multitask_strategy"] = "interrupt".into();
    let third = create(&server, third).await;
    gates.left.acquire().await.unwrap().forget();
    gates.open.add_permits(1);
    let end = server.get(&at(&format!("/runs/{third}/join"))).await.ok();
    assert_eq!(end, json!({"x": 1}));
    assert_eq!(status(&first).await, "interrupted");
    assert_eq!(status(&second).await, "interrupted");
}

#[tokio::test]
async fn a_client_that_comes_back_gets_what_it_does_not_have() {
    let gates = Gate::shut();
    let server = started(&gates).await;
    let body = json!({
        "assistant_id": "gate",
        "input": {"x": 0},
        "stream_mode": ["values", "updates", "debug"],
        "stream_resumable": true,
    });
    let request = server.request(Method::POST, &at("/runs/stream"));
    let mut events = Events::open(&server, request.body(body.to_string())).await;
    let place = events.header("location").to_owned();
    gates.entered.acquire().await.unwrap().forget();
    let mut seen = Vec::new();
    while seen.len() < 3 {
        events.next().await.unwrap();
        seen.push(events.id().unwrap().to_owned());
    }
    drop(events);
    gates.open.add_permits(1);
    let again = async |id: &str| {
        let request = server
            .request(Method::GET, &place)
            .header("last-event-id", id);
        let mut events = Events::open(&server, request).await;
        let mut got = Vec::new();
        while let Some((name, _)) = events.next().await {
            got.push((events.id().unwrap().to_owned(), name));
        }
        got
    };
    let rest = again(seen.last().unwrap()).await;
    let all = again("-1").await;
    let ids: std::collections::BTreeSet<_> = all.iter().map(|(id, _)| id).collect();
    assert_eq!(ids.len(), all.len(), "ids are unique: {all:?}");
    assert_eq!(
        all[..3]
            .iter()
            .map(|(id, _)| id.clone())
            .collect::<Vec<_>>(),
        seen
    );
    assert_eq!(all[3..], rest[..]);
    assert!(rest.iter().any(|(_, name)| name == "values"));
}

#[tokio::test]
async fn a_batch_is_accepted_run_by_run() {
    let server = Running::start(server(memory())).await;
    let body = json!([
        {"assistant_id": "one", "input": {"x": 1}},
        {"assistant_id": "one", "input": {"x": 5}, "on_completion": "keep"},
    ]);
    let runs = server.post("/runs/batch", body).await.ok();
    let ends = async |run: &Json| {
        let place = format!(
            "/threads/{}/runs/{}/join",
            run["thread_id"].as_str().unwrap(),
            run["run_id"].as_str().unwrap()
        );
        server.get(&place).await
    };
    assert_eq!(ends(&runs[1]).await.ok(), json!({"x": 6}));
    let wrong = json!([{"assistant_id": "one"}, {"assistant_id": "nope"}]);
    server.post("/runs/batch", wrong).await.detail(422);
    server.post("/runs/batch", json!({})).await.detail(422);
}

#[tokio::test]
async fn a_batch_of_hundreds_is_accepted_in_its_order() {
    let folder = tempfile::tempdir().unwrap();
    let database = superstep::sqlite::Database::open(folder.path().join("runs.db")).unwrap();
    let backends = superstep::Backends {
        store: Some(std::sync::Arc::new(database.store())),
        ..superstep::Backends::on(database.saver())
    };
    let server = Running::start(server(backends)).await;
    server.post("/threads", json!({"thread_id": ID})).await.ok();
    let mut bodies: Vec<Json> = (0..300)
        .map(|n| json!({"assistant_id": "one", "input": {"x": n}, "on_completion": "keep"}))
        .collect();
    // In the midst of them some on one thread, each of which continues from the one before it.
    for at in [100, 101, 200] {
        bodies[at]["thread_id"] = ID.into();
    }
    let runs = server.post("/runs/batch", Json::from(bodies)).await.ok();
    let runs = runs.as_array().unwrap();
    let inputs: Vec<_> = runs
        .iter()
        .map(|run| &run["kwargs"]["input"]["x"])
        .collect();
    assert_eq!(
        inputs,
        (0..300)
            .map(Json::from)
            .collect::<Vec<_>>()
            .iter()
            .collect::<Vec<_>>()
    );
    let ids: Vec<_> = runs
        .iter()
        .map(|run| run["run_id"].as_str().unwrap())
        .collect();
    assert!(ids.is_sorted(), "{ids:?}");
    let threads: std::collections::HashSet<_> = runs
        .iter()
        .map(|run| run["thread_id"].as_str().unwrap())
        .collect();
    assert_eq!(threads.len(), 298);
    for (n, run) in runs.iter().enumerate() {
        let [thread, run] = ["thread_id", "run_id"].map(|name| run[name].as_str().unwrap());
        let place = format!("/threads/{thread}/runs/{run}/join");
        assert_eq!(server.get(&place).await.ok(), json!({"x": n + 1}));
    }
    let many = vec![json!({"assistant_id": "one", "input": {"x": 1}}); 1001];
    let refused = server.post("/runs/batch", Json::from(many)).await;
    assert!(refused.detail(422).contains("at most 1000"), "{refused:?}");
}
