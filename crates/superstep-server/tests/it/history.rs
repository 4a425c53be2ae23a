//! The history of a thread, older states, and forks.

use serde_json::{Value as Json, json};

use crate::{
    client::Running,
    graphs::{memory, one, server},
};

const ID: &str = "33333333-3333-4333-8333-333333333333";

fn at(rest: &str) -> String {
    format!("/threads/{ID}{rest}")
}

/// A server with a thread that has run to its end.
async fn done() -> Running {
    let backends = memory();
    let server = Running::start(server(backends.clone())).await;
    let body = json!({"thread_id": ID, "metadata": {"graph_id": "one"}});
    server.post("/threads", body).await.ok();
    let graph = one().with_backends(backends);
    let options = superstep::RunOptions::on(ID);
    graph
        .start(json!({"x": 0}), &options)
        .await
        .unwrap()
        .await
        .unwrap();
    server
}

fn steps(history: &Json) -> Vec<i64> {
    let states = history.as_array().unwrap().iter();
    states
        .map(|state| state["metadata"]["step"].as_i64().unwrap())
        .collect()
}

#[tokio::test]
async fn a_history_shows_the_newest_state_first() {
    let server = done().await;
    let history = server
        .post(&at("/history"), json!({"limit": 10}))
        .await
        .ok();
    assert_eq!(steps(&history), [1, 0, -1]);
    assert_eq!(history[0]["values"], json!({"x": 1}));
    assert_eq!(history[1]["next"], json!(["count"]));
    assert_eq!(history[1]["tasks"][0]["result"], json!({"x": 1}));
    assert_eq!(history[0]["parent_checkpoint"], history[1]["checkpoint"]);
    assert_eq!(server.get(&at("/state")).await.ok(), history[0]);
    assert_eq!(server.get(&at("/history?limit=10")).await.ok(), history);
    let newest = server.get(&at("/history?limit=1")).await.ok();
    assert_eq!(newest, json!([history[0]]));
}

#[tokio::test]
async fn a_history_ends_before_a_checkpoint_however_that_is_named() {
    let server = done().await;
    let all = server.post(&at("/history"), json!({})).await.ok();
    let id = all[0]["checkpoint_id"].as_str().unwrap();
    let address = &all[0]["checkpoint"];
    for before in [json!(id), address.clone(), json!({"configurable": address})] {
        let body = json!({"limit": 1, "before": before});
        let history = server.post(&at("/history"), body).await.ok();
        assert_eq!(history, json!([all[1]]));
    }
    let history = server
        .get(&at(&format!("/history?before={id}&limit=1")))
        .await
        .ok();
    assert_eq!(history, json!([all[1]]));
    for (metadata, found) in [
        (json!({"step": 0}), vec![0]),
        (json!({"source": "loop"}), vec![1, 0]),
        (json!({"source": "nope"}), vec![]),
        (json!({"thread_id": ID}), vec![1, 0, -1]),
    ] {
        let body = json!({"metadata": metadata});
        assert_eq!(steps(&server.post(&at("/history"), body).await.ok()), found);
    }
}

#[tokio::test]
async fn an_older_state_is_read_by_its_checkpoint_and_forked_from() {
    let server = done().await;
    let all = server.post(&at("/history"), json!({})).await.ok();
    let old = &all[1];
    let id = old["checkpoint_id"].as_str().unwrap();
    assert_eq!(server.get(&at(&format!("/state/{id}"))).await.ok(), *old);
    let body = json!({"checkpoint": old["checkpoint"], "subgraphs": true});
    assert_eq!(server.post(&at("/state/checkpoint"), body).await.ok(), *old);

    let body = json!({"values": {"x": 5}, "as_node": "count", "checkpoint": old["checkpoint"]});
    let fork = server.post(&at("/state"), body).await.ok();
    let state = server.get(&at("/state")).await.ok();
    assert_eq!(state["checkpoint_id"], fork["checkpoint_id"]);
    assert_eq!(state["parent_checkpoint"], old["checkpoint"]);
    assert_eq!(state["values"], json!({"x": 5}));
    // The other branch is still there.
    let first = all[0]["checkpoint_id"].as_str().unwrap();
    assert_eq!(
        server.get(&at(&format!("/state/{first}"))).await.ok(),
        all[0]
    );
}

#[tokio::test]
async fn a_checkpoint_that_is_not_there_is_said_to_be_missing() {
    let server = done().await;
    let nowhere = "019a0000-0000-7000-8000-000000000000";
    let reply = server.get(&at(&format!("/state/{nowhere}"))).await;
    assert!(reply.detail(404).contains(nowhere));
    for path in [at("/state/x"), at("/history?before=x")] {
        let detail = "Invalid checkpoint ID: must be a UUID";
        assert_eq!(server.get(&path).await.detail(422), detail);
    }
    let many = server.post(&at("/history"), json!({"limit": 1001})).await;
    assert!(many.detail(422).contains("1 to 1000"));
    let odd = server.get(&at("/history?limit=x")).await;
    assert!(odd.detail(422).contains("`limit`"));
}
