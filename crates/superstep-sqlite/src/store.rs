//! The long-term store in an SQLite file.
//!
//! SQL finds items by namespace, key and time; values are opaque to it, so filters and queries are
//! evaluated here, over the items under the prefix, by the rules that all stores share.
//! A get or put is one or two statements; a search without a query stops at its limit, with one it
//! reads everything under its prefix but keeps only scores until the page is known.
//!
//! Read next: `crate::schema` for the tables, `transaction` for how the database is reached, `batch` for what
//! is done there, `items` and `search` for the operations, `encoding` and `place` for the bytes, `check` for
//! the integrity check.

mod batch;
pub(crate) mod blobs;
mod check;
mod clock;
mod copy;
mod encoding;
mod error;
mod items;
mod labels;
mod listing;
mod reindex;
mod search;
mod sweep;
mod tables;
mod transaction;
mod vectors;

use std::sync::Arc;

use superstep_store::{
    BoxFuture, Clock, Embedder, IndexPath, Indexing, Item, Op, Outcome, Prefix, REINDEX_BATCH,
    Reindexed, Store, StoreError, UnixMillis, Vectors, embed_items, prepare,
};

use crate::Database;
use batch::{Access, Batch};
use clock::SystemClock;
pub(crate) use copy::copy_all;
use error::TransactionError;
use tables::Tables;
use transaction::Effort;

pub use blobs::SqliteBlobs;
pub(crate) use check::check;

/// A long-term store in a database file; cheap to clone.
///
/// Stores on the same file, in one process or many, see each other's writes. Acknowledged writes are
/// fsync'd.
///
/// ```no_run
/// use superstep_sqlite::Database;
///
/// let store = Database::open("memory.db")?.store();
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct SqliteStore {
    database: Database,
    clock: Arc<dyn Clock>,
    embedder: Option<Arc<dyn Embedder>>,
    fields: Arc<[IndexPath]>,
}

impl Database {
    /// The long-term store in this file, with the system clock and without an embedder.
    pub fn store(&self) -> SqliteStore {
        SqliteStore::new(self.clone())
    }
}

impl SqliteStore {
    fn new(database: Database) -> Self {
        Self {
            database,
            clock: Arc::new(SystemClock),
            embedder: None,
            fields: Arc::new([IndexPath::whole()]),
        }
    }

    /// The same store with another clock.
    pub fn with_clock(self, clock: impl Clock + 'static) -> Self {
        Self {
            clock: Arc::new(clock),
            ..self
        }
    }

    /// The same store with semantic search: a query finds similar items instead of its words.
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
        Self {
            fields: fields.into(),
            ..self
        }
    }

    fn indexing(&self) -> Option<Indexing<'_>> {
        let embedder = self.embedder.as_deref()?;
        Some(Indexing {
            embedder,
            fields: &self.fields,
        })
    }

    /// Items whose vectors are not of this model, behind a number of them.
    async fn stale(
        &self,
        prefix: &Prefix,
        model: &str,
        page: (usize, usize),
    ) -> Result<Vec<Item>, TransactionError> {
        let (prefix, model, now) = (prefix.clone(), model.to_owned(), self.clock.now());
        let read = transaction::read(&self.database, Effort::Long, move |connection, seal| {
            let tables = Tables {
                connection,
                seal,
                now,
            };
            reindex::stale(tables, &prefix, &model, page)
        });
        read.await
    }

    /// Writes vectors of items; gives how many of them still were what the vectors are of.
    async fn index(&self, new: Vec<(Item, Vectors)>) -> Result<usize, TransactionError> {
        let (fields, clock) = (self.fields.clone(), self.clock.clone());
        let write = transaction::write(&self.database, Effort::Long, move |connection, seal| {
            let tables = Tables {
                connection,
                seal,
                now: clock.now(),
            };
            let mut written = 0;
            for (item, vectors) in &new {
                written += usize::from(reindex::write(tables, item, vectors, &fields)?);
            }
            Ok(written)
        });
        write.await
    }

    async fn run(&self, batch: Batch) -> Result<Vec<Outcome>, TransactionError> {
        let effort = batch.effort();
        let batch = Arc::new(batch);
        if batch.only_reads() {
            let reading = batch.clone();
            let access = match self.database.0.queue.is_closed() {
                true => Access::ReadOnly,
                false => Access::Read,
            };
            let read = transaction::read(&self.database, effort, move |connection, seal| {
                reading.run(connection, seal, access)
            });
            match read.await {
                Err(TransactionError::NeedsWrite) => {}
                done => return done,
            }
        }
        let write = transaction::write(&self.database, effort, move |connection, seal| {
            batch.run(connection, seal, Access::Write)
        });
        write.await
    }
}

impl Store for SqliteStore {
    fn batch(&self, ops: Vec<Op>) -> BoxFuture<'_, Result<Vec<Outcome>, StoreError>> {
        Box::pin(async move {
            let ops = prepare(ops, self.indexing()).await?;
            let batch = Batch {
                ops,
                clock: self.clock.clone(),
                fields: self.fields.clone(),
            };
            let done = self.run(batch).await;
            done.map_err(|error| error.during("applying a batch", self.database.path()))
        })
    }

    fn sweep_expired(&self, now: UnixMillis) -> BoxFuture<'_, Result<usize, StoreError>> {
        Box::pin(async move {
            let swept = sweep::sweep(&self.database, now).await;
            swept.map_err(|error| error.during("sweeping", self.database.path()))
        })
    }

    fn unindexed(&self, prefix: Prefix) -> BoxFuture<'_, Result<Option<usize>, StoreError>> {
        Box::pin(async move {
            let Some(indexing) = self.indexing() else {
                return Ok(None);
            };
            let mut count = 0;
            loop {
                let page = (count, REINDEX_BATCH);
                let found = self.stale(&prefix, indexing.embedder.id(), page).await;
                let found = found.map_err(|error| {
                    error.during("counting what is not indexed", self.database.path())
                })?;
                count += found.len();
                if found.len() < REINDEX_BATCH {
                    return Ok(Some(count));
                }
            }
        })
    }

    fn reindex(&self, prefix: Prefix) -> BoxFuture<'_, Result<Reindexed, StoreError>> {
        Box::pin(async move {
            let mut done = Reindexed::default();
            let Some(indexing) = self.indexing() else {
                return Ok(done);
            };
            loop {
                // What has no text is found again, and is first.
                let page = (done.without_text, REINDEX_BATCH);
                let found = self.stale(&prefix, indexing.embedder.id(), page).await;
                let found = found.map_err(|error| {
                    error.during("reading what is not indexed", self.database.path())
                })?;
                if found.is_empty() {
                    return Ok(done);
                }
                let vectors = embed_items(&found, indexing).await?;
                let new: Vec<_> = found.into_iter().zip(vectors).collect();
                let with_text = |(_, vectors): &(Item, Vectors)| !vectors.rows.is_empty();
                let (new, silent): (Vec<_>, Vec<_>) = new.into_iter().partition(with_text);
                let wanted = new.len();
                let written = self.index(new).await;
                let written = written
                    .map_err(|error| error.during("writing vectors", self.database.path()))?;
                done.indexed += written;
                done.changed += wanted - written;
                done.without_text += silent.len();
            }
        })
    }
}
