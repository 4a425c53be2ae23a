//! The state of a thread, seen and edited.

use serde_json::{Value as Json, json};
use superstep::{Backends, ThreadId};

use crate::{
    client::Running,
    graphs::{Draft, hitl, memory, server},
};

const ID: &str = "22222222-2222-4222-8222-222222222222";

/// A server with a thread that waits for the answer to a question.
async fn waiting() -> (Running, Backends) {
    let backends = memory();
    let server = Running::start(server(backends.clone())).await;
    let body = json!({"thread_id": ID, "metadata": {"graph_id": "hitl"}});
    server.post("/threads", body).await.ok();
    let graph = hitl().with_backends(backends.clone());
    let outcome = graph.run(ID, Draft::update().topic("rust")).await.unwrap();
    assert_eq!(outcome.asks().len(), 1);
    (server, backends)
}

fn at(rest: &str) -> String {
    format!("/threads/{ID}{rest}")
}

#[tokio::test]
async fn the_state_of_a_thread_that_never_ran_is_empty() {
    let server = Running::start(server(memory())).await;
    let expected = json!({
        "values": {}, "next": [], "tasks": [], "metadata": null, "created_at": null,
        "checkpoint": null, "parent_checkpoint": null, "interrupts": [],
        "checkpoint_id": null, "parent_checkpoint_id": null,
    });
    for metadata in [json!({}), json!({"graph_id": "hitl"})] {
        let made = server
            .post("/threads", json!({"metadata": metadata}))
            .await
            .ok();
        let path = format!("/threads/{}", made["thread_id"].as_str().unwrap());
        let state = server.get(&format!("{path}/state")).await.ok();
        assert_eq!(state, expected);
        let body = json!({"checkpoint": {"thread_id": made["thread_id"]}});
        let state = server
            .post(&format!("{path}/state/checkpoint"), body)
            .await
            .ok();
        assert_eq!(state, expected);
        let history = server
            .post(&format!("{path}/history"), json!({}))
            .await
            .ok();
        assert_eq!(history, json!([]));
    }
}

#[tokio::test]
async fn a_thread_that_waits_shows_its_question() {
    let (server, _) = waiting().await;
    let state = server.get(&at("/state")).await.ok();
    assert_eq!(state["values"]["draft"], "Draft about rust");
    assert_eq!(state["next"], json!(["review"]));
    let task = &state["tasks"][0];
    assert_eq!(task["name"], "review");
    assert_eq!(task["path"], json!(["__pregel_pull", "review"]));
    let question = &task["interrupts"][0];
    assert_eq!(question["value"], json!({"draft": "Draft about rust"}));
    assert_eq!(question["id"].as_str().map(str::len), Some(32));
    assert_eq!(state["interrupts"], task["interrupts"]);
    assert_eq!(state["metadata"]["source"], "loop");
    assert_eq!(state["metadata"]["graph_id"], "hitl");
    assert_eq!(state["checkpoint"]["thread_id"], ID);
    assert_eq!(state["checkpoint"]["checkpoint_id"], state["checkpoint_id"]);
    assert_eq!(
        state["parent_checkpoint"]["checkpoint_id"],
        state["parent_checkpoint_id"]
    );

    let thread = server.get(&at("")).await.ok();
    assert_eq!(thread["status"], "interrupted");
    assert_eq!(thread["values"], state["values"]);
    assert_eq!(thread["error"], Json::Null);
    let task = task["id"].as_str().unwrap();
    let mut bare = question.clone();
    assert_eq!(bare["view"].take()["title"], "Publish");
    bare.as_object_mut().unwrap().remove("view");
    assert_eq!(thread["interrupts"], json!({(task): [bare]}));
    let inbox = json!({"status": "interrupted", "metadata": {"graph_id": "hitl"}});
    assert_eq!(
        server.post("/threads/search", inbox).await.ok(),
        json!([thread])
    );
}

