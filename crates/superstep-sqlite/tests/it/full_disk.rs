//! A disk that is nearly full: nothing is added, and what is there can be read and deleted.

use std::fs;

use superstep_core::{
    error::SaverError,
    id::{RunId, ThreadId},
    runs::EnqueueRun,
    saver::Saver,
};
use superstep_sqlite::{Database, Options};

use crate::env::{Folder, Writing, fill};

/// The database as on a disk without room: more stays free than any disk has.
fn without_room(folder: &Folder) -> Database {
    let options = Options {
        headroom: u64::MAX,
        ..Options::default()
    };
    Database::open_with(folder.path(), options).unwrap()
}

#[tokio::test]
async fn threads_are_deleted_and_their_room_is_returned_on_a_full_disk() {
    let folder = Folder::new();
    for thread in ["one", "two"] {
        fill(&folder.open(), thread, "text", 150).await;
    }
    let database = without_room(&folder);
    let saver = database.saver();
    let refused = saver.lease(&"new".into()).await.map(drop);
    assert!(matches!(refused, Err(SaverError::Full(_))), "{refused:?}");
    let run = EnqueueRun::new("one", RunId(1), "graph");
    let queued = saver.run_queue().enqueue(run).await.map(drop);
    assert!(matches!(queued, Err(SaverError::Full(_))), "{queued:?}");
    let copied = saver.copy(&"one".into(), &"copy".into()).await;
    assert!(matches!(copied, Err(SaverError::Full(_))), "{copied:?}");
    assert_eq!(saver.threads().await.unwrap().len(), 2, "nothing was added");
    let before = fs::metadata(folder.path()).unwrap().len();
    saver.delete(&ThreadId::from("one")).await.unwrap();
    assert!(database.compact().await.unwrap() > 0);
    let after = fs::metadata(folder.path()).unwrap().len();
    assert!(after < before, "{after} of {before} bytes");
    assert!(database.check().await.unwrap().is_clean());
    drop((saver, database));
    // Where there is room again, the other thread continues.
    let database = folder.open();
    let left = database.saver().threads().await.unwrap();
    assert_eq!(left, [ThreadId::from("two")]);
    let writing = Writing::begin(&database, "new").await;
    writing.extend(1, None, "text").await;
}
