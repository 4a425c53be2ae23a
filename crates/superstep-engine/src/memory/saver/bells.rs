//! Those who wait for a log to grow or for a run to change.

use std::{collections::HashMap, hash::Hash, sync::Mutex};

use superstep_core::sync::lock;
use tokio::sync::watch;

/// Those who wait, by what they wait for.
pub(super) struct Bells<K>(Mutex<HashMap<K, watch::Sender<()>>>);

impl<K> Default for Bells<K> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<K: Eq + Hash> Bells<K> {
    /// Ready at the first ring from now on.
    pub(super) fn listen(&self, key: K) -> impl Future<Output = ()> + Send + use<K> {
        let mut bells = lock(&self.0);
        let mut bell = bells.entry(key).or_default().subscribe();
        async move {
            // A bell that is gone has rung before.
            let _gone = bell.changed().await;
        }
    }

    pub(super) fn ring(&self, key: &K) {
        let mut bells = lock(&self.0);
        // Whoever listens hears that the sender is gone; the next listener hangs a new one.
        drop(bells.remove(key));
    }
}
