//! Parallel use of one handle, and of two on the same file.

use std::sync::Arc;

use serde_json::json;
use superstep_sqlite::SqliteStore;
use superstep_store::{Expected, Op, Put, PutOptions, Store, StoreError, TtlOnRead};

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

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn changes_on_own_handles_that_expect_what_they_read_are_all_kept() {
    let file = File::new();
    let mut tasks = Vec::new();
    for task in 0..TASKS {
        let store = file.store();
        tasks.push(tokio::spawn(async move {
            for number in 0..PUTS {
                append(&store, task * 1000 + number).await;
            }
        }));
    }
    for task in tasks {
        task.await.unwrap();
    }
    let store = file.store();
    let item = store.get(&ns("shared"), "list", TtlOnRead::Keep);
    let list = item.await.unwrap().unwrap().value;
    assert_eq!(list.as_array().unwrap().len(), TASKS * PUTS);
}

/// Adds a number to a list that others add to as well.
async fn append(store: &SqliteStore, number: usize) {
    // Each failure is a success of somebody else.
    for _ in 0..=TASKS * PUTS {
        let item = store.get(&ns("shared"), "list", TtlOnRead::Keep);
        let before = item.await.unwrap().map(|item| item.value);
        let mut list = before.clone().unwrap_or_else(|| json!([]));
        list.as_array_mut().unwrap().push(json!(number));
        let options = PutOptions {
            expected: before.map_or(Expected::Absent, Expected::Value),
            ..plain()
        };
        match store.put(&ns("shared"), "list", list, options).await {
            Err(StoreError::Conflict { .. }) => {}
            done => return done.unwrap(),
        }
    }
    panic!("{number} was never added");
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
