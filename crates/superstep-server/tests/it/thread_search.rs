//! Finding threads: pages of what is wanted, in order, over whatever keeps them.

use std::sync::Arc;

use serde_json::{Value as Json, json};
use superstep::{Backends, sqlite::Database};

use crate::{
    client::Running,
    graphs::{memory, server},
};

/// A server on a file, and one in memory.
fn places(folder: &std::path::Path) -> [Backends; 2] {
    let database = Database::open(folder.join("threads.db")).unwrap();
    let on_file = Backends {
        store: Some(Arc::new(database.store())),
        ..Backends::on(database.saver())
    };
    [memory(), on_file]
}

async fn ids(server: &Running, wanted: Json) -> (Vec<String>, Option<String>) {
    let reply = server.post("/threads/search", wanted).await;
    let next = reply.header("x-pagination-next").map(str::to_owned);
    let rows = reply.ok();
    let rows = rows.as_array().unwrap().iter();
    let id = |row: &Json| row["thread_id"].as_str().unwrap().to_owned();
    (rows.map(id).collect(), next)
}

async fn run(server: &Running, thread: &str, graph: &str, input: Json) {
    let body = json!({"assistant_id": graph, "input": input});
    let path = format!("/threads/{thread}/runs/wait");
    server.post(&path, body).await.ok();
}

#[tokio::test]
async fn pages_of_waiting_threads_have_each_once_in_the_order_of_their_last_use() {
    let folder = tempfile::tempdir().unwrap();
    for backends in places(folder.path()) {
        let server = Running::start(server(backends)).await;
        let mut made = Vec::new();
        for n in 0..12 {
            let made_now = server.post("/threads", json!({"metadata": {"n": n % 2}}));
            let id = made_now.await.ok()["thread_id"]
                .as_str()
                .unwrap()
                .to_owned();
            // Two thirds wait, the others are done; one was never run.
            match n % 3 {
                0 if n > 0 => run(&server, &id, "one", json!({"x": 1})).await,
                0 => {}
                _ => run(&server, &id, "hitl", json!({"topic": "t"})).await,
            }
            made.push(id);
        }
        let waiting: Vec<String> = (0..12)
            .filter(|n| n % 3 != 0)
            .map(|n| made[n].clone())
            .collect();
        for by in ["updated_at", "created_at"] {
            let mut pages = Vec::new();
            for offset in [0, 3, 6] {
                let wanted =
                    json!({"status": "interrupted", "sort_by": by, "limit": 3, "offset": offset});
                let (page, next) = ids(&server, wanted).await;
                let more = (offset < 5).then(|| (offset + 3).to_string());
                assert_eq!(next, more, "{by} {offset}");
                pages.extend(page);
            }
            let mut newest = waiting.clone();
            newest.reverse();
            assert_eq!(pages, newest, "{by}");
        }
        // An older one is answered by a new question: it comes first again.
        run(&server, &made[1], "hitl", json!({"topic": "again"})).await;
        let wanted = json!({"status": "interrupted", "sort_by": "updated_at", "limit": 1});
        assert_eq!(ids(&server, wanted).await.0, [made[1].clone()]);
        let wanted = json!({"sort_by": "updated_at", "limit": 1});
        assert_eq!(ids(&server, wanted).await.0, [made[1].clone()]);

        for (wanted, count) in [
            (json!({}), 12),
            (json!({"status": "interrupted"}), 8),
            (json!({"status": "idle"}), 4),
            (json!({"status": "busy"}), 0),
            (json!({"status": "error"}), 0),
            (json!({"status": "interrupted", "metadata": {"n": 1}}), 4),
            (json!({"values": {"topic": "again"}}), 1),
            (
                json!({"status": "interrupted", "values": {"topic": "t"}}),
                7,
            ),
            (json!({"ids": [made[0], made[1]]}), 2),
        ] {
            let counted = server.post("/threads/count", wanted.clone()).await.ok();
            assert_eq!(counted, json!(count), "{wanted}");
            let mut all = wanted.clone();
            all["limit"] = json!(1000);
            assert_eq!(ids(&server, all).await.0.len(), count, "{wanted}");
        }
        // One that is left is done.
        let path = format!("/threads/{}/state", made[2]);
        let end = json!({"values": null, "as_node": "__end__"});
        server.post(&path, end).await.ok();
        let left = server.post("/threads/count", json!({"status": "interrupted"}));
        assert_eq!(left.await.ok(), json!(7));
    }
}
