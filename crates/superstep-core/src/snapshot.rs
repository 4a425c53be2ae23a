//! A thread as a person sees it: values, what runs next, tasks with results and open questions.

use std::{collections::HashMap, sync::Arc};

use serde::{Deserialize, Serialize};

use crate::{
    ask::Ask,
    channel_state::Recording,
    checkpoint::{CheckpointRef, Parents},
    clock::UnixMillis,
    error::ErrorKind,
    graph_state::{Applying, restore::Restored},
    id::{CheckpointId, GraphPath, RunId, TaskId, ThreadId},
    plan::{Keys, Persist, Plan},
    policy::Durability,
    record::{Record, Source, StoredError, TaskKey, TaskNote, Write},
    table::NodeIx,
    value::{Map, Value},
};

/// The state of a graph at a checkpoint.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Snapshot {
    /// The thread.
    pub thread: Option<ThreadId>,
    /// The graph within it.
    pub namespace: GraphPath,
    /// The checkpoint; nothing on a thread that never ran.
    pub checkpoint: Option<CheckpointId>,
    /// The checkpoint it follows.
    pub parent: Option<CheckpointId>,
    /// Checkpoints of the graphs above.
    pub parents: Parents,
    /// The channels.
    pub values: Value,
    /// Nodes that have not finished.
    pub next: Vec<Arc<str>>,
    /// All tasks of the step.
    pub tasks: Vec<TaskView>,
    /// Where the checkpoint comes from, and its step.
    pub origin: Option<(Source, i64)>,
    /// How durable the run that wrote it was.
    pub durability: Option<Durability>,
    /// Nodes that were about to run and that the graph no longer has: the thread cannot be continued
    /// as it is.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lost: Vec<Arc<str>>,
    /// When the checkpoint was made, if its id says so: ids of the system's clock do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created: Option<UnixMillis>,
    /// The run that made it, in a history of the thread's own graph; an edit has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<RunId>,
    /// The metadata of that run.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub metadata: Value,
}

impl From<&Snapshot> for CheckpointRef {
    fn from(snapshot: &Snapshot) -> Self {
        Self {
            namespace: snapshot.namespace.clone(),
            id: snapshot.checkpoint,
            parents: snapshot.parents.clone(),
            repeats: false,
        }
    }
}

/// A task in a snapshot.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TaskView {
    /// The task.
    pub id: TaskId,
    /// Its node.
    pub name: Arc<str>,
    /// Its error.
    pub error: Option<StoredError>,
    /// Its questions.
    pub asks: Vec<Ask>,
    /// What it wrote, once it finished.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "crate::value::json::some"
    )]
    pub result: Option<Value>,
    /// The state of the subgraph it runs.
    pub state: Option<SubState>,
}

/// The state of a subgraph in a snapshot.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum SubState {
    /// Where to look.
    At(GraphPath),
    /// What is there.
    Snapshot(Box<Snapshot>),
}

/// Whether a snapshot shows the present or the record of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    /// Finished tasks count, answered questions are gone.
    Live,
    /// The same, with the questions that LangGraph shows.
    LiveAsLangGraph,
    /// The start of the step, with all that its tasks did later.
    Record,
}

impl View {
    fn asks(self, note: &TaskNote) -> Vec<Ask> {
        match self {
            Self::Live => note.open_asks().cloned().collect(),
            Self::LiveAsLangGraph => note.listed_asks().cloned().collect(),
            Self::Record => note.extras.asks.clone(),
        }
    }
}

impl Snapshot {
    /// A thread that never ran.
    pub fn empty(thread: Option<ThreadId>, namespace: GraphPath) -> Self {
        Self {
            thread,
            namespace,
            checkpoint: None,
            parent: None,
            parents: Parents::default(),
            values: Value::map::<Arc<str>>([]),
            next: Vec::new(),
            tasks: Vec::new(),
            origin: None,
            durability: None,
            lost: Vec::new(),
            created: None,
            run: None,
            metadata: Value::Null,
        }
    }

    /// All open questions.
    pub fn asks(&self) -> impl Iterator<Item = &Ask> {
        self.tasks.iter().flat_map(|task| &task.asks)
    }

