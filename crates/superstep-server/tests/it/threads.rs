//! Threads: made, read, changed, removed and found.

use serde_json::{Value as Json, json};
use superstep::{Backends, RunOptions, ThreadId, http::Method, sqlite::Database};

use crate::{
    client::Running,
    graphs::{memory, one, server},
};

const ID: &str = "11111111-1111-4111-8111-111111111111";
const NOWHERE: &str = "/threads/99999999-9999-4999-8999-999999999999";

async fn make(server: &Running, body: Json) -> Json {
    server.post("/threads", body).await.ok()
}

fn path(thread: &Json) -> String {
    format!("/threads/{}", thread["thread_id"].as_str().unwrap())
}

#[tokio::test]
async fn a_new_thread_is_idle_and_has_no_values() {
    let server = Running::start(server(memory())).await;
    let metadata = json!({"owner": "lab", "graph_id": "one"});
    let made = make(&server, json!({"metadata": metadata})).await;
    let keys: Vec<&String> = made.as_object().unwrap().keys().collect();
    let expected = [
        "thread_id", "created_at", "updated_at", "state_updated_at", "metadata", "status",
        "config", "values",
    ];
    assert_eq!(keys, expected);
    assert_eq!(made["metadata"], metadata);
    assert_eq!(
        (&made["status"], &made["values"]),
        (&json!("idle"), &Json::Null)
    );
    assert_eq!(
        made["thread_id"].as_str().unwrap().chars().nth(14),
        Some('7')
    );
    assert_eq!(server.get(&path(&made)).await.ok(), made);
    let other = make(&server, json!({})).await;
    assert_ne!(other["thread_id"], made["thread_id"]);
}

#[tokio::test]
async fn a_thread_that_exists_is_refused_or_returned_as_it_is() {
    let server = Running::start(server(memory())).await;
    let made = make(&server, json!({"thread_id": ID, "metadata": {"a": 1}})).await;
    for body in [
        json!({"thread_id": ID}),
        json!({"thread_id": ID, "if_exists": "raise"}),
    ] {
        let reply = server.post("/threads", body).await;
        assert_eq!(
            reply.detail(409),
            format!("Thread with ID {ID} already exists")
        );
    }
    let again = json!({"thread_id": ID, "if_exists": "do_nothing", "metadata": {"a": 2}});
    assert_eq!(make(&server, again).await, made);
    // The same id in another spelling is the same thread.
    let shouted = json!({"thread_id": ID.replace('-', ""), "if_exists": "do_nothing"});
    assert_eq!(make(&server, shouted).await, made);
}

#[tokio::test]
async fn a_thread_that_cannot_be_made_leaves_nothing_behind() {
    let server = Running::start(server(memory())).await;
    let step = |values: Json| json!([{"updates": [{"values": values, "as_node": "nope"}]}]);
    for (body, status, says) in [
        (json!({"thread_id": "x"}), 422, "Invalid thread ID"),
        (
            json!({"if_exists": "maybe"}),
            422,
            "one of raise, do_nothing",
        ),
        (json!({"metadata": []}), 422, "`metadata`"),
        (json!({"ttl": {"ttl": 60}}), 422, "`ttl` is not supported"),
        (
            json!({"supersteps": step(json!({}))}),
            422,
            "need a `graph_id`",
        ),
        (
            json!({"supersteps": step(json!({})), "graph_id": "x"}),
            404,
            "Graph 'x' not found",
        ),
        (
            json!({"supersteps": step(json!({})), "graph_id": "one"}),
            400,
            "nope",
        ),
        (
            json!({"supersteps": step(json!(1)), "graph_id": "one"}),
            422,
            "`values`",
        ),
    ] {
        let reply = server.post("/threads", body.clone()).await;
        assert!(reply.detail(status).contains(says), "{body}: {reply:?}");
    }
    assert_eq!(server.post("/threads/count", json!({})).await.ok(), 0);
}

#[tokio::test]
async fn a_thread_may_begin_with_steps_that_were_made_elsewhere() {
    let server = Running::start(server(memory())).await;
    let steps = json!([
        {"updates": [{"values": {"x": 1}, "as_node": "__start__"}]},
        {"updates": [{"values": {"x": 7}, "as_node": "count"}]},
    ]);
    let made = make(&server, json!({"graph_id": "one", "supersteps": steps})).await;
    assert_eq!(made["values"], json!({"x": 7}));
    assert_eq!(made["metadata"], json!({"graph_id": "one"}));
    assert_eq!(
        (&made["status"], &made["interrupts"]),
        (&json!("idle"), &json!({}))
    );
}

