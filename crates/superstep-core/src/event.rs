//! Events of a run: one ordered stream, filtered by [`Modes`]. [`log`] is
//! how it is kept, [`span`] what tasks say about their work, [`trace`] how traces name it.

mod json;
pub mod log;
pub mod span;
pub mod trace;

use std::sync::Arc;

use serde::{Deserialize, Serialize};

pub use log::{Cursor, Ending, Entry, Logged, LoggedEvent};
pub use span::{Facts, Span, SpanEnd, SpanError, SpanId, SpanKind, SpanPhase, SpanStart};
pub use trace::{TraceIds, TraceParent};

use crate::{
    ask::Ask,
    id::{GraphPath, TaskId},
    record::StoredError,
    snapshot::Snapshot,
    value::Value,
};

/// Which events are wanted; an event nobody wants is never built.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Modes(u8);

impl Modes {
    /// No events.
    pub const NONE: Self = Self(0);
    /// The state after each step that changed it.
    pub const VALUES: Self = Self(1);
    /// What each task wrote.
    pub const UPDATES: Self = Self(2);
    /// What nodes emit themselves.
    pub const CUSTOM: Self = Self(4);
    /// Starts and ends of tasks.
    pub const TASKS: Self = Self(8);
    /// Checkpoints.
    pub const CHECKPOINTS: Self = Self(16);
    /// Messages, token by token.
    pub const MESSAGES: Self = Self(32);
    /// What tasks say about their work: models called, tools run.
    pub const SPANS: Self = Self(64);
    /// What a trace is made of: tasks and spans.
    pub const TRACE: Self = Self(8 | 64);
    /// Everything.
    pub const ALL: Self = Self(127);

    /// Whether any of `other` is wanted.
    pub fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// Both.
    #[must_use]
    pub fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// Something that happened in a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// The graph it happened in.
    pub namespace: GraphPath,
    /// The step.
    pub step: i64,
    /// What happened.
    pub kind: EventKind,
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum EventKind {
    /// The state, after it changed or as it is when a task asks.
    Values {
        /// The output keys.
        values: Value,
        /// The questions just asked, if that is why.
        asks: Option<Vec<Ask>>,
    },
    /// A task finished.
    Update {
        /// Its node.
        node: Arc<str>,
        /// What it wrote to the output keys; null if nothing, a list if a key twice.
        update: Value,
        /// It did not run now: its result was stored.
        cached: bool,
    },
    /// A task asked, or (without questions) the run paused at a static breakpoint.
    Asked(Vec<Ask>),
    /// A task starts.
    TaskStart {
        /// The task.
        id: TaskId,
        /// Its node.
        name: Arc<str>,
        /// What it gets.
        input: Value,
        /// The task that called it, if one did.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        caller: Option<TaskId>,
    },
    /// A task ended.
    TaskEnd {
        /// The task.
        id: TaskId,
        /// Its node.
        name: Arc<str>,
        /// What it wrote.
        result: Value,
        /// Its error.
        error: Option<StoredError>,
        /// Its questions.
        asks: Vec<Ask>,
    },
    /// A checkpoint, as the next step is prepared.
    Checkpoint(Box<Snapshot>),
    /// A node emitted this.
    Custom(Value),
    /// A message, or a piece of one.
    Message {
        /// The message.
        message: Value,
        /// The node it came from.
        node: Arc<str>,
    },
    /// A task starts or ends a piece of its work.
    Span(Box<Span>),
}

impl EventKind {
    /// The mode this event belongs to.
    pub fn mode(&self) -> Modes {
        match self {
            Self::Values { .. } => Modes::VALUES,
            Self::Update { .. } | Self::Asked(_) => Modes::UPDATES,
            Self::TaskStart { .. } | Self::TaskEnd { .. } => Modes::TASKS,
            Self::Checkpoint(_) => Modes::CHECKPOINTS,
            Self::Custom(_) => Modes::CUSTOM,
            Self::Message { .. } => Modes::MESSAGES,
            Self::Span(_) => Modes::SPANS,
        }
    }
}
