//! What entries of event logs repeat is stored once, and goes when the last of them goes.

use superstep_core::{
    error::SaverError,
    event::{Cursor, Entry, Event, EventKind, Logged, LoggedEvent},
    id::{CheckpointId, GraphPath, ThreadId},
    saver::{Keep, Saver},
    value::Value,
};
use superstep_sqlite::Database;

use crate::env::{Folder, Writing, load, tamper};

/// An entry that shows the last thirty of so many messages.
fn entry(epoch: u64, n: u64, messages: usize) -> Logged {
    let message = |n: usize| Value::from(format!("message {n} ").repeat(40));
    let shown = Value::list((messages.saturating_sub(30)..messages).map(message));
    let logged_event = LoggedEvent {
        event: Event {
            namespace: GraphPath::default(),
            step: n as i64,
            kind: EventKind::Custom(Value::map([("messages", shown)])),
        },
        below: false,
        state: None,
    };
    Logged {
        cursor: Cursor { epoch, n },
        checkpoint: Some(CheckpointId(u128::from(n))),
        at: Some(n),
        entry: Entry::Event(Box::new(logged_event)),
    }
}

/// A thread of so many steps, each with an entry that shows the messages so far.
async fn talk(database: &Database, thread: &str, steps: u64) -> Vec<Logged> {
    let writing = Writing::begin(database, thread).await;
    let mut log = Vec::new();
    for n in 1..=steps {
        let parent = (n > 1).then(|| u128::from(n) - 1);
        writing.extend(u128::from(n), parent, "step").await;
        let logged = entry(writing.epoch(), n, n as usize);
        writing.log(vec![logged.clone()]).await;
        log.push(logged);
    }
    log
}

async fn events(database: &Database, thread: &str) -> Result<Vec<Logged>, SaverError> {
    let saver = database.saver();
    saver.events(&ThreadId::from(thread), None, 10_000).await
}

async fn blobs(database: &Database) -> usize {
    let report = database.check().await.unwrap();
    assert!(report.is_clean(), "{:#?}", report.problems);
    report.blobs
}

#[tokio::test]
async fn what_two_threads_repeat_is_kept_until_the_last_of_them_goes() {
    let folder = Folder::new();
    let database = folder.open();
    let saver = database.saver();
    let log = talk(&database, "a", 40).await;
    let alone = blobs(&database).await;
    let (a, b, c) = ("a".into(), "b".into(), "c".into());
    saver.copy(&a, &b).await.unwrap();
    assert_eq!(blobs(&database).await, alone);
    saver.prune(&a, Keep::Last(3)).await.unwrap();
    let kept = &log[37..];
    assert_eq!(events(&database, "a").await.unwrap(), kept);
    assert_eq!(events(&database, "b").await.unwrap(), log);
    assert_eq!(blobs(&database).await, alone);
    saver.delete(&b).await.unwrap();
    let left = blobs(&database).await;
    assert!(left < alone, "{left} of {alone} are left");
    assert_eq!(events(&database, "a").await.unwrap(), kept);
    saver.copy(&a, &c).await.unwrap();
    saver.delete(&a).await.unwrap();
    assert_eq!(events(&database, "c").await.unwrap(), kept);
    saver.delete(&c).await.unwrap();
    assert_eq!(blobs(&database).await, 0);
    assert!(folder.holding("message 39 message 39").is_empty());
}

#[tokio::test]
async fn a_log_goes_on_after_it_was_pruned_and_opened_again() {
    let folder = Folder::new();
    let database = folder.open();
    let log = talk(&database, "a", 20).await;
    database
        .saver()
        .prune(&"a".into(), Keep::Latest)
        .await
        .unwrap();
    drop(database);
    let database = folder.open();
    let writing = Writing::begin(&database, "a").await;
    writing.extend(21, Some(20), "step").await;
    let more = entry(writing.epoch(), 21, 21);
    writing.log(vec![more.clone()]).await;
    let expected = [log[19].clone(), more];
    assert_eq!(events(&database, "a").await.unwrap(), expected);
    drop(writing);
    blobs(&database).await;
}

#[tokio::test]
async fn a_part_that_is_missing_or_damaged_is_reported_and_costs_no_state() {
    for statement in [
        "DELETE FROM blobs WHERE blob = 3",
        "UPDATE blobs SET body = (SELECT body FROM blobs WHERE blob = 4) WHERE blob = 3",
        "UPDATE blobs SET body = x'00' WHERE blob = 3",
    ] {
        let folder = Folder::new();
        talk(&folder.open(), "a", 20).await;
        tamper(&folder.path(), statement);
        let database = folder.open();
        let read = events(&database, "a").await;
        assert!(matches!(read, Err(SaverError::Corrupt(_))), "{read:?}");
        let report = database.check().await.unwrap();
        assert!(!report.is_clean(), "{statement}");
        assert!(load(&database, "a").await.unwrap() > 0);
    }
}

#[tokio::test]
async fn entries_that_repeat_a_long_list_take_room_for_what_is_new() {
    let folder = Folder::new();
    let database = folder.open();
    talk(&database, "a", 200).await;
    // The messages once and their names in every entry, not 30 messages in every entry.
    let size = database.size().unwrap();
    assert!(size < 600_000, "{size} bytes");
}

#[cfg(feature = "encryption")]
#[tokio::test]
async fn an_encrypted_file_shows_no_hash_of_what_entries_say() {
    use superstep_core::codec::BlobId;
    use superstep_sqlite::{Options, cipher::Key};

    let folder = Folder::new();
    let open = || {
        let options = Options {
            key: Some(Key::from_bytes([7; 32])),
            ..Options::default()
        };
        Database::open_with(folder.path(), options).unwrap()
    };
    let database = open();
    let log = talk(&database, "a", 10).await;
    drop(database);
    let text = "message 3 ".repeat(40);
    let hash = BlobId::of(text.as_bytes()).0.to_be_bytes();
    let connection = rusqlite::Connection::open(folder.path()).unwrap();
    let count = |statement: &str, name: &[u8]| -> i64 {
        let found = connection.query_row(statement, [name], |row| row.get(0));
        found.unwrap()
    };
    assert!(count("SELECT count(*) FROM blobs WHERE ?1 IS NOT NULL", &hash) > 5);
    assert_eq!(
        count("SELECT count(*) FROM blobs WHERE name = ?1", &hash),
        0
    );
    drop(connection);
    let database = open();
    assert_eq!(events(&database, "a").await.unwrap(), log);
    blobs(&database).await;
}
