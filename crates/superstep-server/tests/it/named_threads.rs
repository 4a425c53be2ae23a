//! Threads that other programs made, under names of their own.

use std::sync::Arc;

use serde_json::{Value as Json, json};
use superstep::{RunOptions, Saver as _, http::Method};
use superstep_server::{Server, thread_uuid};

use crate::{
    client::Running,
    graphs::{Draft, hitl, memory, one},
};

const NAME: &str = "hitl-7f3k2m";

/// A storage in which a program ran a graph under a name of its own, and another graph that is not hosted.
async fn stored() -> superstep::Backends {
    let backends = memory();
    let graph = hitl().with_backends(backends.clone());
    let topic = Draft {
        topic: "names".to_owned(),
        ..Draft::default()
    };
    graph.run(NAME, topic).await.unwrap();
    let other = one().with_backends(backends.clone());
    let options = RunOptions::on("chain-1");
    other.invoke(json!({"x": 1}), &options).await.unwrap();
    backends
}

fn hosting(backends: superstep::Backends) -> Server {
    Server::on(backends).graph("review", &hitl())
}

async fn found(server: &Running) -> Vec<Json> {
    let all = server.post("/threads/search", json!({})).await.ok();
    all.as_array().unwrap().clone()
}

#[tokio::test]
async fn a_thread_of_another_program_has_an_id_and_its_graph() {
    let backends = stored().await;
    let server = Running::start(hosting(backends.clone())).await;
    let id = thread_uuid(NAME).to_string();
    let all = found(&server).await;
    assert_eq!(all.len(), 1, "the graph of the other one is not hosted");
    let thread = &all[0];
    assert_eq!(thread["thread_id"], json!(id));
    assert_eq!(thread["status"], json!("interrupted"));
    assert_eq!(thread["metadata"]["graph_id"], json!("review"));
    let assistants = server.post("/assistants/search", json!({})).await.ok();
    assert_eq!(
        thread["metadata"]["assistant_id"],
        assistants[0]["assistant_id"]
    );
    assert_eq!(found(&server).await, all, "it stays as it is");

    let again = Running::start(hosting(backends)).await;
    let path = format!("/threads/{id}");
    assert_eq!(again.get(&path).await.ok()["thread_id"], json!(id));
}

#[tokio::test]
async fn a_server_answers_it_and_the_other_program_sees_that() {
    let backends = stored().await;
    let server = Running::start(hosting(backends.clone())).await;
    let id = thread_uuid(NAME);
    let place = format!("/threads/{id}");
    let state = server.get(&format!("{place}/state")).await.ok();
    assert_eq!(state["values"]["draft"], json!("Draft about names"));
    assert_eq!(state["checkpoint"]["thread_id"], json!(id.to_string()));
    let run = json!({"assistant_id": "review", "command": {"resume": true}});
    let reply = server.post(&format!("{place}/runs/wait"), run).await;
    let content = reply.header("content-location").unwrap().to_owned();
    assert!(content.starts_with(&place), "{content}");
    assert_eq!(reply.ok()["log"][1], json!("published: true"));
    let runs = server.get(&format!("{place}/runs")).await.ok();
    assert_eq!(runs.as_array().unwrap().len(), 2, "{runs}");
    assert_eq!(runs[0]["thread_id"], json!(id.to_string()));

    let graph = hitl().with_backends(backends.clone());
    let seen = graph.state(NAME).await.unwrap();
    assert_eq!(seen.state.log, ["written", "published: true"]);

    let gone = server.call(Method::DELETE, &place, json!({})).await;
    assert_eq!(gone.status, 204);
    let saver = backends.saver.as_ref().map(Arc::clone).unwrap();
    let left = saver.threads().await.unwrap();
    let left: Vec<&str> = left.iter().map(|thread| thread.as_str()).collect();
    assert_eq!(left, ["chain-1"]);
    assert_eq!(server.get(&place).await.status, 404);
}

#[tokio::test]
async fn it_is_traced_and_copied_by_its_id() {
    let server = Running::start(hosting(stored().await)).await;
    let place = format!("/threads/{}", thread_uuid(NAME));
    let trace = server.get(&format!("{place}/trace")).await.ok();
    assert_eq!(trace["thread"], json!(NAME));
    let copy = server.post(&format!("{place}/copy"), json!({})).await.ok();
    assert_eq!(copy["values"]["draft"], json!("Draft about names"));
    assert_ne!(copy["thread_id"], json!(thread_uuid(NAME).to_string()));
}
