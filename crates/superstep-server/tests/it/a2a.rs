//! Assistants as agents of the Agent2Agent protocol.

use serde_json::{Value as Json, json};
use superstep::{Schemas, http::Method};

use crate::{
    client::Running,
    graphs::{chat, memory, server},
    sse::Events,
};

async fn started() -> Running {
    let server = server(memory()).dynamic("chat", &chat(), Schemas::default());
    Running::start(server).await
}

async fn call(server: &Running, agent: &str, method: &str, params: Json) -> Json {
    let body = json!({"jsonrpc": "2.0", "id": "7", "method": method, "params": params});
    let reply = server.post(&format!("/a2a/{agent}"), body).await.ok();
    assert_eq!(
        (&reply["jsonrpc"], &reply["id"]),
        (&json!("2.0"), &json!("7"))
    );
    reply
}

fn message(part: Json) -> Json {
    json!({"message": {"role": "user", "parts": [part], "messageId": "u1"}})
}

#[tokio::test]
async fn a_card_says_where_an_assistant_is_and_what_it_takes() {
    let server = started().await;
    let path = "/.well-known/agent-card.json";
    assert_eq!(server.get(path).await.status, 400);
    let card = server.get(&format!("{path}?assistant_id=hitl")).await.ok();
    let url = card["url"].as_str().unwrap();
    assert!(
        url.starts_with(&format!("http://{}/a2a/", server.address)),
        "{url}"
    );
    assert_eq!(card["capabilities"]["streaming"], json!(true));
    assert!(card["skills"][0]["metadata"]["inputSchema"].is_object());
    let none = server.get(&format!("{path}?assistant_id=nope")).await;
    assert_eq!(none.status, 422);
}

#[tokio::test]
async fn a_message_becomes_a_task_that_can_be_read_again() {
    let server = started().await;
    let said = message(json!({"kind": "text", "text": "hi"}));
    let task = call(&server, "chat", "message/send", said).await["result"].clone();
    assert_eq!(task["status"]["state"], json!("completed"));
    assert_eq!(task["artifacts"][0]["parts"][0]["text"], json!("hello"));
    let roles: Vec<&Json> = task["history"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| &it["role"])
        .collect();
    assert_eq!(roles, [&json!("user"), &json!("agent")]);
    assert_eq!(task["history"][0]["messageId"], json!("u1"));
    let id = task["id"].as_str().unwrap();
    assert!(id.starts_with(task["contextId"].as_str().unwrap()), "{id}");
    let again = call(&server, "chat", "tasks/get", json!({"id": id})).await;
    assert_eq!(again["result"]["history"], task["history"]);
    let thread = format!("/threads/{}", task["contextId"].as_str().unwrap());
    assert_eq!(
        server.get(&thread).await.ok()["metadata"]["graph_id"],
        json!("chat")
    );
}

#[tokio::test]
async fn a_question_is_answered_by_the_next_message_of_its_context() {
    let server = started().await;
    let topic = message(json!({"kind": "data", "data": {"topic": "x"}}));
    let asked = call(&server, "hitl", "message/send", topic).await["result"].clone();
    assert_eq!(asked["status"]["state"], json!("input-required"));
    assert_eq!(asked["artifacts"][0]["name"], json!("Interrupt"));
    let value = &asked["artifacts"][0]["parts"][0]["data"]["value"];
    assert_eq!(value["draft"], json!("Draft about x"));
    let mut yes = message(json!({"kind": "data", "data": true}));
    yes["message"]["contextId"] = asked["contextId"].clone();
    let done = call(&server, "hitl", "message/send", yes).await["result"].clone();
    assert_eq!(done["status"]["state"], json!("completed"), "{done}");
    let data = &done["artifacts"][0]["parts"][0]["data"];
    assert_eq!(data["log"][1], json!("published: true"));
}

