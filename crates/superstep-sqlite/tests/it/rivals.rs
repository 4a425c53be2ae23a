//! Runs that write at the same time.

use superstep_core::{
    error::SaverError,
    record::Change,
    saver::{At, Commit, Saver},
    value::Value,
};

use crate::env::{Folder, record};

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
            record: record(id, (id > 1).then(|| id - 1), change),
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
