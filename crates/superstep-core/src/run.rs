//! The run loop as a pure state machine: no I/O, no clock, no threads.
//!
//! A driver starts a [`Loop`], takes its [`Act`]s in order and does what they say: run a task, wait
//! before a retry, store a record, pass an event on, stop. It feeds back what tasks did
//! ([`Loop::done`]). The tokio shell in `superstep-engine` is one driver; a seeded simulation is
//! another. [`begin`] is how a run starts on a thread, [`tick`] is one step, [`settle`] is what
//! becomes of a task's result.

pub mod begin;
mod effect;
mod logged;
pub mod settle;
pub mod task;
mod tell;
pub mod tick;

use std::{
    collections::{HashSet, VecDeque},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

pub use begin::{Begin, Head, RunInput};
pub use effect::EffectError;
pub use settle::{Done, Halt};
pub use task::{Task, TaskInput};

use crate::{
    ask::{Answers, Ask},
    checkpoint::Parents,
    command::Command,
    error::Error,
    event::{Event, Modes, Told},
    frame::Frame,
    id::{CheckpointId, IdSource, Namespace, ThreadId},
    plan::{Keys, Pauses, Plan, route::Window},
    policy::Durability,
    record::{Change, Pending, Record, Source, TaskKey, TaskNote, Write},
    table::{ChannelIx, NodeIx, TriggerIx},
    value::Value,
};

/// What to do where LangGraph 1.2.20 behaves by accident.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fidelity {
    /// The sensible thing: a plain answer is given to one question once, untracked channels are
    /// never stored, and a thread does not go on without nodes that the graph has lost.
    #[default]
    Sensible,
    /// The same as LangGraph: a run that goes on without an answer offers the last plain one
    /// again, and durability `exit` stores untracked writes of open steps.
    LangGraph,
}

/// How a run is meant; the same for all graphs of it unless [`Nest`] says otherwise.
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
    /// Whether accidents of LangGraph are reproduced.
    pub fidelity: Fidelity,
    /// New checkpoint ids.
    pub ids: Arc<dyn IdSource>,
    /// A request to stop between steps.
    pub drain: Drain,
    /// Where the graph stands.
    pub nest: Nest,
}

impl RunConfig {
    /// Whether this is a typed graph inside another that stores nothing of it. What it runs again
    /// from its start must have the same ids again, or its questions could never be answered; the
    /// dynamic layer asks anew under new ids, as LangGraph does.
    pub(crate) fn is_transient(&self, plan: &Plan) -> bool {
        plan.is_typed() && self.nest.nested && !self.saves
    }
}

/// Where a graph stands among the graphs of its run.
#[derive(Clone, Default)]
pub struct Nest {
    /// Its namespace.
    pub namespace: Namespace,
    /// Whether a task of another graph runs it.
    pub nested: bool,
    /// What the graph above says about continuing; nothing once it has taken a step.
    pub resuming: Option<bool>,
    /// The graph above replays an older checkpoint.
    pub replay: Option<Replay>,
    /// Checkpoints of the graphs above.
    pub parents: Parents,
    /// Answers of the run.
    pub answers: Answers,
}

/// Shared by all graphs below one that replays: each restores, once, what it was before.
#[derive(Clone, Debug)]
pub struct Replay {
    /// The checkpoint that is replayed.
    pub before: CheckpointId,
    visited: Arc<Mutex<HashSet<String>>>,
}

impl Replay {
    /// Replays what came before this checkpoint.
    pub fn new(before: CheckpointId) -> Self {
        Self {
            before,
            visited: Arc::default(),
        }
    }

    /// Whether this is the first time the graph at that position is run.
    pub fn first_visit(&self, namespace: &Namespace) -> bool {
        let mut visited = self.visited.lock().unwrap_or_else(PoisonError::into_inner);
        visited.insert(namespace.without_last_task().to_owned())
    }
}

/// A request to stop after the current step.
#[derive(Clone, Debug, Default)]
pub struct Drain(Arc<Drained>);

#[derive(Debug, Default)]
struct Drained {
    /// So that the steps of a run nobody stops need no lock.
    asked: AtomicBool,
    reason: Mutex<Option<String>>,
}

impl Drain {
    /// Asks the run to stop.
    pub fn request(&self, reason: impl Into<String>) {
        *self.0.reason.lock().unwrap_or_else(PoisonError::into_inner) = Some(reason.into());
        self.0.asked.store(true, Ordering::Release);
    }

    /// Takes the request back; until then it stands for every run that shares it.
    pub fn clear(&self) {
        self.0.asked.store(false, Ordering::Release);
    }

