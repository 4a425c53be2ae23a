//! The log of one thread, and who waits for it to grow.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
};

use superstep_core::{
    event::{Cursor, Logged},
    id::{CheckpointId, ThreadId},
    saver::{BoxFuture, SaverError},
};
use tokio::sync::watch;

/// The entries of a thread's log, in order of their cursors.
#[derive(Clone, Default)]
pub(super) struct Journal(Vec<Logged>);

impl Journal {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether these entries can follow what is there.
    pub(super) fn takes(&self, epoch: u64, entries: &[Logged]) -> Result<(), SaverError> {
        let mut newest = self.0.last().map(|entry| entry.cursor);
        for entry in entries {
            let cursor = entry.cursor;
            if cursor.epoch != epoch || newest >= Some(cursor) {
                let why = format!("entry {cursor} of the log does not follow what is there");
                return Err(SaverError::Corrupt(why));
            }
            newest = Some(cursor);
        }
        Ok(())
    }

    pub(super) fn append(&mut self, entries: Vec<Logged>) {
        self.0.extend(entries);
    }

    pub(super) fn after(&self, after: Option<Cursor>, limit: usize) -> Vec<Logged> {
        let start = self.0.partition_point(|entry| Some(entry.cursor) <= after);
        self.0.iter().skip(start).take(limit).cloned().collect()
    }

    /// Drops what belongs to checkpoints before the oldest that is left.
    pub(super) fn prune(&mut self, oldest: Option<CheckpointId>) {
        self.0.retain(|entry| entry.checkpoint >= oldest);
    }
}

/// Those who wait for logs to grow, by thread.
#[derive(Default)]
pub(super) struct Bells(Mutex<HashMap<ThreadId, watch::Sender<()>>>);

impl Bells {
    /// Ready at the first ring from now on.
    pub(super) fn listen(&self, thread: &ThreadId) -> BoxFuture<'static, Result<(), SaverError>> {
        let mut bells = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut bell = bells.entry(thread.clone()).or_default().subscribe();
        Box::pin(async move {
            // A bell that is gone has rung before.
            let _gone = bell.changed().await;
            Ok(())
        })
    }

    pub(super) fn ring(&self, thread: &ThreadId) {
        let mut bells = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Whoever listens hears that the sender is gone; the next listener hangs a new one.
        drop(bells.remove(thread));
    }
}
