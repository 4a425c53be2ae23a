//! Callers: nodes see who called, by the token, whatever a body says.

use std::sync::Arc;

use serde_json::{Value as Json, json};
use superstep::{
    Backends, Schemas, Secret,
    dynamic::{DynCtx, DynGraph, DynGraphBuilder, Halt, START},
    http::Method,
    sqlite::Database,
    store::{Namespace, PutOptions, Store, TtlOnRead},
};
use superstep_server::Server;

use crate::{
    client::{Reply, Running},
    graphs::memory,
};

const ANN: &str = "the token of ann";
const BOB: &str = "the token of bob";

/// Says who calls and what the context is; asks first if it is told to.
pub(crate) fn who() -> DynGraph {
    let say = |ctx: DynCtx| async move {
        if ctx.get("asks").as_bool() == Some(true) {
            ctx.ask(json!("go on?"))?;
        }
        let who = ctx.caller().owner().unwrap_or("nobody").to_owned();
        Ok::<_, Halt>(json!({ "who": who, "context": ctx.context() }))
    };
    DynGraphBuilder::new()
        .name("who")
        .last_value("asks")
        .last_value("owner")
        .last_value("caller")
        .last_value("who")
        .last_value("context")
        .node("say", say)
        .edge(START, "say")
        .build()
        .unwrap()
}

fn owned(backends: Backends) -> Server {
    Server::on(backends)
        .dynamic("who", &who(), Schemas::default())
        .token(Secret::new("whole"))
        .owner("ann", Secret::new(ANN))
        .owner("bob", Secret::new(BOB))
}

async fn call(server: &Running, token: &str, method: Method, path: &str, body: Json) -> Reply {
    let request = server.request(method, path).header("x-api-key", token);
    server.send(request.body(body.to_string())).await
}

async fn post(server: &Running, token: &str, path: &str, body: Json) -> Json {
    call(server, token, Method::POST, path, body).await.ok()
}

async fn thread(server: &Running, token: &str) -> String {
    let thread = post(server, token, "/threads", json!({})).await;
    thread["thread_id"].as_str().unwrap().to_owned()
}

/// Everything that a client could name ann by.
fn forged() -> Json {
    json!({
        "owner": "ann", "user": "ann", "name": "ann", "user_id": "ann",
        "caller": { "owner": "ann", "roles": ["admin"] },
        "langgraph_auth_user": { "identity": "ann" }, "langgraph_auth_user_id": "ann",
    })
}

/// Bodies of runs in which bob names ann: in the context, in the configuration, and both ways in the rest.
fn forgeries() -> [Json; 2] {
    let input = json!({ "owner": "ann", "caller": forged()["caller"], "who": "ann" });
    let config =
        json!({ "configurable": forged(), "metadata": forged(), "caller": forged()["caller"] });
    [
        json!({"assistant_id": "who", "input": input, "context": forged(), "metadata": forged(),
            "caller": forged()["caller"], "owner": "ann", "options": { "caller": forged()["caller"] }}),
        json!({"assistant_id": "who", "input": input, "config": config, "metadata": forged()}),
    ]
}