    /// Why, if it was asked.
    pub fn reason(&self) -> Option<String> {
        if !self.0.asked.load(Ordering::Acquire) {
            return None;
        }
        self.0
            .reason
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}

/// What a driver has to do next.
#[derive(Debug)]
pub enum Act {
    /// Run this task and feed the result back.
    Run(usize),
    /// Wait, then run a task again.
    Wait(Wait),
    /// Store a step.
    Commit(Box<Record>),
    /// Store what tasks did so far.
    Note(CheckpointId, Vec<TaskNote>),
    /// Keep the writes of a task whose results are cached.
    Keep(usize, Vec<Write>),
    /// Pass an event on.
    Emit(Box<Event>),
    /// Put an event of this checkpoint into the log, with the next thing that is stored or later. One that refers to a
    /// checkpoint which is not stored yet comes right before it.
    Log(Option<CheckpointId>, Box<Told>),
    /// The run is over.
    Stop(Stop),
}

/// A pause before another attempt.
#[derive(Clone, Copy, Debug)]
pub struct Wait {
    /// The task to run again.
    pub task: usize,
    /// How long to wait.
    pub delay: Duration,
    /// Up to this much longer, at random.
    pub jitter: Duration,
}

/// How a run ended.
#[derive(Debug)]
pub enum Stop {
    /// Nothing is left to run.
    Done,
    /// It waits for answers or, without questions, at a static pause.
    Asked(Vec<Ask>),
    /// A command for the graph above.
    Parent(Box<Command>),
    /// It failed.
    Failed(Error),
}

/// Whether and how the last `values` event would look, without building it.
#[derive(Clone, Debug, Default)]
enum Latest {
    /// There was none.
    #[default]
    Never,
    /// The board still shows it.
    OnBoard,
    /// Kept, since channels may clear by themselves.
    Kept(Value),
}

/// A run of one graph.
pub struct Loop {
    plan: Arc<Plan>,
    config: RunConfig,
    frame: Frame,
    tasks: Vec<Task>,
    /// Empty between uses; kept for its room.
    due: Vec<(TaskKey, NodeIx)>,
    notes: Vec<TaskNote>,
    acts: VecDeque<Act>,
    /// How many of them a driver has taken so far.
    acts_taken: usize,
    /// Which act the last notes are in, counted from the first act ever.
    notes_at: usize,
    /// The present checkpoint; stored unless durability is exit or there is no saver.
    checkpoint: CheckpointId,
    /// What was loaded.
    loaded: Option<CheckpointId>,
    /// The checkpoint before the run's first step.
    origin: CheckpointId,
    /// Delta channels and how often they were updated; overwritten ones are left out.
    deltas: Vec<(ChannelIx, Option<u32>)>,
    /// The newest stored checkpoint: parent of the next record.
    head: Option<CheckpointId>,
    /// The parent of the present checkpoint.
    parent: Option<CheckpointId>,
    source: Source,
    step: i64,
    stop: i64,
    touched: Option<Vec<TriggerIx>>,
    changes: Vec<(ChannelIx, Change)>,
    must_snapshot: bool,
    latest: Latest,
    /// To be logged with the next checkpoint, which has its state.
    unlogged: Option<Box<Told>>,
    /// Tasks run again even if their result is stored.
    replaying: bool,
    /// What children are told about continuing.
    child_resuming: Option<bool>,
    child_replay: Option<Replay>,
    running: usize,
    /// A task that ended as the last one running may have no note yet.
    lacks_note: bool,
    failure: Option<Error>,
    parent_command: Option<Box<Command>>,
    seen_messages: HashSet<String>,
    stopped: bool,
}

impl Loop {
    /// The next thing to do.
    pub fn next_act(&mut self) -> Option<Act> {
        let act = self.acts.pop_front()?;
        self.acts_taken += 1;
        Some(act)
    }

    /// Has notes of the present step stored: with others that wait to be, if there are any.
    fn put_notes(&mut self, notes: Vec<TaskNote>) {
        let waiting = self.notes_at.checked_sub(self.acts_taken);
        let waiting = waiting.and_then(|at| self.acts.get_mut(at));
        if let Some(Act::Note(checkpoint, others)) = waiting
            && *checkpoint == self.checkpoint
        {
            return others.extend(notes);
        }
        self.notes_at = self.acts_taken + self.acts.len();
        self.acts.push_back(Act::Note(self.checkpoint, notes));
    }

    /// The graph.
    pub fn plan(&self) -> &Arc<Plan> {
        &self.plan
    }

    /// The run's settings.
    pub fn config(&self) -> &RunConfig {
        &self.config
    }

