//! Steps that nobody waits for, and that are stored in one transaction.

use rusqlite::Connection;
use superstep_core::{
    checkpoint::NextRecord,
    error::SaverError,
    future::MaybeReady,
    id::CheckpointId,
    policy::Durability,
    record::{Change, Record, TaskKey, TaskNote, Write},
    saver::{At, Commit, HistoryQuery, Notes, Saver},
    table::Key,
    value::Value,
};
use superstep_sqlite::{Database, SqliteSaver};

use crate::env::{Folder, record};

/// Keeps others from writing; what they submit meanwhile becomes one transaction.
fn lock(folder: &Folder) -> Connection {
    let other = Connection::open(folder.path()).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    other
}

fn unlock(other: &Connection) {
    other.execute_batch("COMMIT").unwrap();
}

/// Submits a step.
fn step<'s>(
    saver: &'s SqliteSaver,
    thread: &str,
    epoch: u64,
    id: u128,
) -> MaybeReady<'s, NextRecord> {
    let change = Change::Extend(Value::list([Value::from(format!("{thread} {id}"))]));
    let record = Record {
        durability: Durability::Async,
        ..record(id, (id > 1).then(|| id - 1), change)
    };
    saver.commit(Commit {
        thread: thread.into(),
        namespace: "".into(),
        epoch,
        record: record.into(),
        events: Vec::new(),
    })
}

/// Submits a note.
fn note<'s>(saver: &'s SqliteSaver, thread: &str, epoch: u64, at: u128) -> MaybeReady<'s, ()> {
    let mut note = TaskNote::new(TaskKey::Node(Key::at(0)));
    note.output = Some(vec![Write::State(Key::at(0), Value::from("noted"))]);
    saver.note(Notes {
        thread: thread.into(),
        namespace: "".into(),
        epoch,
        durability: Durability::Async,
        checkpoint: CheckpointId(at),
        notes: vec![note],
        events: Vec::new(),
    })
}

/// The ids of a thread's checkpoints, newest first, as another process reads them.
async fn ids(folder: &Folder, thread: &str) -> Vec<u128> {
    let saver = folder.open().saver();
    let all = HistoryQuery::default();
    let history = saver.history(&thread.into(), &"".into(), &all).await;
    let heads = history.unwrap().into_iter();
    heads.map(|found| found.head().unwrap().id.0).collect()
}

async fn check(database: &Database) {
    let report = database.check().await.unwrap();
    assert!(report.is_clean(), "{:#?}", report.problems);
}

#[tokio::test]
async fn what_is_stored_together_is_found_by_what_comes_after_it() {
    let folder = Folder::new();
    let database = folder.open();
    let saver = database.saver();
    let a = saver.lease(&"a".into()).await.unwrap();
    let b = saver.lease(&"b".into()).await.unwrap();
    step(&saver, "a", a.epoch, 1).await.unwrap();
    let other = lock(&folder);
    let mut steps = Vec::new();
    for id in 2..=40 {
        steps.push(step(&saver, "a", a.epoch, id));
        steps.push(step(&saver, "b", b.epoch, id - 1));
    }
    let noted = note(&saver, "a", a.epoch, 40);
    let copied = saver.copy(&"a".into(), &"copy".into());
    for id in 41..=70 {
        steps.push(step(&saver, "a", a.epoch, id));
    }
    unlock(&other);
    for stored in steps {
        stored.await.unwrap();
    }
    noted.await.unwrap();
    copied.await.unwrap();
    check(&database).await;
    let down_from = |newest: u128| (1..=newest).rev().collect::<Vec<_>>();
    assert_eq!(ids(&folder, "a").await, down_from(70));
    assert_eq!(ids(&folder, "b").await, down_from(39));
    assert_eq!(ids(&folder, "copy").await, down_from(40));
    let copy = saver.load(&"copy".into(), &"".into(), At::Latest).await;
    assert_eq!(copy.unwrap().unwrap().notes.len(), 1);
}

#[tokio::test]
async fn a_refused_step_leaves_those_around_it() {
    let folder = Folder::new();
    let database = folder.open();
    let saver = database.saver();
    let lease = saver.lease(&"a".into()).await.unwrap();
    step(&saver, "a", lease.epoch, 1).await.unwrap();
    let other = lock(&folder);
    let before: Vec<_> = (2..=9)
        .map(|id| step(&saver, "a", lease.epoch, id))
        .collect();
    let late = step(&saver, "a", lease.epoch, 9);
    let after = step(&saver, "a", lease.epoch, 10);
    unlock(&other);
    for stored in before {
        stored.await.unwrap();
    }
    assert!(matches!(late.await, Err(SaverError::Corrupt(_))));
    after.await.unwrap();
    check(&database).await;
    assert_eq!(ids(&folder, "a").await.first(), Some(&10));
}

#[tokio::test]
async fn steps_of_a_thread_that_was_taken_over_are_refused_and_others_stored() {
    let folder = Folder::new();
    let database = folder.open();
    let saver = database.saver();
    let lost = saver.lease(&"lost".into()).await.unwrap();
    let fine = saver.lease(&"fine".into()).await.unwrap();
    step(&saver, "lost", lost.epoch, 1).await.unwrap();
    step(&saver, "fine", fine.epoch, 1).await.unwrap();
    // As a process does that takes the thread over.
    let other = lock(&folder);
    let taken = "UPDATE threads SET epoch = epoch + 1 WHERE name = 'lost'";
    other.execute(taken, []).unwrap();
    let mut steps = Vec::new();
    for id in 2..=20 {
        steps.push((
            step(&saver, "lost", lost.epoch, id),
            step(&saver, "fine", fine.epoch, id),
        ));
    }
    unlock(&other);
    for (late, own) in steps {
        assert!(matches!(late.await, Err(SaverError::Conflict { .. })));
        own.await.unwrap();
    }
    check(&database).await;
    assert_eq!(ids(&folder, "lost").await, [1]);
    assert_eq!(ids(&folder, "fine").await.first(), Some(&20));
}
