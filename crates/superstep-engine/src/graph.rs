//! A graph that can be run: a plan, its functions, and the backends it runs on.

use std::{collections::BTreeMap, sync::Arc};

use superstep_core::{
    checkpoint::Loaded,
    clock::Clock,
    error::{Error, ErrorKind, Failure},
    graph_state::{GraphState, migrate::Migrations},
    id::{GraphPath, IdSource},
    plan::{Persist, Plan},
    record::{ReadEffects, Record},
    run::StartingPoint,
    saver::Saver,
    snapshot::{Snapshot, SubState, TaskView},
    table::{NodeIx, Table},
    value::Value,
};

use crate::{
    buffer_pool::BufferPool,
    cache::Cache,
    clock::{ClockIds, SystemClock},
    memory::{MemoryBlobs, MemorySaver, MemoryStore},
    metrics::Recorder,
    node::Node,
    store::{Blobs, Store},
};

/// A graph that can be run; cheap to clone.
///
/// ```
/// use superstep_core::{Value, run::Halt};
/// use superstep_engine::{DynCtx, DynGraph, DynGraphBuilder, RunOptions};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let graph: DynGraph = DynGraphBuilder::new()
///     .last_value("n")
///     .node("double", |ctx: DynCtx| async move {
///         let n = ctx.get("n").as_i64().unwrap_or(0);
///         Ok::<_, Halt>(Value::map([("n", Value::from(n * 2))]))
///     })
///     .edge("__start__", "double")
///     .build()?;
/// let outcome = graph.invoke(Value::map([("n", Value::from(4))]), &RunOptions::default()).await?;
/// assert_eq!(outcome.output, Some(Value::map([("n", Value::from(8))])));
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct DynGraph(pub(crate) Arc<GraphInner>);

pub(crate) struct GraphInner {
    pub(crate) plan: Arc<Plan>,
    pub(crate) nodes: Table<NodeIx, Option<NodeFunction>>,
    pub(crate) backends: Backends,
    pub(crate) persist: Persist,
    pub(crate) effects: ReadEffects,
    pub(crate) typed: TypedParts,
    pub(crate) ids: Arc<dyn IdSource>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) buffers: BufferPool,
}

/// What a graph knows of its Rust types.
#[derive(Clone, Default)]
pub(crate) struct TypedParts {
    /// Bring the state of an older version, and updates of it, to this one.
    pub(crate) migrate: Option<Migrations>,
    /// What is wrong with answers, by the kind of their question.
    pub(crate) answers: BTreeMap<&'static str, CheckAnswer>,
    /// Fields that only nodes write.
    pub(crate) sealed: &'static [&'static str],
    /// Refuses an input.
    pub(crate) input: Option<CheckInput>,
    /// Whether the context of a run has the declared type.
    pub(crate) check_context: Option<CheckContext>,
}

/// Refuses the input of a run, with an error of the graph's own.
pub(crate) type CheckInput = fn(&serde_json::Value) -> Result<(), Failure>;

/// Whether the context of a run has the declared type.
pub(crate) type CheckContext = fn(&Value) -> Result<(), ErrorKind>;

/// What is wrong with an answer to a question of one kind.
pub(crate) type CheckAnswer = fn(&serde_json::Value) -> Result<(), String>;

/// A node's function, and the graph it is or calls.
#[derive(Clone)]
pub(crate) struct NodeFunction {
    pub(crate) run: Arc<dyn Node>,
    pub(crate) graph: Option<DynGraph>,
}

/// What a root graph runs on.
#[derive(Clone, Default)]
pub struct Backends {
    /// Keeps threads.
    pub saver: Option<Arc<dyn Saver>>,
    /// Long-term memory.
    pub store: Option<Arc<dyn Store>>,
    /// Bytes by content: uploads, versions of workbooks. The engine itself does not use them.
    pub blobs: Option<Arc<dyn Blobs>>,
    /// Keeps results of nodes.
    pub cache: Option<Arc<dyn Cache>>,
    /// New checkpoint ids; from the clock by default.
    pub ids: Option<Arc<dyn IdSource>>,
    /// The time that tasks wait for and deadlines are on; the system clock by default.
    pub clock: Option<Arc<dyn Clock>>,
    /// Takes measurements of runs.
    pub recorder: Option<Arc<dyn Recorder>>,
}

impl Backends {
    /// Threads in this saver, and nothing else.
    pub fn on(saver: impl Saver) -> Self {
        Self {
            saver: Some(Arc::new(saver)),
            ..Self::default()
        }
    }

    /// Threads, long-term memory and files in this process, and lost with it.
    pub fn in_memory() -> Self {
        Self {
            store: Some(Arc::new(MemoryStore::new())),
            blobs: Some(Arc::new(MemoryBlobs::new())),
            ..Self::on(MemorySaver::new())
        }
    }
}

impl GraphInner {
    pub(crate) fn node(&self, node: NodeIx) -> Option<&Arc<dyn Node>> {
        self.nodes.get(node)?.as_ref().map(|entry| &entry.run)
    }

