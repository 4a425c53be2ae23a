//! Settings of a run: limits, durability, what is shown, and the graph that runs it.

use std::{
    collections::HashSet,
    future::poll_fn,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    task::{Poll, Waker},
};

use super::Fidelity;
use crate::sync::lock;
use crate::{
    ask::Answers,
    checkpoint::Parents,
    event::Modes,
    id::{CheckpointId, GraphPath, IdSource, ThreadId},
    plan::{Keys, Pauses, Plan},
    policy::Durability,
};

/// Settings of a run; the same for all its graphs, but for [`ParentContext`].
#[derive(Clone)]
pub struct RunConfig {
    /// The thread, if there is one.
    pub thread: Option<ThreadId>,
    /// How many node steps a graph may take.
    pub limit: u64,
    /// When it is stored.
    pub durability: Durability,
    /// Whether there is a saver.
    pub saves: bool,
    /// Which events are passed on.
    pub modes: Modes,
    /// Which events are logged.
    pub log: Modes,
    /// Whether a reader of the log finds this graph by its namespace. If not, what is logged holds
    /// the states that others only refer to.
    pub findable: bool,
    /// What `values` events and the run's output show; the output schema by default.
    pub output: Option<Keys>,
    /// What events show where that is not the run's output.
    pub shown: Option<Keys>,
    /// Pauses besides the graph's own.
    pub pause_before: Pauses,
    /// Pauses besides the graph's own.
    pub pause_after: Pauses,
    /// Whether an answer that fits no open question is an error.
    pub strict_resume: bool,
    /// Whether input that the graph does not take is an error.
    pub strict_input: bool,
    /// Whether new input is refused while questions are open.
    pub keep_asks: bool,
    /// Whether LangGraph is reproduced where superstep differs on purpose.
    pub fidelity: Fidelity,
    /// New checkpoint ids.
    pub ids: Arc<dyn IdSource>,
    /// A request to stop between steps.
    pub drain: Drain,
    /// The graph that runs this one, and where this one is.
    pub parent: ParentContext,
}

impl RunConfig {
    /// Whether this is a graph inside another that stores nothing of it. What it runs again from its start must
    /// have the same ids again, or its questions could never be answered by id.
    pub(crate) fn is_transient(&self, plan: &Plan) -> bool {
        let keeps_ids = plan.is_typed() || self.fidelity.keeps_ids_of_unsaved_graphs();
        keeps_ids && self.parent.nested && !self.saves
    }
}

/// What a graph gets from the graph that runs it: its path, how to resume, answers.
#[derive(Clone, Default)]
pub struct ParentContext {
    /// Its namespace.
    pub namespace: GraphPath,
    /// Whether a task of another graph runs it.
    pub nested: bool,
    /// Whether the graph above resumes; nothing once it has taken a step.
    pub resuming: Option<bool>,
    /// The graph above replays an older checkpoint.
    pub replay: Option<Replay>,
    /// Checkpoints of the graphs above.
    pub parents: Parents,
    /// Answers of the run; a root run makes them of its input.
    pub answers: Answers,
}

/// Shared by all graphs below one that replays: each restores, once, what it was before.
#[derive(Clone, Debug)]
pub struct Replay(Arc<Replayed>);

#[derive(Debug)]
struct Replayed {
    before: CheckpointId,
    visited: Mutex<HashSet<String>>,
}

impl Replay {
    /// Replays what came before this checkpoint.
    pub fn new(before: CheckpointId) -> Self {
        let visited = Mutex::default();
        Self(Arc::new(Replayed { before, visited }))
    }

    /// The checkpoint that is replayed.
    pub fn before(&self) -> CheckpointId {
        self.0.before
    }

    /// Whether this is the first time the graph at that position is run.
    pub fn first_visit(&self, namespace: &GraphPath) -> bool {
        let mut visited = lock(&self.0.visited);
        visited.insert(namespace.without_last_task().to_owned())
    }
}

/// A request to stop after the current step.
#[derive(Clone, Debug, Default)]
pub struct Drain {
    own: Arc<Drained>,
    /// Of those who may stop several runs.
    above: Option<Arc<Drained>>,
}

#[derive(Debug, Default)]
struct Drained {
    /// So that the steps of a run nobody stops need no lock.
    asked: AtomicBool,
    reason: Mutex<Option<String>>,
    /// Who waits for the request.
    waiting: Mutex<Vec<Waker>>,
}

impl Drain {
    /// One for a single run: it stops when this one is requested, and can be stopped alone.
    #[must_use]
    pub fn for_run(&self) -> Self {
        Self {
            own: Arc::default(),
            above: Some(self.own.clone()),
        }
    }

    /// Asks the run to stop.
    pub fn request(&self, reason: impl Into<String>) {
        *lock(&self.own.reason) = Some(reason.into());
        self.own.asked.store(true, Ordering::Release);
        let waiting = std::mem::take(&mut *lock(&self.own.waiting));
        waiting.into_iter().for_each(Waker::wake);
    }

    /// Waits until it is asked to stop.
    pub async fn requested(&self) {
        poll_fn(|cx| {
            // Before the look, so that a request in between is not missed.
            let mut waiting = lock(&self.own.waiting);
            waiting.retain(|waker| !waker.will_wake(cx.waker()));
            waiting.push(cx.waker().clone());
            drop(waiting);
            match self.own.reason() {
                Some(_) => Poll::Ready(()),
                None => Poll::Pending,
            }
        })
        .await;
    }

    /// Takes the request back; until then it holds for every run that shares it.
    pub fn clear(&self) {
        self.own.asked.store(false, Ordering::Release);
    }

    /// Whether those who stop several runs asked, and not this run alone.
    pub fn is_from_above(&self) -> bool {
        let asked = |drained: &Arc<Drained>| drained.asked.load(Ordering::Acquire);
        !asked(&self.own) && self.above.as_ref().is_some_and(asked)
    }

    /// Why, if it was asked.
    pub fn reason(&self) -> Option<String> {
        let above = || self.above.as_ref().and_then(|above| above.reason());
        self.own.reason().or_else(above)
    }
}

impl Drained {
    fn reason(&self) -> Option<String> {
        if !self.asked.load(Ordering::Acquire) {
            return None;
        }
        let reason = lock(&self.reason);
        reason.clone()
    }
}