#[tokio::test]
async fn a_client_that_names_another_owner_is_still_itself() {
    let server = Running::start(owned(memory())).await;
    let own = thread(&server, BOB).await;
    let runs = format!("/threads/{own}/runs");
    for body in forgeries() {
        for path in ["/runs/wait", &format!("{runs}/wait")] {
            let end = post(&server, BOB, path, body.clone()).await;
            assert_eq!(end["who"], "bob", "{path}: {end}");
            assert_eq!(
                end["context"]["owner"], "ann",
                "the context is the client's"
            );
        }
        let run = post(&server, BOB, &runs, body.clone()).await;
        let join = format!("{runs}/{}/join", run["run_id"].as_str().unwrap());
        let end = call(&server, BOB, Method::GET, &join, json!({})).await;
        assert_eq!(end.ok()["who"], "bob");

        let mut on_thread = body.clone();
        on_thread["thread_id"] = json!(own);
        let batch = post(&server, BOB, "/runs/batch", json!([on_thread])).await;
        let join = format!("{runs}/{}/join", batch[0]["run_id"].as_str().unwrap());
        let end = call(&server, BOB, Method::GET, &join, json!({})).await;
        assert_eq!(end.ok()["who"], "bob");

        let stream = server
            .request(Method::POST, "/runs/stream")
            .header("x-api-key", BOB);
        let events = server.send(stream.body(body.to_string())).await;
        let events = events.json.as_str().unwrap().to_owned();
        assert!(events.contains(r#""who":"bob""#), "{events}");
    }
    let end = post(&server, "whole", "/runs/wait", forgeries()[0].clone()).await;
    assert_eq!(end["who"], "nobody", "the token of the server is no owner");
}

#[tokio::test]
async fn what_an_assistant_stores_does_not_name_the_caller() {
    let server = Running::start(owned(memory())).await;
    for more in [
        json!({"context": forged(), "metadata": forged()}),
        json!({"config": {"configurable": forged(), "caller": forged()["caller"]}}),
    ] {
        let mut body = json!({"graph_id": "who"});
        body.as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        let assistant = post(&server, BOB, "/assistants", body).await;
        let run = json!({"assistant_id": assistant["assistant_id"], "input": {}});
        let end = post(&server, BOB, "/runs/wait", run).await;
        assert_eq!(end["who"], "bob", "{end}");
        // One that everybody may use works for whoever uses it.
    }
    let everybodys = json!({"graph_id": "who", "context": forged()});
    let everybodys = post(&server, "whole", "/assistants", everybodys).await;
    let run = json!({"assistant_id": everybodys["assistant_id"], "input": {}});
    for (token, who) in [(ANN, "ann"), (BOB, "bob")] {
        let end = post(&server, token, "/runs/wait", run.clone()).await;
        assert_eq!(end["who"], who, "{end}");
    }
}

#[tokio::test]
async fn runs_of_other_protocols_have_the_caller_of_their_token() {
    let server = Running::start(owned(memory())).await;
    let rpc = |method: &str, params: Json| json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
    let data = json!({"kind": "data", "data": {"owner": "ann", "caller": forged()["caller"]}});
    let message = json!({"message": {"role": "user", "parts": [data], "messageId": "m", "metadata": forged()},
        "metadata": forged(), "configuration": forged()});
    let task = post(&server, BOB, "/a2a/who", rpc("message/send", message)).await;
    let found = &task["result"]["artifacts"][0]["parts"][0]["data"]["who"];
    assert_eq!(*found, "bob", "{task}");

    let arguments = json!({"owner": "ann", "caller": forged()["caller"]});
    let params = json!({"name": "who", "arguments": arguments, "_meta": forged()});
    let called = post(&server, BOB, "/mcp", rpc("tools/call", params)).await;
    let content = &called["result"]["structuredContent"];
    assert_eq!(content["who"], "bob", "{called}");

    let own = thread(&server, BOB).await;
    let mut params = forgeries()[0].clone();
    params["assistant_id"] = json!("who");
    let command = json!({"id": 1, "method": "run.start", "params": params});
    post(&server, BOB, &format!("/threads/{own}/commands"), command).await;
    let state = format!("/threads/{own}/state");
    let who = loop {
        let state = call(&server, BOB, Method::GET, &state, json!({})).await;
        let who = state.ok()["values"]["who"].clone();
        if !who.is_null() && who != "ann" {
            break who;
        }
        tokio::task::yield_now().await;
    };
    assert_eq!(who, "bob");
}

#[tokio::test]
async fn a_scheduled_run_has_the_caller_who_made_the_schedule() {
    let backends = memory();
    let store = backends.store.clone().unwrap();
    let server = Running::start(owned(backends)).await;
    let mut body = forgeries()[0].clone();
    body["schedule"] = json!("0 0 1 1 *");
    body["on_run_completed"] = json!("keep");
    let cron = post(&server, BOB, "/runs/crons", body.clone()).await;
    let id = cron["cron_id"].as_str().unwrap().to_owned();
    // Its time comes; what is made or changed makes the server look.
    let place = Namespace::new(["runs", "crons"]).unwrap();
    let found = store.get(&place, &id, TtlOnRead::Keep).await.unwrap();
    let mut due = found.unwrap().value;
    due["next"] = json!(1);
    let put = store.put(&place, &id, due, PutOptions::default());
    put.await.unwrap();
    post(&server, BOB, "/runs/crons", body).await;
    let wanted = json!({"metadata": {"graph_id": "who"}, "status": "idle"});
    let made = loop {
        let found = post(&server, BOB, "/threads/search", wanted.clone()).await;
        if let Some(thread) = found.as_array().unwrap().first() {
            break thread.clone();
        }
        tokio::task::yield_now().await;
    };
    assert_eq!(made["values"]["who"], "bob", "{made}");
}

#[tokio::test]
async fn an_answer_without_context_has_that_of_the_run_and_the_caller_who_answers() {
    let server = Running::start(owned(memory())).await;
    let assistant = json!({"graph_id": "who", "context": {"tone": "formal"}});
    let assistant = post(&server, "whole", "/assistants", assistant).await;
    let id = &assistant["assistant_id"];
    let own = thread(&server, BOB).await;
    let path = format!("/threads/{own}/runs/wait");
    let ask = json!({"assistant_id": id, "input": {"asks": true}, "context": {"shop": "bob's"}});
    let context = json!({"tone": "formal", "shop": "bob's"});
    for (token, who) in [(BOB, "bob"), ("whole", "nobody")] {
        post(&server, BOB, &path, ask.clone()).await;
        let answer = json!({"assistant_id": id, "command": {"resume": true}});
        let end = post(&server, token, &path, answer).await;
        assert_eq!((&end["who"], &end["context"]), (&json!(who), &context));
    }
    // A context that comes with the answer is taken.
    post(&server, BOB, &path, ask).await;
    let answer =
        json!({"assistant_id": id, "command": {"resume": true}, "context": {"shop": "new"}});
    let end = post(&server, BOB, &path, answer).await;
    assert_eq!(end["context"], json!({"tone": "formal", "shop": "new"}));
}

#[tokio::test]
async fn a_queued_run_keeps_its_caller_and_context_in_the_next_server() {
    let folder = tempfile::tempdir().unwrap();
    let open = || {
        let database = Database::open(folder.path().join("a.db")).unwrap();
        let store: Arc<dyn Store> = Arc::new(database.store());
        owned(Backends {
            store: Some(store),
            ..Backends::on(database.saver())
        })
    };
    let first = Running::start(open()).await;
    let own = thread(&first, BOB).await;
    let runs = format!("/threads/{own}/runs");
    let mut body = forgeries()[0].clone();
    body["after_seconds"] = json!(1);
    let run = post(&first, BOB, &runs, body).await;
    drop(first);
    let second = Running::start(open()).await;
    let join = format!("{runs}/{}/join", run["run_id"].as_str().unwrap());
    let end = call(&second, BOB, Method::GET, &join, json!({})).await.ok();
    assert_eq!(end["who"], "bob", "{end}");
    assert_eq!(end["context"], forged());
}
