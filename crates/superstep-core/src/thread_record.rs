//! Records of threads: owner, dates and metadata, kept beside the checkpoints.
//!
//! A record is made and changed by stamps ([`StampThread`]), alone ([`crate::saver::ThreadRecords`]) or together with a run
//! that is put into the queue. The rules are methods of the types here, so that they are the same in every saver.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::{clock::UnixMicros, error::SaverError, id::ThreadId, value::Value};

/// A thread as its clients know it, beside its checkpoints.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ThreadRecord {
    /// The thread's name.
    pub thread: ThreadId,
    /// When it was made.
    pub created: UnixMicros,
    /// When the record was last changed.
    pub updated: UnixMicros,
    /// The owner; none if the thread is everybody's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<Arc<str>>,
    /// What clients find it by: an object.
    pub metadata: Value,
}

/// Whether a stamp makes a record, changes one, or does either.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ThreadExpected {
    /// Makes one. A thread that has a record is [`SaverError::Exists`].
    Absent,
    /// The same, also for an owner whose thread has content: its runs say who that is.
    Adopted,
    /// Changes one. A thread without a record is [`SaverError::NoThread`].
    Present,
    /// Either.
    #[default]
    Anything,
}

/// A change to the record of a thread.
#[derive(Clone, Debug, PartialEq)]
pub struct StampThread {
    /// Whether there must be a record, or must not.
    pub expected: ThreadExpected,
    /// On whose behalf. An owner changes no record but their own: others are [`SaverError::NoThread`].
    pub owner: Option<Arc<str>>,
    /// Keys that replace those of the same name: an object, or null.
    pub metadata: Value,
    /// When the thread was made, if the stamp makes its record.
    pub created: UnixMicros,
    /// When the change was made.
    pub updated: UnixMicros,
}

impl StampThread {
    /// A change that is made now, to a record that may be there or not.
    pub fn at(now: UnixMicros, metadata: Value) -> Self {
        Self {
            expected: ThreadExpected::Anything,
            owner: None,
            metadata,
            created: now,
            updated: now,
        }
    }

    /// Whether all values in it can be stored.
    pub fn fits(&self) -> bool {
        self.metadata.fits()
    }

    /// The record after the change; nothing if it stays as it is. `has_content` tells whether the thread has checkpoints,
    /// runs or a log: without a record these are nobody's, so no owner gets them with a new record
    /// ([`SaverError::Exists`]).
    pub fn apply(
        self,
        thread: &ThreadId,
        known: Option<&ThreadRecord>,
        has_content: bool,
    ) -> Result<Option<ThreadRecord>, SaverError> {
        let exists = || SaverError::Exists {
            thread: thread.clone(),
        };
        let missing = || SaverError::NoThread {
            thread: thread.clone(),
        };
        let Some(known) = known else {
            if self.expected == ThreadExpected::Present {
                return Err(missing());
            }
            let is_adopted = self.expected == ThreadExpected::Adopted;
            if self.owner.is_some() && has_content && !is_adopted {
                return Err(exists());
            }
            return Ok(Some(ThreadRecord {
                thread: thread.clone(),
                created: self.created,
                updated: self.updated,
                owner: self.owner,
                metadata: merged(&Value::Null, &self.metadata),
            }));
        };
        if matches!(
            self.expected,
            ThreadExpected::Absent | ThreadExpected::Adopted
        ) {
            return Err(exists());
        }
        if self.owner.is_some() && self.owner != known.owner {
            return Err(missing());
        }
        let metadata = merged(&known.metadata, &self.metadata);
        if metadata == known.metadata {
            return Ok(None);
        }
        Ok(Some(ThreadRecord {
            metadata,
            updated: self.updated,
            ..known.clone()
        }))
    }
}

fn merged(known: &Value, stamps: &Value) -> Value {
    let maps = [known, stamps].map(Value::as_map).into_iter().flatten();
    let pairs = maps.flat_map(|map| map.iter());
    Value::map(pairs.map(|(key, value)| (key.clone(), value.clone())))
}
