//! Word from a server that its list of tools is another one now.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use super::wire::Incoming;

/// How often a server said that its list of tools changed.
#[derive(Clone, Debug, Default)]
pub(super) struct Changed(Arc<AtomicU64>);

impl Changed {
    pub(super) fn hear(&self, incoming: &Incoming) {
        if let Incoming::Notice { method } = incoming
            && method == "notifications/tools/list_changed"
        {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }

    pub(super) fn times(&self) -> u64 {
        self.0.load(Ordering::SeqCst)
    }
}