    /// The state a stored checkpoint describes.
    pub(crate) fn head(
        &self,
        loaded: &Loaded,
    ) -> Result<Option<(StartingPoint, Arc<Record>)>, Error> {
        let Some(record) = loaded.head() else {
            return Ok(None);
        };
        let restored = GraphState::restore(&self.plan, loaded, self.typed.migrate.as_ref())?;
        let Record {
            id,
            parent,
            source,
            step,
            ..
        } = **record;
        Ok(Some((
            StartingPoint {
                id,
                parent,
                source,
                step,
                restored,
            },
            record.clone(),
        )))
    }
}

impl DynGraph {
    pub(crate) fn new(
        plan: Plan,
        nodes: Table<NodeIx, Option<NodeFunction>>,
        backends: Backends,
        persist: Persist,
        (effects, typed): (ReadEffects, TypedParts),
    ) -> Self {
        let ids = backends
            .ids
            .clone()
            .unwrap_or_else(|| Arc::new(ClockIds::default()));
        let clock = backends.clock.clone();
        let clock = clock.unwrap_or_else(|| Arc::new(SystemClock));
        Self(Arc::new(GraphInner {
            clock,
            plan: Arc::new(plan),
            nodes,
            backends,
            persist,
            effects,
            typed,
            ids,
            buffers: BufferPool::default(),
        }))
    }

    /// The compiled graph.
    pub fn plan(&self) -> &Arc<Plan> {
        &self.0.plan
    }

    /// What it runs on.
    pub fn backends(&self) -> &Backends {
        &self.0.backends
    }

    /// The same graph on other backends.
    #[must_use]
    pub fn with_backends(&self, backends: Backends) -> Self {
        let inner = &self.0;
        let ids = backends.ids.clone().unwrap_or_else(|| inner.ids.clone());
        let clock = backends.clock.clone();
        let clock = clock.unwrap_or_else(|| inner.clock.clone());
        Self(Arc::new(GraphInner {
            plan: inner.plan.clone(),
            nodes: inner.nodes.clone(),
            backends,
            persist: inner.persist,
            effects: inner.effects,
            typed: inner.typed.clone(),
            ids,
            clock,
            buffers: BufferPool::default(),
        }))
    }

    /// Subgraphs by node name, in order of definition.
    pub fn subgraphs(&self) -> Vec<(Arc<str>, DynGraph)> {
        let entries = self.0.nodes.entries();
        entries
            .filter_map(|(node, entry)| {
                let graph = entry.as_ref()?.graph.clone()?;
                Some((self.0.plan.nodes.row(node).name.clone(), graph))
            })
            .collect()
    }

    /// How long its state lives when it is a subgraph.
    pub fn persist(&self) -> Persist {
        self.0.persist
    }

    /// Forgets cached results of these nodes, or of all.
    pub async fn clear_cache(&self, nodes: Option<&[Arc<str>]>) -> Result<(), Error> {
        let Some(cache) = &self.0.backends.cache else {
            let why = "the graph has no cache".to_owned();
            return Err(ErrorKind::BadArgument { why }.into());
        };
        let plan = &self.0.plan;
        let all: Vec<Arc<str>> = plan.nodes.iter().map(|node| node.name.clone()).collect();
        let owners: Vec<Arc<str>> = nodes
            .unwrap_or(&all)
            .iter()
            .map(|node| format!("{}/{node}", plan.name).into())
            .collect();
        Ok(cache.clear(Some(&owners)).await?)
    }

    /// Its namespace in storage, as a subgraph.
    pub(crate) fn own_namespace(&self, namespace: &GraphPath) -> GraphPath {
        match self.0.persist {
            Persist::PerThread => namespace.position(),
            _ => namespace.clone(),
        }
    }

    /// The graph that owns a namespace below this one, and its namespace in storage.
    pub(crate) fn at_namespace(
        &self,
        namespace: &GraphPath,
    ) -> Result<(DynGraph, GraphPath), Error> {
        let mut graph = self.clone();
        for name in namespace.path() {
            if name.parse::<u32>().is_ok() {
                continue;
            }
            let found = graph
                .subgraphs()
                .into_iter()
                .find(|(node, _)| **node == *name);
            let unknown = || ErrorKind::Unknown {
                what: "subgraph",
                name: namespace.to_string(),
            };
            graph = found.ok_or_else(unknown)?.1;
        }
        let namespace = if namespace.is_root() {
            namespace.clone()
        } else {
            graph.own_namespace(namespace)
        };
        Ok((graph, namespace))
    }

    /// The graphs that tasks of a snapshot run, and where.
    pub(crate) fn children(&self, snapshot: &Snapshot) -> Vec<(DynGraph, GraphPath)> {
        let child = |task| self.child(task);
        snapshot.tasks.iter().filter_map(child).collect()
    }

    /// The graph that a task runs, and where.
    pub(crate) fn child(&self, task: &TaskView) -> Option<(DynGraph, GraphPath)> {
        let Some(SubState::At(namespace)) = &task.state else {
            return None;
        };
        let graph = self.entry(&task.name)?.graph.clone()?;
        let namespace = graph.own_namespace(namespace);
        Some((graph, namespace))
    }

    fn entry(&self, node: &str) -> Option<&NodeFunction> {
        self.0.nodes.get(self.0.plan.node(node)?)?.as_ref()
    }
}