    /// A task of the present step.
    pub fn task(&self, task: usize) -> Option<&Task> {
        self.tasks.get(task)
    }

    /// The state all tasks of the step read.
    pub fn frame(&self) -> &Frame {
        &self.frame
    }

    /// The present checkpoint.
    pub fn checkpoint(&self) -> CheckpointId {
        self.checkpoint
    }

    /// The checkpoint that what happens now belongs to: of this graph, or of those above it if
    /// nothing of it is stored.
    fn position(&self) -> Option<CheckpointId> {
        match self.config.saves {
            true => Some(self.checkpoint),
            false => self.config.nest.parents.values().max().copied(),
        }
    }

    /// The step window.
    pub fn window(&self) -> Window {
        Window {
            step: self.step,
            stop: self.stop,
        }
    }

    /// The namespace of a task.
    pub fn task_namespace(&self, task: usize) -> Namespace {
        let Some(task) = self.tasks.get(task) else {
            return Namespace::default();
        };
        match self.caller_of(task) {
            Some(caller) => caller.task(&task.name, self.task_id(task)),
            None => self
                .config
                .nest
                .namespace
                .task(&task.name, self.task_id(task)),
        }
    }

    /// The namespace of the task that called this one; other tasks stand in their graph's.
    pub fn caller_of(&self, task: &Task) -> Option<Namespace> {
        let TaskKey::Call(by, _) = &task.key else {
            return None;
        };
        let caller = self.tasks.iter().position(|caller| caller.key == **by)?;
        Some(self.task_namespace(caller))
    }

    fn caller(&self, task: &Task) -> Option<&Task> {
        let TaskKey::Call(by, _) = &task.key else {
            return None;
        };
        self.tasks.iter().find(|caller| caller.key == **by)
    }

    /// What graphs called by tasks of this step are told about continuing and replaying.
    pub fn child_flags(&self) -> (Option<bool>, Option<&Replay>) {
        (self.child_resuming, self.child_replay.as_ref())
    }

    /// The run's output: the last state it showed, if it showed any.
    pub fn output(&self) -> Option<Value> {
        match &self.latest {
            Latest::Never if !self.plan.is_typed() => None,
            Latest::Never => Some(self.plan.read(&*self.frame.board, self.output_keys())),
            Latest::OnBoard => Some(self.plan.read(&*self.frame.board, self.output_keys())),
            Latest::Kept(value) => Some(value.clone()),
        }
    }

    fn output_keys(&self) -> &Keys {
        self.config.output.as_ref().unwrap_or(&self.plan.output)
    }

    fn shown_keys(&self) -> &Keys {
        self.config
            .shown
            .as_ref()
            .unwrap_or_else(|| self.output_keys())
    }

    /// The saver wants the next record to hold every channel.
    pub fn snapshot_next(&mut self) {
        self.must_snapshot = true;
    }

    fn stop_with(&mut self, stop: Stop) {
        if self.stopped {
            return;
        }
        self.stopped = true;
        self.save_on_exit(&stop);
        let stop = match stop {
            Stop::Failed(error) => {
                let thread = self.config.thread.as_ref();
                Stop::Failed(error.at_step(self.step).at_thread(thread))
            }
            other => other,
        };
        self.acts.push_back(Act::Stop(stop));
    }

    /// Closes the present state as a checkpoint, and stores it unless that waits for the exit.
    fn put_checkpoint(&mut self, source: Source, tasks: Vec<TaskNote>) {
        // Without a saver nobody can name a checkpoint, and the step alone tells tasks apart.
        if self.config.saves {
            let parents = self.config.nest.parents.values().copied();
            self.checkpoint = self
                .config
                .ids
                .next(parents.max().max(Some(self.checkpoint)));
        }
        self.source = source;
        let stores = self.config.saves && self.config.durability != Durability::Exit;
        if stores {
            let record = self.record(tasks);
            self.parent = self.head;
            self.head = Some(self.checkpoint);
            self.log_with_checkpoint();
            self.acts.push_back(Act::Commit(Box::new(record)));
        }
        self.step += 1;
    }

    fn record(&mut self, tasks: Vec<TaskNote>) -> Record {
        let full = std::mem::take(&mut self.must_snapshot);
        let changes = std::mem::take(&mut self.changes);
        Record {
            id: self.checkpoint,
            parent: self.head,
            step: self.step,
            source: self.source,
            durability: self.config.durability,
            layout: self.plan.layout.clone(),
            changes: if full {
                self.frame.all_changes(&self.plan)
            } else {
                changes
            },
            full,
            pending: self.pending(),
            touched: self.touched.clone(),
            last_ran: self.frame.last_ran.clone(),
            last_seen: self.frame.last_seen,
            clock: self.frame.clock,
            paused_at: self.frame.paused_at,
            parents: self.config.nest.parents.clone(),
            tasks,
        }
    }

