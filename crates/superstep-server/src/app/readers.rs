//! Readers of runs whose thread goes with them. Each has a mark in the storage, which holds up the removal in whatever process,
//! and which ends by itself with the process that made it.

use std::{
    collections::HashMap,
    mem,
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use superstep::{RunId, runs::ReadAlong, sync::lock};
use tokio::sync::Notify;

/// How long a mark holds.
const LEASE: Duration = Duration::from_secs(30);

/// The readers in this process.
#[derive(Default)]
pub(crate) struct Readers {
    /// Their runs, and when their marks were renewed.
    marks: Mutex<HashMap<u64, (RunId, Instant)>>,
    /// Those that left without waiting for the storage.
    left: Mutex<Vec<(RunId, u64)>>,
    /// Something may be due after a run: it ended, or a reader left.
    pub(crate) wake: Notify,
}

/// One that reads along, until it is dropped.
pub(crate) struct Reader {
    readers: Arc<Readers>,
    run: RunId,
    number: u64,
    is_gone: bool,
}

impl Readers {
    /// A reader of a run, and its mark, which is the caller's to store.
    pub(crate) fn enter(self: &Arc<Self>, run: RunId, number: u64) -> (Reader, ReadAlong) {
        lock(&self.marks).insert(number, (run, Instant::now()));
        let reader = Reader {
            readers: self.clone(),
            run,
            number,
            is_gone: false,
        };
        (reader, mark(number))
    }

    /// The marks that are to be renewed, with their runs.
    pub(crate) fn old_marks(&self) -> Vec<(RunId, ReadAlong)> {
        let mut marks = lock(&self.marks);
        let old = marks
            .iter_mut()
            .filter(|(_, (_, at))| at.elapsed() > LEASE / 3);
        let renewed = old.map(|(number, (run, at))| {
            *at = Instant::now();
            (*run, mark(*number))
        });
        renewed.collect()
    }

    /// Readers that left, with their runs.
    pub(crate) fn take_left(&self) -> Vec<(RunId, u64)> {
        mem::take(&mut *lock(&self.left))
    }
}

impl Reader {
    /// Its run and its number, for the caller to remove the mark at once.
    pub(crate) fn leave(mut self) -> (RunId, u64) {
        self.is_gone = true;
        (self.run, self.number)
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        lock(&self.readers.marks).remove(&self.number);
        if !self.is_gone {
            lock(&self.readers.left).push((self.run, self.number));
            self.readers.wake.notify_one();
        }
    }
}

fn mark(reader: u64) -> ReadAlong {
    ReadAlong {
        reader,
        lease: LEASE,
    }
}
