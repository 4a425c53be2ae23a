//! What a running task can see and do: read state, ask, emit, run effects, call tasks and graphs.

mod ask;
mod call;
mod cancelled;
mod effect;
mod heartbeat;
mod history;
mod progress;
mod run_info;
mod sleep;
mod task_body;

use std::sync::{Arc, Mutex, MutexGuard};

use superstep_core::{
    caller::Caller,
    channel_state::ChannelState,
    error::ErrorKind,
    event::{Event, EventKind, LoggedEvent},
    id::{GraphPath, RunId, TaskId, ThreadId},
    plan::ReadKey,
    record::{StoredError, TaskKey},
    run::{
        Halt, ParentContext, TaskInput,
        task::{input_value, task_id},
    },
    table::NodeIx,
    value::Value,
};

use crate::store::Store;
use superstep_core::sync::lock;

pub use call::{CallTask, Calling};
pub(crate) use cancelled::RunsInside;
pub(crate) use effect::Unknown;
pub(crate) use heartbeat::Heartbeat;
pub(crate) use progress::{Journal, TaskAnswers, TaskProgress};
pub(crate) use run_info::{Above, Attempt, Request, RunInfo, StepInfo};
pub use task_body::TaskBody;
pub(crate) use task_body::call_body;

pub(crate) struct CtxInner {
    pub(crate) step: StepInfo,
    pub(crate) task: Attempt,
    pub(crate) node: NodeIx,
    pub(crate) name: Arc<str>,
    pub(crate) key: TaskKey,
    /// The namespace a called task is in; others are in their graph's.
    pub(crate) home: Option<GraphPath>,
    pub(crate) input: TaskInput,
    pub(crate) attempt: u32,
    pub(crate) progress: Mutex<TaskProgress>,
    pub(crate) heartbeat: Option<Heartbeat>,
}

/// The context of one running task; cheap to clone.
///
/// ```
/// use superstep_core::{Value, run::Halt};
/// use superstep_engine::DynCtx;
///
/// async fn double(ctx: DynCtx) -> Result<Value, Halt> {
///     let n = ctx.get("n").as_i64().unwrap_or_default();
///     Ok(Value::map([("n", Value::from(n * 2))]))
/// }
/// ```
#[derive(Clone)]
pub struct DynCtx(pub(crate) Arc<CtxInner>);

impl DynCtx {
    /// What the task gets: the state as its node reads it, or a send's argument.
    pub fn input(&self) -> Value {
        let step = &self.0.step;
        input_value(
            &step.plan, &*step.channels, step.window, self.0.node, &self.0.input,
        )
    }

    /// One key of what the task gets.
    pub fn get(&self, key: &str) -> Value {
        match &self.0.input {
            TaskInput::State => {
                let step = &self.0.step;
                let found = step.plan.nodes.row(self.0.node).reads.key(&step.plan, key);
                match found {
                    Some(ReadKey::Channel(channel)) => {
                        step.channels.get(*channel).unwrap_or_default()
                    }
                    Some(ReadKey::Managed(_, managed)) => step.window.managed(*managed),
                    None => Value::Null,
                }
            }
            _ => self.input().get(key).cloned().unwrap_or_default(),
        }
    }

    /// One key of what the task gets, as a Rust value.
    pub fn read<T: serde::de::DeserializeOwned>(&self, key: &str) -> Result<T, Halt> {
        serde_json::from_value(self.get(key).to_json()).map_err(|error| {
            let what = format!("key `{key}`");
            let why = error.to_string();
            ErrorKind::Decode { what, why }.into()
        })
    }

    /// The arguments of a called task.
    pub fn args(&self) -> &[Value] {
        match &self.0.input {
            TaskInput::Call(args) => args,
            _ => &[],
        }
    }

    /// In an error handler: the node that failed and its error.
    pub fn error(&self) -> Option<(&Arc<str>, &StoredError)> {
        match &self.0.input {
            TaskInput::Failed(_, error, node) => Some((node, error)),
            _ => None,
        }
    }

    /// The state when the step began.
    pub fn channels(&self) -> &Arc<dyn ChannelState> {
        &self.0.step.channels
    }

    /// What an entrypoint saved in the run before.
    pub fn previous(&self) -> Value {
        let step = &self.0.step;
        step.plan
            .previous
            .and_then(|ix| step.channels.get(ix))
            .unwrap_or_default()
    }

    /// The context of the run. Behind a server the client sends it: it names nobody. See
    /// [`DynCtx::caller`].
    pub fn context(&self) -> &Value {
        &self.0.step.env.context
    }

    /// The caller of the run, whom the program that started it has authenticated.
    pub fn caller(&self) -> &Caller {
        &self.0.step.env.caller
    }

    /// The node's name.
    pub fn node(&self) -> &Arc<str> {
        &self.0.name
    }

