//! The records of threads. A record is read only together with the check that its caller may see it: whoever checks first
//! and reads later may read the record of another owner, who made it in between.

use std::sync::Arc;

use serde_json::{Map, Value as Json};
use superstep::store::{Op, Store, StoreError};

use super::{Records, THREADS, thread::Record};
use crate::{forms::thread_name::no_thread, owners::visitor::Visitor, refusal::Refusal, time};

/// The records of threads.
pub(crate) struct ThreadRecords(Records<Record>);

impl ThreadRecords {
    pub(crate) fn new(store: Arc<dyn Store>) -> Self {
        Self(Records::new(store, THREADS))
    }

    /// The record of a thread, if there is one. Another owner's is refused as missing.
    pub(crate) async fn find(&self, caller: &Visitor, id: &str) -> Result<Option<Record>, Refusal> {
        match self.0.find(id).await? {
            Some(record) if !caller.sees(record.owner.as_deref()) => Err(no_thread(id)),
            found => Ok(found),
        }
    }

    /// The records of these ids, as far as there are any, in their order. They are not checked for a caller.
    pub(crate) async fn find_all(
        &self,
        ids: impl IntoIterator<Item = String>,
    ) -> Result<Vec<(String, Record)>, StoreError> {
        self.0.find_all(ids).await
    }

    /// All records with their ids, oldest first. They are not checked for a caller.
    pub(crate) async fn all(&self) -> Result<Vec<(String, Record)>, StoreError> {
        self.0.all().await
    }

    /// Makes a record, unless there is one; says which of the two.
    pub(crate) async fn make(&self, id: &str, record: &Record) -> Result<bool, StoreError> {
        self.0.make(id, record).await
    }

    /// Changes the metadata: given keys replace those of the same name. Nothing if there is no record. Another owner's
    /// stays as it is and is refused.
    pub(crate) async fn merge(
        &self,
        caller: &Visitor,
        id: &str,
        metadata: &Map<String, Json>,
    ) -> Result<Option<Record>, Refusal> {
        let merge = |record: &mut Record| {
            if caller.sees(record.owner.as_deref()) {
                record.metadata.extend(metadata.clone());
                record.updated = time::now();
            }
        };
        match self.0.change(id, merge).await? {
            Some(record) if !caller.sees(record.owner.as_deref()) => Err(no_thread(id)),
            changed => Ok(changed),
        }
    }

    pub(crate) async fn forget(&self, id: &str) -> Result<(), StoreError> {
        self.0.forget(id).await
    }

    /// Makes a record as part of a batch, which fails if there is one.
    pub(crate) fn making(&self, id: &str, record: &Record) -> Result<Op, StoreError> {
        self.0.making(id, record)
    }

    /// Forgets a record as part of a batch.
    pub(crate) fn forgetting(&self, id: &str) -> Result<Op, StoreError> {
        self.0.forgetting(id)
    }
}