#[tokio::test]
async fn a_patch_adds_to_the_metadata_and_none_of_many_is_lost() {
    let server = Running::start(server(memory())).await;
    let made = make(&server, json!({"metadata": {"a": 1}})).await;
    let path = path(&made);
    let patch = |n: usize| {
        let body = json!({"metadata": {(format!("k{n}")): n}});
        server.call(Method::PATCH, &path, body)
    };
    let (a, b, c, d) = tokio::join!(patch(0), patch(1), patch(2), patch(3));
    for reply in [a, b, c, d] {
        assert_eq!(reply.status, 200);
    }
    let now = server.get(&path).await.ok();
    assert_eq!(
        now["metadata"],
        json!({"a": 1, "k0": 0, "k1": 1, "k2": 2, "k3": 3})
    );
    assert_eq!(now["created_at"], made["created_at"]);
    assert!(now["updated_at"].as_str() > made["updated_at"].as_str());
    let missing = server
        .call(Method::PATCH, NOWHERE, json!({"metadata": {}}))
        .await;
    assert!(missing.detail(404).contains("not found"));
}

#[tokio::test]
async fn a_deleted_thread_is_gone_with_its_state() {
    let backends = memory();
    let saver = backends.saver.clone().unwrap();
    let server = Running::start(server(backends)).await;
    let steps = json!([{"updates": [{"values": {"x": 1}, "as_node": "count"}]}]);
    let body = json!({"thread_id": ID, "graph_id": "one", "supersteps": steps});
    let made = make(&server, body).await;
    // While somebody works on it, it stays.
    let lease = saver.lease(&ThreadId::from(ID)).await.unwrap();
    let path = path(&made);
    server
        .call(Method::DELETE, &path, json!({}))
        .await
        .detail(409);
    assert_eq!(server.get(&path).await.ok()["values"], json!({"x": 1}));
    drop(lease);
    let deleted = server.call(Method::DELETE, &path, json!({})).await;
    assert_eq!((deleted.status, deleted.json), (204, Json::Null));
    assert!(saver.threads().await.unwrap().is_empty());
    for method in [Method::GET, Method::DELETE] {
        let reply = server.call(method, &path, json!({})).await;
        assert_eq!(reply.detail(404), format!("Thread with ID {ID} not found"));
    }
    assert_eq!(
        server.get("/threads/abc").await.detail(422),
        "Invalid thread ID: must be a UUID"
    );
}

#[tokio::test]
async fn threads_are_found_by_what_they_are_and_page_by_page() {
    let server = Running::start(server(memory())).await;
    let step = |node: &str| json!([{"updates": [{"values": {"x": 3}, "as_node": node}]}]);
    let done = json!({"graph_id": "one", "metadata": {"n": 1, "of": {"lab": 1, "x": 2}}, "supersteps": step("count")});
    let open = json!({"graph_id": "one", "metadata": {"n": 2}, "supersteps": step("__start__")});
    let done = make(&server, done).await;
    let open = make(&server, open).await;
    let empty = make(&server, json!({"metadata": {"n": 3}})).await;
    assert_eq!(open["status"], "interrupted");
    let numbers = |rows: Json| -> Vec<i64> {
        let rows = rows.as_array().unwrap().iter();
        rows.map(|row| row["metadata"]["n"].as_i64().unwrap())
            .collect()
    };
    for (filter, found) in [
        (json!({}), vec![3, 2, 1]),
        (
            json!({"sort_by": "created_at", "sort_order": "asc"}),
            vec![1, 2, 3],
        ),
        (json!({"status": "interrupted"}), vec![2]),
        (json!({"status": "idle"}), vec![3, 1]),
        (json!({"status": "busy"}), vec![]),
        (json!({"metadata": {"of": {"lab": 1}}}), vec![1]),
        (json!({"metadata": {"graph_id": "one"}}), vec![2, 1]),
        (json!({"values": {"x": 3}}), vec![2, 1]),
        (json!({"values": {"nope": 1}}), vec![]),
        (
            json!({"ids": [empty["thread_id"], done["thread_id"]]}),
            vec![3, 1],
        ),
        (json!({"ids": []}), vec![]),
    ] {
        let rows = server.post("/threads/search", filter.clone()).await.ok();
        assert_eq!(numbers(rows), found, "{filter}");
        let count = server.post("/threads/count", filter).await.ok();
        assert_eq!(count, found.len());
    }
    let first = server.post("/threads/search", json!({"limit": 2})).await;
    assert_eq!(first.header("x-pagination-total"), Some("3"));
    assert_eq!(first.header("x-pagination-next"), Some("2"));
    assert_eq!(numbers(first.ok()), [3, 2]);
    let last = server
        .post("/threads/search", json!({"limit": 2, "offset": 2}))
        .await;
    assert_eq!(last.header("x-pagination-next"), None);
    assert_eq!(numbers(last.ok()), [1]);
    let some = json!({"ids": [open["thread_id"]], "select": ["thread_id", "status"]});
    let some = server.post("/threads/search", some).await.ok();
    assert_eq!(
        some,
        json!([{"thread_id": open["thread_id"], "status": "interrupted"}])
    );
    let odd = server
        .post("/threads/search", json!({"status": "bored"}))
        .await;
    assert!(odd.detail(422).contains("`status` must be one of"));
}

