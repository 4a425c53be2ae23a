//! A thread as the server shows it beside its checkpoints: when it was made, its owner, and its metadata.

use serde_json::{Map, Value as Json};
use superstep::{
    ThreadId, Value,
    saver::{StampThread, ThreadExpected, ThreadRecord},
};

use crate::{
    forms::thread_name::public,
    time::{self, Micros},
};

/// The record of a thread.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Record {
    pub(crate) created: Micros,
    pub(crate) updated: Micros,
    pub(crate) metadata: Map<String, Json>,
    /// What it is called in its storage, if that is not its id.
    pub(crate) name: Option<String>,
    /// Whose it is; everybody's without one.
    pub(crate) owner: Option<String>,
}

impl Record {
    pub(crate) fn new(metadata: Map<String, Json>) -> Self {
        let now = time::now();
        Self {
            created: now,
            updated: now,
            metadata,
            name: None,
            owner: None,
        }
    }

    /// The same, of an owner.
    pub(crate) fn of(self, owner: Option<String>) -> Self {
        Self { owner, ..self }
    }

    /// The thread in its storage, by its id.
    pub(crate) fn thread(&self, id: &str) -> ThreadId {
        ThreadId::from(self.name.as_deref().unwrap_or(id))
    }

    /// The graph it says the thread belongs to.
    pub(crate) fn graph(&self) -> Option<&str> {
        self.metadata.get("graph_id")?.as_str()
    }

    /// What makes it in the storage.
    pub(crate) fn stamp(&self, expected: ThreadExpected) -> StampThread {
        StampThread {
            expected,
            owner: self.owner.as_deref().map(Into::into),
            created: self.created,
            ..StampThread::at(self.updated, Json::Object(self.metadata.clone()).into())
        }
    }
}

impl From<ThreadRecord> for Record {
    fn from(record: ThreadRecord) -> Self {
        let name = record.thread.as_str();
        let metadata = match Value::to_json(&record.metadata) {
            Json::Object(fields) => fields,
            _ => Map::new(),
        };
        Self {
            created: record.created,
            updated: record.updated,
            metadata,
            name: (name != public(&record.thread)).then(|| name.to_owned()),
            owner: record.owner.as_deref().map(str::to_owned),
        }
    }
}
