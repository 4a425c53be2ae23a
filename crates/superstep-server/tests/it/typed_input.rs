//! Input and edits that a typed graph does not take: refused with the code and the field, before anything is stored.

use serde_json::{Value as Json, json};
use superstep::{Backends, Schemas};

use crate::{
    client::{Reply, Running},
    graphs::{chat, memory, server},
    socket::Socket,
};

const ID: &str = "66666666-6666-4666-8666-666666666666";

/// A server with an empty thread of the typed graph.
async fn started() -> (Running, Backends) {
    let backends = memory();
    let server = server(backends.clone()).dynamic("chat", &chat(), Schemas::default());
    let server = Running::start(server).await;
    let thread = json!({"thread_id": ID, "metadata": {"graph_id": "hitl"}});
    server.post("/threads", thread).await.ok();
    (server, backends)
}

/// Inputs that do not fit, with what the refusal names.
fn misfits() -> [(Json, &'static str, &'static str); 4] {
    [
        (json!({"topic": 7}), "SS1013", "`topic`"),
        (json!({"topic": "tea", "log": "x"}), "SS1013", "`log`"),
        (json!({"topics": "tea"}), "SS1120", "`topics`"),
        (json!("tea"), "SS1013", "the input"),
    ]
}

fn refused(reply: &Reply, code: &str, name: &str) {
    let detail = reply.detail(422);
    assert!(detail.contains(code) && detail.contains(name), "{detail}");
}

/// Nothing is left of what was refused, and the thread still runs.
async fn is_untouched(server: &Running, backends: &Backends) {
    let threads = server.post("/threads/search", json!({})).await.ok();
    assert_eq!(threads.as_array().map(Vec::len), Some(1), "{threads}");
    let runs = server.get(&format!("/threads/{ID}/runs")).await.ok();
    assert_eq!(runs, json!([]));
    let crons = server.post("/runs/crons/count", json!({})).await.ok();
    assert_eq!(crons, json!(0));
    let saver = backends.saver.as_ref().unwrap();
    assert_eq!(saver.threads().await.unwrap(), []);
    let run = json!({"assistant_id": "hitl", "input": {"topic": "tea"}});
    let path = format!("/threads/{ID}/runs/wait");
    let ended = server.post(&path, run).await.ok();
    assert_eq!(ended["draft"], "Draft about tea");
}

#[tokio::test]
async fn input_that_a_typed_graph_does_not_take_is_refused_on_every_path_of_runs() {
    let (server, backends) = started().await;
    let paths = [
        format!("/threads/{ID}/runs"),
        format!("/threads/{ID}/runs/wait"),
        format!("/threads/{ID}/runs/stream"),
        format!("/inbox/threads/{ID}/runs"),
        "/runs".to_owned(),
        "/runs/wait".to_owned(),
        "/runs/stream".to_owned(),
    ];
    for (input, code, name) in misfits() {
        for path in &paths {
            let run = json!({"assistant_id": "hitl", "input": input});
            refused(&server.post(path, run).await, code, name);
        }
        let later = json!({"assistant_id": "hitl", "input": input, "after_seconds": 60});
        refused(&server.post(&paths[0], later).await, code, name);
        let fine = json!({"assistant_id": "hitl", "input": {"topic": "tea"}});
        let batch = json!([fine, {"assistant_id": "hitl", "input": input, "thread_id": ID}]);
        refused(&server.post("/runs/batch", batch).await, code, name);
        for path in ["/runs/crons", &format!("/threads/{ID}/runs/crons")] {
            let cron = json!({"assistant_id": "hitl", "schedule": "* * * * *", "input": input});
            refused(&server.post(path, cron).await, code, name);
        }
    }
    let update = |update: Json| json!({"assistant_id": "hitl", "command": {"update": update}});
    let wrong = server.post(&paths[0], update(json!({"log": 7}))).await;
    refused(&wrong, "SS1013", "`log`");
    let pairs = json!([["topics", "tea"]]);
    refused(
        &server.post(&paths[0], update(pairs)).await,
        "SS1120",
        "`topics`",
    );
    is_untouched(&server, &backends).await;
}

#[tokio::test]
async fn other_protocols_refuse_it_in_their_own_form() {
    let (server, backends) = started().await;
    for (input, code, name) in misfits() {
        let told = |text: &Json| {
            let text = text.as_str().unwrap_or_default();
            assert!(text.contains(code) && text.contains(name), "{text}");
        };
        let params = json!({"assistant_id": "hitl", "input": input});
        let start = json!({"id": 1, "method": "run.start", "params": params});
        let path = format!("/threads/{ID}/commands");
        let reply = server.post(&path, start.clone()).await.ok();
        assert_eq!(reply["error"], "invalid_argument");
        told(&reply["message"]);
        let path = format!("/threads/{ID}/stream/events");
        let mut socket = Socket::open(&server, "", &path).await;
        socket.send(&start).await;
        told(&socket.next().await["message"]);
        let params = json!({"name": "hitl", "arguments": input});
        let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
        let reply = server.post("/mcp", call).await.ok();
        assert_eq!(reply["error"]["code"], -32602);
        told(&reply["error"]["message"]);
        let part = json!({"kind": "data", "data": input});
        let message = json!({"role": "user", "parts": [part], "contextId": ID, "messageId": "m"});
        let params = json!({"message": message});
        let call = json!({"jsonrpc": "2.0", "id": 1, "method": "message/send", "params": params});
        let reply = server.post("/a2a/hitl", call).await.ok();
        told(&reply["error"]["message"]);
    }
    is_untouched(&server, &backends).await;
}

#[tokio::test]
async fn edits_that_do_not_fit_a_typed_state_change_nothing() {
    let (server, backends) = started().await;
    let edits = [
        (json!({"draft": 7}), "SS1013", "`draft`"),
        (json!({"drafts": "x"}), "SS1120", "`drafts`"),
        (json!([{"draft": "x"}, {"log": {}}]), "SS1013", "`log`"),
    ];
    for (values, code, name) in edits {
        for path in ["/threads", "/inbox/threads"] {
            let edit = json!({"values": values, "as_node": "write"});
            let reply = server.post(&format!("{path}/{ID}/state"), edit).await;
            refused(&reply, code, name);
        }
        let updates = json!([{"values": values, "as_node": "write"}]);
        let made = json!({"graph_id": "hitl", "supersteps": [{"updates": updates}]});
        refused(&server.post("/threads", made).await, code, name);
    }
    is_untouched(&server, &backends).await;
    let edit = json!({"values": {"log": ["by hand"]}, "as_node": "review"});
    server
        .post(&format!("/threads/{ID}/state"), edit)
        .await
        .ok();
}

#[tokio::test]
async fn dynamic_graphs_ignore_names_that_they_do_not_have() {
    let (server, _) = started().await;
    let run = json!({"assistant_id": "one", "input": {"x": 1, "also": true}});
    assert_eq!(server.post("/runs/wait", run).await.ok()["x"], 2);
}
