//! The store passes the kit, also when the file is closed after every operation.

use std::path::PathBuf;
use std::sync::Arc;

use superstep_conformance::store_kit::{StoreSetup, check};
use superstep_sqlite::{Database, SqliteStore};
use superstep_store::{
    BoxFuture, Clock, Embedder, Op, Outcome, Prefix, Reindexed, Store, StoreError, UnixMillis,
};

use super::File;

fn open(path: PathBuf, clock: Arc<dyn Clock>, embedder: Option<Arc<dyn Embedder>>) -> SqliteStore {
    let store = Database::open(path).unwrap().store().with_clock(clock);
    match embedder {
        Some(embedder) => store.with_embedder(embedder),
        None => store,
    }
}

#[tokio::test]
async fn the_store_passes_the_kit() {
    let report = check(|setup: StoreSetup| {
        Box::pin(async move {
            let file = File::new();
            let store = open(file.path(), setup.clock, setup.embedder);
            Ok(Arc::new(Kept { store, _file: file }) as Arc<dyn Store>)
        })
    })
    .await;
    assert!(report.passed(), "{report}");
    assert!(report.checks.len() >= 84, "{report}");
}

#[tokio::test]
async fn the_store_passes_the_kit_when_it_is_reopened_for_each_operation() {
    let report = check(|setup: StoreSetup| {
        Box::pin(async move {
            let file = File::new();
            Ok(Arc::new(Reopened { setup, file }) as Arc<dyn Store>)
        })
    })
    .await;
    assert!(report.passed(), "{report}");
}

/// A store with the file it is in.
struct Kept {
    store: SqliteStore,
    _file: File,
}

impl Store for Kept {
    fn batch(&self, ops: Vec<Op>) -> BoxFuture<'_, Result<Vec<Outcome>, StoreError>> {
        self.store.batch(ops)
    }

    fn sweep_expired(&self, now: UnixMillis) -> BoxFuture<'_, Result<usize, StoreError>> {
        self.store.sweep_expired(now)
    }

    fn unindexed(&self, prefix: Prefix) -> BoxFuture<'_, Result<Option<usize>, StoreError>> {
        self.store.unindexed(prefix)
    }

    fn reindex(&self, prefix: Prefix) -> BoxFuture<'_, Result<Reindexed, StoreError>> {
        self.store.reindex(prefix)
    }
}

/// A store that is opened for each call and closed after it.
struct Reopened {
    setup: StoreSetup,
    file: File,
}

impl Reopened {
    fn store(&self) -> SqliteStore {
        let StoreSetup {
            clock, embedder, ..
        } = &self.setup;
        open(self.file.path(), clock.clone(), embedder.clone())
    }
}

impl Store for Reopened {
    fn batch(&self, ops: Vec<Op>) -> BoxFuture<'_, Result<Vec<Outcome>, StoreError>> {
        Box::pin(async move { self.store().batch(ops).await })
    }

    fn sweep_expired(&self, now: UnixMillis) -> BoxFuture<'_, Result<usize, StoreError>> {
        Box::pin(async move { self.store().sweep_expired(now).await })
    }

    fn unindexed(&self, prefix: Prefix) -> BoxFuture<'_, Result<Option<usize>, StoreError>> {
        Box::pin(async move { self.store().unindexed(prefix).await })
    }

    fn reindex(&self, prefix: Prefix) -> BoxFuture<'_, Result<Reindexed, StoreError>> {
        Box::pin(async move { self.store().reindex(prefix).await })
    }
}
