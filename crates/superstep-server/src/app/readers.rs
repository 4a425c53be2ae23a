//! Who reads along with a run: the thread of a run that had one of its own goes only when they are done.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
};
use superstep::sync::lock;

use tokio::sync::Notify;

/// How many read along, by thread.
#[derive(Default)]
pub(crate) struct Readers {
    counts: Mutex<HashMap<String, usize>>,
    left: Notify,
}

/// One that reads along, until it is dropped.
pub(crate) struct Reader {
    readers: Arc<Readers>,
    thread: String,
}

impl Readers {
    pub(crate) fn enter(self: &Arc<Self>, thread: &str) -> Reader {
        let mut counts = lock(&self.counts);
        *counts.entry(thread.to_owned()).or_default() += 1;
        Reader {
            readers: self.clone(),
            thread: thread.to_owned(),
        }
    }

    /// Waits until nobody reads along with a thread.
    pub(crate) async fn gone(&self, thread: &str) {
        loop {
            let left = self.left.notified();
            let mut left = std::pin::pin!(left);
            // Registered before the look, so that none leaves unnoticed in between.
            left.as_mut().enable();
            let is_read = {
                let counts = lock(&self.counts);
                counts.contains_key(thread)
            };
            if !is_read {
                return;
            }
            left.await;
        }
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        let mut counts = lock(&self.readers.counts);
        if let Some(count) = counts.get_mut(&self.thread) {
            *count -= 1;
            if *count == 0 {
                counts.remove(&self.thread);
            }
        }
        drop(counts);
        self.readers.left.notify_waiters();
    }
}