    /// The thread, if the run has one.
    pub fn thread(&self) -> Option<&ThreadId> {
        self.0.step.env.thread.as_ref()
    }

    /// The run, if it is recorded: a graph with a saver records all its runs.
    pub fn run_id(&self) -> Option<RunId> {
        self.0.step.env.run
    }

    /// The step.
    pub fn step(&self) -> i64 {
        self.0.step.window.step
    }

    /// Which attempt this is, from 1.
    pub fn attempt(&self) -> u32 {
        self.0.attempt
    }

    /// The task's id: equal on every attempt, after a crash too.
    pub fn task_id(&self) -> TaskId {
        let CtxInner {
            step, key, name, ..
        } = &*self.0;
        task_id(
            &step.plan, &step.namespace, step.checkpoint, step.window.step, key, name,
        )
    }

    /// The long-term store.
    pub fn store(&self) -> Option<&Arc<dyn Store>> {
        self.beat_if_auto();
        self.0.step.env.store.as_ref()
    }

    fn home(&self) -> &GraphPath {
        self.0.home.as_ref().unwrap_or(&self.0.step.namespace)
    }

    fn namespace(&self) -> GraphPath {
        self.home().task(&self.0.name, self.task_id())
    }

    /// The progress of the attempt, while it runs.
    fn progress(&self) -> Result<MutexGuard<'_, TaskProgress>, Halt> {
        let progress = lock(&self.0.progress);
        match progress.ended {
            true => Err(ErrorKind::TaskEnded.into()),
            false => Ok(progress),
        }
    }

    /// Whether the attempt still runs; an error if it has ended.
    pub(crate) fn alive(&self) -> Result<(), Halt> {
        self.progress().map(drop)
    }

    /// Passes data to readers of the run's `custom` events.
    pub async fn emit(&self, data: impl Into<Value>) {
        self.beat_if_auto();
        self.emit_event(EventKind::Custom(data.into())).await;
    }

    /// Passes a message, or a piece of one, to readers of `messages` events.
    pub async fn emit_message(&self, message: Value) {
        self.beat_if_auto();
        if let Some(id) = superstep_core::message::id(&message) {
            let mut progress = lock(&self.0.progress);
            // Pieces of one message come one after the other; its id is kept once.
            if progress.streamed.last().is_none_or(|last| last != id) {
                progress.streamed.push(id.to_owned());
            }
        }
        let node = self.0.name.clone();
        self.emit_event(EventKind::Message { message, node }).await;
    }

    pub(crate) async fn emit_event(&self, kind: EventKind) {
        let step = &self.0.step;
        let shows = step.env.reads(step.nested, kind.mode());
        let log = step.env.log.as_ref();
        let log = log.filter(|log| log.modes.has(kind.mode()));
        // What outlives its task is not heard.
        if !shows && log.is_none() || self.alive().is_err() {
            return;
        }
        let event = Event {
            namespace: self.home().clone(),
            step: step.window.step,
            kind,
        };
        if let Some(log) = log {
            let logged = LoggedEvent {
                event: event.clone(),
                below: step.nested,
                state: None,
            };
            // A graph that is not stored has no checkpoint to belong to but those above it.
            let above = step.parents.values().max().copied();
            let checkpoint = match step.env.saver {
                Some(_) => Some(step.checkpoint),
                None => above,
            };
            log.emit(logged, checkpoint).await;
        }
        if shows && let Some(slow) = step.env.emit(event) {
            slow.await;
        }
    }

    /// Asks the run to stop after this step.
    pub fn drain(&self, reason: impl Into<String>) {
        self.0.step.env.drain.request(reason);
    }

    /// What the next graph of this task gets.
    pub(crate) fn child_context(&self) -> ChildContext {
        let step = &self.0.step;
        let (graph, continues) = {
            let mut progress = lock(&self.0.progress);
            let graph = progress.graphs;
            progress.graphs += 1;
            (graph, graph < progress.begun_graphs)
        };
        let mut parents = step.parents.clone();
        if step.env.saver.is_some() {
            Arc::make_mut(&mut parents).insert(step.namespace.clone(), step.checkpoint);
        }
        let (resuming, replay) = match continues {
            true => (Some(true), None),
            false => (step.resuming, step.replay.clone()),
        };
        ChildContext {
            graph,
            continues,
            parent: ParentContext {
                namespace: self.namespace().call(graph),
                nested: true,
                resuming,
                replay,
                parents,
                answers: step.answers.clone(),
            },
        }
    }
}

/// What a graph gets from the task that runs it.
pub(crate) struct ChildContext {
    /// Which graph of the task it is.
    pub(crate) graph: u32,
    /// An earlier attempt of the task ran it: it continues where it is.
    pub(crate) continues: bool,
    pub(crate) parent: ParentContext,
}
