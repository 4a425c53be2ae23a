//! What a server keeps of a thread beside its checkpoints: when it was made, and its metadata.
//!
//! Records are in the long-term store, each under the id of its thread, so a database that has both
//! keeps them in one file. Changes are made by compare-and-put, so that none is lost.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};
use superstep::store::{
    Expected, Index, Namespace, Prefix, PutOptions, Search, Store, StoreError, TtlOnRead,
};

use crate::time::{self, Micros};

/// The namespace of the store in which threads of servers are recorded.
const SERVED: [&str; 2] = ["threads", "served"];

/// Namespaces that are the server's and the engine's own: which threads there are, and which were
/// imported.
const OWN: [[&str; 2]; 2] = [SERVED, ["threads", "imported"]];

/// Whether a namespace is not for clients.
pub(crate) fn is_own(namespace: &Namespace) -> bool {
    let is_under = |own: &[&str; 2]| {
        let labels = namespace.labels().iter();
        labels.zip(own).filter(|(label, own)| label == *own).count() == own.len()
    };
    OWN.iter().any(is_under)
}

/// How many records are read at once.
const BATCH: usize = 1000;

/// What a server keeps of a thread.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Record {
    pub(crate) created: Micros,
    pub(crate) updated: Micros,
    pub(crate) metadata: Map<String, Json>,
}

impl Record {
    pub(crate) fn new(metadata: Map<String, Json>) -> Self {
        let now = time::now();
        Self {
            created: now,
            updated: now,
            metadata,
        }
    }

    /// The graph it says the thread belongs to.
    pub(crate) fn graph(&self) -> Option<&str> {
        self.metadata.get("graph_id")?.as_str()
    }
}

/// The records in a store.
#[derive(Clone)]
pub(crate) struct Records(Arc<dyn Store>);

impl Records {
    pub(crate) fn new(store: Arc<dyn Store>) -> Self {
        Self(store)
    }

    /// Where they are.
    pub(crate) fn place(&self) -> Result<Namespace, StoreError> {
        space()
    }

    pub(crate) async fn find(&self, thread: &str) -> Result<Option<Record>, StoreError> {
        let found = self.0.get(&space()?, thread, TtlOnRead::Keep).await?;
        found.map(|item| read(item.value)).transpose()
    }

    /// All records with the ids of their threads, oldest first.
    pub(crate) async fn all(&self) -> Result<Vec<(String, Record)>, StoreError> {
        let mut all = Vec::new();
        loop {
            let found = self.0.search(Search {
                prefix: Prefix::new(SERVED)?,
                limit: BATCH,
                offset: all.len(),
                ttl: TtlOnRead::Keep,
                ..Search::default()
            });
            let found = found.await?;
            let is_last = found.len() < BATCH;
            for found in found {
                all.push((found.item.key, read(found.item.value)?));
            }
            if is_last {
                return Ok(all);
            }
        }
    }

    /// Makes a record, unless there is one; says which of the two.
    pub(crate) async fn make(&self, thread: &str, record: &Record) -> Result<bool, StoreError> {
        match self.put(thread, record, Expected::Absent).await {
            Err(StoreError::Conflict { .. }) => Ok(false),
            made => made.map(|()| true),
        }
    }

    /// Changes the metadata: given keys replace those of the same name. Nothing if there is no
    /// record.
    pub(crate) async fn merge(
        &self,
        thread: &str,
        metadata: &Map<String, Json>,
    ) -> Result<Option<Record>, StoreError> {
        loop {
            let Some(old) = self.find(thread).await? else {
                return Ok(None);
            };
            let mut new = old.clone();
            new.metadata.extend(metadata.clone());
            new.updated = time::now();
            let expected = Expected::Value(written(&old)?);
            match self.put(thread, &new, expected).await {
                // Somebody was faster: the change is made of what is there now.
                Err(StoreError::Conflict { .. }) => {}
                put => return put.map(|()| Some(new)),
            }
        }
    }

    pub(crate) async fn forget(&self, thread: &str) -> Result<(), StoreError> {
        self.0.delete(&space()?, thread).await
    }

    async fn put(
        &self,
        thread: &str,
        record: &Record,
        expected: Expected,
    ) -> Result<(), StoreError> {
        let options = PutOptions {
            index: Index::Off,
            expected,
            ..PutOptions::default()
        };
        let value = written(record)?;
        self.0.put(&space()?, thread, value, options).await
    }
}

fn space() -> Result<Namespace, StoreError> {
    Ok(Namespace::new(SERVED)?)
}

fn read(value: Json) -> Result<Record, StoreError> {
    let wrong = |error| StoreError::backend(format!("the record of a thread is damaged: {error}"));
    serde_json::from_value(value).map_err(wrong)
}

fn written(record: &Record) -> Result<Json, StoreError> {
    serde_json::to_value(record).map_err(|error| StoreError::backend(error.to_string()))
}