#[tokio::test]
async fn an_inbox_ignores_a_question_by_ending_the_thread() {
    let (server, _) = waiting().await;
    let body = json!({"values": null, "as_node": "__end__"});
    let made = server.post(&at("/state"), body).await.ok();
    assert_eq!(made["checkpoint"], made["configurable"]);
    assert_eq!(made["checkpoint"]["checkpoint_id"], made["checkpoint_id"]);
    let state = server.get(&at("/state")).await.ok();
    assert_eq!(state["checkpoint_id"], made["checkpoint_id"]);
    assert_eq!(
        (&state["next"], &state["interrupts"]),
        (&json!([]), &json!([]))
    );
    let thread = server.get(&at("")).await.ok();
    assert_eq!(
        (&thread["status"], &thread["interrupts"]),
        (&json!("idle"), &json!({}))
    );
}

#[tokio::test]
async fn an_edit_acts_as_a_node_and_its_edges_follow() {
    let (server, _) = waiting().await;
    let body = json!({"values": {"draft": "by hand", "log": ["edited"]}, "as_node": "write"});
    server.post(&at("/state"), body).await.ok();
    let state = server.get(&at("/state")).await.ok();
    assert_eq!(state["values"]["draft"], "by hand");
    assert_eq!(state["values"]["log"], json!(["written", "edited"]));
    assert_eq!(state["next"], json!(["review"]));
    assert_eq!(state["metadata"]["source"], "update");
}

#[tokio::test]
async fn an_edit_that_does_not_fit_changes_nothing() {
    let (server, backends) = waiting().await;
    let before = server.get(&at("/state")).await.ok();
    let nowhere = "019a0000-0000-7000-8000-000000000000";
    for (body, status, says) in [
        (
            json!({"values": {"draft": "x"}, "as_node": "nope"}),
            400,
            "nope",
        ),
        (
            json!({"values": {"draft": 5}, "as_node": "write"}),
            422,
            "SS1013",
        ),
        (json!({"values": 5}), 422, "`values`"),
        (json!({"values": [null], "as_node": "write"}), 422, "update"),
        (json!({"values": [[]], "as_node": "write"}), 422, "update"),
        (
            json!({"values": {}, "checkpoint": {"checkpoint_id": "x"}}),
            422,
            "checkpoint ID",
        ),
        (
            json!({"values": {}, "checkpoint_id": nowhere}),
            404,
            nowhere,
        ),
    ] {
        let reply = server.post(&at("/state"), body.clone()).await;
        assert!(reply.detail(status).contains(says), "{body}: {reply:?}");
    }
    let saver = backends.saver.unwrap();
    let lease = saver.lease(&ThreadId::from(ID)).await.unwrap();
    let busy = server
        .post(
            &at("/state"),
            json!({"values": {"draft": "x"}, "as_node": "write"}),
        )
        .await;
    assert!(busy.detail(409).contains("in use"));
    drop(lease);
    assert_eq!(server.get(&at("/state")).await.ok(), before);
}

#[tokio::test]
async fn a_thread_without_a_graph_cannot_be_edited_and_an_unknown_graph_is_named() {
    let server = Running::start(server(memory())).await;
    for (metadata, status, says) in [
        (json!({}), 400, "has no graph"),
        (
            json!({"graph_id": "gone"}),
            404,
            "Graph 'gone' not found. Expected one of: hitl, one",
        ),
    ] {
        let made = server
            .post("/threads", json!({"metadata": metadata}))
            .await
            .ok();
        let path = format!("/threads/{}/state", made["thread_id"].as_str().unwrap());
        let reply = server.post(&path, json!({"values": {}})).await;
        assert!(reply.detail(status).contains(says), "{reply:?}");
    }
    let missing = "/threads/99999999-9999-4999-8999-999999999999/state";
    for reply in [
        server.get(missing).await,
        server.post(missing, json!({})).await,
    ] {
        assert!(reply.detail(404).contains("not found"));
    }
}
