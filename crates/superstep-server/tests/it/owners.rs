//! Owners: everybody sees what is theirs.

use serde_json::{Value as Json, json};
use superstep::{
    Backends, Schemas, Secret,
    dynamic::{DynCtx, DynGraphBuilder, Halt, START},
    http::Method,
    store::{Namespace, PutOptions, TtlOnRead},
};
use superstep_server::{Access, Server, ServerError, routes};

use crate::{
    client::{Reply, Running},
    graphs::{memory, one, server},
};

/// Remembers what it is given, and says what it knew.
fn remember() -> superstep::dynamic::DynGraph {
    DynGraphBuilder::new()
        .name("remember")
        .last_value("value")
        .last_value("seen")
        .node("remember", |ctx: DynCtx| async move {
            let place = Namespace::new(["notes"]).unwrap();
            let store = ctx.store().unwrap().clone();
            let old = store.get(&place, "k", TtlOnRead::Keep).await.unwrap();
            let value: Json = ctx.read("value")?;
            let put = store.put(&place, "k", json!({ "v": value }), PutOptions::default());
            put.await.unwrap();
            Ok::<_, Halt>(json!({ "seen": old.map(|old| old.value["v"].clone()) }))
        })
        .edge(START, "remember")
        .build()
        .unwrap()
}

fn owned(backends: Backends) -> Server {
    server(backends)
        .dynamic("remember", &remember(), Schemas::default())
        .token(Secret::new("whole"))
        .owner("ann", Secret::new("the token of ann"))
        .owner("bob", Secret::new("the token of bob"))
}

async fn call(server: &Running, token: &str, method: Method, path: &str, body: Json) -> Reply {
    let request = server.request(method, path).header("x-api-key", token);
    server.send(request.body(body.to_string())).await
}

async fn post(server: &Running, token: &str, path: &str, body: Json) -> Reply {
    call(server, token, Method::POST, path, body).await
}

async fn get(server: &Running, token: &str, path: &str) -> Reply {
    call(server, token, Method::GET, path, json!({})).await
}

/// A thread of ann's with a run, and their ids.
async fn thread_of_ann(server: &Running) -> (String, String) {
    let thread = post(server, "the token of ann", "/threads", json!({}))
        .await
        .ok();
    let thread = thread["thread_id"].as_str().unwrap().to_owned();
    let run = json!({"assistant_id": "one", "input": {"x": 1}});
    let path = format!("/threads/{thread}/runs/wait");
    let reply = post(server, "the token of ann", &path, run).await;
    let run = reply.header("content-location").unwrap();
    let run = run.rsplit('/').next().unwrap().to_owned();
    assert_eq!(reply.ok(), json!({"x": 2}));
    (thread, run)
}

#[tokio::test]
async fn a_thread_of_somebody_else_is_not_there_on_any_route() {
    let server = Running::start(owned(memory())).await;
    let (thread, run) = thread_of_ann(&server).await;
    let mut tried = 0;
    for route in routes() {
        let is_of_one =
            route.path.starts_with("/threads/{id}") || route.path.starts_with("/runs/{run}");
        if !is_of_one || route.access == Access::Whole {
            continue;
        }
        tried += 1;
        let path = route
            .path
            .replace("{id}", &thread)
            .replace("{run}", &run)
            .replace("{checkpoint}", &run);
        let body = json!({"assistant_id": "one", "id": 1, "method": "run.start"});
        let reply = call(
            &server,
            "the token of bob",
            route.method.clone(),
            &path,
            body,
        )
        .await;
        assert_eq!(reply.status, 404, "{} {path}: {reply:?}", route.method);
        let names_it = reply.json.to_string().contains(&thread);
        assert!(!names_it || path.contains(&thread), "{path}: {reply:?}");
    }
    assert!(tried > 20, "{tried}");
    let left = get(
        &server,
        "the token of ann",
        &format!("/threads/{thread}/runs"),
    )
    .await
    .ok();
    assert_eq!(left.as_array().unwrap().len(), 1, "nothing was done to it");
}

#[tokio::test]
async fn what_is_for_the_whole_server_is_refused_to_owners() {
    let server = Running::start(owned(memory())).await;
    let id = "99999999-9999-4999-8999-999999999999";
    let mut tried = 0;
    for route in routes() {
        if route.access != Access::Whole {
            continue;
        }
        tried += 1;
        let path = route.path.replace("{id}", id).replace("{cron}", id);
        let reply = call(
            &server,
            "the token of ann",
            route.method.clone(),
            &path,
            json!({}),
        )
        .await;
        assert!(reply.detail(403).contains("whole server"), "{path}");
        let reply = call(&server, "whole", route.method.clone(), &path, json!({})).await;
        assert_ne!(reply.status, 403, "{path}");
    }
    assert!(tried > 5, "{tried}");
}

#[tokio::test]
async fn lists_show_what_is_the_callers() {
    let server = Running::start(owned(memory())).await;
    let (thread, run) = thread_of_ann(&server).await;
    let count = |token: &'static str| {
        let server = &server;
        async move { post(server, token, "/threads/count", json!({})).await.ok() }
    };
    assert_eq!(count("the token of ann").await, json!(1));
    assert_eq!(count("the token of bob").await, json!(0));
    assert_eq!(count("whole").await, json!(1));
    let found = post(
        &server,
        "the token of bob",
        "/threads/search",
        json!({"ids": [thread]}),
    );
    assert_eq!(found.await.ok(), json!([]));

    // What a body names is looked at too.
    let cancel = json!({"thread_id": thread, "run_ids": [run]});
    assert_eq!(
        post(&server, "the token of bob", "/runs/cancel", cancel)
            .await
            .status,
        404
    );
    let batch = json!([{"assistant_id": "one", "input": {"x": 1}, "thread_id": thread}]);
    assert_eq!(
        post(&server, "the token of bob", "/runs/batch", batch)
            .await
            .status,
        404
    );
    let make = json!({"thread_id": thread, "if_exists": "do_nothing"});
    assert_eq!(
        post(&server, "the token of bob", "/threads", make)
            .await
            .status,
        409
    );
    assert_eq!(count("the token of bob").await, json!(0));
}

