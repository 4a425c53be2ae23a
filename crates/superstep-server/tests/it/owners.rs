//! Owners: everybody sees what is theirs.

use serde_json::{Value as Json, json};
use superstep::{
    Backends, Schemas, Secret,
    dynamic::{DynCtx, DynGraphBuilder, Halt, START},
    http::Method,
    store::{ContentHash, Namespace, PutOptions, TtlOnRead},
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
        let ways = ["/threads/{id}", "/runs/{run}", "/inbox/threads/{id}"];
        let is_of_one = ways.iter().any(|way| route.path.starts_with(way));
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
    assert!(tried > 0, "{tried}");
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
    let server = Running::start(owned(memory())).await;
    for token in ["the token of ann", "the token of bob"] {
        let upload = server.request(Method::POST, "/files?name=a.txt");
        let upload = upload.header("x-api-key", token).body("same");
        server.send(upload).await.ok();
    }
    let files = post(&server, "the token of bob", "/files/search", json!({}))
        .await
        .ok();
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

#[tokio::test]
async fn everybody_has_schedules_of_their_own_and_their_runs_are_theirs() {
    let backends = memory();
    let store = backends.store.clone().unwrap();
    let server = Running::start(owned(backends)).await;
    let (ann, bob) = ("the token of ann", "the token of bob");
    let body = json!({"assistant_id": "remember", "schedule": "0 0 1 1 *",
        "input": {"value": "by schedule"}, "on_run_completed": "keep"});
    let cron = post(&server, ann, "/runs/crons", body.clone()).await.ok();
    assert_eq!(cron["user_id"], "ann");
    let id = cron["cron_id"].as_str().unwrap().to_owned();
    let path = format!("/runs/crons/{id}");
    for method in [Method::GET, Method::PATCH, Method::DELETE] {
        let reply = call(&server, bob, method, &path, json!({})).await;
        assert_eq!(reply.status, 404, "{reply:?}");
    }
    let seen = async |token: &str| {
        let found = post(&server, token, "/runs/crons/search", json!({})).await;
        let count = post(&server, token, "/runs/crons/count", json!({})).await;
        let found = found.ok().as_array().unwrap().len();
        assert_eq!(count.ok(), json!(found));
        found
    };
    assert_eq!(
        (seen(ann).await, seen(bob).await, seen("whole").await),
        (1, 0, 1)
    );
    let (thread, _) = thread_of_ann(&server).await;
    let on_anns = format!("/threads/{thread}/runs/crons");
    assert_eq!(post(&server, bob, &on_anns, body.clone()).await.status, 404);
    let own = json!({"graph_id": "one"});
    let own = post(&server, ann, "/assistants", own).await.ok();
    let mut others = body.clone();
    others["assistant_id"] = own["assistant_id"].clone();
    let refused = post(&server, bob, "/runs/crons", others.clone()).await;
    assert_eq!(refused.status, 404, "{refused:?}");

    // Its time comes; what is made or changed makes the server look.
    let place = Namespace::new(["runs", "crons"]).unwrap();
    let found = store.get(&place, &id, TtlOnRead::Keep).await.unwrap();
    let mut due = found.unwrap().value;
    due["next"] = json!(1);
    let put = store.put(&place, &id, due, PutOptions::default());
    put.await.unwrap();
    post(&server, bob, "/runs/crons", body).await.ok();
    let wanted = json!({"metadata": {"graph_id": "remember"}, "status": "idle"});
    let made = loop {
        let found = post(&server, ann, "/threads/search", wanted.clone())
            .await
            .ok();
        if let Some(made) = found.get(0).filter(|it| it["values"].is_object()) {
            break made.clone();
        }
    };
    assert_eq!(made["values"]["value"], "by schedule");
    let note = get(&server, ann, "/store/items?namespace=notes&key=k").await;
    assert_eq!(note.ok()["value"], json!({"v": "by schedule"}));
    let none = get(&server, bob, "/store/items?namespace=notes&key=k").await;
    assert_eq!(none.ok(), json!(null));
    let bobs = post(&server, bob, "/threads/search", wanted).await.ok();
    assert_eq!(bobs, json!([]));
}

#[tokio::test]
async fn a_graph_that_is_not_for_owners_is_not_there_for_them() {
    let server = Running::start(owned(memory()).not_for_owners("remember")).await;
    let ann = "the token of ann";
    let run = json!({"assistant_id": "remember", "input": {"value": "x"}});
    assert_eq!(
        post(&server, ann, "/runs/wait", run.clone()).await.status,
        404
    );
    let mut cron = run.clone();
    cron["schedule"] = json!("0 0 1 1 *");
    assert_eq!(post(&server, ann, "/runs/crons", cron).await.status, 404);
    let own = json!({"graph_id": "remember"});
    assert_eq!(post(&server, ann, "/assistants", own).await.status, 404);
    // Nor do they write the state of a thread of it.
    let update = json!({"values": {"value": "x"}, "as_node": "remember"});
    let steps = json!({"graph_id": "remember", "supersteps": [{"updates": [update]}]});
    assert_eq!(post(&server, ann, "/threads", steps).await.status, 404);
    let empty = json!({"graph_id": "remember"});
    let thread = post(&server, ann, "/threads", empty).await.ok();
    let path = format!("/threads/{}/state", thread["thread_id"].as_str().unwrap());
    assert_eq!(post(&server, ann, &path, update).await.status, 404);
    let seen = post(&server, ann, "/assistants/search", json!({}))
        .await
        .ok();
    assert!(!seen.to_string().contains("remember"), "{seen}");
    post(&server, "whole", "/runs/wait", run).await.ok();
}

/// The name of a file.
fn hash(content: &str) -> String {
    ContentHash::of(content.as_bytes()).to_string()
}

/// Backends with files that graphs made.
async fn with_results(files: [&str; 2]) -> Backends {
    let backends = memory();
    let blobs = backends.blobs.clone().unwrap();
    for content in files {
        blobs.put("made", content.into()).await.unwrap();
    }
    backends
}

/// Names the file that it made, as its input says.
fn maker() -> superstep::dynamic::DynGraph {
    DynGraphBuilder::new()
        .name("maker")
        .last_value("of")
        .last_value("made")
        .last_value("said")
        .node("make", |ctx: DynCtx| async move {
            let of: String = ctx.read("of")?;
            Ok::<_, Halt>(json!({ "made": hash(&of), "said": hash("f") }))
        })
        .edge(START, "make")
        .build()
        .unwrap()
}

#[tokio::test]
async fn a_hash_opens_a_file_to_its_owner_alone() {
    let server = owned(with_results(["a", "f"]).await)
        .dynamic("maker", &maker(), Schemas::default())
        .result_field("maker", "made")
        .results("made");
    let server = Running::start(server).await;
    let (ann, bob) = ("the token of ann", "the token of bob");
    let upload = server.request(Method::POST, "/files?name=a.txt");
    let upload = upload.header("x-api-key", ann).body("of ann");
    let file = server.send(upload).await.ok();
    let file = file["file_id"].as_str().unwrap().to_owned();

    // What one uploaded is given to a graph by them, and by nobody else, wherever it is named.
    let run = |value: &str| json!({"assistant_id": "remember", "input": {"value": value}});
    post(&server, ann, "/runs/wait", run(&file)).await.ok();
    let hidden = format!("look at {file}!");
    for value in [&file, &hidden, &file.to_uppercase()] {
        let refused = post(&server, bob, "/runs/wait", run(value)).await;
        assert!(refused.detail(404).contains("not found"), "{refused:?}");
    }
    let mut cron = run(&file);
    cron["schedule"] = json!("0 0 1 1 *");
    assert_eq!(post(&server, bob, "/runs/crons", cron).await.status, 404);
    let thread = post(&server, bob, "/threads", json!({})).await.ok();
    let thread = thread["thread_id"].as_str().unwrap().to_owned();
    let path = format!("/threads/{thread}/runs/wait");
    post(&server, bob, &path, run("x")).await.ok();
    let update = json!({"values": {"value": file}});
    let path = format!("/threads/{thread}/state");
    assert_eq!(post(&server, bob, &path, update).await.status, 404);
    let assistant = json!({"graph_id": "remember", "context": {"value": file}});
    let made = post(&server, bob, "/assistants", assistant.clone()).await;
    assert_eq!(made.status, 404);
    let own = json!({"graph_id": "remember"});
    let own = post(&server, bob, "/assistants", own).await.ok();
    let path = format!("/assistants/{}", own["assistant_id"].as_str().unwrap());
    let changed = call(&server, bob, Method::PATCH, &path, assistant).await;
    assert_eq!(changed.status, 404);
    assert_eq!(get(&server, bob, &path).await.ok()["version"], 1);
    // One that is nobody's is no more than a text.
    post(&server, bob, "/runs/wait", run(&"0".repeat(64)))
        .await
        .ok();

    // What a graph made is whose thread it is on; what it only says is not made by it.
    let thread = post(&server, ann, "/threads", json!({})).await.ok();
    let path = format!(
        "/threads/{}/runs/wait",
        thread["thread_id"].as_str().unwrap()
    );
    let make = json!({"assistant_id": "maker", "input": {"of": "a"}});
    post(&server, ann, &path, make).await.ok();
    let [result, said] = ["a", "f"].map(|content| format!("/files/{}", hash(content)));
    assert_eq!(get(&server, ann, &result).await.ok(), "a");
    assert_eq!(get(&server, bob, &result).await.status, 404);
    assert_eq!(get(&server, ann, &said).await.status, 404);
    assert_eq!(get(&server, "whole", &said).await.ok(), "f");
}

#[tokio::test]
async fn what_a_run_without_a_thread_made_stays_its_owners() {
    let server = owned(with_results(["a", "b"]).await)
        .dynamic("maker", &maker(), Schemas::default())
        .result_field("maker", "made")
        .results("made");
    let server = Running::start(server).await;
    let (ann, bob) = ("the token of ann", "the token of bob");
    let make = |of: &str| json!({"assistant_id": "maker", "input": {"of": of}});
    post(&server, ann, "/runs/wait", make("a")).await.ok();
    post(&server, "whole", "/runs/wait", make("b")).await.ok();
    let all = post(&server, "whole", "/threads/count", json!({})).await;
    assert_eq!(all.ok(), 0, "their threads are gone");
    let [of_ann, of_nobody] = ["a", "b"].map(|content| format!("/files/{}", hash(content)));
    assert_eq!(get(&server, ann, &of_ann).await.ok(), "a");
    assert_eq!(get(&server, bob, &of_ann).await.status, 404);
    assert_eq!(get(&server, ann, &of_nobody).await.status, 404);
    assert_eq!(get(&server, "whole", &of_nobody).await.ok(), "b");
    // It is given to a graph by its owner alone, and is not in their memory.
    let run = |value: String| json!({"assistant_id": "remember", "input": {"value": value}});
    post(&server, ann, "/runs/wait", run(hash("a"))).await.ok();
    let refused = post(&server, bob, "/runs/wait", run(hash("a"))).await;
    assert_eq!(refused.status, 404);
    let spaces = post(&server, "whole", "/store/namespaces", json!({})).await;
    let spaces = spaces.ok().to_string();
    assert!(!spaces.contains("results"), "{spaces}");
    // Nobody else forgets it, and then it is not there.
    let forget = async |token| {
        call(&server, token, Method::DELETE, &of_ann, json!({}))
            .await
            .status
    };
    assert_eq!(forget(bob).await, 404);
    assert_eq!(forget(ann).await, 204);
    assert_eq!(get(&server, ann, &of_ann).await.status, 404);
    assert_eq!(get(&server, "whole", &of_ann).await.ok(), "a");
}

#[tokio::test]
async fn a_batch_has_nothing_of_somebody_else() {
    let server = owned(memory()).not_for_owners("remember");
    let server = Running::start(server).await;
    let (ann, bob) = ("the token of ann", "the token of bob");
    let upload = server.request(Method::POST, "/files?name=a.txt");
    let upload = upload.header("x-api-key", ann).body("of ann");
    let file = server.send(upload).await.ok()["file_id"].clone();
    let own = json!({"graph_id": "one"});
    let own = post(&server, ann, "/assistants", own).await.ok()["assistant_id"].clone();
    let (thread, _) = thread_of_ann(&server).await;
    let good = json!({"assistant_id": "one", "input": {"x": 1}, "on_completion": "keep"});
    for wrong in [
        json!({"assistant_id": "one", "input": {"x": 1, "file": file}}),
        json!({"assistant_id": own, "input": {"x": 1}}),
        json!({"assistant_id": "remember", "input": {"value": "x"}}),
        json!({"assistant_id": "one", "input": {"x": 1}, "thread_id": thread}),
    ] {
        let batch = json!([good, wrong]);
        let refused = post(&server, bob, "/runs/batch", batch).await;
        assert_eq!(refused.status, 404, "{wrong}: {refused:?}");
    }
    let all = post(&server, bob, "/threads/count", json!({})).await;
    assert_eq!(all.ok(), 0, "none of a batch is accepted if one is refused");
    let runs = post(&server, bob, "/runs/batch", json!([good, good])).await;
    assert_eq!(runs.ok().as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn an_assistant_of_an_owner_is_no_tool_of_others_and_takes_no_name() {
    let server = Running::start(owned(memory())).await;
    let made = |name: &str| json!({"graph_id": "remember", "name": name, "description": "by bob"});
    let bob = "the token of bob";
    for name in ["chain1", "mine"] {
        post(&server, bob, "/assistants", made(name)).await.ok();
    }
    let named = async |token: &str, name: &str| -> Vec<Json> {
        let list = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}});
        let reply = post(&server, token, "/mcp", list).await.ok();
        let tools = reply["result"]["tools"].as_array().unwrap().clone();
        let told = tools.into_iter().filter(|tool| tool["name"] == name);
        told.map(|tool| tool["description"].clone()).collect()
    };
    for token in ["whole", "the token of ann", bob] {
        let told = named(token, "chain1").await;
        assert_eq!(told.len(), 1, "{told:?}");
        assert_ne!(told[0], "by bob");
    }
    assert_eq!(named(bob, "mine").await, ["by bob"]);
    assert!(named("whole", "mine").await.is_empty());
    for name in ["x".repeat(201), "two\nlines".to_owned()] {
        let reply = post(&server, bob, "/assistants", made(&name)).await;
        reply.detail(422);
    }
}
