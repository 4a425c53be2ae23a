//! The long-term store in an SQLite file.
//!
//! SQL finds items by namespace, key and time; values are opaque to it, so filters and queries are
//! evaluated here, over the items under the prefix, by the rules that all stores share.
//! A get or put is one or two statements; a search without a query stops at its limit, with one it
//! reads everything under its prefix but keeps only scores until the page is known.
//!
//! Read next: `crate::schema` for the tables, `transaction` for how the database is reached, `batch` for what
//! is done there, `items` and `search` for the operations, `encoding` and `place` for the bytes.

mod batch;
mod clock;
mod encoding;
mod error;
mod items;
mod labels;
mod listing;
mod place;
mod search;
mod sweep;
mod transaction;
mod vectors;

use std::sync::Arc;

use superstep_store::{
    BoxFuture, Clock, Embedder, IndexPath, Indexing, Op, Outcome, Store, StoreError, UnixMillis,
    prepare,
};

use crate::Database;
use batch::{Access, Batch};
use clock::SystemClock;
use error::TransactionError;

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
    /// Items already in it are found by similarity once they are put again.
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
            done.map_err(|error| error.during("applying a batch"))
        })
    }

    fn sweep_expired(&self, now: UnixMillis) -> BoxFuture<'_, Result<usize, StoreError>> {
        Box::pin(async move {
            let swept = sweep::sweep(&self.database, now).await;
            swept.map_err(|error| error.during("sweeping"))
        })
    }
}
