//! A batch is one transaction, and one that writes only if it has something to write.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use serde_json::json;
use superstep_store::{
    Delete, Get, ListNamespaces, ManualClock, Op, Put, Search, Store, TtlOnRead,
};

use super::{File, Letters, asking, living, ns, plain, under};

#[tokio::test]
async fn a_batch_whose_last_operation_fails_leaves_no_trace() {
    let file = File::new();
    let letters = Arc::new(Letters::default());
    let clock = Arc::new(ManualClock::at(1000));
    let store = file
        .store()
        .with_embedder(letters.clone())
        .with_clock(clock.clone());
    store
        .put(&ns("m"), "k", json!("a"), living(100))
        .await
        .unwrap();
    store.put(&ns("m"), "l", json!("b"), plain()).await.unwrap();
    clock.advance(Duration::from_millis(10));
    let before = rows(&file);
    letters.is_another.store(true, Ordering::SeqCst);
    let put = |dotted: &str, key: &str| {
        Op::Put(Put {
            namespace: ns(dotted),
            key: key.to_owned(),
            value: json!("c"),
            options: plain(),
        })
    };
    let ops = vec![
        put("new", "k"),
        put("m", "l"),
        Op::Get(Get {
            namespace: ns("m"),
            key: "k".to_owned(),
            ttl: TtlOnRead::Refresh,
        }),
        Op::Delete(Delete {
            namespace: ns("m"),
            key: "l".to_owned(),
        }),
        Op::Search(asking("m", "a")),
    ];
    let error = store.batch(ops).await.unwrap_err();
    assert_eq!(error.code(), "SS3041");
    assert_eq!(rows(&file), before);
}

#[tokio::test]
async fn reading_does_not_wait_for_a_writer() {
    let file = File::new();
    let clock = Arc::new(ManualClock::at(1000));
    let store = file.store().with_clock(clock.clone());
    store
        .put(&ns("m"), "forever", json!(1), plain())
        .await
        .unwrap();
    store
        .put(&ns("n"), "brief", json!(2), living(100))
        .await
        .unwrap();
    clock.advance(Duration::from_millis(10));
    let writer = file.raw();
    writer.execute_batch("BEGIN IMMEDIATE").unwrap();
    let item = store.get(&ns("m"), "forever", TtlOnRead::Refresh).await;
    assert!(item.unwrap().is_some());
    let item = store.get(&ns("n"), "brief", TtlOnRead::Keep).await;
    assert!(item.unwrap().is_some());
    let refreshing = Search {
        ttl: TtlOnRead::Refresh,
        ..under("m")
    };
    assert_eq!(store.search(refreshing).await.unwrap().len(), 1);
    assert_eq!(store.search(under("")).await.unwrap().len(), 2);
    let listed = store.list_namespaces(ListNamespaces::default()).await;
    assert_eq!(listed.unwrap().len(), 2);
}

#[tokio::test]
async fn a_failure_of_the_database_is_one_of_the_backend() {
    let file = File::new();
    let store = file.store();
    store.put(&ns("m"), "k", json!(1), plain()).await.unwrap();
    file.raw().execute_batch("DROP TABLE store_items").unwrap();
    let error = store.get(&ns("m"), "k", TtlOnRead::Keep).await.unwrap_err();
    assert_eq!(error.code(), "SS3090");
    let text = error.to_string();
    assert!(text.contains("store.db: applying a batch: "), "{text}");
    assert!(text.contains("no such table: store_items"), "{text}");
    let source = std::error::Error::source(&error).unwrap().to_string();
    assert!(source.contains("no such table: store_items"), "{source}");
    assert!(store.sweep_expired(0).await.is_err());
}

/// All that is in the tables, as text.
fn rows(file: &File) -> Vec<String> {
    const ALL: &str = "
        SELECT 'n', quote(id), quote(labels), '', '', '' FROM store_namespaces
        UNION ALL SELECT 'i', quote(id), quote(key), quote(updated_at), quote(expires_at),
            quote(value) FROM store_items
        UNION ALL SELECT 'v', quote(item), quote(position), quote(path), quote(vector), ''
            FROM store_vectors
        UNION ALL SELECT 'e', quote(namespace), '', '', '', '' FROM store_vacated";
    let raw = file.raw();
    let mut statement = raw.prepare(ALL).unwrap();
    let rows = statement.query_map([], |row| {
        let columns: Result<Vec<String>, _> = (0..6).map(|column| row.get(column)).collect();
        Ok(columns?.join(" "))
    });
    rows.unwrap().map(Result::unwrap).collect()
}
