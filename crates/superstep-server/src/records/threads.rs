//! The records of threads. A record is read only together with the check that its caller may see it: whoever checks first
//! and reads later may read the record of another owner, who made it in between.

use std::sync::Arc;

use serde_json::{Map, Value as Json};
use superstep::{
    Saver, SaverError, ThreadId,
    saver::{StampThread, ThreadExpected},
};
use uuid::Uuid;

use super::thread::Record;
use crate::{
    forms::thread_name::{no_thread, public},
    owners::visitor::Visitor,
    refusal::Refusal,
    time,
};

/// The records of threads, by the ids that clients know them by.
pub(crate) struct ThreadRecords(Arc<dyn Saver>);

impl ThreadRecords {
    pub(crate) fn new(saver: Arc<dyn Saver>) -> Self {
        Self(saver)
    }

    /// The record of a thread, if there is one. Another owner's is refused as missing.
    pub(crate) async fn find(&self, caller: &Visitor, id: &str) -> Result<Option<Record>, Refusal> {
        let records = self.0.thread_records();
        let mut found = records.load_record(&ThreadId::from(id)).await?;
        if found.is_none()
            && let Some(named) = self.named(id).await?
        {
            found = records.load_record(&named).await?;
        }
        match found.map(Record::from) {
            Some(record) if !caller.sees(record.owner.as_deref()) => Err(no_thread(id)),
            found => Ok(found),
        }
    }

    /// The thread that clients know by an id, with or without a record.
    pub(crate) async fn named(&self, id: &str) -> Result<Option<ThreadId>, SaverError> {
        match Uuid::parse_str(id) {
            Ok(id) => {
                let records = self.0.thread_records();
                records.thread_of_uuid(id.as_u128()).await
            }
            Err(_) => Ok(None),
        }
    }

    /// Makes a record, unless there is one; says which of the two.
    pub(crate) async fn make(&self, id: &str, record: &Record) -> Result<bool, SaverError> {
        self.put_new(id, record, ThreadExpected::Absent).await
    }

    /// The same for a thread that another program made, and whose owner its runs name.
    pub(crate) async fn adopt(&self, id: &str, record: &Record) -> Result<bool, SaverError> {
        self.put_new(id, record, ThreadExpected::Adopted).await
    }

    async fn put_new(
        &self,
        id: &str,
        record: &Record,
        expected: ThreadExpected,
    ) -> Result<bool, SaverError> {
        let (thread, stamp) = (record.thread(id), record.stamp(expected));
        match self.0.thread_records().stamp(&thread, stamp).await {
            Err(SaverError::Exists { .. }) => Ok(false),
            made => made.map(|_| true),
        }
    }

    /// Changes the metadata: given keys replace those of the same name. Another owner's record stays as it is and is
    /// refused as missing.
    pub(crate) async fn merge(
        &self,
        caller: &Visitor,
        thread: &ThreadId,
        metadata: Map<String, Json>,
    ) -> Result<Record, Refusal> {
        let stamp = StampThread {
            expected: ThreadExpected::Present,
            owner: caller.name().map(Into::into),
            ..StampThread::at(time::now(), Json::Object(metadata).into())
        };
        match self.0.thread_records().stamp(thread, stamp).await {
            Err(SaverError::NoThread { .. }) => Err(no_thread(&public(thread))),
            stamped => Ok(stamped?.into()),
        }
    }
}
