//! StoreFixture: a store under test with its clock, and the helpers that checks are written with.
//!
//! Namespaces are given in dotted form, and items are named `namespace/key`.

use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use super::StoreSetup;
use crate::kit::{self, Failure, Verdict};
use superstep_store::{
    BoxFuture, Clock, Embedder, Item, ListNamespaces, ManualClock, Namespace, NamespaceError,
    Prefix, PutOptions, Search, SearchHit, Store, StoreError, TtlOnRead, UnixMillis,
};

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Self(format!("unexpected error {}: {error}", error.code()))
    }
}

impl From<NamespaceError> for Failure {
    fn from(error: NamespaceError) -> Self {
        Self::from(StoreError::from(error))
    }
}

type MakeStore<'a> =
    dyn Fn(StoreSetup) -> BoxFuture<'static, Result<Arc<dyn Store>, StoreError>> + Send + Sync + 'a;

/// Where checks get their stores from.
pub(super) struct Stores<'a>(&'a MakeStore<'a>);

impl<'a> Stores<'a> {
    pub(super) fn new(make: &'a MakeStore<'a>) -> Self {
        Self(make)
    }

    /// An empty store without an embedder.
    pub(super) async fn open(&self) -> Result<StoreFixture, Failure> {
        self.open_with(None).await
    }

    /// An empty store with this embedder.
    pub(super) async fn open_embedding(
        &self,
        embedder: Arc<dyn Embedder>,
    ) -> Result<StoreFixture, Failure> {
        self.open_with(Some(embedder)).await
    }

    async fn open_with(
        &self,
        embedder: Option<Arc<dyn Embedder>>,
    ) -> Result<StoreFixture, Failure> {
        let clock = Arc::new(ManualClock::at(START));
        let setup = StoreSetup {
            clock: clock.clone(),
            embedder,
        };
        let store = (self.0)(setup).await?;
        Ok(StoreFixture { store, clock })
    }
}

/// What the clock of a fresh store shows.
pub(super) const START: UnixMillis = 1_700_000_000_000;

pub(super) struct StoreFixture {
    pub(super) store: Arc<dyn Store>,
    clock: Arc<ManualClock>,
}

impl StoreFixture {
    pub(super) fn now(&self) -> UnixMillis {
        self.clock.now()
    }

    pub(super) fn wait(&self, millis: u64) {
        self.clock.advance(Duration::from_millis(millis));
    }

    pub(super) async fn put(&self, at: &str, key: &str, value: Value) -> Verdict {
        self.put_as(at, key, value, PutOptions::default()).await
    }

    pub(super) async fn put_for(&self, at: &str, key: &str, millis: u64, value: Value) -> Verdict {
        let options = PutOptions {
            ttl: Some(Duration::from_millis(millis)),
            ..PutOptions::default()
        };
        self.put_as(at, key, value, options).await
    }

    pub(super) async fn put_as(
        &self,
        at: &str,
        key: &str,
        value: Value,
        options: PutOptions,
    ) -> Verdict {
        Ok(self.store.put(&ns(at)?, key, value, options).await?)
    }

    pub(super) async fn delete(&self, at: &str, key: &str) -> Verdict {
        Ok(self.store.delete(&ns(at)?, key).await?)
    }

    /// The item, its time to live left alone.
    pub(super) async fn item(&self, at: &str, key: &str) -> Result<Option<Item>, Failure> {
        Ok(self.store.get(&ns(at)?, key, TtlOnRead::Keep).await?)
    }

    /// The item, its time to live started again.
    pub(super) async fn read(&self, at: &str, key: &str) -> Result<Option<Item>, Failure> {
        Ok(self.store.get(&ns(at)?, key, TtlOnRead::Refresh).await?)
    }

    pub(super) async fn value(&self, at: &str, key: &str) -> Result<Option<Value>, Failure> {
        Ok(self.item(at, key).await?.map(|item| item.value))
    }

    /// The item, which must be there.
    pub(super) async fn present(&self, at: &str, key: &str) -> Result<Item, Failure> {
        let item = self.item(at, key).await?;
        item.ok_or_else(|| Failure(format!("{at}/{key} is absent")))
    }

    /// The names of what a search finds.
    pub(super) async fn found(&self, search: Search) -> Result<Vec<String>, Failure> {
        let found = self.store.search(search).await?;
        Ok(found.iter().map(|found| name(&found.item)).collect())
    }

    /// The names and scores of what a search finds.
    pub(super) async fn scored(&self, search: Search) -> Result<Vec<(String, f64)>, Failure> {
        let found = self.store.search(search).await?;
        let scored = found.iter().map(|SearchHit { item, score }| match score {
            Some(score) => Ok((name(item), *score)),
            None => Err(Failure(format!("{} has no score", name(item)))),
        });
        scored.collect()
    }

    /// The dotted forms of the namespaces that a listing shows.
    pub(super) async fn listed(&self, list: ListNamespaces) -> Result<Vec<String>, Failure> {
        let listed = self.store.list_namespaces(list).await?;
        Ok(listed.iter().map(Namespace::to_string).collect())
    }
}

/// The namespace of a dotted form.
pub(super) fn ns(dotted: &str) -> Result<Namespace, Failure> {
    Ok(dotted.parse()?)
}

/// A search of what is under the dotted prefix, without touching times to live.
pub(super) fn under(dotted: &str) -> Result<Search, Failure> {
    let prefix = match dotted {
        "" => Prefix::default(),
        _ => ns(dotted)?.into(),
    };
    Ok(Search {
        prefix,
        limit: 1000,
        ttl: TtlOnRead::Keep,
        ..Search::default()
    })
}

pub(super) fn close(what: &str, got: f64, wanted: f64) -> Verdict {
    if (got - wanted).abs() < 1e-5 {
        return Ok(());
    }
    Err(Failure(format!("{what}: got {got}, wanted {wanted}")))
}

pub(super) fn refused<T: Debug>(what: &str, got: Result<T, StoreError>, code: &str) -> Verdict {
    kit::refused(
        what,
        got.map_err(|error| (error.code(), error.to_string())),
        code,
    )
}

fn name(item: &Item) -> String {
    format!("{}/{}", item.namespace, item.key)
}
