//! Events of all threads of a caller.

use serde_json::{Value as Json, json};
use superstep::{Secret, http::Method};

use crate::{
    client::Running,
    graphs::{memory, server},
    sse::Events,
};

async fn listen(server: &Running, token: &str, last: Option<&str>) -> Events {
    let request = server
        .request(Method::GET, "/events")
        .header("x-api-key", token);
    let request = match last {
        Some(last) => request.header("last-event-id", last),
        None => request,
    };
    Events::open(server, request).await
}

async fn post(server: &Running, token: &str, path: &str, body: Json) -> Json {
    let request = server
        .request(Method::POST, path)
        .header("x-api-key", token);
    server.send(request.body(body.to_string())).await.ok()
}

/// The events until one with a name, which comes last.
async fn until(events: &mut Events, name: &str) -> Vec<(String, Json)> {
    let mut all = Vec::new();
    loop {
        let event = events.next().await.unwrap();
        let is_last = event.0 == name;
        all.push(event);
        if is_last {
            return all;
        }
    }
}

#[tokio::test]
async fn listeners_hear_of_threads_questions_and_runs_and_continue_where_they_were() {
    let server = Running::start(server(memory())).await;
    let mut events = listen(&server, "", None).await;
    assert_eq!(events.next().await, Some(("reset".to_owned(), json!({}))));
    let thread = post(&server, "", "/threads", json!({})).await;
    let id = thread["thread_id"].as_str().unwrap();
    let run = json!({"assistant_id": "hitl", "input": {"topic": "tea"}});
    post(&server, "", &format!("/threads/{id}/runs/wait"), run).await;
    let told = until(&mut events, "run.ended").await;
    assert!(
        told.iter().all(|(_, data)| data["thread_id"] == id),
        "{told:?}"
    );
    let (_, ended) = told.last().unwrap();
    assert_eq!(ended["status"], "success");
    let opened: Vec<&Json> = told
        .iter()
        .filter(|(name, _)| name == "question.opened")
        .map(|(_, data)| &data["id"])
        .collect();
    let state = server.get(&format!("/threads/{id}/state")).await.ok();
    assert_eq!(opened, [&state["interrupts"][0]["id"]]);
    let changed = told.iter().rev().find(|(name, _)| name == "thread.changed");
    let (_, changed) = changed.unwrap();
    assert_eq!(changed["status"], "interrupted");
    assert_eq!(changed["outcome"]["status"], "waiting");
    let last = events.id().unwrap().to_owned();

    let mut other = listen(&server, "", None).await;
    drop(events);
    let resume = json!({"assistant_id": "hitl", "command": {"resume": true}});
    post(&server, "", &format!("/threads/{id}/runs/wait"), resume).await;
    until(&mut other, "run.ended").await;
    let mut again = listen(&server, "", Some(&last)).await;
    let told = until(&mut again, "run.ended").await;
    let closed = told.iter().find(|(name, _)| name == "question.closed");
    assert_eq!(closed.map(|(_, data)| &data["id"]), Some(opened[0]));
    assert!(told.iter().all(|(name, _)| name != "reset"), "{told:?}");
    for lost in ["1-1", "nonsense", "0"] {
        let mut events = listen(&server, "", Some(lost)).await;
        assert_eq!(events.next().await.unwrap().0, "reset");
    }
}

#[tokio::test]
async fn owners_hear_of_their_own_threads_only() {
    let server = server(memory())
        .token(Secret::new("whole"))
        .owner("ann", Secret::new("the token of ann"))
        .owner("bob", Secret::new("the token of bob"));
    let server = Running::start(server).await;
    let mut of_bob = listen(&server, "the token of bob", None).await;
    let mut of_all = listen(&server, "whole", None).await;
    let mut threads = Vec::new();
    for token in ["the token of ann", "whole", "the token of bob"] {
        let thread = post(&server, token, "/threads", json!({})).await;
        threads.push(thread["thread_id"].clone());
    }
    assert_eq!(of_bob.next().await.unwrap().0, "reset");
    let (name, data) = of_bob.next().await.unwrap();
    assert_eq!(
        (&*name, &data["thread_id"]),
        ("thread.changed", &threads[2])
    );
    assert_eq!(of_all.next().await.unwrap().0, "reset");
    let mut seen = Vec::new();
    for _ in 0..3 {
        seen.push(of_all.next().await.unwrap().1["thread_id"].clone());
    }
    seen.sort_by_key(Json::to_string);
    threads.sort_by_key(Json::to_string);
    assert_eq!(seen, threads);
    // A thread that is deleted is told to its owner.
    let path = format!("/threads/{}", data["thread_id"].as_str().unwrap());
    let request = server.request(Method::DELETE, &path);
    server
        .send(request.header("x-api-key", "the token of bob"))
        .await;
    let (_, data) = of_bob.next().await.unwrap();
    assert_eq!(data["status"], "deleted");
}
