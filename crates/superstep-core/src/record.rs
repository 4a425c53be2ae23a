//! What a saver stores: one record per step, and one note per task that finished before its step.
//!
//! A record holds what changed, not the state: replaying the records since the last snapshot
//! rebuilds the [`crate::graph_state::GraphState`]. Channels, nodes and triggers are named by the ids of the
//! [`Layout`] the record refers to; a graph with another layout maps them by name.

mod past;
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

pub use past::ReadEffects;
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

/// Which nodes are about to run, and why: small, so every record holds all of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Pending {
    /// Input not yet taken.
    pub start: Option<StartValue>,
    /// Triggers that fired.
    pub fired: Vec<TriggerIx>,
    /// Deferred triggers that wait for everything else to finish.
    pub waiting: Vec<TriggerIx>,
    /// Joins and which of their sources have run.
    pub joins: Vec<(TriggerIx, Vec<u32>)>,
    /// Sends.
    pub sends: Arc<Vec<Send>>,
    /// When triggers last changed, where that was not in the last step.
    pub changed: Vec<(TriggerIx, u64)>,
}

impl Pending {
    /// Whether nothing runs next.
    pub fn is_empty(&self) -> bool {
        self.start.is_none()
            && self.fired.is_empty()
            && self.waiting.is_empty()
            && self.sends.is_empty()
    }
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

/// What is known about a task before its step is committed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TaskNote {
    /// Which task.
    pub key: TaskKey,
    /// Its writes, once it finished; empty if it wrote nothing.
    pub output: Option<Vec<Write>>,
    /// The questions it asked last.
    pub asks: Vec<Ask>,
    /// An answer came since: a task has one question of its own open at a time, and nobody should
    /// answer it again before the task has run.
    #[serde(default)]
    pub answered: bool,
    /// Answers it has received, in order.
    pub answers: Vec<Value>,
    /// The questions that they were given to, as far as that is known: no other question takes them.
    #[serde(default)]
    pub asked: Vec<AskId>,
    /// Answers to questions of the graphs and tasks that it runs, which get them from here: what was answered
    /// is closed at once, and is not lost if the run ends before the answer has got there.
    #[serde(default)]
    pub given: BTreeMap<AskId, Value>,
    /// The last answer did not fit its question, so `answers` replaces what was known.
    #[serde(default)]
    pub refused: bool,
    /// Its error.
    pub error: Option<Box<StoredError>>,
    /// The error went to a handler, so the task does not run again.
    pub handled: bool,
    /// Effects it journaled.
    pub effects: BTreeMap<String, Effect>,
    /// The plain answer that came with the input.
    pub resume: Option<PlainAnswer>,
    /// How many answers were taken before the first write; see [`TaskNote::absorb`].
    pub offset: usize,
    /// The name of a called task.
    #[serde(default)]
    pub name: Option<Arc<str>>,
    /// A hash of the arguments of a called task.
    #[serde(default)]
    pub args: Option<u64>,
    /// The names behind the ids of its writes, if they are not those of the checkpoint: another version of the
    /// program has written it.
    #[serde(default)]
    pub layout: Option<Arc<Layout>>,
}

/// A plain answer and what became of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum PlainAnswer {
    /// It waits for the first question.
    Given(Value),
    /// A question took it.
    Taken,
}

impl TaskNote {
    /// Nothing known yet.
    pub fn new(key: TaskKey) -> Self {
        Self {
            key,
            output: None,
            asks: Vec::new(),
            answered: false,
            answers: Vec::new(),
            asked: Vec::new(),
            given: BTreeMap::new(),
            refused: false,
            error: None,
            handled: false,
            effects: BTreeMap::new(),
            resume: None,
            offset: 0,
            name: None,
            args: None,
            layout: None,
        }
    }

    /// Merges a later note of the same task: what it holds replaces, what it leaves open stays.
    ///
    /// Writes are in numbered slots, answers counting as slots before them, and the first write
    /// of a slot stays: a task that runs again from an old checkpoint does not rewrite history.
    pub fn absorb(&mut self, later: TaskNote) {
        if self.output.is_none() && later.output.is_some() {
            self.layout = later.layout;
        }
        match (&mut self.output, later.output) {
            (_, None) => {}
            (Some(known), Some(writes)) if self.key != TaskKey::Input => {
                let taken = self.offset..self.offset + known.len();
                let (mut before, mut after) = (Vec::new(), Vec::new());
                for (write, slot) in writes.into_iter().zip(later.offset..) {
                    match slot {
                        early if early < taken.start => before.push(write),
                        late if late >= taken.end => after.push(write),
                        _ => {}
                    }
                }
                self.offset -= before.len();
                before.append(known);
                before.append(&mut after);
                *known = before;
            }
            (output, writes) => {
                *output = writes;
                self.offset = later.offset;
            }
        }
        self.given.extend(later.given);
        if !later.asks.is_empty() {
            self.asks = later.asks;
            self.answered = later.answered;
            // What is asked again has no answer: that which came was refused.
            self.given
                .retain(|id, _| self.asks.iter().all(|ask| ask.id != *id));
        } else if later.refused {
            self.answered = false;
        } else if !self.asks.is_empty() && later.answers.len() > self.answers.len() {
            self.answered = true;
        }
        // A run that ended before it came to the last question leaves the answer to that as it is.
        if later.refused || later.answers.len() >= self.answers.len() && !later.answers.is_empty() {
            self.answers = later.answers;
            if !later.asked.is_empty() {
                self.asked = later.asked;
            }
            self.asked.truncate(self.answers.len());
        }
        if later.error.is_some() {
            self.error = later.error;
        }
        self.handled |= later.handled;
        self.effects.extend(later.effects);
        self.effects.retain(|_, effect| *effect != Effect::Failed);
        if later.resume.is_some() {
            self.resume = later.resume;
        }
        if later.name.is_some() {
            (self.name, self.args) = (later.name, later.args);
        }
    }

    /// The questions of this task that are still open, as far as it knows: see [`open_asks`].
    pub fn open_asks(&self) -> impl Iterator<Item = &Ask> {
        let is_over = self.output.is_some() || self.answered;
        let asks = self.asks.iter();
        asks.filter(move |ask| !is_over && !self.given.contains_key(&ask.id))
    }

    /// The questions that LangGraph shows as open: those of a task that failed since are there again, although
    /// it has their answers.
    pub fn listed_asks(&self) -> impl Iterator<Item = &Ask> {
        let is_over = self.output.is_some() || self.answered && self.error.is_none();
        self.asks.iter().filter(move |_| !is_over)
    }
}

/// The open questions of the tasks of a checkpoint, each once. The question of a called task is that of the task which
/// called it as well, and the one that is above has the answer first.
pub fn open_asks<'a>(notes: impl IntoIterator<Item = &'a TaskNote> + Clone) -> Vec<&'a Ask> {
    let given = |id: &AskId| {
        let mut notes = notes.clone().into_iter();
        notes.any(|note| note.given.contains_key(id))
    };
    let mut open: Vec<&Ask> = Vec::new();
    for ask in notes.clone().into_iter().flat_map(TaskNote::open_asks) {
        if !given(&ask.id) && open.iter().all(|other| other.id != ask.id) {
            open.push(ask);
        }
    }
    open
}