    /// Reads a stored checkpoint.
    pub fn of(
        plan: &Plan,
        thread: &ThreadId,
        namespace: &GraphPath,
        head: &Record,
        restored: Restored,
        view: View,
    ) -> Result<Self, ErrorKind> {
        let Restored {
            mut state,
            notes,
            lost,
            ..
        } = restored;
        let due = state.due(plan, None);
        let notes: HashMap<&TaskKey, &TaskNote> = notes.iter().map(|n| (&n.key, n)).collect();
        if let Some(writes) = notes
            .get(&TaskKey::Input)
            .and_then(|note| note.output.as_ref())
        {
            state.apply(plan, &mut [Applying::input(writes)], Recording::Off)?;
        }
        let output = |key: &TaskKey| notes.get(key).and_then(|note| note.output.as_ref());
        let mut finished: Vec<Applying<'_>> = Vec::new();
        if view != View::Record {
            for (key, node) in &due {
                let Some(writes) = output(key) else { continue };
                finished.push(Applying::task(plan, key, *node, writes));
            }
        }
        if !finished.is_empty() {
            let before = state.clone();
            match state.apply(plan, &mut finished, Recording::Off) {
                // Writes that do not fit together fail the run, not those who look at the thread.
                Err(_) => state = before,
                Ok(_) => {
                    if let Some(channels) = state.channels_mut() {
                        // The open step is shown as if it were over, and what lasts one step with
                        // it.
                        for channel in &plan.volatile {
                            channels.pass(*channel);
                        }
                    }
                }
            }
        }
        let places = Places {
            plan,
            namespace,
            checkpoint: head.id,
            step: head.step + 1,
        };
        let tasks = due.iter().map(|(key, node)| {
            let mut shown = places.view(key, *node, notes.get(key).copied(), view);
            // What the handler of a failed task asks is asked for that task.
            let handler = TaskKey::Handler(Box::new(key.clone()));
            if let Some(note) = notes.get(&handler).filter(|_| view != View::Record) {
                shown.asks.append(&mut view.asks(note));
            }
            shown
        });
        let open = |key: &TaskKey| view == View::Record || output(key).is_none();
        Ok(Self {
            thread: Some(thread.clone()),
            namespace: namespace.clone(),
            checkpoint: Some(head.id),
            parent: head.parent,
            parents: head.parents.clone(),
            values: plan.read(&*state.channels, &plan.shown),
            tasks: tasks.collect(),
            next: due
                .iter()
                .filter(|(key, _)| open(key))
                .map(|(_, node)| plan.nodes.row(*node).name.clone())
                .collect(),
            origin: Some((head.source, head.step)),
            durability: Some(head.durability),
            lost,
            created: None,
            run: None,
            metadata: Value::Null,
        })
    }
}

/// The places of the tasks of one checkpoint.
pub(crate) struct Places<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) namespace: &'a GraphPath,
    pub(crate) checkpoint: CheckpointId,
    pub(crate) step: i64,
}

/// The end of the path of a node that was triggered.
const NODE: &str = "/node";

impl Places<'_> {
    pub(crate) fn id(&self, key: &TaskKey, node: &str) -> TaskId {
        let path;
        let parts = match key {
            // Of most tasks, and made for each graph that a task runs.
            TaskKey::Node(_) => [node, NODE],
            _ => {
                path = self.path(key, node);
                [&*path, ""]
            }
        };
        TaskId::of_parts(self.checkpoint, self.namespace, self.step, parts)
    }

    fn path(&self, key: &TaskKey, node: &str) -> String {
        match key {
            TaskKey::Input => "input".into(),
            TaskKey::Node(_) => [node, NODE].concat(),
            TaskKey::Send(n) => format!("{node}/send/{n}"),
            TaskKey::Handler(of) => format!("{node}/handles/{}", self.owner_path(of)),
            TaskKey::Call(by, n) => format!("{node}/call/{n}/{}", self.owner_path(by)),
        }
    }

    fn owner_path(&self, key: &TaskKey) -> String {
        let name = match key {
            TaskKey::Node(node) => &*self.plan.nodes.row(*node).name,
            _ => "",
        };
        self.path(key, name)
    }

    pub(crate) fn view(
        &self,
        key: &TaskKey,
        node: NodeIx,
        note: Option<&TaskNote>,
        view: View,
    ) -> TaskView {
        let spec = self.plan.nodes.row(node);
        let id = self.id(key, &spec.name);
        let stored = spec.subgraph.is_some_and(|persist| persist != Persist::Off);
        TaskView {
            id,
            name: spec.name.clone(),
            error: note.and_then(|note| note.extras.error.as_deref().cloned()),
            asks: note.map(|note| view.asks(note)).unwrap_or_default(),
            result: note
                .and_then(|note| note.output.as_ref())
                .map(|writes| result_of(self.plan, &self.plan.shown, writes)),
            state: stored.then(|| SubState::At(self.namespace.task(&spec.name, id))),
        }
    }
}

/// A task's writes as one object; a channel written several times shows all writes.
pub(crate) fn result_of(plan: &Plan, keys: &Keys, writes: &[Write]) -> Value {
    let mut found = Map::new();
    for write in writes {
        match write {
            Write::Return(value) => return value.clone(),
            Write::State(channel, value) if keys.contains(*channel) => {
                let name = &plan.channels.row(*channel).name;
                let merged = match found.remove(name) {
                    None => value.clone(),
                    Some(earlier) => both(earlier, value.clone()),
                };
                found.insert(name.clone(), merged);
            }
            _ => {}
        }
    }
    match keys {
        Keys::One(channel) => found
            .remove(&plan.channels.row(*channel).name)
            .unwrap_or_default(),
        Keys::Many(_) => Value::Map(Arc::new(found)),
    }
}

fn both(earlier: Value, later: Value) -> Value {
    let mut list = match earlier.get("$writes").and_then(Value::as_list) {
        Some(list) if earlier.as_map().is_some_and(|map| map.len() == 1) => list.to_vec(),
        _ => vec![earlier],
    };
    list.push(later);
    Value::map([("$writes", Value::list(list))])
}
