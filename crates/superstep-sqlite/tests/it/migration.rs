//! Files of older versions.
//!
//! `tests/fixtures/version-1.sql` is a database as the first migration makes it, with threads in it. It
//! was written by the code of that version and never changes.

use std::{fs, path::PathBuf};

use rusqlite::Connection;
use serde_json::{Value as Json, json};
use superstep_core::{
    id::{CheckpointId, GraphPath, RunId, ThreadId},
    runs::{BeginRun, EnqueueRun, InputKind, RunQuery, RunStatus},
    saver::{Saver, ThreadKind, ThreadQuery},
    value::Value,
};
use superstep_sqlite::{Database, OpenMode, Options, SqliteStore};
use superstep_store::{Namespace, Prefix, PutOptions, Search, Store as _};

use crate::env::{Folder, Writing, fill, load};

fn fixture() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/version-1.sql")
}

fn version(path: &std::path::Path) -> i64 {
    let connection = Connection::open(path).unwrap();
    connection
        .pragma_query_value(None, "user_version", |row| row.get(0))
        .unwrap()
}

/// What the fixture holds.
async fn history(database: &Database) {
    fill(database, "long", "text", 12).await;
    let writing = Writing::begin(database, "forked").await;
    for (id, parent) in [(1, None), (2, Some(1)), (3, Some(1)), (4, Some(3))] {
        writing.extend(id, parent, "fork").await;
    }
    writing.note(2, "late").await;
    drop(writing.below("child:1"));
}

#[test]
fn looking_at_an_older_file_refuses_it_and_leaves_it_as_it_is() {
    let folder = Folder::new();
    let statements = fs::read_to_string(fixture()).unwrap();
    let connection = Connection::open(folder.path()).unwrap();
    connection.execute_batch(&statements).unwrap();
    drop(connection);
    let before = fs::read(folder.path()).unwrap();
    let options = Options {
        mode: OpenMode::ReadOnly,
        ..Options::default()
    };
    let error = Database::open_with(folder.path(), options).err().unwrap();
    assert_eq!(error.code(), "SS2016");
    assert!(error.hint().unwrap().contains("for writing"), "{error}");
    assert_eq!(fs::read(folder.path()).unwrap(), before);
    assert_eq!(fs::read_dir(folder.at(".")).unwrap().count(), 1);
    assert_eq!(version(&folder.path()), 1);
}

#[tokio::test]
async fn a_backup_of_an_older_file_migrates_neither_the_file_nor_the_copy() {
    let folder = Folder::new();
    let statements = fs::read_to_string(fixture()).unwrap();
    let connection = Connection::open(folder.path()).unwrap();
    connection.execute_batch(&statements).unwrap();
    drop(connection);
    let before = fs::read(folder.path()).unwrap();
    let copy = folder.at("copy.db");
    Database::backup_as_is(folder.path(), &copy).unwrap();
    assert_eq!(fs::read(folder.path()).unwrap(), before);
    assert_eq!((version(&folder.path()), version(&copy)), (1, 1));
    assert!(Database::backup_as_is(folder.path(), &copy).is_err());
    let database = Database::open(&copy).unwrap();
    assert_eq!(load(&database, "long").await.unwrap(), 12);
}

