//! What a saver refuses, with code and hint.

use crate::id::ThreadId;

/// Why a saver refused.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum SaverError {
    /// Another run works on the thread.
    #[error("thread `{thread}` is in use by another run")]
    Busy {
        /// The thread.
        thread: ThreadId,
    },
    /// The thread moved on since this run read it.
    #[error("thread `{thread}` was changed by another run")]
    Conflict {
        /// The thread.
        thread: ThreadId,
    },
    /// No such thread.
    #[error("no thread `{thread}`")]
    NoThread {
        /// The thread.
        thread: ThreadId,
    },
    /// The target of a copy or an import exists.
    #[error("thread `{thread}` exists already")]
    Exists {
        /// The thread.
        thread: ThreadId,
    },
    /// What is stored cannot be read.
    #[error("stored data is damaged: {0}")]
    Corrupt(String),
    /// The medium failed.
    #[error("storage failed: {0}")]
    Io(String),
    /// The medium takes no writes.
    #[error("storage is read-only: {0}")]
    ReadOnly(String),
    /// The medium has no room left.
    #[error("storage is full: {0}")]
    Full(String),
    /// Another program keeps the storage to itself.
    #[error("storage is locked by another program: {0}")]
    Locked(String),
    /// The storage belongs to something else.
    #[error("not storage of superstep: {0}")]
    Foreign(String),
    /// The storage was written by a newer version.
    #[error("{storage} has format {found}, this program knows formats up to {known}")]
    Newer {
        /// Which.
        storage: String,
        /// What it has.
        found: i64,
        /// The newest known.
        known: i64,
    },
    /// Data is encrypted and should not be, or the other way round.
    #[error("stored data does not open: {0}")]
    Sealed(String),
    /// Data cannot be stored.
    #[error("data cannot be stored: {0}")]
    Unstorable(String),
    /// The storage was removed or replaced while it was open.
    #[error("the storage was removed or replaced while it was open: {0}")]
    Moved(String),
    /// There is no storage yet, and it was opened for reading.
    #[error("there is no storage: {0}")]
    Missing(String),
    /// The storage was written by an older version, and was opened for reading.
    #[error("{storage} has format {found}, this program reads format {known}")]
    Older {
        /// Which.
        storage: String,
        /// What it has.
        found: i64,
        /// The one that is read.
        known: i64,
    },
    /// The storage has names that do not lead to the same files beside it.
    #[error("the storage has several names: {0}")]
    Linked(String),
}

impl SaverError {
    /// A value is nested deeper than [`crate::value::MAX_DEPTH`].
    pub fn too_deep() -> Self {
        let limit = crate::value::MAX_DEPTH;
        Self::Unstorable(format!("a value is nested more than {limit} levels deep"))
    }

    /// The stable code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Busy { .. } => "SS2001",
            Self::Conflict { .. } => "SS2002",
            Self::NoThread { .. } => "SS2003",
            Self::Exists { .. } => "SS2004",
            Self::Corrupt(_) => "SS2005",
            Self::Io(_) => "SS2006",
            Self::ReadOnly(_) => "SS2007",
            Self::Full(_) => "SS2008",
            Self::Locked(_) => "SS2009",
            Self::Foreign(_) => "SS2010",
            Self::Newer { .. } => "SS2011",
            Self::Sealed(_) => "SS2012",
            Self::Unstorable(_) => "SS2013",
            Self::Moved(_) => "SS2014",
            Self::Missing(_) => "SS2015",
            Self::Older { .. } => "SS2016",
            Self::Linked(_) => "SS2017",
        }
    }

    /// What to do about it.
    pub fn hint(&self) -> Option<&'static str> {
        Some(match self {
            Self::Busy { .. } => "wait for the other run, or use another thread",
            Self::Conflict { .. } => "read the thread again and repeat",
            Self::Exists { .. } => "choose another name, or delete the thread first",
            Self::Corrupt(_) => "check the storage, and restore a backup if it is damaged",
            Self::ReadOnly(_) => "make the file and its folder writable",
            Self::Full(_) => "make room, then continue the thread; what was acknowledged is kept",
            Self::Locked(_) => "end the program that holds it, or try again later",
            Self::Foreign(_) => "give another path, or move the file away",
            Self::Newer { .. } => "open it with the version that wrote it, or a newer one",
            Self::Sealed(_) => "open it with the key it was written with",
            Self::Unstorable(_) => "keep stored data flatter and of types that serialise",
            Self::Moved(_) => {
                "put the file back with the files beside it, then read the thread again"
            }
            Self::Missing(_) => "give the path of a database, or run something that makes one",
            Self::Older { .. } => "open it for writing once, which brings it up to date",
            Self::Linked(_) => "remove the other hard links, or use symbolic links",
            Self::NoThread { .. } | Self::Io(_) => return None,
        })
    }
}
