//! Long threads cost what they hold.

use superstep_core::{id::ThreadId, saver::Saver};

use crate::env::{Folder, Writing};

/// About what a turn of a conversation takes.
const MESSAGE: usize = 500;

#[tokio::test]
async fn a_step_of_a_thread_with_fifty_thousand_messages_stores_what_the_first_ones_did() {
    let folder = Folder::new();
    let database = folder.open();
    let writing = Writing::begin(&database, "t").await;
    let mut id = 0_u128;
    let mut grow = async |steps: u128| {
        let before = database.size().unwrap();
        for _ in 0..steps {
            let (parent, message) = ((id > 0).then_some(id), format!("{id:>MESSAGE$}"));
            id += 1;
            writing.extend(id, parent, &message).await;
        }
        (database.size().unwrap() - before) as f64 / steps as f64
    };
    let early = grow(1_000).await;
    grow(44_000).await;
    let late = grow(5_000).await;
    assert!(late <= 1.1 * early, "{late} bytes a step, {early} at first");
    assert!(late <= 900.0, "{late} bytes a step");
}

#[tokio::test]
async fn going_on_with_a_long_thread_reads_it_once_and_none_of_the_others() {
    let folder = Folder::new();
    let database = folder.open();
    for thread in ["t", "another"] {
        let writing = Writing::begin(&database, thread).await;
        for id in 1..=2_000_u128 {
            let message = format!("{thread}{id:>MESSAGE$}");
            writing.extend(id, (id > 1).then(|| id - 1), &message).await;
        }
    }
    drop(database);
    let saver = folder.open().saver();
    let thread = ThreadId::from("t");
    let loaded = saver.load(&thread, &"".into(), superstep_core::saver::At::Latest);
    let loaded = loaded.await.unwrap().unwrap();
    let texts: Vec<String> = loaded
        .chain
        .iter()
        .flat_map(|record| &record.changes)
        .map(|change| format!("{change:?}"))
        .collect();
    assert!(
        texts.iter().all(|text| text.contains("\"t ")),
        "other threads were read"
    );
    let read: usize = texts.iter().map(String::len).sum();
    assert!(
        read < 2_000 * (MESSAGE + 100),
        "{read} bytes for 2,000 messages"
    );
}
