//! Run tree. `builder` makes one of a log.

use std::sync::Arc;

use superstep_core::{
    event::{Facts, SpanError, SpanId, SpanKind},
    id::{AskId, CheckpointId, GraphPath, TaskId, ThreadId},
    value::Value,
};
use superstep_text::Privacy;

use crate::totals::Totals;

/// The runs of a thread.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct RunTree {
    /// The thread.
    pub thread: ThreadId,
    /// Its runs, oldest first.
    pub runs: Vec<Run>,
}

/// One run of a thread.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Run {
    /// The number of its lease, which cursors of the log begin with. Leases of all threads are counted together.
    pub number: u64,
    /// Its place among the runs of the thread that the log still has, from 1: what people call it by.
    pub ordinal: u64,
    /// Its trace: the caller's, if it was started as part of one, or its own.
    pub trace: u128,
    /// The caller's span that it is part of.
    pub parent: Option<SpanId>,
    /// The run whose tasks it went on with.
    pub continues: Option<u64>,
    /// Whether the log still has its beginning.
    pub beginning: Beginning,
    /// The questions it waits for.
    pub asks: Vec<AskId>,
    /// The thread's own graph; its status is the run's.
    pub root: Branch,
}

/// Whether the log has the beginning of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beginning {
    /// It does.
    Known,
    /// It was pruned.
    Pruned,
}

/// A piece of a run and its parts.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Branch {
    /// Names it within its run; the same whenever the log is read.
    pub id: SpanId,
    /// What it is.
    pub kind: Kind,
    /// The graph, the node, the model, the tool.
    pub name: Arc<str>,
    /// How it ended.
    pub status: Status,
    /// When it began, in microseconds since 1970.
    pub started: Option<u64>,
    /// When it ended.
    pub ended: Option<u64>,
    /// Why it failed.
    pub error: Option<SpanError>,
    /// What it worked on; null if that is not known.
    pub inputs: Value,
    /// What came of it.
    pub outputs: Value,
    /// What else is known.
    pub facts: Facts,
    /// Where it is.
    pub place: SpanPlace,
    /// What it and its parts took.
    pub totals: Totals,
    /// Its parts, in the order they began.
    pub children: Vec<Branch>,
}

impl Branch {
    /// How long it took, in microseconds.
    pub fn took(&self) -> Option<u64> {
        Some(self.ended?.saturating_sub(self.started?))
    }
}

/// Where in a run something is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SpanPlace {
    /// The graph.
    pub namespace: GraphPath,
    /// The step.
    pub step: Option<i64>,
    /// The task.
    pub task: Option<TaskId>,
    /// The node.
    pub node: Option<Arc<str>>,
    /// The checkpoint it belongs to.
    pub checkpoint: Option<CheckpointId>,
    /// The attempt of the task.
    pub attempt: Option<u32>,
}

/// What a branch is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A graph.
    Graph,
    /// A task of a graph: its node, or a task that a node called.
    Node,
    /// A piece of a task's work.
    Span(SpanKind),
}

impl Kind {
    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Graph => "graph",
            Self::Node => "node",
            Self::Span(kind) => kind.as_str(),
        }
    }
}

/// How something ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Status {
    /// Well.
    Done,
    /// Its result was known already, so it did not run.
    Reused,
    /// With an error.
    Failed,
    /// It asked, and waits for answers.
    Waiting,
    /// It is at a static pause.
    Paused,
    /// It was asked to stop between steps.
    Drained,
    /// It did not: a crash, a cancelled run, a failed sibling or an early return cut it off.
    Cut,
    /// It continues.
    Running,
}

impl Status {
    /// The word for people.
    pub fn label(self) -> &'static str {
        match self {
            Self::Cut => "interrupted",
            other => other.as_str(),
        }
    }

    /// The word in JSON, which is a wire form.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Reused => "reused",
            Self::Failed => "failed",
            Self::Waiting => "waiting",
            Self::Paused => "paused",
            Self::Drained => "drained",
            Self::Cut => "cut",
            Self::Running => "running",
        }
    }
}

/// What the last run of a log is taken for if it has no end. The log cannot tell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unended {
    /// It was cut.
    #[default]
    Cut,
    /// It continues.
    Running,
}

/// How a log is looked at.
#[derive(Clone, Debug, Default)]
pub struct View {
    /// What is shown of content. Spans were redacted when they were emitted; this covers what nodes get
    /// and give, and errors.
    pub privacy: Privacy,
    /// What a last run without an end is taken for.
    pub unended: Unended,
}

impl RunTree {
    /// A run by its number.
    pub fn run(&self, number: u64) -> Option<&Run> {
        self.runs.iter().find(|run| run.number == number)
    }

    /// A run as somebody names it: by its place among the runs of the thread, or by its number.
    pub fn named(&self, name: u64) -> Option<&Run> {
        let placed = self.runs.iter().find(|run| run.ordinal == name);
        placed.or_else(|| self.run(name))
    }
}
