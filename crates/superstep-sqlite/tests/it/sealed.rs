//! Encryption, as far as a program without the key sees it: with and without the feature.

use rusqlite::params;
use superstep_core::{
    codec::envelope::{self, Address, Content},
    error::SaverError,
};
use superstep_sqlite::Database;

use crate::env::{Folder, fill, load};

fn refused<T>(result: Result<T, SaverError>) -> String {
    match result {
        Err(error @ SaverError::Sealed(_)) => error.to_string(),
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("it opened"),
    }
}

#[tokio::test]
async fn an_encrypted_row_is_told_from_a_damaged_one_without_the_key() {
    let folder = Folder::new();
    fill(&folder.open(), "a", "text", 3).await;
    let connection = rusqlite::Connection::open(folder.path()).unwrap();
    let digest: i64 = connection
        .query_row("SELECT digest FROM layouts", [], |row| row.get(0))
        .unwrap();
    let place = Address::of(digest.to_be_bytes());
    let body = envelope::seal(Content::Encrypted(&[1; 60]), &place);
    connection
        .execute("UPDATE layouts SET body = ?1", [body])
        .unwrap();
    let message = refused(load(&folder.open(), "a").await);
    assert!(message.contains("encrypted"), "{message}");
}

#[test]
fn an_encrypted_file_is_refused_at_once_without_the_key() {
    let folder = Folder::new();
    drop(folder.open());
    let mark = envelope::seal(Content::Encrypted(&[1; 60]), &Address::of(b"sealed"));
    let connection = rusqlite::Connection::open(folder.path()).unwrap();
    connection
        .execute("INSERT INTO counters VALUES ('sealed', ?1)", params![mark])
        .unwrap();
    drop(connection);
    let message = refused(Database::open(folder.path()));
    assert!(message.contains("a.db"), "{message}");
}

#[cfg(feature = "encryption")]
mod with_a_key {
    use std::sync::Arc;

    use superstep_conformance::saver_kit;
    use superstep_core::saver::Saver;
    use superstep_sqlite::{Options, cipher::Key};

    use super::*;
    use crate::env::Writing;

