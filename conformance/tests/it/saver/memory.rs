//! The memory saver passes the kit and withstands parallel use.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use superstep_conformance::saver_kit::check;
use superstep_core::{
    error::SaverError,
    id::{CheckpointId, ThreadId},
    record::{Pending, Record, Source},
    saver::{At, Commit, Keep, Retention, Saver},
};
use superstep_engine::memory::MemorySaver;

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn the_memory_saver_passes_the_kit() {
    let report =
        check(|| Box::pin(async { Ok(Arc::new(MemorySaver::new()) as Arc<dyn Saver>) })).await;
    assert!(report.passed(), "{report}");
    assert!(report.checks.len() >= 35, "{report}");
}

#[tokio::test]
async fn the_kit_can_be_spawned_and_names_each_check_once() {
    let run = tokio::spawn(check(|| {
        Box::pin(async { Ok(Arc::new(MemorySaver::new()) as Arc<dyn Saver>) })
    }));
    let report = run.await.unwrap();
    let mut names: Vec<&str> = report.checks.iter().map(|check| check.name).collect();
    names.sort_unstable();
    let all = names.len();
    names.dedup();
    assert_eq!(names.len(), all);
}

/// What all writers of the test below share.
#[derive(Default)]
struct Shared {
    saver: MemorySaver,
    inside: AtomicBool,
    ids: AtomicU64,
    commits: AtomicU64,
}

impl Shared {
    async fn write(&self, thread: &ThreadId) {
        let lease = match self.saver.lease(thread).await {
            Ok(lease) => lease,
            Err(error) => {
                let thread = thread.clone();
                return assert_eq!(error, SaverError::Busy { thread });
            }
        };
        assert!(!self.inside.swap(true, Ordering::SeqCst), "two writers");
        let at = At::Latest;
        let before = self.saver.load(thread, &"".into(), at).await.unwrap();
        let record = Record {
            id: CheckpointId(self.ids.fetch_add(1, Ordering::SeqCst).into()),
            parent: before.and_then(|loaded| Some(loaded.head()?.id)),
            step: 0,
            source: Source::Loop,
            durability: superstep_core::policy::Durability::Sync,
            layout: Arc::default(),
            changes: Vec::new(),
            full: false,
            pending: Pending::default(),
            touched: None,
            last_ran: Vec::new(),

            last_seen: 0,
            clock: 0,
            paused_at: 0,
            parents: Arc::default(),
            tasks: Vec::new(),
        };
        let commit = Commit {
            thread: thread.clone(),
            namespace: "".into(),
            epoch: lease.epoch,
            record: record.into(),
            events: Vec::new(),
        };
        self.saver.commit(commit).await.unwrap();
        self.commits.fetch_add(1, Ordering::SeqCst);
        self.inside.store(false, Ordering::SeqCst);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_thread_has_one_writer_at_a_time_whoever_deletes_or_copies_it() {
    let shared = Arc::new(Shared::default());
    let tasks: Vec<_> = (0..8)
        .map(|task| {
            let shared = shared.clone();
            tokio::spawn(async move {
                let thread = ThreadId::from("t");
                let retention = Retention {
                    idle: Some(Duration::ZERO),
                    keep: Some(Keep::Latest),
                };
                for round in 0..400 {
                    shared.write(&thread).await;
                    // Refusals are fine: only what the writers see counts.
                    match (task + round) % 6 {
                        0 => drop(shared.saver.delete(&thread).await),
                        1 => drop(shared.saver.copy(&thread, &"copy".into()).await),
                        2 => drop(shared.saver.copy(&"copy".into(), &thread).await),
                        3 => drop(shared.saver.retain(&retention, i64::MAX).await),
                        4 => drop(shared.saver.delete(&"copy".into()).await),
                        _ => drop(shared.saver.lease(&"copy".into()).await),
                    }
                }
            })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
    assert!(shared.commits.load(Ordering::SeqCst) > 0);
}
