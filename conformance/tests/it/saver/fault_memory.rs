//! Memory of the faults of [`Broken`](super::wrapper::Broken).

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use superstep_core::{
    event::Logged,
    id::{CheckpointId, GraphPath, ThreadId},
    record::{Layout, TaskKey, TaskNote},
};

/// What a fault needs to remember.
#[derive(Default)]
pub(super) struct Memory {
    /// The newest lease of each thread, as the inner saver counts.
    pub(super) epochs: HashMap<ThreadId, u64>,
    /// What is taken from epochs before they are shown.
    pub(super) bases: HashMap<ThreadId, u64>,
    pub(super) leased: HashSet<ThreadId>,
    pub(super) layouts: HashMap<ThreadId, Arc<Layout>>,
    /// The last note of each task, or what was known when a thread was deleted.
    pub(super) notes: HashMap<(ThreadId, GraphPath, CheckpointId), BTreeMap<TaskKey, TaskNote>>,
    pub(super) aliases: HashMap<ThreadId, ThreadId>,
    pub(super) without_notes: HashSet<ThreadId>,
    pub(super) without_namespaces: HashSet<ThreadId>,
    pub(super) copied: HashSet<ThreadId>,
    /// The oldest checkpoint of the root that a prune has kept.
    pub(super) cuts: HashMap<ThreadId, CheckpointId>,
    pub(super) prunes: usize,
    pub(super) tails: HashMap<(ThreadId, GraphPath), usize>,
    pub(super) commits: usize,
    /// Threads with a log.
    pub(super) logged: HashSet<ThreadId>,
    /// Entries that should be gone.
    pub(super) events: HashMap<ThreadId, Vec<Logged>>,
}