#[tokio::test]
async fn a_file_of_the_first_version_is_brought_up_to_date_with_all_that_is_in_it() {
    let folder = Folder::new();
    let statements = fs::read_to_string(fixture()).unwrap();
    let connection = Connection::open(folder.path()).unwrap();
    connection.execute_batch(&statements).unwrap();
    drop(connection);
    assert_eq!(version(&folder.path()), 1);
    let database = folder.open();
    let report = database.check().await.unwrap();
    assert!(report.is_clean(), "{:#?}", report.problems);
    // It reads like the same history stored today.
    let now = Folder::new();
    let today = now.open();
    history(&today).await;
    for thread in ["long", "forked"].map(ThreadId::from) {
        let [old, new] = [&database, &today].map(Database::saver);
        let [old, new] = [old.export(&thread).await, new.export(&thread).await];
        let [mut before, mut after] = [Vec::new(), Vec::new()];
        old.unwrap().write(&mut before).unwrap();
        new.unwrap().write(&mut after).unwrap();
        assert_eq!(String::from_utf8(before), String::from_utf8(after));
    }
    // And it can be written.
    let writing = Writing::begin(&database, "long").await;
    writing.extend(13, Some(12), "more").await;
    drop(writing);
    assert_eq!(load(&database, "long").await.unwrap(), 13);
    drop(database);
    drop(today);
    assert_eq!(version(&folder.path()), version(&now.path()));
    let root = GraphPath::from("");
    let database = folder.open();
    let history = database
        .saver()
        .history(&ThreadId::from("forked"), &root, &Default::default())
        .await;
    assert_eq!(history.unwrap().len(), 4);
}

/// A file as the fourth version left it: without runs.
async fn fourth(folder: &Folder) {
    let database = folder.open();
    fill(&database, "long", "text", 3).await;
    drop(database);
    let connection = Connection::open(folder.path()).unwrap();
    connection
        .execute_batch(
            "DROP TABLE runs; DROP TABLE schedules; DROP TABLE found_pairs; DROP TABLE store_blobs;
             DROP TABLE unfound; DROP TABLE thread_records; DROP INDEX threads_by_uuid;
             ALTER TABLE threads DROP COLUMN uuid; PRAGMA user_version = 4;",
        )
        .unwrap();
}

#[tokio::test]
async fn a_file_without_runs_gets_them_when_it_is_opened_for_writing() {
    let folder = Folder::new();
    fourth(&folder).await;
    let options = Options {
        mode: OpenMode::ReadOnly,
        ..Options::default()
    };
    let error = Database::open_with(folder.path(), options).err().unwrap();
    assert_eq!(error.code(), "SS2016");
    assert_eq!(version(&folder.path()), 4);
    let database = folder.open();
    let thread = ThreadId::from("long");
    let saver = database.saver();
    let runs = saver.runs().load_runs(&thread, &RunQuery::default()).await;
    assert_eq!(runs, Ok(Vec::new()));
    let idle = ThreadQuery {
        status: vec![RunStatus::Idle],
        ..ThreadQuery::default()
    };
    // What was there before the index is in it.
    let found = saver.find_threads(&idle).await.unwrap();
    assert_eq!(found.threads[0].id, thread);
    let writing = Writing::begin(&database, "long").await;
    let begun = saver.runs().begin_run(BeginRun {
        thread: thread.clone(),
        epoch: writing.epoch(),
        run: RunId(1),
        graph: "g".into(),
        input: InputKind::Nothing,
        deadline: None,
        metadata: Value::Null,
        mark: CheckpointId(0),
        noted: 0,
        options: Default::default(),
        answers: Vec::new(),
    });
    assert_eq!(begun.await.unwrap().base, Some(CheckpointId(3)));
    drop(writing);
    let report = database.check().await.unwrap();
    assert!(report.is_clean(), "{:#?}", report.problems);
    assert_eq!(report.runs, 1);
}