    fn pending(&self) -> Pending {
        let mut pending = self.frame.control.pending(&self.plan, self.frame.clock);
        if !self.plan.untracked.is_empty() {
            for send in Arc::make_mut(&mut pending.sends) {
                self.plan.forget_untracked(send);
            }
        }
        pending
    }

    /// Durability `exit`: one record for the whole run, and what its open tasks did.
    fn save_on_exit(&mut self, stop: &Stop) {
        let quiet = matches!(stop, Stop::Done);
        let nest = &self.config.nest;
        let skip = nest.nested && quiet && nest.namespace.is_per_task();
        let exits = self.config.durability == Durability::Exit && self.config.saves;
        if !exits || skip || self.frame.torn {
            return;
        }
        if self.head != Some(self.checkpoint) {
            self.put_anchor();
        }
        let record = self.store_so_far();
        self.acts.extend(record);
        if self.takes_resume() && self.config.fidelity == Fidelity::LangGraph {
            self.notes.iter_mut().for_each(|note| note.resume = None);
        }
        let fresh = self.tasks.iter().filter_map(Task::unsaved_note);
        let input = self
            .notes
            .iter()
            .filter(|note| note.key == TaskKey::Input)
            .cloned();
        let keeps_all = self.config.fidelity == Fidelity::LangGraph;
        let stored = |note| if keeps_all { note } else { self.storable(note) };
        let notes: Vec<TaskNote> = input.chain(fresh).map(stored).collect();
        if !notes.is_empty() {
            self.acts.push_back(Act::Note(self.checkpoint, notes));
        }
    }
    /// A record of the present checkpoint, unless it is stored already.
    fn store_so_far(&mut self) -> Option<Act> {
        if self.head == Some(self.checkpoint) {
            return None;
        }
        self.step -= 1;
        self.must_snapshot = true;
        let record = self.record(Vec::new());
        self.step += 1;
        self.parent = self.head;
        self.head = Some(self.checkpoint);
        Some(Act::Commit(Box::new(record)))
    }

    /// A delta channel that was updated less often than it is snapshot needs a checkpoint to
    /// stand on, so a first run that is stored at its end leaves one that is empty.
    fn put_anchor(&mut self) {
        let plan = self.plan.clone();
        let hangs = |(channel, updates): &(ChannelIx, Option<u32>)| {
            let every = plan.delta_every(*channel);
            every
                .zip(*updates)
                .is_some_and(|(every, updates)| updates < every)
        };
        if self.loaded.is_some() || !self.deltas.iter().any(hangs) {
            return;
        }
        let record = Record {
            id: self.origin,
            parent: None,
            step: -2,
            source: Source::Anchor,
            durability: self.config.durability,
            layout: plan.layout.clone(),
            changes: Vec::new(),
            full: true,
            pending: Pending::default(),
            touched: None,
            last_ran: Vec::new(),
            last_seen: 0,
            clock: 0,
            paused_at: 0,
            parents: self.config.nest.parents.clone(),
            tasks: Vec::new(),
        };
        self.head = Some(self.origin);
        self.acts.push_back(Act::Commit(Box::new(record)));
    }

    /// Counts updates of delta channels, for [`Loop::put_anchor`].
    fn count_deltas(&mut self, written: &[ChannelIx]) {
        if self.config.durability != Durability::Exit || self.loaded.is_some() {
            return;
        }
        for channel in written
            .iter()
            .filter(|channel| self.plan.delta_every(**channel).is_some())
        {
            let over = self
                .tasks
                .iter()
                .filter_map(Task::writes)
                .flatten()
                .any(|write| {
                    matches!(write, Write::State(to, value) if to == channel
                    && crate::channel::overwrite(value).is_some())
                });
            match self.deltas.iter_mut().find(|(known, _)| known == channel) {
                Some((_, updates)) => *updates = updates.filter(|_| !over).map(|n| n + 1),
                None => self.deltas.push((*channel, (!over).then_some(1))),
            }
        }
    }

    /// A note without what must not be stored.
    fn storable(&self, mut note: TaskNote) -> TaskNote {
        if self.plan.untracked.is_empty() {
            return note;
        }
        if let Some(output) = &mut note.output {
            output.retain(|write| match write {
                Write::State(channel, _) => !self.plan.untracked.contains(channel),
                _ => true,
            });
            for write in output {
                if let Write::Send(send) = write {
                    self.plan.forget_untracked(send);
                }
            }
        }
        note
    }
}
