//! Records that a server keeps in the long-term store: one JSON document each, under an id.
//!
//! A database that has threads and the store keeps both in one file. Changes are made by
//! compare-and-put, so that none is lost.

pub(crate) mod assistant;
pub(crate) mod cron;
pub(crate) mod file;
pub(crate) mod files;
pub(crate) mod hidden;
pub(crate) mod thread;
pub(crate) mod threads;

use std::{marker::PhantomData, sync::Arc};

use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value as Json;
use superstep::store::{
    Expected, Index, Namespace, Op, Prefix, Put, PutOptions, Search, Store, StoreError, TtlOnRead,
};

/// Where records of a kind are.
pub(crate) type Place = [&'static str; 2];

/// Assistants that clients made.
pub(crate) const ASSISTANTS: Place = ["assistants", "served"];
/// Runs that clients deleted.
pub(crate) const DELETED_RUNS: Place = ["runs", "deleted"];

/// Schedules.
pub(crate) const CRONS: Place = ["runs", "crons"];

/// Files that clients uploaded, as earlier versions recorded them.
pub(crate) const FILES: Place = ["files", "served"];

/// Files that clients uploaded, by owner.
pub(crate) const OWNED_FILES: Place = ["files", "owned"];

/// Owners of files that clients uploaded, by file.
pub(crate) const FILE_OWNERS: Place = ["files", "owners"];

/// Files that graphs made for owners on threads that are gone.
pub(crate) const RESULTS: Place = ["files", "results"];

/// How many records are read at once. What is read later goes past those before it.
const BATCH: usize = 20_000;

/// The records of one kind.
pub(crate) struct Records<T> {
    store: Arc<dyn Store>,
    place: Place,
    kind: PhantomData<fn() -> T>,
}

impl<T: Serialize + DeserializeOwned + Clone> Records<T> {
    pub(crate) fn new(store: Arc<dyn Store>, place: Place) -> Self {
        Self {
            store,
            place,
            kind: PhantomData,
        }
    }

    /// Where they are.
    pub(crate) fn space(&self) -> Result<Namespace, StoreError> {
        Ok(Namespace::new(self.place)?)
    }

    pub(crate) async fn find(&self, id: &str) -> Result<Option<T>, StoreError> {
        let found = self.store.get(&self.space()?, id, TtlOnRead::Keep).await?;
        found.map(|item| self.read(item.value)).transpose()
    }

    /// All records with their ids, oldest first.
    pub(crate) async fn all(&self) -> Result<Vec<(String, T)>, StoreError> {
        let mut all = Vec::new();
        loop {
            let found = self.store.search(Search {
                prefix: Prefix::new(self.place)?,
                limit: BATCH,
                offset: all.len(),
                ttl: TtlOnRead::Keep,
                ..Search::default()
            });
            let found = found.await?;
            let is_last = found.len() < BATCH;
            for found in found {
                all.push((found.item.key, self.read(found.item.value)?));
            }
            if is_last {
                return Ok(all);
            }
        }
    }

    /// Makes a record, unless there is one; says which of the two.
    pub(crate) async fn make(&self, id: &str, record: &T) -> Result<bool, StoreError> {
        match self.put(id, record, Expected::Absent).await {
            Err(StoreError::Conflict { .. }) => Ok(false),
            made => made.map(|()| true),
        }
    }

    /// Changes a record to what it is now. Nothing if there is none.
    pub(crate) async fn change(
        &self,
        id: &str,
        change: impl Fn(&mut T) + Send + Sync,
    ) -> Result<Option<T>, StoreError> {
        loop {
            let Some(old) = self.find(id).await? else {
                return Ok(None);
            };
            let mut new = old.clone();
            change(&mut new);
            let expected = Expected::Value(self.written(&old)?);
            match self.put(id, &new, expected).await {
                // Somebody was faster: the change is made of what is there now.
                Err(StoreError::Conflict { .. }) => {}
                put => return put.map(|()| Some(new)),
            }
        }
    }

    pub(crate) async fn forget(&self, id: &str) -> Result<(), StoreError> {
        self.store.delete(&self.space()?, id).await
    }

    async fn put(&self, id: &str, record: &T, expected: Expected) -> Result<(), StoreError> {
        let options = PutOptions {
            index: Index::Off,
            expected,
            ..PutOptions::default()
        };
        let put = Put {
            namespace: self.space()?,
            key: id.to_owned(),
            value: self.written(record)?,
            options,
        };
        self.store.batch(vec![Op::Put(put)]).await.map(drop)
    }

    fn read(&self, value: Json) -> Result<T, StoreError> {
        let [kind, _] = self.place;
        let wrong = |error| StoreError::backend(format!("a record of {kind} is damaged: {error}"));
        serde_json::from_value(value).map_err(wrong)
    }

    fn written(&self, record: &T) -> Result<Json, StoreError> {
        serde_json::to_value(record).map_err(|error| StoreError::backend(error.to_string()))
    }
}
