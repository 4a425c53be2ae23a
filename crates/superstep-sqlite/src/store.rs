//! The long-term store in an SQLite file.
//!
//! SQL finds items by namespace, key and time; what a value holds is opaque to it, so filters and
//! queries are evaluated here, over the items under the prefix, by the rules that all stores share.
//! A get or put is one or two statements; a search without a query stops at its limit, with one it
//! reads everything under its prefix but keeps only scores until it knows the page.
//!
//! Read next: `schema` for the tables, `batch` for what a transaction does, `items` and `search` for
//! the operations, `encoding` for the bytes.

mod batch;
mod clock;
mod encoding;
mod fault;
mod items;
mod labels;
mod listing;
mod schema;
mod search;
mod sweep;
mod vectors;

use std::sync::Arc;

use superstep_core::store::{
    BoxFuture, Clock, Embedder, IndexPath, Indexing, Op, Outcome, Store, StoreError, UnixMillis,
    prepare,
};

use crate::Database;
use batch::{Access, Batch};
use clock::SystemClock;
use fault::Fault;

pub(crate) use schema::SCHEMA;

/// A long-term store in a database file.
///
/// Stores on the same file, in one process or many, see each other's writes.
///
/// ```no_run
/// use std::sync::Arc;
/// use superstep_sqlite::{Database, SqliteStore};
///
/// let store = SqliteStore::new(Arc::new(Database::open("memory.db")?));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct SqliteStore {
    database: Arc<Database>,
    clock: Arc<dyn Clock>,
    embedder: Option<Arc<dyn Embedder>>,
    fields: Arc<[IndexPath]>,
}

impl SqliteStore {
    /// The store of this database on the system clock, without an embedder.
    pub fn new(database: Arc<Database>) -> Self {
        Self {
            database,
            clock: Arc::new(SystemClock),
            embedder: None,
            fields: Arc::new([IndexPath::whole()]),
        }
    }

    /// The same store on another clock.
    pub fn with_clock(self, clock: Arc<dyn Clock>) -> Self {
        Self { clock, ..self }
    }

    /// The same store, in which a query finds what is similar instead of what has its words.
    ///
    /// Items already in it are found by similarity once they are put again.
    pub fn with_embedder(self, embedder: Arc<dyn Embedder>) -> Self {
        Self {
            embedder: Some(embedder),
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

    fn run(&self, batch: Batch) -> Result<Vec<Outcome>, Fault> {
        let batch = Arc::new(batch);
        if batch.only_reads() {
            let reading = batch.clone();
            let read = self
                .database
                .read(move |connection| reading.run(connection, Access::Read));
            if !matches!(read, Err(Fault::NeedsWrite)) {
                return read;
            }
        }
        self.database
            .write(move |connection| batch.run(connection, Access::Write))
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
            self.run(batch)
                .map_err(|fault| fault.during("applying a batch"))
        })
    }

    fn sweep_expired(&self, now: UnixMillis) -> BoxFuture<'_, Result<usize, StoreError>> {
        Box::pin(async move {
            sweep::sweep(&self.database, now).map_err(|fault| fault.during("sweeping"))
        })
    }
}
