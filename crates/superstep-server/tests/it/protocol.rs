//! The thread-centric protocol over server-sent events.

use serde_json::{Value as Json, json};
use superstep::{Schemas, http::Method};

use crate::{
    client::Running,
    graphs::{chat, memory, nested, server},
    sse::Events,
};

const ID: &str = "22222222-2222-4222-8222-222222222222";

async fn started() -> Running {
    let server = server(memory())
        .dynamic("chat", &chat(), Schemas::default())
        .dynamic("nested", &nested(), Schemas::default());
    Running::start(server).await
}

async fn command(server: &Running, method: &str, params: Json) -> Json {
    let body = json!({"id": 1, "method": method, "params": params});
    server
        .post(&format!("/threads/{ID}/commands"), body)
        .await
        .ok()
}

/// Events of a thread until its run has come to an end.
async fn events(server: &Running, filter: Json) -> Vec<Json> {
    let path = format!("/threads/{ID}/stream/events");
    let request = server.request(Method::POST, &path).body(filter.to_string());
    let mut stream = Events::open(server, request).await;
    let mut all: Vec<Json> = Vec::new();
    loop {
        let (method, event) = stream.next().await.unwrap();
        assert_eq!(event["method"], method);
        assert_eq!(stream.id(), Some(&*event["seq"].to_string()));
        all.push(event);
        let params = &all.last().unwrap()["params"];
        let is_root = params["namespace"] == json!([]);
        let ends = ["completed", "failed", "interrupted"];
        let ended = params["data"]["event"].as_str();
        if method == "lifecycle" && is_root && ended.is_some_and(|it| ends.contains(&it)) {
            return all;
        }
    }
}

fn kinds(events: &[Json]) -> Vec<String> {
    let kind = |event: &Json| {
        let data = &event["params"]["data"];
        let more = data["event"].as_str().map(|it| format!(" {it}"));
        format!(
            "{}{}",
            event["method"].as_str().unwrap(),
            more.unwrap_or_default()
        )
    };
    events.iter().map(kind).collect()
}

#[tokio::test]
async fn a_run_that_began_before_its_reader_came_is_read_from_its_beginning() {
    let server = started().await;
    let input = json!({"messages": [{"role": "user", "content": "hi"}]});
    let begun = command(
        &server,
        "run.start",
        json!({"assistant_id": "chat", "input": input}),
    )
    .await;
    assert!(begun["result"]["run_id"].is_string(), "{begun}");
    let all = events(
        &server,
        json!({"channels": ["lifecycle", "values", "messages", "custom"]}),
    )
    .await;
    assert_eq!(
        kinds(&all),
        [
            "lifecycle running",
            "values",
            "custom",
            "messages message-start",
            "messages content-block-start",
            "messages content-block-delta",
            "messages content-block-finish",
            "messages message-finish",
            "values",
            "lifecycle completed",
        ]
    );
    let numbers: Vec<u64> = all
        .iter()
        .map(|event| event["seq"].as_u64().unwrap())
        .collect();
    assert!(
        numbers.windows(2).all(|pair| pair[0] < pair[1]),
        "{numbers:?}"
    );
    let last = &all[8]["params"]["data"]["messages"][1];
    assert_eq!(last["content"], json!([{"type": "text", "text": "hello"}]));
    let filter = json!({"channels": ["lifecycle", "values"], "since": numbers[3]});
    let rest = events(&server, filter).await;
    assert_eq!(rest, [all[8].clone(), all[9].clone()]);
}

#[tokio::test]
async fn a_question_is_asked_and_answered() {
    let server = started().await;
    let start = json!({"assistant_id": "hitl", "input": {"topic": "rust"}});
    command(&server, "run.start", start).await;
    let all = events(&server, json!({"channels": ["lifecycle", "input"]})).await;
    assert_eq!(
        kinds(&all),
        [
            "lifecycle running", "input.requested", "lifecycle interrupted"
        ]
    );
    let asked = &all[1]["params"]["data"];
    assert_eq!(asked["payload"], asked["value"]);
    let answer = |id: &Json| json!({"namespace": [], "interrupt_id": id, "response": true});
    let wrong = command(&server, "input.respond", answer(&json!("x"))).await;
    assert_eq!(wrong["error"], "no_such_interrupt");
    let answered = command(&server, "input.respond", answer(&asked["interrupt_id"])).await;
    assert_eq!(answered["result"], json!({}), "{answered}");
    let since = all[2]["seq"].clone();
    let rest = events(
        &server,
        json!({"channels": ["lifecycle", "values"], "since": since}),
    )
    .await;
    assert_eq!(kinds(&rest).last().unwrap(), "lifecycle completed");
    let again = command(&server, "input.respond", answer(&asked["interrupt_id"])).await;
    assert_eq!(again["result"], json!({}), "it was sent twice");
    let mut other = answer(&asked["interrupt_id"]);
    other["response"] = json!(false);
    let other = command(&server, "input.respond", other).await;
    assert_eq!(other["error"], "no_such_interrupt");
}

#[tokio::test]
async fn graphs_within_start_and_end_and_can_be_left_out() {
    let server = started().await;
    command(
        &server,
        "run.start",
        json!({"assistant_id": "nested", "input": {"x": 1}}),
    )
    .await;
    let all = events(&server, json!({"channels": ["lifecycle"]})).await;
    let expected = ["running", "started", "completed", "completed"];
    assert_eq!(
        kinds(&all),
        expected.map(|event| format!("lifecycle {event}"))
    );
    let namespace = all[1]["params"]["namespace"][0].as_str().unwrap();
    assert!(namespace.starts_with("child:"));
    let root = json!({"channels": ["lifecycle"], "namespaces": [[]], "depth": 0});
    assert_eq!(events(&server, root).await.len(), 2);
}

#[tokio::test]
async fn commands_that_cannot_be_carried_out_say_so() {
    let server = started().await;
    assert_eq!(
        command(&server, "zzz", json!({})).await["error"],
        "unknown_command"
    );
    let nobody = command(&server, "run.start", json!({"assistant_id": "nope"})).await;
    assert_eq!(nobody["error"], "invalid_argument");
    let tree = command(&server, "agent.getTree", json!({})).await;
    assert_eq!(tree["error"], "no_such_run");
    let path = format!("/threads/{ID}/commands");
    let reply = server.post(&path, json!({"method": "run.start"})).await;
    assert_eq!(
        (reply.status, &reply.json["error"]),
        (400, &json!("invalid_argument"))
    );
    let events = format!("/threads/{ID}/stream/events");
    server
        .post(&events, json!({"channels": ["zzz"]}))
        .await
        .detail(422);
}
