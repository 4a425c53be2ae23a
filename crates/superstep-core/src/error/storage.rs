//! What a saver refuses, with code and hint.

use std::fmt;

use super::Category;
use crate::id::{RunId, ThreadId};

/// Why a saver refused.
#[derive(Clone, thiserror::Error, PartialEq, Eq, superstep_coded::Coded)]
#[non_exhaustive]
pub enum SaverError {
    /// Another run works on the thread.
    #[error("thread `{thread}` is in use by another run")]
    #[coded(
        "SS2001",
        Conflict,
        hint = "wait for the other run, or use another thread"
    )]
    Busy {
        /// The thread.
        thread: ThreadId,
    },
    /// The thread moved on since this run read it.
    #[error("thread `{thread}` was changed by another run")]
    #[coded("SS2002", Conflict, hint = "read the thread again and repeat")]
    Conflict {
        /// The thread.
        thread: ThreadId,
    },
    /// No such thread.
    #[error("no thread `{thread}`")]
    #[coded("SS2003", NotFound)]
    NoThread {
        /// The thread.
        thread: ThreadId,
    },
    /// The target of a copy or an import exists.
    #[error("thread `{thread}` exists already")]
    #[coded(
        "SS2004",
        Conflict,
        hint = "choose another name, or delete the thread first"
    )]
    Exists {
        /// The thread.
        thread: ThreadId,
    },
    /// What is stored cannot be read.
    #[error("stored data is damaged: {0}")]
    #[coded(
        "SS2005",
        Internal,
        hint = "check the storage, and restore a backup if it is damaged"
    )]
    Corrupt(String),
    /// The medium failed.
    #[error("storage failed: {0}")]
    #[coded("SS2006", Unavailable)]
    Io(String),
    /// The medium takes no writes.
    #[error("storage is read-only: {0}")]
    #[coded("SS2007", Unavailable, hint = "make the file and its folder writable")]
    ReadOnly(String),
    /// The medium has no room left.
    #[error("storage is full: {0}")]
    #[coded(
        "SS2008",
        Unavailable,
        hint = "make room, then continue the thread; what was acknowledged is kept"
    )]
    Full(String),
    /// Another program keeps the storage to itself.
    #[error("storage is locked by another program: {0}")]
    #[coded(
        "SS2009",
        Unavailable,
        hint = "end the program that holds it, or try again later"
    )]
    Locked(String),
    /// The storage belongs to something else.
    #[error("not storage of superstep: {0}")]
    #[coded("SS2010", Internal, hint = "give another path, or move the file away")]
    Foreign(String),
    /// The storage was written by a newer version.
    #[error("{storage} has format {found}, this program knows formats up to {known}")]
    #[coded(
        "SS2011",
        Internal,
        hint = "open it with the version that wrote it, or a newer one"
    )]
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
    #[coded("SS2012", Refused, hint = "open it with the key it was written with")]
    Sealed(String),
    /// Data cannot be stored.
    #[error("data cannot be stored: {0}")]
    #[coded(
        "SS2013",
        InvalidInput,
        hint = "keep stored data flatter and of types that serialize"
    )]
    Unstorable(String),
    /// The storage was removed or replaced while it was open.
    #[error("the storage was removed or replaced while it was open: {0}")]
    #[coded(
        "SS2014",
        Internal,
        hint = "put the file back with the files beside it, then read the thread again"
    )]
    Moved(String),
    /// There is no storage yet, and it was opened for reading.
    #[error("there is no storage: {0}")]
    #[coded(
        "SS2015",
        NotFound,
        hint = "give the path of a database, or run something that makes one"
    )]
    Missing(String),
    /// The storage was written by an older version, and was opened for reading.
    #[error("{storage} has format {found}, this program reads format {known}")]
    #[coded(
        "SS2016",
        Internal,
        hint = "open it for writing once, which brings it up to date"
    )]
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
    #[coded(
        "SS2017",
        Internal,
        hint = "remove the other hard links, or use symbolic links"
    )]
    Linked(String),
    /// No such run.
    #[error("no run {run}")]
    #[coded("SS2018", NotFound, hint = "list the runs of the thread")]
    NoRun {
        /// The run.
        run: RunId,
    },
    /// The run is over, or its id was given to another one.
    #[error("run {run} has ended already")]
    #[coded(
        "SS2019",
        Conflict,
        hint = "start another run; each has an id of its own"
    )]
    RunEnded {
        /// The run.
        run: RunId,
    },
}

impl SaverError {
    /// Whether stored data cannot be read, as opposed to storage that fails.
    pub fn is_damage(&self) -> bool {
        matches!(self, Self::Corrupt(_) | Self::Sealed(_))
    }

    /// A value is nested deeper than [`crate::value::MAX_DEPTH`], or cannot be read back from its JSON form.
    pub fn too_deep() -> Self {
        let limit = crate::value::MAX_DEPTH;
        Self::Unstorable(format!(
            "a value is nested more than {limit} levels deep, or has no JSON form, as NaN has none"
        ))
    }
}

/// What a person should see when a program ends with this error: code, message, hint.
impl fmt::Debug for SaverError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{}] {self}", self.code())?;
        match self.hint() {
            Some(hint) => write!(f, "\n  hint: {hint}"),
            None => Ok(()),
        }
    }
}