#[tokio::test]
async fn an_answer_to_a_task_is_for_what_that_task_asked() {
    let server = started().await;
    let say = async |data: Json, of: &Json, id: &str| {
        let mut said = message(json!({"kind": "data", "data": data}));
        said["message"]["messageId"] = json!(id);
        for name in ["contextId", "taskId"] {
            if let Some(value) = of.get(name) {
                said["message"][name] = value.clone();
            }
        }
        call(&server, "hitl", "message/send", said).await
    };
    let first = say(json!({"topic": "x"}), &json!({}), "1").await["result"].clone();
    let context = json!({"contextId": first["contextId"]});
    let task = json!({"contextId": first["contextId"], "taskId": first["id"]});
    let done = say(json!(true), &task, "2").await["result"].clone();
    assert_eq!(done["status"]["state"], json!("completed"), "{done}");
    let read = call(&server, "hitl", "tasks/get", json!({"id": first["id"]})).await;
    assert_eq!(read["result"]["status"]["state"], json!("completed"));
    // Another question of the same context: what is said to the first task is not for it.
    let second = say(json!({"topic": "y"}), &context, "3").await["result"].clone();
    assert_eq!(
        second["status"]["state"],
        json!("input-required"),
        "{second}"
    );
    for (of, answer, id) in [(&first["id"], false, "4"), (&done["id"], true, "5")] {
        let stale = json!({"contextId": first["contextId"], "taskId": of});
        let refused = say(json!(answer), &stale, id).await;
        assert_eq!(refused["error"]["code"], json!(-32602), "{refused}");
    }
    let same = say(json!(true), &task, "the same answer").await;
    assert_eq!(same["result"]["id"], done["id"], "{same}");
    let run = "00000000-0000-0000-0000-000000000000";
    let none = format!("{}:{run}", first["contextId"].as_str().unwrap());
    let unknown = say(json!(true), &json!({"taskId": none}), "6").await;
    assert_eq!(unknown["error"]["code"], json!(-32001), "{unknown}");
    // The same message, sent again, is not said again.
    let again = say(json!(true), &task, "2").await["result"].clone();
    assert_eq!(again["id"], done["id"]);
    let read = call(&server, "hitl", "tasks/get", json!({"id": second["id"]})).await;
    assert_eq!(read["result"]["status"]["state"], json!("input-required"));
    let answered = say(json!(true), &json!({"taskId": second["id"]}), "7").await;
    assert_eq!(
        answered["result"]["status"]["state"],
        json!("completed"),
        "{answered}"
    );
}

#[tokio::test]
async fn an_answer_that_is_sent_again_is_not_given_to_the_next_question() {
    let server = started().await;
    let topic = message(json!({"kind": "data", "data": {"topic": "x"}}));
    let asked = call(&server, "hitl", "message/send", topic.clone()).await["result"].clone();
    let mut yes = message(json!({"kind": "data", "data": true}));
    yes["message"]["contextId"] = asked["contextId"].clone();
    let done = call(&server, "hitl", "message/send", yes.clone()).await["result"].clone();
    let mut topic = topic;
    topic["message"]["contextId"] = asked["contextId"].clone();
    let next = call(&server, "hitl", "message/send", topic).await["result"].clone();
    assert_eq!(next["status"]["state"], json!("input-required"), "{next}");
    let again = call(&server, "hitl", "message/send", yes).await["result"].clone();
    assert_eq!(again["id"], done["id"], "{again}");
    let read = call(&server, "hitl", "tasks/get", json!({"id": next["id"]})).await;
    assert_eq!(read["result"]["status"]["state"], json!("input-required"));
}

#[tokio::test]
async fn a_stream_ends_with_what_was_said_and_how_it_stands() {
    let server = started().await;
    let said = message(json!({"kind": "text", "text": "hi"}));
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "message/stream", "params": said});
    let request = server.request(Method::POST, "/a2a/chat");
    let mut events = Events::open(&server, request.body(body.to_string())).await;
    let mut results = Vec::new();
    while let Some((_, data)) = events.next().await {
        results.push(data["result"].clone());
    }
    let first = results.first().unwrap();
    assert_eq!(first["status"]["state"], json!("submitted"));
    let last = results.last().unwrap();
    assert_eq!(
        (&last["status"]["state"], &last["final"]),
        (&json!("completed"), &json!(true))
    );
    let kinds: Vec<&str> = results
        .iter()
        .map(|it| it["kind"].as_str().unwrap())
        .collect();
    assert!(kinds.contains(&"artifact-update"), "{kinds:?}");
}

#[tokio::test]
async fn what_cannot_be_done_is_an_error_with_a_code() {
    let server = started().await;
    let of = |reply: Json| reply["error"]["code"].clone();
    assert_eq!(
        of(call(&server, "chat", "zzz", json!({})).await),
        json!(-32601)
    );
    assert_eq!(
        of(call(&server, "chat", "message/send", json!({})).await),
        json!(-32602)
    );
    let empty = json!({"message": {"role": "user", "parts": []}});
    assert_eq!(
        of(call(&server, "chat", "message/send", empty).await),
        json!(-32602)
    );
    for id in ["", "x", "x:y", "99999999-9999-4999-8999-999999999999:x"] {
        let code = of(call(&server, "chat", "tasks/get", json!({"id": id})).await);
        assert!(
            [json!(-32001), json!(-32602)].contains(&code),
            "{id}: {code}"
        );
    }
    let failing = message(json!({"kind": "data", "data": {"x": -1}}));
    let failed = call(&server, "one", "message/send", failing).await["result"].clone();
    assert_eq!(failed["status"]["state"], json!("failed"));
    let why = &failed["status"]["message"]["parts"][0]["text"];
    assert_eq!(why, &json!("ValueError: boom"));
}