#[tokio::test]
async fn a_thread_whose_run_failed_shows_the_error() {
    let backends = memory();
    let server = Running::start(server(backends.clone())).await;
    let body = json!({"thread_id": ID, "metadata": {"graph_id": "one"}});
    server.post("/threads", body).await.ok();
    let graph = one().with_backends(backends);
    let failing = graph
        .start(json!({"x": -1}), &RunOptions::on(ID))
        .await
        .unwrap();
    failing.await.unwrap_err();
    let thread = server.get(&format!("/threads/{ID}")).await.ok();
    assert_eq!(thread["status"], "error");
    let message = thread["error"]["message"].as_str().unwrap();
    assert!(message.contains("boom"), "{message}");
    let found = server
        .post("/threads/search", json!({"status": "error"}))
        .await
        .ok();
    assert_eq!(found, json!([thread]));
}

#[tokio::test]
async fn a_copy_has_the_state_and_the_metadata_and_goes_its_own_way() {
    let server = Running::start(server(memory())).await;
    let steps = json!([{"updates": [{"values": {"x": 1}, "as_node": "count"}]}]);
    let body = json!({"graph_id": "one", "metadata": {"a": 1}, "supersteps": steps});
    let made = make(&server, body).await;
    let copy = server
        .post(&format!("{}/copy", path(&made)), json!({}))
        .await
        .ok();
    assert_ne!(copy["thread_id"], made["thread_id"]);
    for name in ["values", "metadata", "status"] {
        assert_eq!(copy[name], made[name]);
    }
    let edit = json!({"values": {"x": 5}, "as_node": "count"});
    server
        .post(&format!("{}/state", path(&copy)), edit)
        .await
        .ok();
    assert_eq!(
        server.get(&path(&copy)).await.ok()["values"],
        json!({"x": 5})
    );
    assert_eq!(server.get(&path(&made)).await.ok(), made);
    // One that never ran can be copied, too; one that is not there cannot.
    let empty = make(&server, json!({"metadata": {"b": 2}})).await;
    let copy = server
        .post(&format!("{}/copy", path(&empty)), json!({}))
        .await
        .ok();
    assert_eq!(
        (&copy["metadata"], &copy["values"]),
        (&json!({"b": 2}), &Json::Null)
    );
    server
        .post(&format!("{NOWHERE}/copy"), json!({}))
        .await
        .detail(404);
}

#[tokio::test]
async fn threads_are_there_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let open = || {
        let database = Database::open(folder.path().join("threads.db")).unwrap();
        Backends {
            store: Some(std::sync::Arc::new(database.store())),
            ..Backends::on(database.saver())
        }
    };
    let before = Running::start(server(open())).await;
    let steps = json!([{"updates": [{"values": {"x": 1}, "as_node": "count"}]}]);
    let body = json!({"graph_id": "one", "metadata": {"a": 1}, "supersteps": steps});
    let made = make(&before, body).await;
    drop(before);
    let after = Running::start(server(open())).await;
    assert_eq!(after.get(&path(&made)).await.ok(), made);
}
