//! What is deleted, replaced or swept leaves nothing in the file.

use std::sync::Arc;

use serde_json::json;
use superstep_store::Store;

use super::{File, Letters, living, ns, plain};

const SECRET: &str = "a secret that nobody must find";

fn in_file(file: &File) -> bool {
    let checkpoint = "PRAGMA wal_checkpoint(TRUNCATE)";
    let busy = file
        .raw()
        .query_row(checkpoint, [], |row| row.get::<_, i64>(0));
    assert_eq!(busy, Ok(0));
    let bytes = std::fs::read(file.path()).unwrap();
    bytes
        .windows(SECRET.len())
        .any(|window| window == SECRET.as_bytes())
}

fn rows(file: &File) -> i64 {
    const ALL: &str = "
        SELECT (SELECT count(*) FROM store_namespaces) + (SELECT count(*) FROM store_items)
            + (SELECT count(*) FROM store_vectors) + (SELECT count(*) FROM store_vacated)";
    file.raw().query_row(ALL, [], |row| row.get(0)).unwrap()
}

#[tokio::test]
async fn what_is_deleted_and_swept_leaves_nothing_behind() {
    let file = File::new();
    let store = file.store().with_embedder(Letters::default());
    let long = SECRET.repeat(1000);
    let (secret, other) = (ns(SECRET), ns("m"));
    store.put(&secret, "k", json!(1), plain()).await.unwrap();
    store.put(&other, SECRET, json!(1), plain()).await.unwrap();
    store.put(&other, "v", json!(long), plain()).await.unwrap();
    store
        .put(&other, "r", json!(SECRET), plain())
        .await
        .unwrap();
    store
        .put(&other, "t", json!(SECRET), living(1))
        .await
        .unwrap();
    assert!(in_file(&file));
    store.delete(&secret, "k").await.unwrap();
    store.delete(&other, SECRET).await.unwrap();
    store.delete(&other, "v").await.unwrap();
    store
        .put(&other, "r", json!("harmless"), plain())
        .await
        .unwrap();
    store.sweep_expired(i64::MAX).await.unwrap();
    assert!(!in_file(&file));
    store.delete(&other, "r").await.unwrap();
    store.sweep_expired(i64::MAX).await.unwrap();
    assert_eq!(rows(&file), 0);
}

#[tokio::test]
async fn a_number_that_is_used_again_has_no_vectors_of_its_former_owner() {
    let file = File::new();
    let letters = Arc::new(Letters::default());
    let store = file.store().with_embedder(letters.clone());
    store
        .put(&ns("m"), "old", json!("a"), plain())
        .await
        .unwrap();
    store.delete(&ns("m"), "old").await.unwrap();
    let plain_store = file.store();
    let value = json!("b");
    plain_store
        .put(&ns("m"), "new", value, plain())
        .await
        .unwrap();
    let found = store.search(super::asking("m", "a")).await.unwrap();
    assert_eq!(found, []);
}
