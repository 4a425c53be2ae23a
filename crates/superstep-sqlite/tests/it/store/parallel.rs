//! Parallel use of one handle, and of two on the same file.

use std::sync::Arc;

use serde_json::json;
use superstep_core::store::{Op, Put, Store};
use superstep_sqlite::SqliteStore;

use super::{File, ns, plain, under};

const TASKS: usize = 8;
const PUTS: usize = 25;

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn parallel_tasks_on_one_handle_lose_nothing() {
    let file = File::new();
    let store = Arc::new(file.store());
    fill(std::iter::repeat_n(store, TASKS).collect()).await;
    check(&file).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn parallel_tasks_on_own_handles_lose_nothing() {
    let file = File::new();
    let stores = (0..TASKS).map(|_| Arc::new(file.store()));
    fill(stores.collect()).await;
    check(&file).await;
}

/// Each task puts items of its own and a pair that all share, and looks that the pair is whole.
async fn fill(stores: Vec<Arc<SqliteStore>>) {
    let mut tasks = Vec::new();
    for (task, store) in stores.into_iter().enumerate() {
        tasks.push(tokio::spawn(async move {
            let own = ns(&format!("own.{task}"));
            for number in 0..PUTS {
                store
                    .put(&own, &number.to_string(), json!(number), plain())
                    .await
                    .unwrap();
                store.batch(pair(task * 1000 + number)).await.unwrap();
                let found = store.search(under("pair")).await.unwrap();
                assert_eq!(found.len(), 2);
                assert_eq!(found[0].item.value, found[1].item.value);
            }
        }));
    }
    for task in tasks {
        task.await.unwrap();
    }
}

async fn check(file: &File) {
    let store = file.store();
    for task in 0..TASKS {
        let own = under(&format!("own.{task}"));
        let found = store.search(own).await.unwrap();
        let values: Vec<_> = found.into_iter().map(|found| found.item.value).collect();
        let wanted: Vec<_> = (0..PUTS).map(|number| json!(number)).collect();
        assert_eq!(values, wanted);
    }
}

fn pair(number: usize) -> Vec<Op> {
    let put = |key: &str| {
        Op::Put(Put {
            namespace: ns("pair"),
            key: key.to_owned(),
            value: json!(number),
            options: plain(),
        })
    };
    vec![put("left"), put("right")]
}
