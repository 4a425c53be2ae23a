//! Threads that no hosted graph runs.

use std::{
    collections::HashSet,
    sync::{Mutex, PoisonError},
};

use superstep::ThreadId;

/// Threads of graphs that are not hosted, so that nobody looks at them again and again.
#[derive(Default)]
pub(crate) struct Foreign(Mutex<HashSet<ThreadId>>);

impl Foreign {
    pub(crate) fn has(&self, thread: &ThreadId) -> bool {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.contains(thread)
    }

    pub(crate) fn add(&self, thread: ThreadId) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.insert(thread);
    }
}