    fn key(byte: u8) -> Options {
        Options {
            key: Some(Key::from_bytes([byte; 32])),
            ..Options::default()
        }
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn the_encrypted_saver_passes_the_kit() {
        let folder = Folder::new();
        let count = std::sync::atomic::AtomicUsize::new(0);
        let report = saver_kit::check(|| {
            let n = count.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            let path = folder.at(&format!("{n}.db"));
            Box::pin(async move {
                let database = Database::open_with(path, key(1))?;
                Ok(Arc::new(database.saver()) as Arc<dyn Saver>)
            })
        })
        .await;
        assert!(report.passed(), "{report}");
    }

    #[tokio::test]
    async fn what_is_stored_is_in_no_file() {
        let folder = Folder::new();
        let database = Database::open_with(folder.path(), key(1)).unwrap();
        fill(&database, "a", "planted", 30).await;
        // Channel and node names are in the layout.
        for text in ["planted", "channel"] {
            assert_eq!(folder.holding(text), Vec::<std::path::PathBuf>::new());
        }
        assert!(database.check().await.unwrap().is_clean());
        drop(database);
        assert!(folder.holding("planted").is_empty());
        // The search would find it.
        let plain = Folder::new();
        let database = plain.open();
        fill(&database, "a", "planted", 30).await;
        assert!(!plain.holding("planted").is_empty());
        assert!(!plain.holding("channel").is_empty());
    }

    #[tokio::test]
    async fn a_file_opens_with_its_key_alone_even_while_it_is_empty() {
        let folder = Folder::new();
        for records in [0, 5] {
            let database = Database::open_with(folder.path(), key(1)).unwrap();
            fill(&database, "a", "text", records).await;
            drop(database);
            let wrong = refused(Database::open_with(folder.path(), key(2)));
            assert!(wrong.contains("the key does not open"), "{wrong}");
            let none = refused(Database::open(folder.path()));
            assert!(none.contains("no key was given"), "{none}");
        }
        let database = Database::open_with(folder.path(), key(1)).unwrap();
        assert_eq!(load(&database, "a").await.unwrap(), 5);
    }

    #[tokio::test]
    async fn a_plain_file_is_refused_with_a_key_even_while_it_is_empty() {
        let folder = Folder::new();
        for records in [0, 5] {
            fill(&folder.open(), "a", "text", records).await;
            let message = refused(Database::open_with(folder.path(), key(1)));
            assert!(message.contains("not encrypted"), "{message}");
        }
        assert_eq!(load(&folder.open(), "a").await.unwrap(), 5);
    }

    #[tokio::test]
    async fn a_plain_body_in_an_encrypted_file_is_refused() {
        let folder = Folder::new();
        let database = Database::open_with(folder.path(), key(1)).unwrap();
        fill(&database, "a", "text", 3).await;
        drop(database);
        let connection = rusqlite::Connection::open(folder.path()).unwrap();
        let digest: i64 = connection
            .query_row("SELECT digest FROM layouts", [], |row| row.get(0))
            .unwrap();
        let place = Address::of(digest.to_be_bytes());
        let body = envelope::seal(Content::Plain(b"{}"), &place);
        connection
            .execute("UPDATE layouts SET body = ?1", [body])
            .unwrap();
        let database = Database::open_with(folder.path(), key(1)).unwrap();
        let message = refused(load(&database, "a").await);
        assert!(message.contains("not encrypted"), "{message}");
    }

    #[tokio::test]
    async fn swapped_rows_do_not_open() {
        let folder = Folder::new();
        let database = Database::open_with(folder.path(), key(1)).unwrap();
        fill(&database, "a", "text", 3).await;
        crate::env::tamper(
            &folder.path(),
            "UPDATE log SET body = (SELECT body FROM log WHERE seq = 1) WHERE seq = 2",
        );
        let error = load(&database, "a").await.unwrap_err();
        assert!(matches!(error, SaverError::Corrupt(_)), "{error}");
    }

    #[tokio::test]
    async fn a_body_moved_by_somebody_who_fixes_the_checksum_does_not_open_either() {
        let folder = Folder::new();
        let database = Database::open_with(folder.path(), key(1)).unwrap();
        let writing = Writing::begin(&database, "a").await;
        for (id, text) in [(1, "a"), (2, "b")] {
            let parent = (id > 1).then(|| id - 1);
            writing.extend(id, parent, &text.repeat(20_000)).await;
        }
        let connection = rusqlite::Connection::open(folder.path()).unwrap();
        let mut select = connection.prepare("SELECT name, body FROM blobs").unwrap();
        let blobs: Vec<([u8; 16], Vec<u8>)> = select
            .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))
            .unwrap()
            .collect::<Result<_, _>>()
            .unwrap();
        let [(from, body), (to, _)] = &blobs[..] else {
            panic!("{} blobs", blobs.len());
        };
        let moved = envelope::open(body, &Address::of(from)).unwrap();
        let moved = envelope::seal(moved, &Address::of(to));
        connection
            .execute(
                "UPDATE blobs SET body = ?2 WHERE name = ?1",
                params![to, moved],
            )
            .unwrap();
        let error = load(&database, "a").await.unwrap_err();
        assert!(
            error.to_string().contains("the key does not open"),
            "{error}"
        );
        assert!(!database.check().await.unwrap().is_clean());
    }

    #[tokio::test]
    async fn a_copy_needs_the_same_key() {
        let folder = Folder::new();
        let database = Database::open_with(folder.path(), key(1)).unwrap();
        fill(&database, "a", "planted", 5).await;
        database.backup(folder.at("copy.db")).await.unwrap();
        assert!(folder.holding("planted").is_empty());
        refused(Database::open(folder.at("copy.db")));
        let copy = Database::open_with(folder.at("copy.db"), key(1)).unwrap();
        assert_eq!(load(&copy, "a").await.unwrap(), 5);
    }
}
