//! What a saver stores: one record per step, and one note per task that finished before its step.
//!
//! A record holds what changed, not the state: replaying the records since the last snapshot
//! rebuilds the [`crate::graph_state::GraphState`]. Channels, nodes and triggers are named by the ids of the
//! [`Layout`] the record refers to; a graph with another layout maps them by name.

mod note;
mod past;
mod pending;
mod squash;
mod values;

use std::{collections::BTreeMap, sync::Arc};

use serde::{Deserialize, Serialize};

use crate::{
    ask::Ask,
    command::{Command, Send},
    error::{Error, ErrorKind, Failure, Limit},
    id::{AskId, CheckpointId, GraphPath},
    policy::Durability,
    table::{ChannelIx, NodeIx, TriggerIx},
    value::Value,
};

pub use note::{NoteExtras, PlainAnswer, TaskNote};
pub use past::ReadEffects;
pub use pending::{Held, Pending};
pub use squash::{absorb, squash};

/// The names behind a record's ids.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Layout {
    /// Channel names.
    pub channels: Vec<Arc<str>>,
    /// Node names.
    pub nodes: Vec<Arc<str>>,
    /// Triggers.
    pub triggers: Vec<TriggerName>,
    /// Version and fingerprint of a typed state.
    pub state: Option<StateVersion>,
    /// The name of the graph; empty if it has none, or if it is of an earlier version.
    #[serde(default, skip_serializing_if = "is_empty")]
    pub graph: Arc<str>,
    /// A hash of name, type and reducer of each field of a typed state, in the order of `channels`; none in
    /// layouts of earlier versions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shapes: Vec<u64>,
}

fn is_empty(name: &Arc<str>) -> bool {
    name.is_empty()
}

impl Layout {
    /// Whether both name the same things by the same ids, whatever their graphs are called.
    pub fn names_same(&self, other: &Self) -> bool {
        let Self {
            channels,
            nodes,
            triggers,
            state,
            graph: _,
            shapes: _,
        } = self;
        *channels == other.channels
            && *nodes == other.nodes
            && *triggers == other.triggers
            && *state == other.state
    }
}

/// Which version of a typed state a record was written by.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StateVersion {
    /// The declared version.
    pub version: u32,
    /// A hash of field names, types and reducers.
    pub fingerprint: u64,
}

/// What a trigger is, by name.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum TriggerName {
    /// The run's input.
    Start,
    /// An edge, router or goto into a node.
    Node(Arc<str>),
    /// All of the sources have run.
    Join(Vec<Arc<str>>, Arc<str>),
}

/// How a channel changed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Change {
    /// It has this value now.
    Set(Value),
    /// These elements were appended, or these entries of an object were set.
    Extend(Value),
    /// It has no value now.
    Clear,
}

/// Where a checkpoint comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// A run's input.
    Input,
    /// A step of a run.
    Loop,
    /// An edit of the state.
    Update,
    /// The start of another branch.
    Fork,
    /// What a thread was before a first run that is stored only at its end.
    Anchor,
}

impl Source {
    /// The name on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Input => "input",
            Self::Loop => "loop",
            Self::Update => "update",
            Self::Fork => "fork",
            Self::Anchor => "anchor",
        }
    }
}

/// The run's input while it waits in `__start__`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum StartValue {
    /// Data.
    Input(Value),
    /// A command given to a thread that had nothing yet.
    Command(Box<Command>),
}

/// One committed step.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Record {
    /// Its id.
    pub id: CheckpointId,
    /// The checkpoint it follows.
    pub parent: Option<CheckpointId>,
    /// The step number.
    pub step: i64,
    /// Where it comes from.
    pub source: Source,
    /// How durable the run that wrote it was.
    #[serde(default)]
    pub durability: Durability,
    /// The names behind the ids below.
    pub layout: Arc<Layout>,
    /// Channels that changed since `parent`; with [`Record::full`], every channel with a value.
    pub changes: Vec<(ChannelIx, Change)>,
    /// Whether `changes` is a snapshot.
    pub full: bool,
    /// What runs next.
    pub pending: Pending,
    /// Triggers this step touched, when known; decides who is looked at next.
    pub touched: Option<Vec<TriggerIx>>,
    /// Nodes that ran last by an edge, once for each trigger that changed last.
    pub last_ran: Vec<NodeIx>,
    /// When those triggers changed.
    pub last_seen: u64,
    /// Counts changes of the thread's state.
    pub clock: u64,
    /// The clock when the thread was last continued.
    pub paused_at: u64,
    /// The checkpoints of the graphs above, by namespace.
    pub parents: Arc<BTreeMap<GraphPath, CheckpointId>>,
    /// What the tasks of this step did, as far as no earlier note has it.
    pub tasks: Vec<TaskNote>,
}

/// Names a task within its checkpoint.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum TaskKey {
    /// Writes given with the input, before any task.
    Input,
    /// A node that was triggered.
    Node(NodeIx),
    /// The n-th send.
    Send(u32),
    /// The error handler of a failed task.
    Handler(Box<TaskKey>),
    /// The n-th task that a task called.
    Call(Box<TaskKey>, u32),
}

impl TaskKey {
    /// The task of the step that it belongs to: the one that called it or failed into it, or itself.
    pub fn root(&self) -> &Self {
        match self {
            Self::Handler(of) | Self::Call(of, _) => of.root(),
            own => own,
        }
    }
}

/// A write of a finished task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Write {
    /// To a state channel.
    State(ChannelIx, Value),
    /// Fires a trigger.
    Fire(TriggerIx),
    /// Marks a source of a join as run.
    Join(TriggerIx, u32),
    /// Queues a send.
    Send(Send),
    /// The result of a called task.
    Return(Value),
}

/// A storable error.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StoredError {
    /// The stable code.
    pub code: String,
    /// The failure's class.
    pub class: String,
    /// Its message.
    pub message: String,
    /// Which limit, for timeouts.
    pub limit: Option<Limit>,
}

impl From<&Error> for StoredError {
    fn from(error: &Error) -> Self {
        let message = match &*error.kind {
            ErrorKind::Failed(failure) | ErrorKind::Reduce { failure, .. } => {
                failure.message.clone()
            }
            other => other.to_string(),
        };
        let limit = match &*error.kind {
            ErrorKind::TimedOut { limit, .. } => Some(*limit),
            _ => None,
        };
        Self {
            code: error.code().into(),
            class: error.class().into(),
            message,
            limit,
        }
    }
}

impl From<StoredError> for Failure {
    fn from(stored: StoredError) -> Self {
        Self::new(stored.class, stored.message)
    }
}

/// An effect of `ctx.once`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Effect {
    /// It was started; whether it happened is not known.
    Started,
    /// It happened, with this result.
    Done(Value),
    /// It did not happen and may be tried again.
    Failed,
}

/// The open questions of the tasks of a checkpoint, each once. The question of a called task is that of the task which
/// called it as well, and the one that is above has the answer first.
pub fn open_asks<'a>(notes: impl IntoIterator<Item = &'a TaskNote> + Clone) -> Vec<&'a Ask> {
    let given = |id: &AskId| {
        let mut notes = notes.clone().into_iter();
        notes.any(|note| note.extras.given.contains_key(id))
    };
    let mut open: Vec<&Ask> = Vec::new();
    for ask in notes.clone().into_iter().flat_map(TaskNote::open_asks) {
        if !given(&ask.id) && open.iter().all(|other| other.id != ask.id) {
            open.push(ask);
        }
    }
    open
}
