//! The run loop as a pure state machine: no I/O, no clock, no threads.
//!
//! A driver starts a [`Loop`], takes its [`Act`]s in order and does what they say: run a task, wait
//! before a retry, store a record, pass an event on, stop. It feeds back what tasks did
//! ([`Loop::done`]). The tokio driver in `superstep-engine` is one; a seeded simulation is another.
//!
//! From the input to the next step: [`begin`] starts a run on a thread, `step` finds the tasks that
//! are due and starts them, `complete` takes their results and, once no task runs, applies all
//! writes, `store` puts the step into a record, `emit` builds the events of all that. [`task`] is one
//! task of a step, `call` a task that another one calls.

mod act;
pub mod begin;
mod buffers;
mod call;
mod complete;
mod config;
mod effect;
mod emit;
mod fidelity;
mod logged;
mod messages;
mod result;
mod step;
mod store;
pub mod task;

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use act::Acts;
pub use act::{Act, Stop, Wait};
pub use begin::{Begin, RunInput, StartingPoint};
pub use buffers::Buffers;
use call::CallsOf;
pub use call::{CallSpec, Called};
pub use config::{Drain, ParentContext, Replay, RunConfig};
pub use effect::EffectError;
pub use fidelity::Fidelity;
pub use result::{Done, Halt, Suspension};
pub use task::{Task, TaskInput};

use crate::{
    command::Command,
    error::Error,
    event::LoggedEvent,
    graph_state::GraphState,
    id::CheckpointId,
    plan::{Keys, Plan, route::Window},
    record::{Change, Layout, Source, TaskKey, TaskNote},
    table::{ChannelIx, NodeIx, TriggerIx},
    value::Value,
};

/// A run of one graph.
pub struct Loop {
    plan: Arc<Plan>,
    config: RunConfig,
    /// The state that all tasks of the step read.
    state: GraphState,
    position: Position,
    schedule: Schedule,
    /// The tasks of the present step.
    tasks: Vec<Task>,
    /// What is known of them from earlier runs, and what came with the input.
    notes: Vec<TaskNote>,
    progress: Progress,
    unstored: Unstored,
    children: Children,
    shown: ReaderView,
    acts: Acts,
    stopped: bool,
    /// The names behind the ids of the checkpoint that was loaded, if another program has made it.
    stored_as: Option<Arc<Layout>>,
}

/// Where in the thread's history the run is.
struct Position {
    /// The present checkpoint; stored unless durability is exit or there is no saver.
    checkpoint: CheckpointId,
    /// The checkpoint that was loaded.
    loaded: Option<CheckpointId>,
    /// The checkpoint before the run's first step.
    origin: CheckpointId,
    /// The newest stored checkpoint: parent of the next record.
    head: Option<CheckpointId>,
    /// The parent of the present checkpoint.
    parent: Option<CheckpointId>,
    /// What made the present checkpoint.
    source: Source,
    /// The present step.
    step: i64,
    /// The last step the limit allows.
    stop: i64,
}

/// What decides which tasks are due.
#[derive(Default)]
struct Schedule {
    /// Triggers the last step touched, when known.
    touched: Option<Vec<TriggerIx>>,
    /// Empty between uses; kept for its room.
    due: Vec<(TaskKey, NodeIx)>,
}

/// How far the tasks of the present step are.
#[derive(Default)]
struct Progress {
    /// How many run.
    running: usize,
    /// The first failure that no handler took.
    failure: Option<Box<Error>>,
    /// A command of a task for the graph above.
    parent_command: Option<Box<Command>>,
    /// Tasks run again even if their result is stored.
    replaying: bool,
    /// The calls of the present attempts, by task.
    calls: HashMap<TaskKey, CallsOf>,
}

/// What is not in a record yet.
#[derive(Default)]
struct Unstored {
    /// Channels that changed.
    changes: Vec<(ChannelIx, Change)>,
    /// The next record has to hold every channel.
    must_snapshot: bool,
    /// Delta channels and how often they were updated; overwritten ones are left out.
    deltas: Vec<(ChannelIx, Option<u32>)>,
    /// A task that ended as the last one running may have no note yet.
    lacks_note: bool,
    /// To be logged with the next checkpoint, which has its state.
    unlogged: Option<Box<LoggedEvent>>,
}

impl Unstored {
    /// Adds changes. Records are kept, so they take no more room than they need.
    fn add(&mut self, changes: &mut Vec<(ChannelIx, Change)>) {
        self.changes.reserve_exact(changes.len());
        self.changes.append(changes);
    }
}

/// What graphs that tasks of the step run inherit.
#[derive(Default)]
struct Children {
    /// Whether they resume.
    resuming: Option<bool>,
    /// The older checkpoint that is replayed.
    replay: Option<Replay>,
}

/// What readers of the run have seen.
#[derive(Default)]
struct ReaderView {
    latest: Latest,
    /// If they read messages and have seen any.
    seen: Option<Box<SeenMessages>>,
}

/// Messages that readers of the run have seen, by id.
#[derive(Default)]
struct SeenMessages {
    own: HashSet<String>,
    /// Only readers who also see the graphs below have seen them.
    below: HashSet<String>,
}

/// Whether and how the last `values` event would look, without building it.
#[derive(Clone, Debug, Default)]
enum Latest {
    /// There was none.
    #[default]
    Never,
    /// The channels still show it.
    Current,
    /// Kept, since channels may clear by themselves.
    Kept(Value),
}

impl Loop {
    /// The next thing to do.
    pub fn next_act(&mut self) -> Option<Act> {
        let act = self.acts.next()?;
        if self.stored_as.is_none() {
            return Some(act);
        }
        Some(self.as_stored(act))
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
    pub fn state(&self) -> &GraphState {
        &self.state
    }

    /// The present checkpoint.
    pub fn checkpoint(&self) -> CheckpointId {
        self.position.checkpoint
    }

    /// The step window.
    pub fn window(&self) -> Window {
        Window {
            step: self.position.step,
            stop: self.position.stop,
        }
    }

    /// What graphs called by tasks of this step inherit: whether they resume, and what is replayed.
    pub fn child_flags(&self) -> (Option<bool>, Option<&Replay>) {
        (self.children.resuming, self.children.replay.as_ref())
    }

    /// The run's output: the last state it showed, if it showed any.
    pub fn output(&self) -> Option<Value> {
        match &self.shown.latest {
            Latest::Never if !self.plan.is_typed() => None,
            Latest::Never => Some(self.plan.read(&*self.state.channels, self.output_keys())),
            Latest::Current => Some(self.plan.read(&*self.state.channels, self.output_keys())),
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
        self.unstored.must_snapshot = true;
    }

    /// Stops the run while tasks of its step may still run: what finished ones did is stored, and
    /// the others run again when the thread resumes. Nothing they do is taken from now on.
    pub fn halt(&mut self, error: Error) {
        if self.stopped {
            return;
        }
        self.save_unsaved_notes();
        self.stop_with(Stop::Failed(error));
    }

    /// Whether the run is over, as far as the loop decides it.
    pub fn has_stopped(&self) -> bool {
        self.stopped
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
                Stop::Failed(error.at_step(self.position.step).at_thread(thread))
            }
            other => other,
        };
        self.acts.push(Act::Stop(stop));
    }
}
