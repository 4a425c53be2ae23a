//! The store in memory: for tests, demonstrations and threads that need not outlive the process.
//!
//! What an operation costs depends on what it looks at, not on the size of the store: a get or put is
//! a lookup, a search reads the namespaces under its prefix and stops at its limit (with a query it
//! scores all of them), and only what is returned is copied. The data structure is in `table`.

mod table;

use std::sync::{Arc, Mutex, MutexGuard};

use crate::clock::SystemClock;
use crate::store::{
    BoxFuture, Clock, Embedder, IndexPath, Indexing, Op, Outcome, Prefix, REINDEX_BATCH, Reindexed,
    Store, StoreError, UnixMillis, embed_items, prepare,
};
use superstep_core::sync::lock;
use table::Table;

/// A store that lives as long as the value does. Clones share what is in it.
///
/// ```
/// use superstep_engine::memory::MemoryStore;
/// use superstep_engine::store::{Namespace, PutOptions, Store, TtlOnRead};
/// use serde_json::json;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), superstep_engine::store::StoreError> {
/// let store = MemoryStore::new();
/// let ann = Namespace::new(["users", "ann"])?;
/// store.put(&ann, "tea", json!({"likes": true}), PutOptions::default()).await?;
/// let item = store.get(&ann, "tea", TtlOnRead::default()).await?;
/// assert_eq!(item.map(|item| item.value), Some(json!({"likes": true})));
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct MemoryStore {
    table: Arc<Mutex<Table>>,
    clock: Arc<dyn Clock>,
    embedder: Option<Arc<dyn Embedder>>,
    fields: Vec<IndexPath>,
}

impl MemoryStore {
    /// An empty store on the system clock, without an embedder.
    pub fn new() -> Self {
        Self {
            table: Arc::default(),
            clock: Arc::new(SystemClock),
            embedder: None,
            fields: vec![IndexPath::whole()],
        }
    }

    /// The same store on another clock.
    pub fn with_clock(self, clock: impl Clock + 'static) -> Self {
        Self {
            clock: Arc::new(clock),
            ..self
        }
    }

    /// The same store, in which a query finds what is similar instead of what has its words.
    ///
    /// Items already in it are found by similarity after [`Store::reindex`].
    pub fn with_embedder(self, embedder: impl Embedder + 'static) -> Self {
        Self {
            embedder: Some(Arc::new(embedder)),
            ..self
        }
    }

    /// The same store, embedding these fields where a put does not say which; the whole value if
    /// never set.
    pub fn with_fields(self, fields: Vec<IndexPath>) -> Self {
        Self { fields, ..self }
    }

    fn indexing(&self) -> Option<Indexing<'_>> {
        let embedder = self.embedder.as_deref()?;
        Some(Indexing {
            embedder,
            fields: &self.fields,
        })
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        lock(&self.table)
    }
}

impl Default for MemoryStore {
    fn default() -> Self {
        Self::new()
    }
}

impl Store for MemoryStore {
    fn batch(&self, ops: Vec<Op>) -> BoxFuture<'_, Result<Vec<Outcome>, StoreError>> {
        Box::pin(async move {
            let ready = prepare(ops, self.indexing()).await?;
            let mut table = self.table();
            // Read under the lock, so that a later put never carries an earlier time.
            let now = self.clock.now();
            table.apply(ready, now)
        })
    }

    fn sweep_expired(&self, now: UnixMillis) -> BoxFuture<'_, Result<usize, StoreError>> {
        Box::pin(async move { Ok(self.table().sweep(now)) })
    }

    fn unindexed(&self, prefix: Prefix) -> BoxFuture<'_, Result<Option<usize>, StoreError>> {
        Box::pin(async move {
            let now = self.clock.now();
            let count = |indexing: Indexing<'_>| {
                let model = indexing.embedder.id();
                self.table().stale(&prefix, model, now).len()
            };
            Ok(self.indexing().map(count))
        })
    }

    fn reindex(&self, prefix: Prefix) -> BoxFuture<'_, Result<Reindexed, StoreError>> {
        Box::pin(async move {
            let mut done = Reindexed::default();
            let Some(indexing) = self.indexing() else {
                return Ok(done);
            };
            let model = indexing.embedder.id();
            let stale = self.table().stale(&prefix, model, self.clock.now());
            for items in stale.chunks(REINDEX_BATCH) {
                let vectors = embed_items(items, indexing).await?;
                let now = self.clock.now();
                let mut table = self.table();
                for (item, vectors) in items.iter().zip(vectors) {
                    if vectors.rows.is_empty() {
                        done.without_text += 1;
                    } else if table.index(item, vectors, now) {
                        done.indexed += 1;
                    } else {
                        done.changed += 1;
                    }
                }
            }
            Ok(done)
        })
    }
}
