//! Lines of a work directory's log: calls, acknowledgements, tasks that ran.

use serde::{Deserialize, Serialize};
use superstep_core::{
    event::Logged,
    id::{CheckpointId, GraphPath, ThreadId},
    record::{Record, TaskNote},
};

/// One line.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Line {
    /// A process starts; numbers of calls begin at 0 again.
    Start,
    /// The saver is about to be called.
    Try(u64, SaverCall),
    /// The saver acknowledged; these tasks have a stored result now.
    Ack(u64, Vec<String>),
    /// The saver refused, with this code.
    Refused(u64, String),
    /// A task runs.
    Ran(String, String),
    /// The driver's operation was acknowledged.
    Op(String),
    /// An effect's outcome was reported as unknown.
    Unknown(String),
}

/// A call that stores something.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum SaverCall {
    /// A step, and entries of the event log.
    Commit(ThreadId, GraphPath, Box<Record>, Vec<Logged>),
    /// Notes at a checkpoint, and entries of the event log.
    Note(
        ThreadId,
        GraphPath,
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

impl SaverCall {
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
