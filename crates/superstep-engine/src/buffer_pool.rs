//! Buffers that runs of a graph have left, for the next ones.

use std::sync::Mutex;

use superstep_core::run::Buffers;

/// More are seldom needed at once, and what is kept is kept as long as the graph.
const MOST: usize = 8;

/// Buffers that runs of a graph have left. Whoever finds it locked does without.
#[derive(Default)]
pub(crate) struct BufferPool(Mutex<Vec<Buffers>>);

impl BufferPool {
    /// Buffers that nobody uses, or new ones.
    pub(crate) fn take(&self) -> Buffers {
        let left = self.0.try_lock().ok().and_then(|mut all| all.pop());
        left.unwrap_or_default()
    }

    /// Keeps the buffers of a run for the next one.
    pub(crate) fn keep(&self, buffers: Buffers) {
        if let Ok(mut all) = self.0.try_lock()
            && all.len() < MOST
        {
            all.push(buffers);
        }
    }
}
