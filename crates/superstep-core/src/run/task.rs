//! A task of the present step: which node, with what, and how far it is.

use std::sync::Arc;

use super::Loop;
use crate::{
    channel_state::ChannelState,
    clock::UnixMillis,
    id::{CheckpointId, GraphPath, TaskId},
    plan::{Plan, ReadKey, Reads, route::Window},
    policy::{CachePolicy, RetryPolicy, Timeouts},
    record::{StartValue, StoredError, TaskKey, TaskNote, Write},
    snapshot::Places,
    table::NodeIx,
    value::Value,
};

/// What a task gets.
#[derive(Clone, Debug)]
pub enum TaskInput {
    /// The state, as far as the node reads it.
    State,
    /// The input of the run.
    Start(StartValue),
    /// Its own argument, from a send.
    Arg(Value),
    /// Arguments of a called task.
    Call(Vec<Value>),
    /// The input of the failed task it handles, and the error.
    Failed(Box<TaskInput>, Box<StoredError>, Arc<str>),
}

/// How far a task is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// Not started.
    Ready,
    /// Started.
    Running,
    /// Finished; its writes are known.
    Finished,
    /// Stopped without a result: asked, failed, handed to a handler, or for the parent.
    Halted,
}

/// The time that a suspended task waits for at most.
pub(crate) type Until = Option<UnixMillis>;

/// A task of the present step.
#[derive(Clone, Debug)]
pub struct Task {
    /// Which one.
    pub key: TaskKey,
    /// Its node; the calling node for a called task.
    pub node: NodeIx,
    /// Its name.
    pub name: Arc<str>,
    /// What it gets.
    pub input: TaskInput,
    /// Retries.
    pub retry: Vec<RetryPolicy>,
    /// Result cache.
    pub cache: Option<CachePolicy>,
    /// Limits.
    pub timeouts: Timeouts,
    /// Failed attempts so far.
    pub failures: u32,
    /// What is known of it.
    pub note: TaskNote,
    pub(crate) phase: Phase,
    /// What it waits for, if it ended so.
    pub(crate) suspended: Option<Until>,
    /// Its last attempt used an answer.
    pub(crate) answered: bool,
    /// The note is not stored.
    pub(crate) unsaved: bool,
}

impl Task {
    pub(crate) fn new(plan: &Plan, key: TaskKey, node: NodeIx, input: TaskInput) -> Self {
        let spec = plan.nodes.row(node);
        Self {
            note: TaskNote::new(key.clone()),
            key,
            node,
            name: spec.name.clone(),
            input,
            retry: spec.retry.clone(),
            cache: spec.cache.clone(),
            timeouts: spec.timeouts,
            failures: 0,
            phase: Phase::Ready,
            suspended: None,
            answered: false,
            unsaved: false,
        }
    }

    /// Its writes, once it finished.
    pub fn writes(&self) -> Option<&[Write]> {
        self.note
            .output
            .as_deref()
            .filter(|_| self.phase == Phase::Finished)
    }

    /// Whether a called task finished, and with what.
    pub fn returned(&self) -> Option<Value> {
        self.writes()?.iter().find_map(|write| match write {
            Write::Return(value) => Some(value.clone()),
            _ => None,
        })
    }

    /// Whether it has been started and not ended.
    pub fn is_running(&self) -> bool {
        self.phase == Phase::Running
    }

    pub(crate) fn is_call(&self) -> bool {
        matches!(self.key, TaskKey::Call(..))
    }

    pub(crate) fn unsaved_note(&self) -> Option<TaskNote> {
        self.unsaved.then(|| self.note.clone())
    }
}

impl Loop {
    /// The id of a task.
    pub fn task_id(&self, task: &Task) -> TaskId {
        let namespace = &self.config.parent.namespace;
        task_id(
            &self.plan, namespace, self.position.checkpoint, self.position.step, &task.key,
            &task.name,
        )
    }

    /// What a task gets, as one value.
    pub fn input_value(&self, task: &Task) -> Value {
        input_value(
            &self.plan,
            &*self.state.channels,
            self.window(),
            task.node,
            &task.input,
        )
    }

    /// The namespace of a task.
    pub fn task_namespace(&self, task: usize) -> GraphPath {
        let Some(task) = self.tasks.get(task) else {
            return GraphPath::default();
        };
        match self.caller_of(task) {
            Some(caller) => caller.task(&task.name, self.task_id(task)),
            None => self
                .config
                .parent
                .namespace
                .task(&task.name, self.task_id(task)),
        }
    }
}

/// The id of a task of a step that started from `checkpoint`.
pub fn task_id(
    plan: &Plan,
    namespace: &GraphPath,
    checkpoint: CheckpointId,
    step: i64,
    key: &TaskKey,
    name: &str,
) -> TaskId {
    Places {
        plan,
        namespace,
        checkpoint,
        step,
    }
    .id(key, name)
}

/// What a node gets, as one value.
pub fn input_value(
    plan: &Plan,
    channels: &dyn ChannelState,
    window: Window,
    node: NodeIx,
    input: &TaskInput,
) -> Value {
    match input {
        TaskInput::Arg(value) | TaskInput::Start(StartValue::Input(value)) => value.clone(),
        TaskInput::Start(StartValue::Command(_)) => Value::Null,
        TaskInput::Call(args) => Value::list(args.iter().cloned()),
        // A handler reads what the node reads that it handles.
        TaskInput::Failed(inner, _, failed) => {
            let node = plan.node(failed).unwrap_or(node);
            input_value(plan, channels, window, node, inner)
        }
        TaskInput::State => match &plan.nodes.row(node).reads {
            Reads::Input => Value::Null,
            Reads::Root(root) => channels.get(*root).unwrap_or_default(),
            Reads::Keys(keys) => {
                if let Some(whole) = channels.whole() {
                    return whole;
                }
                let mut present = Vec::with_capacity(keys.len());
                present.extend(keys.iter().filter_map(|key| match key {
                    ReadKey::Channel(channel) => Some((
                        plan.channels.row(*channel).name.clone(),
                        channels.get(*channel)?,
                    )),
                    ReadKey::Managed(name, managed) => {
                        Some((name.clone(), window.managed(*managed)))
                    }
                }));
                Value::map(present)
            }
        },
    }
}
