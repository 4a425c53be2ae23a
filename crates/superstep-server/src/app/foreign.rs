//! Threads that no hosted graph runs.

use std::{collections::HashSet, sync::Mutex};

use superstep::{ThreadId, sync::lock};

/// Threads of graphs that are not hosted, so that nobody looks at them again and again.
#[derive(Default)]
pub(crate) struct Foreign(Mutex<HashSet<ThreadId>>);

impl Foreign {
    pub(crate) fn has(&self, thread: &ThreadId) -> bool {
        let known = lock(&self.0);
        known.contains(thread)
    }

    pub(crate) fn add(&self, thread: ThreadId) {
        let mut known = lock(&self.0);
        known.insert(thread);
    }
}
