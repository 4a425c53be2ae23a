//! The lines of a world's log: what was tried, what was promised, what ran.

use serde::{Deserialize, Serialize};
use superstep_core::{
    event::Logged,
    id::{CheckpointId, Namespace, ThreadId},
    record::{Record, TaskNote},
};

/// One line.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Line {
    /// A process begins; numbers of deeds begin anew.
    Life,
    /// The saver is about to be told.
    Try(u64, Deed),
    /// The saver said yes; these tasks have a stored result now.
    Ack(u64, Vec<String>),
    /// The saver said no, with this code.
    Refused(u64, String),
    /// A task runs.
    Ran(String, String),
    /// The driver's operation was acknowledged.
    Op(String),
    /// The driver was told that an effect's outcome is unknown.
    Unknown(String),
}

/// What a saver is told to keep.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Deed {
    /// A step, and entries of the event log.
    Commit(ThreadId, Namespace, Box<Record>, Vec<Logged>),
    /// Notes at a checkpoint, and entries of the event log.
    Note(
        ThreadId,
        Namespace,
        CheckpointId,
        Vec<TaskNote>,
        Vec<Logged>,
    ),
    /// Entries of the event log alone.
    Log(ThreadId, Vec<Logged>),
    /// Only the newest checkpoint of each namespace is kept.
    Prune(ThreadId),
    /// A copy under a new name.
    Copy(ThreadId, ThreadId),
    /// A thread is removed.
    Delete(ThreadId),
}

impl Deed {
    /// The entries of event logs in it.
    pub fn entries(&self) -> Vec<(&ThreadId, &Logged)> {
        match self {
            Self::Commit(thread, _, _, entries)
            | Self::Note(thread, _, _, _, entries)
            | Self::Log(thread, entries) => entries.iter().map(|entry| (thread, entry)).collect(),
            Self::Prune(_) | Self::Copy(..) | Self::Delete(_) => Vec::new(),
        }
    }
}
