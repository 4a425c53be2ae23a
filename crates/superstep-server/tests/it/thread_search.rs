//! Finding threads: pages of what is wanted, in order, over whatever keeps them.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use serde_json::{Value as Json, json};
use superstep::{
    Backends, MemorySaver, Saver, ThreadId,
    dynamic::GraphPath,
    saver::{At, Loaded, MaybeReady, SaverLayer, ThreadPage, ThreadQuery},
    sqlite::Database,
};

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

/// A saver that counts the threads that are read.
struct Counting {
    saver: MemorySaver,
    read: Arc<AtomicUsize>,
}

impl SaverLayer for Counting {
    fn inner(&self) -> &dyn Saver {
        &self.saver
    }

    fn load(&self, thread: &ThreadId, graph: &GraphPath, at: At) -> MaybeReady<'_, Option<Loaded>> {
        self.read.fetch_add(1, Ordering::SeqCst);
        self.saver.load(thread, graph, at)
    }

    fn threads(&self) -> MaybeReady<'_, Vec<ThreadId>> {
        self.read.fetch_add(1000, Ordering::SeqCst);
        self.saver.threads()
    }

    fn find_threads(&self, query: &ThreadQuery) -> MaybeReady<'_, ThreadPage> {
        let query = query.clone();
        MaybeReady::Later(Box::pin(async move {
            let page = self.saver.find_threads(&query).await?;
            let count = 1 + page.threads.len();
            self.read.fetch_add(count, Ordering::SeqCst);
            Ok(page)
        }))
    }
}

#[tokio::test]
async fn a_page_and_a_404_read_as_much_among_many_threads_as_among_few() {
    let read = Arc::new(AtomicUsize::new(0));
    let saver = Counting {
        saver: MemorySaver::default(),
        read: read.clone(),
    };
    let backends = Backends {
        saver: Some(Arc::new(saver)),
        ..memory()
    };
    let server = Running::start(server(backends)).await;
    let mut costs = Vec::new();
    for _ in 0..3 {
        for n in 0..30 {
            let body = json!({"metadata": {"n": n % 2, "graph_id": "one"}});
            server.post("/threads", body).await.ok();
        }
        let mut cost = Vec::new();
        let mut counted = || cost.push(read.swap(0, Ordering::SeqCst));
        counted();
        for by in [
            "created_at", "updated_at", "state_updated_at", "thread_id", "status",
        ] {
            let page = json!({"limit": 5, "sort_by": by, "metadata": {"n": 1}});
            assert_eq!(ids(&server, page).await.0.len(), 5);
            counted();
        }
        server.post("/threads/count", json!({})).await.ok();
        counted();
        let unknown = "/threads/99999999-9999-4999-8999-999999999999";
        server.get(unknown).await.detail(404);
        counted();
        costs.push(cost.split_off(1));
    }
    assert_eq!(costs[1], costs[0], "{costs:?}");
    assert_eq!(costs[2], costs[0], "{costs:?}");
}

#[tokio::test]
async fn threads_are_sorted_by_each_field_both_ways() {
    let folder = tempfile::tempdir().unwrap();
    for backends in places(folder.path()) {
        let server = Running::start(server(backends)).await;
        for n in 0..6 {
            let made = server.post("/threads", json!({"metadata": {"n": n}}));
            let id = made.await.ok()["thread_id"].as_str().unwrap().to_owned();
            match n % 3 {
                0 => run(&server, &id, "one", json!({"x": 1})).await,
                1 => run(&server, &id, "hitl", json!({"topic": "t"})).await,
                _ => {}
            }
        }
        for by in [
            "created_at", "updated_at", "state_updated_at", "thread_id", "status",
        ] {
            for (order, is_ascending) in [("asc", true), ("desc", false)] {
                let mut fields = Vec::new();
                for offset in [0, 2, 4] {
                    let page =
                        json!({"sort_by": by, "sort_order": order, "limit": 2, "offset": offset});
                    let rows = server.post("/threads/search", page).await.ok();
                    let rows = rows.as_array().unwrap().iter();
                    fields.extend(rows.map(|row| row[by].as_str().unwrap().to_owned()));
                }
                assert_eq!(fields.len(), 6);
                let is_sorted = fields.is_sorted_by(|a, b| match is_ascending {
                    true => a <= b,
                    false => a >= b,
                });
                assert!(is_sorted, "{by} {order}: {fields:?}");
            }
        }
    }
}
