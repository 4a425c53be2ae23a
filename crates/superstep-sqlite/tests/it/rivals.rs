//! Runs that write at the same time.

use superstep_core::{
    error::SaverError,
    event::Ending,
    id::{CheckpointId, RunId},
    record::Change,
    runs::{BeginRun, Cancel, CancelRequest, EndRun, InputKind, RunCost},
    saver::{At, Commit, Saver},
    value::Value,
};

use crate::env::{Folder, record, tamper};

#[tokio::test]
async fn a_run_that_lost_its_thread_does_not_take_others_down_with_it() {
    let folder = Folder::new();
    let database = folder.open();
    let saver = database.saver();
    let (lost, fine) = (
        saver.lease(&"lost".into()).await.unwrap(),
        saver.lease(&"fine".into()).await.unwrap(),
    );
    let commit = |thread: &str, epoch, id: u128| {
        let change = Change::Extend(Value::list([Value::from("x".repeat(20_000))]));
        saver.commit(Commit {
            thread: thread.into(),
            namespace: "".into(),
            epoch,
            record: record(id, (id > 1).then(|| id - 1), change).into(),
            events: Vec::new(),
        })
    };
    commit("lost", lost.epoch, 1).await.unwrap();
    commit("fine", fine.epoch, 1).await.unwrap();
    // As a process does that takes the thread over.
    let other = rusqlite::Connection::open(folder.path()).unwrap();
    let taken = "UPDATE threads SET epoch = epoch + 1 WHERE name = 'lost'";
    other.execute(taken, []).unwrap();
    for id in 2..=50 {
        let late = commit("lost", lost.epoch, 2);
        let own = commit("fine", fine.epoch, id);
        assert!(matches!(late.await, Err(SaverError::Conflict { .. })));
        own.await.unwrap();
    }
    let read = |thread: &str| saver.load(&thread.into(), &"".into(), At::Latest);
    let newest = async |thread: &str| read(thread).await.unwrap().unwrap().head().unwrap().id.0;
    assert_eq!((newest("lost").await, newest("fine").await), (1, 50));
}

#[tokio::test]
async fn a_lease_that_has_ended_is_free_for_other_processes_at_once() {
    let folder = Folder::new();
    let (one, other) = (folder.open(), folder.open());
    let (one, other) = (one.saver(), other.saver());
    // With a second run in the process, writes go through a queue.
    let _beside = one.lease(&"beside".into()).await.unwrap();
    for round in 0..200 {
        let thread = "t".into();
        one.lease(&thread).await.unwrap().end().await;
        let taken = other.lease(&thread).await;
        assert!(taken.is_ok(), "round {round}: {taken:?}");
        taken.unwrap().end().await;
    }
}

#[tokio::test]
async fn a_thread_is_deleted_while_another_is_written() {
    let folder = Folder::new();
    let database = folder.open();
    let saver = database.saver();
    let commit = |thread: &str, epoch, id: u128| {
        let change = Change::Extend(Value::list([Value::from("x")]));
        saver.commit(Commit {
            thread: thread.into(),
            namespace: "".into(),
            epoch,
            record: record(id, (id > 1).then(|| id - 1), change).into(),
            events: Vec::new(),
        })
    };
    let kept = saver.lease(&"kept".into()).await.unwrap();
    commit("kept", kept.epoch, 1).await.unwrap();
    for id in (2..=60).step_by(2) {
        let gone = saver.lease(&"gone".into()).await.unwrap();
        commit("gone", gone.epoch, 1).await.unwrap();
        drop(gone);
        // All three are on their way before the first is stored.
        let before = commit("kept", kept.epoch, id);
        let deleted = saver.delete(&"gone".into());
        let after = commit("kept", kept.epoch, id + 1);
        before.await.unwrap();
        deleted.await.unwrap();
        after.await.unwrap();
    }
    let newest = saver.load(&"kept".into(), &"".into(), At::Latest).await;
    let newest = newest.unwrap().unwrap();
    assert_eq!(newest.head().map(|head| head.id.0), Some(61));
    assert_eq!(saver.threads().await.unwrap(), ["kept".into()]);
}

const RUN: RunId = RunId(7);

fn begin(thread: &str, epoch: u64) -> BeginRun {
    BeginRun {
        thread: thread.into(),
        epoch,
        run: RUN,
        graph: "".into(),
        input: InputKind::Input,
        deadline: None,
        metadata: Value::map([("user", Value::from("ann"))]),
        mark: CheckpointId(0),
        noted: 0,
        options: Default::default(),
        answers: Vec::new(),
    }
}

fn end(thread: &str, epoch: u64) -> EndRun {
    EndRun {
        thread: thread.into(),
        epoch,
        run: RUN,
        ending: Ending::Done,
        cost: RunCost::default(),
        keeps: false,
        hands_back: false,
        alarm: None,
    }
}

#[tokio::test]
async fn a_request_of_another_process_is_kept_when_the_run_ends() {
    let folder = Folder::new();
    let (own, other) = (folder.open(), folder.open());
    let (own, other) = (own.saver(), other.saver());
    let lease = own.lease(&"t".into()).await.unwrap();
    own.runs().begin_run(begin("t", lease.epoch)).await.unwrap();
    let request = CancelRequest {
        how: Cancel::Drain,
        reason: "enough".to_owned(),
        at: 1,
    };
    let is_open = other.runs().request_cancel(RUN, request.clone()).await;
    assert!(is_open.unwrap());
    own.runs().end_run(end("t", lease.epoch)).await.unwrap();
    let record = other.runs().load_run(RUN).await.unwrap().unwrap();
    assert_eq!(record.cancel, Some(request));
    assert_eq!(record.ending, Some(Ending::Done));
    let again = own.runs().end_run(end("t", lease.epoch)).await;
    assert!(matches!(again, Err(SaverError::Conflict { .. })));
}

#[tokio::test]
async fn a_run_of_a_thread_that_was_taken_over_cannot_end() {
    let folder = Folder::new();
    let (own, other) = (folder.open(), folder.open());
    let (own, other) = (own.saver(), other.saver());
    let lease = own.lease(&"t".into()).await.unwrap();
    own.runs().begin_run(begin("t", lease.epoch)).await.unwrap();
    // As a process does that takes the thread over.
    let taken = "UPDATE threads SET epoch = epoch + 1 WHERE name = 't'";
    tamper(&folder.path(), taken);
    let ended = own.runs().end_run(end("t", lease.epoch)).await;
    assert!(matches!(ended, Err(SaverError::Conflict { .. })));
    let record = other.runs().load_run(RUN).await.unwrap().unwrap();
    assert_ne!(record.ending, Some(Ending::Done));
}

#[tokio::test]
async fn a_second_run_under_a_lease_ends_the_first() {
    let folder = Folder::new();
    let database = folder.open();
    let saver = database.saver();
    let lease = saver.lease(&"t".into()).await.unwrap();
    let first = begin("t", lease.epoch);
    let second = BeginRun {
        run: RunId(8),
        ..first.clone()
    };
    saver.runs().begin_run(first).await.unwrap();
    saver.runs().begin_run(second).await.unwrap();
    let record = saver.runs().load_run(RUN).await.unwrap().unwrap();
    assert_eq!(record.ending, Some(Ending::Interrupted));
    let late = saver.runs().end_run(end("t", lease.epoch)).await;
    assert!(matches!(late, Err(SaverError::Conflict { .. })));
}
