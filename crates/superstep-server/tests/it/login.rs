//! Callers that the program knows: a hook sees the head of each request, and owners come and go while the server runs.

use std::net::SocketAddr;

use axum::{Router, extract::ConnectInfo, http::request::Parts};
use serde_json::{Value as Json, json};
use superstep::{
    Backends, Caller, RunOptions, Schemas, Secret,
    dynamic::{DynCtx, DynGraph, DynGraphBuilder, Halt, START},
    http::Method,
    store::{Namespace, PutOptions, TtlOnRead},
};
use superstep_server::{Denied, Server};

use crate::{
    client::{Reply, Running},
    graphs::memory,
};

const WHOLE: &str = "the whole server";

/// Notes who calls, with which roles, and what its memory had.
fn who() -> DynGraph {
    let note = |ctx: DynCtx| async move {
        let caller = ctx.caller().clone();
        let (place, store) = (Namespace::new(["notes"]).unwrap(), ctx.store().unwrap());
        let before = store.get(&place, "last", TtlOnRead::Keep).await.unwrap();
        let who = caller.owner().unwrap_or("nobody").to_owned();
        let put = store.put(&place, "last", json!({ "who": who }), PutOptions::default());
        put.await.unwrap();
        let roles: Vec<String> = caller.roles().map(str::to_owned).collect();
        let before = before.map(|item| item.value["who"].clone());
        Ok::<_, Halt>(json!({ "who": who, "roles": roles, "before": before }))
    };
    DynGraphBuilder::new()
        .name("who")
        .last_value("who")
        .last_value("roles")
        .last_value("before")
        .last_value("of")
        .node("note", note)
        .edge(START, "note")
        .build()
        .unwrap()
}

/// Sessions are `session NAME ROLE...`, from this machine.
async fn session(head: Parts) -> Result<Caller, Denied> {
    let peer = head.extensions.get::<ConnectInfo<SocketAddr>>();
    assert!(peer.is_some_and(|ConnectInfo(peer)| peer.ip().is_loopback()));
    let shown = head
        .headers
        .get("authorization")
        .and_then(|it| it.to_str().ok());
    let mut words = shown.unwrap_or_default().split_whitespace();
    match (words.next(), words.next()) {
        (Some("session"), Some("blocked")) => Err(Denied::Forbidden("you are blocked".to_owned())),
        (Some("session"), Some("later")) => Err(Denied::Unavailable("no directory".to_owned())),
        (Some("session"), Some("root")) => Ok(Caller::local()),
        (Some("session"), Some(name)) => Ok(words.fold(Caller::new(name), Caller::role)),
        _ => Err(Denied::Unauthenticated("log in first".to_owned())),
    }
}

fn server(backends: Backends) -> Server {
    Server::on(backends)
        .dynamic("who", &who(), Schemas::default())
        .token(Secret::new(WHOLE))
        .authenticate(session)
}

async fn call(server: &Running, user: &str, method: Method, path: &str, body: Json) -> Reply {
    let request = server.request(method, path);
    let request = request.header("authorization", &format!("session {user}"));
    server.send(request.body(body.to_string())).await
}

async fn post(server: &Running, user: &str, path: &str, body: Json) -> Reply {
    call(server, user, Method::POST, path, body).await
}

fn run() -> Json {
    json!({"assistant_id": "who", "input": {"of": "x"}, "context": {"caller": {"owner": "ann", "roles": ["admin"]}}})
}

#[tokio::test]
async fn the_hook_decides_who_calls_and_nodes_see_the_roles() {
    for server in [
        Running::start(server(memory())).await,
        Running::nested(server(memory()), Router::new()).await,
    ] {
        let end = post(&server, "ann clerk supervisor", "/runs/wait", run())
            .await
            .ok();
        assert_eq!(
            (&end["who"], &end["roles"]),
            (&json!("ann"), &json!(["clerk", "supervisor"]))
        );
        let end = post(&server, "ann", "/runs/wait", run()).await.ok();
        assert_eq!((&end["roles"], &end["before"]), (&json!([]), &json!("ann")));
        let end = post(&server, "root", "/runs/wait", run()).await.ok();
        assert_eq!(
            (&end["who"], &end["before"]),
            (&json!("nobody"), &Json::Null)
        );
        // The token of the whole server is known without the hook.
        let end = server.post_as(WHOLE, "/runs/wait", run()).await.ok();
        assert_eq!(end["who"], "nobody");
        for (user, status) in [
            ("blocked", 403),
            ("later", 503),
            ("a/b", 403),
            (&*"x".repeat(201), 403),
        ] {
            post(&server, user, "/runs/wait", run())
                .await
                .detail(status);
        }
        let reply = server.post("/runs/wait", run()).await;
        assert_eq!(reply.detail(401), "log in first");
        assert_eq!(reply.header("www-authenticate"), Some("Bearer"));
        let me = call(&server, "ann clerk", Method::GET, "/me", json!({}))
            .await
            .ok();
        assert_eq!(
            (&me["owner"], &me["roles"]),
            (&json!("ann"), &json!(["owner", "clerk"]))
        );
    }
}