#[tokio::test]
async fn everybody_has_a_memory_and_graphs_use_it() {
    let server = Running::start(owned(memory())).await;
    let run = |token: &'static str, value: &'static str| {
        let body = json!({"assistant_id": "remember", "input": {"value": value}});
        let server = &server;
        async move { post(server, token, "/runs/wait", body).await.ok()["seen"].clone() }
    };
    assert_eq!(run("the token of ann", "a1").await, json!(null));
    assert_eq!(run("the token of bob", "b1").await, json!(null));
    assert_eq!(run("the token of ann", "a2").await, json!("a1"));
    assert_eq!(run("whole", "w1").await, json!(null));
    for (token, value) in [
        ("the token of ann", "a2"),
        ("the token of bob", "b1"),
        ("whole", "w1"),
    ] {
        let item = get(&server, token, "/store/items?namespace=notes&key=k")
            .await
            .ok();
        assert_eq!(item["value"], json!({"v": value}), "{token}");
        assert_eq!(item["namespace"], json!(["notes"]));
    }
    let search = json!({"namespace_prefix": []});
    let seen = post(&server, "the token of bob", "/store/items/search", search)
        .await
        .ok();
    assert_eq!(seen["items"].as_array().unwrap().len(), 1, "{seen}");
    let spaces = post(&server, "the token of ann", "/store/namespaces", json!({}))
        .await
        .ok();
    assert_eq!(spaces, json!({"namespaces": [["notes"]]}));
    let all = post(&server, "whole", "/store/namespaces", json!({}))
        .await
        .ok();
    let all = all["namespaces"].as_array().unwrap();
    assert!(all.contains(&json!(["owners", "ann", "notes"])), "{all:?}");
}

#[tokio::test]
async fn files_and_assistants_are_their_owners() {
    let folder = tempfile::tempdir().unwrap();
    let server = Running::start(owned(memory()).files(folder.path())).await;
    for token in ["the token of ann", "the token of bob"] {
        let upload = server.request(Method::POST, "/files?name=a.txt");
        let upload = upload.header("x-api-key", token).body("same");
        server.send(upload).await.ok();
    }
    let files = post(&server, "the token of bob", "/files/search", json!({}))
        .await
        .ok();
    assert!(files[0]["path"].is_null(), "the folder has files of others");
    let id = files[0]["file_id"].as_str().unwrap().to_owned();
    let path = format!("/files/{id}");
    let gone = call(
        &server,
        "the token of bob",
        Method::DELETE,
        &path,
        json!({}),
    )
    .await;
    assert_eq!(gone.status, 204);
    assert_eq!(get(&server, "the token of bob", &path).await.status, 404);
    assert_eq!(get(&server, "the token of ann", &path).await.ok(), "same");

    let made = json!({"graph_id": "one", "name": "ann's"});
    let made = post(&server, "the token of ann", "/assistants", made)
        .await
        .ok();
    let id = made["assistant_id"].as_str().unwrap();
    let path = format!("/assistants/{id}");
    assert_eq!(get(&server, "the token of bob", &path).await.status, 404);
    let run = json!({"assistant_id": id, "input": {"x": 1}});
    assert_eq!(
        post(&server, "the token of bob", "/runs/wait", run)
            .await
            .status,
        404
    );
    let all = post(&server, "the token of bob", "/assistants/search", json!({}))
        .await
        .ok();
    assert_eq!(all.as_array().unwrap().len(), 3, "those of graphs");
    let own = all[0]["assistant_id"].as_str().unwrap();
    let path = format!("/assistants/{own}");
    let change = call(
        &server,
        "the token of bob",
        Method::PATCH,
        &path,
        json!({"name": "x"}),
    );
    assert!(change.await.detail(403).contains("everybody's"));
}

/// Long enough.
const LONG: &str = "a token of sixteen";

#[tokio::test]
async fn owners_without_a_name_or_a_token_of_their_own_are_refused() {
    let wrong = [
        vec![("", LONG)],
        vec![("a/b", LONG)],
        vec![("ann", "")],
        vec![("ann", "fifteen of them")],
        vec![("ann", LONG), ("bob", LONG)],
        vec![("ann", LONG), ("ann", "another of sixteen")],
        vec![("ann", "the whole server")],
    ];
    for owners in wrong {
        let mut server = Server::on(memory())
            .dynamic("one", &one(), Schemas::default())
            .token(Secret::new("the whole server"));
        for (name, token) in &owners {
            server = server.owner(*name, Secret::new(*token));
        }
        let refused = server.bind("127.0.0.1:0").await;
        let refused = refused.map(|_| ()).expect_err("refused");
        assert!(
            matches!(refused, ServerError::Owner { .. }),
            "{owners:?}: {refused}"
        );
        assert_eq!(refused.code(), "SS9006");
        assert!(refused.hint().unwrap().contains("16 characters"));
        assert!(!refused.to_string().contains("fifteen"), "{refused}");
    }
}
