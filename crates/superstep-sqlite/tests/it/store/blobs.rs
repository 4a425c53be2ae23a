//! Bytes by content in a file: the kit, damage, encryption, copies.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use rusqlite::Connection;
use superstep_conformance::blobs_kit::check;
use superstep_sqlite::{Database, OpenMode, Options};
use superstep_store::Blobs;

use super::File;

#[cfg(feature = "encryption")]
fn keyed(digit: u8) -> Options {
    let key = superstep_sqlite::cipher::Key::from_bytes([digit; 32]);
    Options {
        key: Some(key),
        ..Options::default()
    }
}

#[tokio::test]
async fn files_pass_the_kit() {
    pass(&Options::default()).await;
}

async fn pass(options: &Options) {
    let (folder, next) = (File::new(), AtomicU64::new(0));
    let report = check(|| {
        let name = format!("{}.db", next.fetch_add(1, Ordering::Relaxed));
        let database = Database::open_with(folder.0.join(name), options.clone());
        let blobs: Arc<dyn Blobs> = Arc::new(database.unwrap().blobs());
        Box::pin(async { Ok(blobs) })
    });
    let report = report.await;
    assert!(report.passed(), "{report}");
    assert_eq!(report.checks.len(), 5);
}

#[cfg(feature = "encryption")]
#[tokio::test]
async fn an_encrypted_file_passes_the_kit_and_shows_neither_content_nor_hash() {
    pass(&keyed(1)).await;
    let file = File::new();
    let database = Database::open_with(file.path(), keyed(1)).unwrap();
    let content = b"a secret that is long enough to be found";
    let hash = database.blobs().put("a", content.to_vec()).await.unwrap();
    drop(database);
    let bytes = std::fs::read(file.path()).unwrap();
    let has = |part: &[u8]| bytes.windows(part.len()).any(|window| window == part);
    assert!(!has(content) && !has(&hash.as_bytes()[..16]));
}

#[tokio::test]
async fn damaged_content_is_an_error_and_found_by_a_check() {
    let file = File::new();
    let database = Database::open(file.path()).unwrap();
    let blobs = database.blobs();
    let hash = blobs.put("a", b"abc".to_vec()).await.unwrap();
    assert_eq!(database.check().await.unwrap().files, 1);
    assert!(database.check().await.unwrap().is_clean());
    let other = Connection::open(file.path()).unwrap();
    other
        .execute("UPDATE store_blobs SET body = zeroblob(length(body))", [])
        .unwrap();
    let error = blobs.get("a", hash).await.unwrap_err();
    assert_eq!(error.code(), "SS3060");
    let report = database.check().await.unwrap();
    assert_eq!(report.problems.len(), 1, "{report:?}");
}

#[tokio::test]
async fn another_process_reads_what_one_has_put_and_a_reader_changes_nothing() {
    let file = File::new();
    let first = Database::open(file.path()).unwrap();
    let second = Database::open(file.path()).unwrap();
    let hash = first.blobs().put("a", b"abc".to_vec()).await.unwrap();
    let read_only = Options {
        mode: OpenMode::ReadOnly,
        ..Options::default()
    };
    let reader = Database::open_with(file.path(), read_only).unwrap();
    for database in [&second, &reader] {
        let found = database.blobs().get("a", hash).await.unwrap();
        assert_eq!(found.as_deref(), Some(&b"abc"[..]));
    }
    assert!(reader.blobs().put("a", b"x".to_vec()).await.is_err());
    assert!(reader.blobs().remove("a", hash).await.is_err());
}

#[cfg(feature = "encryption")]
#[tokio::test]
async fn a_copy_under_another_key_has_all_files() {
    let [from, to] = [(); 2].map(|()| File::new());
    let database = Database::open(from.path()).unwrap();
    let hash = database.blobs().put("a", b"abc".to_vec()).await.unwrap();
    let copy = Database::open_with(to.path(), keyed(2)).unwrap();
    assert_eq!(database.copy_into(&copy).await.unwrap().files, 1);
    let found = copy.blobs().get("a", hash).await.unwrap();
    assert_eq!(found.as_deref(), Some(&b"abc"[..]));
    assert!(copy.check().await.unwrap().is_clean());
}