#[tokio::test]
async fn owners_who_come_while_the_server_runs_have_what_is_theirs_alone() {
    let server = Running::nested(server(memory()), Router::new()).await;
    let users = ["ann@example.com", "auth0|77", "zoe%2E"];
    let put = |value: &str| json!({"namespace": ["notes"], "key": "own", "value": {"of": value}});
    let mut threads = Vec::new();
    for user in users {
        let thread = post(&server, user, "/threads", json!({})).await.ok();
        let thread = thread["thread_id"].as_str().unwrap().to_owned();
        let end = post(
            &server,
            user,
            &format!("/threads/{thread}/runs/wait"),
            run(),
        )
        .await
        .ok();
        assert_eq!(
            (&end["who"], &end["before"]),
            (&json!(user), &Json::Null),
            "{end}"
        );
        threads.push(thread);
        call(&server, user, Method::PUT, "/store/items", put(user)).await;
        let name = user.replace(['|', '%', '@'], "-");
        let file = post(&server, user, &format!("/files?name={name}"), json!(user))
            .await
            .ok();
        assert_eq!(file["path"], Json::Null);
    }
    for (user, own) in users.iter().zip(&threads) {
        let found = post(&server, user, "/threads/search", json!({})).await.ok();
        let found: Vec<&str> = found
            .as_array()
            .unwrap()
            .iter()
            .map(|it| it["thread_id"].as_str().unwrap())
            .collect();
        assert_eq!(found, [own.as_str()]);
        for other in threads.iter().filter(|other| *other != own) {
            let path = format!("/threads/{other}/state");
            assert_eq!(
                call(&server, user, Method::GET, &path, json!({}))
                    .await
                    .status,
                404
            );
        }
        let found = call(
            &server,
            user,
            Method::GET,
            "/store/items?namespace=notes&key=own",
            json!({}),
        )
        .await;
        assert_eq!(found.ok()["value"]["of"], *user);
        let found = post(
            &server,
            user,
            "/store/items/search",
            json!({"namespace_prefix": []}),
        )
        .await
        .ok();
        assert!(
            found["items"]
                .as_array()
                .unwrap()
                .iter()
                .all(|it| it["namespace"] == json!(["notes"])),
            "{found}"
        );
        let files = post(&server, user, "/files/search", json!({})).await.ok();
        assert_eq!(files.as_array().unwrap().len(), 1, "{files}");
    }
    let counted = post(&server, "root", "/threads/count", json!({}))
        .await
        .ok();
    assert_eq!(counted, json!(users.len()));
}

#[tokio::test]
async fn other_protocols_and_schedules_have_the_caller_of_the_hook() {
    let backends = memory();
    let store = backends.store.clone().unwrap();
    let server = Running::nested(server(backends), Router::new()).await;
    let rpc = |method: &str, params: Json| json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
    let data = json!({"kind": "data", "data": {"of": "ann"}});
    let message = json!({"message": {"role": "user", "parts": [data], "messageId": "m"}});
    let task = post(
        &server,
        "bob clerk",
        "/a2a/who",
        rpc("message/send", message),
    )
    .await
    .ok();
    let data = &task["result"]["artifacts"][0]["parts"][0]["data"];
    assert_eq!(
        (&data["who"], &data["roles"]),
        (&json!("bob"), &json!(["clerk"])),
        "{task}"
    );
    let params = json!({"name": "who", "arguments": {"of": "ann"}});
    let called = post(&server, "bob clerk", "/mcp", rpc("tools/call", params))
        .await
        .ok();
    let content = &called["result"]["structuredContent"];
    assert_eq!(
        (&content["who"], &content["roles"]),
        (&json!("bob"), &json!(["clerk"]))
    );

    let mut body = run();
    body["schedule"] = json!("0 0 1 1 *");
    body["on_run_completed"] = json!("keep");
    let cron = post(&server, "bob clerk", "/runs/crons", body.clone())
        .await
        .ok();
    let id = cron["cron_id"].as_str().unwrap().to_owned();
    assert_eq!(
        post(&server, "ann", "/runs/crons/count", json!({}))
            .await
            .ok(),
        json!(0)
    );
    // Its time comes; what is made or changed makes the server look.
    let place = Namespace::new(["runs", "crons"]).unwrap();
    let found = store.get(&place, &id, TtlOnRead::Keep).await.unwrap();
    let mut due = found.unwrap().value;
    due["next"] = json!(1);
    store
        .put(&place, &id, due, PutOptions::default())
        .await
        .unwrap();
    post(&server, "bob", "/runs/crons", body).await.ok();
    let wanted = json!({"metadata": {"graph_id": "who"}, "status": "idle"});
    let made = loop {
        let found = post(&server, "bob", "/threads/search", wanted.clone())
            .await
            .ok();
        if let Some(thread) = found.as_array().unwrap().first() {
            break thread.clone();
        }
        tokio::task::yield_now().await;
    };
    // Roles may be others by the time that a schedule is due.
    assert_eq!(
        (&made["values"]["who"], &made["values"]["roles"]),
        (&json!("bob"), &json!([]))
    );
}

#[tokio::test]
async fn a_thread_that_own_code_began_for_an_owner_is_listed_for_them() {
    let backends = memory();
    let server = Running::nested(server(backends.clone()), Router::new()).await;
    let own = who().with_backends(backends);
    for (thread, caller) in [
        ("chat of ann", Caller::new("ann")),
        ("chat", Caller::local()),
    ] {
        let options = RunOptions {
            caller: Some(caller),
            ..RunOptions::on(thread)
        };
        own.invoke(superstep::Value::from(json!({"of": "x"})), &options)
            .await
            .unwrap();
    }
    let count = |user: &'static str| {
        let server = &server;
        async move { post(server, user, "/threads/count", json!({})).await.ok() }
    };
    assert_eq!(count("ann").await, json!(1));
    assert_eq!(count("bob").await, json!(0));
    assert_eq!(count("root").await, json!(2));
    let id = superstep_server::thread_uuid("chat of ann");
    let path = format!("/threads/{id}/state");
    let state = call(&server, "ann", Method::GET, &path, json!({}))
        .await
        .ok();
    assert_eq!(state["values"]["who"], "ann");
    assert_eq!(
        call(&server, "bob", Method::GET, &path, json!({}))
            .await
            .status,
        404
    );
}
