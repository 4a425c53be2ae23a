//! Options and outcome of a run.

use std::{
    collections::BTreeMap,
    sync::Arc,
    time::{Duration, SystemTime},
};

use serde::{Deserialize, Serialize};
use superstep_core::{
    ask::Ask,
    caller::Caller,
    clock::UnixMillis,
    error::{Error, ErrorKind},
    event::{Modes, TraceParent},
    id::{CheckpointId, GraphPath, RunId, ThreadId},
    plan::{Keys, Pauses, Plan},
    policy::Durability,
    run::{Drain, Fidelity},
    runs::RunBudget,
    value::Value,
};
use superstep_text::Privacy;

pub use superstep_core::checkpoint::CheckpointRef;

/// Options of a run.
#[derive(Clone, Debug)]
pub struct RunOptions {
    /// The thread; needed by graphs with a saver.
    pub thread: Option<ThreadId>,
    /// The checkpoint to start from; the newest by default.
    pub at: Option<CheckpointRef>,
    /// How many node steps a run with input may take; one that resumes may take two more, as in
    /// LangGraph.
    pub limit: u64,
    /// How many tasks of a graph run at once; any number by default. Tasks beyond it wait, and their
    /// limits of time begin when they start. Each subgraph counts its own tasks. A task counts from the
    /// start of an attempt to its end; while it waits for tasks that it called, one of them runs in its
    /// place, and no other task does. [`DynNodeOptions`](crate::DynNodeOptions) have the same for one node.
    pub max_concurrency: Option<usize>,
    /// When what happens is stored.
    pub durability: Durability,
    /// What nodes see as the run's context. It is stored with the run. A run that continues its thread and
    /// has null here gets the context of the run that it continues.
    pub context: Value,
    /// Who calls, as the program has authenticated them. Without one it is the local user, except in a run
    /// that only resumes its thread, which keeps the caller of the run that it continues.
    pub caller: Option<Caller>,
    /// Pauses besides the graph's own.
    pub pause_before: Pauses,
    /// Pauses besides the graph's own.
    pub pause_after: Pauses,
    /// What to return; the output schema by default.
    pub output: OutputKeys,
    /// Whether an answer that fits no open question is an error.
    pub strict_resume: bool,
    /// Whether new input that names what the graph does not take, or that does not fit its channels, is
    /// refused (SS1120, SS1013) before anything is stored. By default unknown names are ignored, as in
    /// LangGraph. Graphs that are built with `strict` always refuse it.
    pub strict_input: bool,
    /// Whether new input is refused (SS1121) while questions are open. By default it drops the questions
    /// and what was about to run, and starts again, as in LangGraph. An effect of which nobody knows whether
    /// it happened is never dropped unasked (SS1205).
    pub keep_asks: bool,
    /// Whether LangGraph is reproduced where superstep differs on purpose; [`Fidelity`] lists the differences.
    pub fidelity: Fidelity,
    /// Which events a stream shows.
    pub modes: Modes,
    /// Whether it shows those of subgraphs.
    pub subgraphs: bool,
    /// Which events are put into the log of the thread, those of subgraphs too. Any of them can be
    /// read later or elsewhere with [`crate::DynGraph::follow`].
    pub log: Modes,
    /// What of their content spans show.
    pub privacy: Privacy,
    /// To stop the run between steps.
    pub drain: Drain,
    /// The run's id, to know it before it begins or to continue one that was queued; a new one by
    /// default.
    pub run: Option<RunId>,
    /// What to find the run by: an object, kept with the record of the run.
    pub metadata: Value,
    /// When the run must have ended; by then it fails with
    /// [`ErrorKind::DeadlinePassed`], and the thread can be resumed.
    pub deadline: Option<SystemTime>,
    /// How much calls of models may take, those that are made through the task's context: a call is refused (SS5014)
    /// once this is spent. It is stored with the run.
    pub budget: RunBudget,
    /// The caller's span that the run is part of, as its `traceparent` header names it. The spans of the run are in
    /// that trace. It is stored with the run.
    pub traceparent: Option<TraceParent>,
    /// How long tasks that look out for it ([`crate::DynCtx::cancelled`]), and effects that have begun,
    /// have to end when the run is cancelled or its deadline passes.
    pub grace: Duration,
}

impl Default for RunOptions {
    fn default() -> Self {
        Self {
            thread: None,
            at: None,
            limit: 10_000,
            max_concurrency: None,
            durability: Durability::Sync,
            context: Value::Null,
            caller: None,
            pause_before: Pauses::None,
            pause_after: Pauses::None,
            output: OutputKeys::Schema,
            strict_resume: false,
            strict_input: false,
            keep_asks: false,
            fidelity: Fidelity::default(),
            modes: Modes::UPDATES,
            subgraphs: false,
            log: Modes::NONE,
            privacy: Privacy::default(),
            drain: Drain::default(),
            run: None,
            metadata: Value::Null,
            deadline: None,
            budget: RunBudget::default(),
            traceparent: None,
            grace: Duration::from_secs(5),
        }
    }
}

impl RunOptions {
    /// A run on a thread.
    pub fn on(thread: impl Into<ThreadId>) -> Self {
        Self {
            thread: Some(thread.into()),
            ..Self::default()
        }
    }

    /// Refuses limits that nothing can run within, and a thread without a name.
    pub(crate) fn check(&self) -> Result<(), Error> {
        let is_unnamed = |thread: &ThreadId| thread.as_str().is_empty();
        let why = match (self.limit, self.max_concurrency) {
            (0, _) => "the step limit must be at least 1",
            (_, Some(0)) => "`max_concurrency` must be at least 1",
            _ if self.thread.as_ref().is_some_and(is_unnamed) => "the name of a thread is empty",
            _ => return Ok(()),
        };
        let why = why.to_owned();
        Err(ErrorKind::BadArgument { why }.into())
    }

    pub(crate) fn output_keys(&self, plan: &Plan, streams: bool) -> Result<Option<Keys>, Error> {
        let unknown = |name: Arc<str>| ErrorKind::Unknown {
            what: "channel",
            name: name.to_string(),
        };
        Ok(match &self.output {
            OutputKeys::Schema if streams => Some(plan.shown.clone()),
            OutputKeys::Schema => None,
            OutputKeys::One(name) => Some(Keys::One(
                plan.channel(name).ok_or_else(|| unknown(name.clone()))?,
            )),
            OutputKeys::Many(names) => Some(Keys::Many(plan.keys(names).map_err(unknown)?)),
        })
    }
}

/// What to return.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum OutputKeys {
    /// The output schema; a stream shows every channel.
    #[default]
    Schema,
    /// One channel, bare.
    One(Arc<str>),
    /// An object of these.
    Many(Vec<Arc<str>>),
}

/// Checkpoints that a caller named, by the namespace of their graph.
pub(crate) type Addresses = BTreeMap<GraphPath, CheckpointId>;

/// How a run ended.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct DynOutcome {
    /// The last state it showed; nothing if it changed none of the output keys.
    pub output: Option<Value>,
    /// Open questions.
    pub asks: Vec<Ask>,
    /// In which way it ended.
    pub status: Status,
    /// When it continues by itself, in milliseconds since 1970, if it sleeps or asks with a deadline.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<UnixMillis>,
}

/// In which way a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Nothing is left to run.
    Done,
    /// It waits for answers.
    Waiting,
    /// It is at a static pause.
    Paused,
    /// It waits for a time: storage has it in the queue until then.
    Sleeping,
}