/// What a server of the eighth version kept in the long-term store.
async fn eighth(folder: &Folder) {
    let database = folder.open();
    fill(&database, "named", "text", 3).await;
    let [threads, after] = [["threads", "served"], ["runs", "after"]].map(|place| {
        let place = Namespace::new(place).unwrap();
        move |store: SqliteStore, key: &'static str, value: Json| {
            let place = place.clone();
            async move { store.put(&place, key, value, PutOptions::default()).await }
        }
    });
    let store = database.store();
    let metadata = json!({"graph_id": "g"});
    let own = json!({"created": 5, "updated": 6, "owner": "ann", "metadata": metadata});
    threads(store.clone(), UUID, own).await.unwrap();
    let named = json!({"created": 7, "updated": 8, "name": "named", "metadata": {}});
    threads(store.clone(), "aac5a661-2f40-5699-9a3b-c2b3a7de07a1", named)
        .await
        .unwrap();
    for n in [1, 2] {
        let run = EnqueueRun::new(UUID, RunId(n), "g");
        let queue = database.saver();
        queue.run_queue().enqueue(run).await.unwrap();
    }
    let left = json!({"thread": UUID, "made": 1, "temporary": true});
    let run = "00000000-0000-0000-0000-000000000001";
    assert_eq!(run.parse(), Ok(RunId(1)));
    after(store, run, left).await.unwrap();
    drop(database);
    let connection = Connection::open(folder.path()).unwrap();
    // Its index of threads, which has one that is gone by now.
    connection
        .execute_batch(
            "DROP TABLE found_pairs; DELETE FROM unfound;
             CREATE TABLE found (thread INTEGER PRIMARY KEY, state INTEGER NOT NULL,
                 graph INTEGER NOT NULL, created INTEGER, updated INTEGER);
             CREATE TABLE found_pairs (pair INTEGER NOT NULL, thread INTEGER NOT NULL,
                 PRIMARY KEY (pair, thread)) WITHOUT ROWID;
             INSERT INTO found VALUES (99, 2, 5, 1, 1); INSERT INTO found_pairs VALUES (7, 99);",
        )
        .unwrap();
    connection
        .execute_batch(
            "DROP TABLE thread_records; DROP TABLE store_blobs; DROP INDEX threads_by_uuid;
             ALTER TABLE threads DROP COLUMN uuid; DROP INDEX runs_by_after;
             ALTER TABLE runs DROP COLUMN after; DROP INDEX runs_ready; DROP INDEX runs_running;
             DROP INDEX runs_by_due; ALTER TABLE runs DROP COLUMN ready;
             CREATE INDEX runs_by_due ON runs (due) WHERE state = 0;
             ALTER TABLE runs DROP COLUMN owner; ALTER TABLE runs DROP COLUMN graph;
             PRAGMA user_version = 8;",
        )
        .unwrap();
}

const UUID: &str = "019812d4-2d6f-7000-8000-000000000001";

#[tokio::test]
async fn records_of_threads_and_work_after_runs_move_from_the_store_to_the_saver() {
    let folder = Folder::new();
    eighth(&folder).await;
    let database = folder.open();
    let saver = database.saver();
    let records = saver.thread_records();
    let [own, named] = [UUID, "named"].map(ThreadId::from);
    let found = records.load_record(&own).await.unwrap().unwrap();
    assert_eq!(found.owner.as_deref(), Some("ann"));
    assert_eq!((found.created, found.updated), (5, 6));
    assert_eq!(found.metadata.to_json(), json!({"graph_id": "g"}));
    let found = records.load_record(&named).await.unwrap().unwrap();
    assert_eq!((found.created, found.updated), (7, 8));
    for thread in [&own, &named] {
        let by_uuid = records.thread_of_uuid(thread.uuid()).await.unwrap();
        assert_eq!(by_uuid.as_ref(), Some(thread));
    }
    let left = saver.runs().load_run(RunId(1)).await.unwrap().unwrap();
    assert!(left.after.unwrap().left.removes_thread);
    let none = saver.runs().load_run(RunId(2)).await.unwrap().unwrap();
    assert_eq!(none.after, None);
    let all = Search {
        prefix: Prefix::new(["threads"]).unwrap(),
        ..Search::default()
    };
    assert_eq!(database.store().search(all).await.unwrap().len(), 0);
    let by_owner = ThreadQuery {
        kind: ThreadKind::Recorded,
        owner: Some("ann".into()),
        ..ThreadQuery::default()
    };
    let found = saver.find_threads(&by_owner).await.unwrap().threads;
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].id, own);
    let stored = ThreadQuery::default();
    let found = saver.find_threads(&stored).await.unwrap().threads;
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].id, named);
    let report = database.check().await.unwrap();
    assert!(report.is_clean(), "{:#?}", report.problems);
}
