//! The runs of a thread: listed, joined and cancelled.

use serde_json::{Value as Json, json};
use superstep::Schemas;

use crate::{
    client::Running,
    graphs::{Gate, gate, memory, server},
};

const ID: &str = "55555555-5555-4555-8555-555555555555";
const NOWHERE: &str = "019a0000-0000-7000-8000-000000000000";

fn at(rest: &str) -> String {
    format!("/threads/{ID}{rest}")
}

async fn started(gates: &std::sync::Arc<Gate>) -> Running {
    let server = server(memory()).dynamic("gate", &gate(gates), Schemas::default());
    let server = Running::start(server).await;
    server.post("/threads", json!({"thread_id": ID})).await.ok();
    server
}

async fn wait(server: &Running, graph: &str, input: Json) -> Json {
    let body = json!({"assistant_id": graph, "input": input, "metadata": {"tag": "x"}});
    server.post(&at("/runs/wait"), body).await.ok()
}

#[tokio::test]
async fn the_runs_of_a_thread_are_listed_newest_first() {
    let server = started(&Gate::shut()).await;
    wait(&server, "one", json!({"x": 1})).await;
    wait(&server, "one", json!({"x": -1})).await;
    let all = server.get(&at("/runs")).await.ok();
    let statuses: Vec<&Json> = all
        .as_array()
        .unwrap()
        .iter()
        .map(|run| &run["status"])
        .collect();
    assert_eq!(statuses, ["error", "success"]);
    let keys: Vec<&String> = all[0].as_object().unwrap().keys().collect();
    let expected = [
        "run_id", "thread_id", "assistant_id", "metadata", "status", "kwargs",
        "multitask_strategy", "created_at", "updated_at",
    ];
    assert_eq!(keys, expected);
    assert_eq!(all[0]["metadata"]["tag"], "x");
    assert_eq!(all[0]["metadata"]["assistant_id"], all[0]["assistant_id"]);
    let id = all[1]["run_id"].as_str().unwrap();
    assert_eq!(server.get(&at(&format!("/runs/{id}"))).await.ok(), all[1]);
    for (query, found) in [
        ("limit=1", json!([all[0]])),
        ("offset=1", json!([all[1]])),
        ("status=success", json!([all[1]])),
        ("status=pending", json!([])),
    ] {
        assert_eq!(server.get(&at(&format!("/runs?{query}"))).await.ok(), found);
    }
    server.get(&at("/runs?limit=x")).await.detail(422);
}

#[tokio::test]
async fn a_run_is_joined_while_it_runs_and_after_its_end() {
    let gates = Gate::shut();
    let server = started(&gates).await;
    let running = wait(&server, "gate", json!({"x": 0}));
    let joining = async {
        gates.entered.acquire().await.unwrap().forget();
        let runs = server.get(&at("/runs")).await.ok();
        assert_eq!(runs[0]["status"], "running");
        let join = at(&format!(
            "/runs/{}/join",
            runs[0]["run_id"].as_str().unwrap()
        ));
        let open = async { gates.open.add_permits(1) };
        let (joined, ()) = tokio::join!(server.get(&join), open);
        (join, joined)
    };
    let (end, (join, joined)) = tokio::join!(running, joining);
    assert_eq!(
        format!("{}/join", joined.header("content-location").unwrap()),
        join
    );
    assert_eq!((end, joined.ok()), (json!({"x": 1}), json!({"x": 1})));
    // A later run does not change what this one left.
    let edit = json!({"values": {"x": 9}, "as_node": "wait"});
    server.post(&at("/state"), edit).await.ok();
    assert_eq!(server.get(&join).await.ok(), json!({"x": 1}));
}

#[tokio::test]
async fn a_run_that_asked_or_failed_is_joined_with_that() {
    let server = started(&Gate::shut()).await;
    let asked = wait(&server, "hitl", json!({"topic": "rust"})).await;
    let newest = async || {
        let runs = server.get(&at("/runs?limit=1")).await.ok();
        assert_eq!(runs[0]["status"], "success");
        at(&format!(
            "/runs/{}/join",
            runs[0]["run_id"].as_str().unwrap()
        ))
    };
    let join = newest().await;
    assert_eq!(server.get(&join).await.ok(), asked);

    let other = "66666666-6666-4666-8666-666666666666";
    let body = json!({"assistant_id": "one", "input": {"x": -1}, "if_not_exists": "create"});
    let path = format!("/threads/{other}/runs");
    server.post(&format!("{path}/wait"), body).await.ok();
    let failed = server.get(&path).await.ok()[0]["run_id"]
        .as_str()
        .unwrap()
        .to_owned();
    let end = server.get(&format!("{path}/{failed}/join")).await.ok();
    let message = end["__error__"]["message"].as_str().unwrap();
    assert!(message.contains("boom"), "{message}");
    // A run is found on its own thread only.
    let reply = server.get(&at(&format!("/runs/{failed}"))).await;
    assert_eq!(reply.detail(404), "Run not found");
}

#[tokio::test]
async fn a_run_is_cancelled_and_its_thread_goes_on() {
    for query in ["?wait=1&action=interrupt", ""] {
        let gates = Gate::shut();
        let server = started(&gates).await;
        let running = wait(&server, "gate", json!({"x": 0}));
        let cancelling = async {
            gates.entered.acquire().await.unwrap().forget();
            let runs = server.get(&at("/runs")).await.ok();
            let run = at(&format!("/runs/{}", runs[0]["run_id"].as_str().unwrap()));
            let reply = server
                .post(&format!("{run}/cancel{query}"), json!({}))
                .await;
            let expected = if query.is_empty() {
                (202, Json::Null)
            } else {
                (200, json!({}))
            };
            assert_eq!((reply.status, reply.json), expected);
            run
        };
        let (end, run) = tokio::join!(running, cancelling);
        // As much as it had done.
        assert_eq!(end, json!({"x": 0}));
        assert_eq!(server.get(&run).await.ok()["status"], "interrupted");
        let again = server.post(&format!("{run}/cancel"), json!({})).await;
        assert!(again.detail(404).contains("has ended"));
        gates.open.add_permits(1);
        let body = json!({"assistant_id": "gate", "input": null});
        assert_eq!(
            server.post(&at("/runs/wait"), body).await.ok(),
            json!({"x": 1})
        );
    }
}

#[tokio::test]
async fn a_run_that_is_not_there_is_said_to_be_missing() {
    let server = started(&Gate::shut()).await;
    for rest in ["", "/join"] {
        let reply = server.get(&at(&format!("/runs/{NOWHERE}{rest}"))).await;
        assert_eq!(reply.detail(404), "Run not found");
        let reply = server.get(&at(&format!("/runs/x{rest}"))).await;
        assert_eq!(reply.detail(422), "Invalid run ID: must be a UUID");
    }
    let cancel = at(&format!("/runs/{NOWHERE}/cancel"));
    server.post(&cancel, json!({})).await.detail(404);
    let rollback = server
        .post(&format!("{cancel}?action=zzz"), json!({}))
        .await;
    assert!(rollback.detail(422).contains("interrupt or rollback"));
}
