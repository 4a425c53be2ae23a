//! A graph that can be run: a plan, its functions, and the backends it runs on.

use std::{collections::HashMap, sync::Arc};

use superstep_core::{
    ask::{Answers, Ask, Resume},
    checkpoint::Loaded,
    command::Output,
    error::{Error, ErrorKind},
    event::Modes,
    frame::{Frame, restore::MigrateFn},
    id::IdSource,
    plan::{Persist, Plan},
    record::Record,
    run::{Begin, Fidelity, Halt, Head, Loop, Nest, RunConfig, RunInput, Stop},
    saver::{At, Saver},
    table::{NodeIx, Table},
    value::Value,
};

use crate::{
    cache::Cache,
    clock::ClockIds,
    ctx::{Above, Ctx},
    env::Env,
    journal::Journal,
    node::Node,
    options::{Outcome, RunOptions, Status},
    shell,
    store::Store,
};

/// A graph that can be run; cheap to clone.
#[derive(Clone)]
pub struct Graph(pub(crate) Arc<GraphInner>);

pub(crate) struct GraphInner {
    pub(crate) plan: Arc<Plan>,
    pub(crate) nodes: Table<NodeIx, Option<Entry>>,
    pub(crate) backends: Backends,
    pub(crate) persist: Persist,
    pub(crate) migrate: Option<MigrateFn>,
    pub(crate) ids: Arc<dyn IdSource>,
}

/// A node's function, and the graph it is or calls.
#[derive(Clone)]
pub(crate) struct Entry {
    pub(crate) run: Arc<dyn Node>,
    pub(crate) graph: Option<Graph>,
}

/// What a root graph runs on.
#[derive(Clone, Default)]
pub struct Backends {
    /// Keeps threads.
    pub saver: Option<Arc<dyn Saver>>,
    /// Long-term memory.
    pub store: Option<Arc<dyn Store>>,
    /// Keeps results of nodes.
    pub cache: Option<Arc<dyn Cache>>,
    /// New checkpoint ids; from the clock by default.
    pub ids: Option<Arc<dyn IdSource>>,
}

impl Backends {
    /// Threads in this saver, and nothing else.
    pub fn on(saver: impl Saver) -> Self {
        Self {
            saver: Some(Arc::new(saver)),
            ..Self::default()
        }
    }
}

impl GraphInner {
    pub(crate) fn node(&self, node: NodeIx) -> Option<&Arc<dyn Node>> {
        self.nodes.get(node)?.as_ref().map(|entry| &entry.run)
    }

    /// The state a stored checkpoint describes.
    pub(crate) fn head(&self, loaded: &Loaded) -> Result<Option<(Head, Arc<Record>)>, Error> {
        let Some(record) = loaded.head() else {
            return Ok(None);
        };
        let restored = Frame::restore(&self.plan, loaded, self.migrate.as_ref())?;
        let Record {
            id,
            parent,
            source,
            step,
            ..
        } = **record;
        Ok(Some((
            Head {
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

impl Graph {
    pub(crate) fn new(
        plan: Plan,
        nodes: Table<NodeIx, Option<Entry>>,
        backends: Backends,
        persist: Persist,
        migrate: Option<MigrateFn>,
    ) -> Self {
        let ids = backends
            .ids
            .clone()
            .unwrap_or_else(|| Arc::new(ClockIds::default()));
        Self(Arc::new(GraphInner {
            plan: Arc::new(plan),
            nodes,
            backends,
            persist,
            migrate,
            ids,
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
        Self(Arc::new(GraphInner {
            plan: inner.plan.clone(),
            nodes: inner.nodes.clone(),
            backends,
            persist: inner.persist,
            migrate: inner.migrate.clone(),
            ids,
        }))
    }

    /// Subgraphs by node name, in order of definition.
    pub fn subgraphs(&self) -> Vec<(Arc<str>, Graph)> {
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

    /// Runs the graph until it is done, asks, pauses or fails.
    pub async fn invoke(
        &self,
        input: impl Into<RunInput>,
        options: &RunOptions,
    ) -> Result<Outcome, Error> {
        self.run(input.into(), options, None).await
    }

    pub(crate) async fn run(
        &self,
        input: RunInput,
        options: &RunOptions,
        sink: Option<crate::env::Sink>,
    ) -> Result<Outcome, Error> {
        let thread = options.thread.as_ref();
        self.run_root(input, options, sink)
            .await
            .map_err(|error| error.at_thread(thread))
    }

    async fn run_root(
        &self,
        input: RunInput,
        options: &RunOptions,
        sink: Option<crate::env::Sink>,
    ) -> Result<Outcome, Error> {
        if options.limit == 0 {
            let why = "the step limit must be at least 1".to_owned();
            return Err(ErrorKind::BadArgument { why }.into());
        }
        let Backends {
            saver,
            store,
            cache,
            ..
        } = &self.0.backends;
        if saver.is_some() && options.thread.is_none() {
            let why = "a graph with a saver needs a thread".to_owned();
            return Err(ErrorKind::BadArgument { why }.into());
        }
        let lease = match (saver, &options.thread) {
            (Some(saver), Some(thread)) => Some(saver.lease(thread).await?),
            _ => None,
        };
        let epoch = lease.as_ref().map_or(0, |lease| lease.epoch);
        let log = match (saver, &options.thread) {
            _ if options.log == Modes::NONE => None,
            (Some(saver), Some(thread)) => Some(Arc::new(Journal::new(
                saver,
                thread,
                epoch,
                options.log,
                self,
            ))),
            _ => return Err(ErrorKind::NoSaver.into()),
        };
        let env = Arc::new(Env {
            thread: options.thread.clone(),
            saver: saver.clone(),
            epoch,
            store: store.clone(),
            cache: cache.clone(),
            context: options.context.clone(),
            durability: options.durability,
            limit: options.limit,
            fidelity: options.fidelity,
            ids: self.0.ids.clone(),
            drain: options.drain.clone(),
            sink,
            log,
            privacy: options.privacy.clone(),
            addresses: Arc::new(
                options
                    .at
                    .as_ref()
                    .map(|at| at.addresses())
                    .unwrap_or_default(),
            ),
        });
        let by_id = match &input {
            RunInput::Command(_, Some(resume @ Resume::ById(_))) => Some(resume.clone()),
            _ => None,
        };
        let nest = Nest {
            answers: Answers::new(by_id),
            ..Nest::default()
        };
        let scope = Scope {
            output: options.output_keys(&self.0.plan, env.sink.is_some())?,
            shown: match &env.log {
                Some(_) => options.output_keys(&self.0.plan, true)?,
                None => None,
            },
            pause_before: options.pause_before.clone(),
            pause_after: options.pause_after.clone(),
            strict_resume: options.strict_resume,
        };
        // Pinned here, so that both ways to drive it share its room.
        let run = std::pin::pin!(self.run_loop(&env, nest, input, scope, None));
        let (output, stop) = match &env.log {
            None => run.await?,
            Some(log) => log.along(run).await?,
        };
        drop(lease);
        let (status, asks) = match stop {
            Stop::Done => (Status::Done, Vec::new()),
            Stop::Asked(asks) if asks.is_empty() => (Status::Paused, asks),
            Stop::Asked(asks) => (Status::Waiting, asks),
            Stop::Parent(_) => return Err(ErrorKind::NoParent.into()),
            Stop::Failed(error) => return Err(error),
        };
        Ok(Outcome {
            output,
            asks: distinct(asks),
            status,
        })
    }

    async fn run_loop(
        &self,
        env: &Arc<Env>,
        mut nest: Nest,
        input: RunInput,
        scope: Scope,
        above: Option<Above>,
    ) -> Result<(Option<Value>, Stop), Error> {
        let address = env.addresses.get(&nest.namespace).copied();
        let at = match (address, &nest.replay) {
            (Some(id), _) => At::Id(id),
            (None, Some(replay)) if nest.nested => {
                nest.resuming = None;
                if replay.first_visit(&nest.namespace) {
                    At::Before(replay.before)
                } else {
                    At::Latest
                }
            }
            _ => At::Latest,
        };
        let loaded = match (&env.saver, &env.thread) {
            (Some(saver), Some(thread)) => saver.load(thread, &nest.namespace, at).await?,
            _ => None,
        };
        if let (None, Some(id)) = (&loaded, address) {
            return Err(ErrorKind::UnknownCheckpoint { id }.into());
        }
        let mut run = self.open(env, nest, scope, input, loaded, address.is_some())?;
        let log = env.log.as_ref().filter(|_| !run.config().nest.nested);
        if let Some(log) = log {
            log.start(env.durability, run.checkpoint());
        }
        let mut stop = shell::drive(&mut run, &self.0, env, above).await;
        if let Some(log) = log {
            stop = log.end(stop, run.checkpoint()).await;
        }
        Ok((run.output(), stop))
    }

    /// Starts the loop. Not part of the future of a run, which stays small without it.
    fn open(
        &self,
        env: &Env,
        mut nest: Nest,
        scope: Scope,
        input: RunInput,
        loaded: Option<Loaded>,
        addressed: bool,
    ) -> Result<Box<Loop>, Error> {
        let head = match &loaded {
            Some(loaded) => self.0.head(loaded)?.map(|(head, _)| head),
            None => None,
        };
        let nested = nest.nested;
        if nested && env.fidelity == Fidelity::Sensible && ended_before(loaded.as_ref(), &nest) {
            nest.resuming = Some(false);
        }
        let begin = Begin {
            plan: self.0.plan.clone(),
            config: RunConfig {
                thread: env.thread.clone(),
                limit: env.limit,
                durability: env.durability,
                saves: env.saver.is_some() && env.thread.is_some(),
                modes: env.modes_at(nested),
                log: env.logged_modes(),
                findable: !nested || self.is_found_at(env, &nest),
                output: scope.output,
                shown: scope.shown,
                pause_before: scope.pause_before,
                pause_after: scope.pause_after,
                strict_resume: scope.strict_resume,
                fidelity: env.fidelity,
                ids: env.ids.clone(),
                drain: env.drain.clone(),
                nest,
            },
            head,
            addressed,
            own_address: nested && addressed,
            superseded: addressed && loaded.is_some_and(|loaded| loaded.superseded),
            input,
        };
        Ok(Box::new(Loop::begin(begin)?))
    }

    /// Whether who reads the log finds this very graph by its namespace.
    fn is_found_at(&self, env: &Env, nest: &Nest) -> bool {
        let Some(log) = &env.log else {
            return false;
        };
        let found = log.root.at_namespace(&nest.namespace);
        found.is_ok_and(|(graph, _)| Arc::ptr_eq(&graph.0.plan, &self.0.plan))
    }

    /// Runs the graph inside a task of another one.
    pub(crate) async fn run_nested(
        &self,
        ctx: &Ctx,
        input: RunInput,
    ) -> Result<Option<Value>, Halt> {
        ctx.alive()?;
        let mut nest = ctx.next_nest();
        let env = &ctx.0.step.env;
        let env = match self.0.persist {
            Persist::PerCall => env.clone(),
            Persist::PerThread => {
                nest.namespace = nest.namespace.position();
                env.clone()
            }
            Persist::Off => Arc::new(Env {
                saver: None,
                ..Env::clone(env)
            }),
        };
        // A future of a graph within a graph has no finite type; the box ends the recursion.
        let above = Above {
            run: ctx.0.step.run.clone(),
            task: ctx.0.task,
        };
        let running = Box::pin(self.run_loop(&env, nest, input, Scope::default(), Some(above)));
        let (output, stop) = running.await?;
        match stop {
            Stop::Done => Ok(output),
            Stop::Asked(asks) => {
                crate::ctx::lock(&ctx.0.scratch)
                    .open
                    .extend(asks.iter().cloned());
                Err(Halt::Asked(asks))
            }
            Stop::Parent(command) => Err(Halt::Parent(command)),
            Stop::Failed(error) => Err(Halt::Error(error)),
        }
    }
}

/// Whether a graph that lives as long as its thread has nothing to go on with: it ended in an
/// earlier call, and the call that is continued had not begun when the run was cut short.
fn ended_before(loaded: Option<&Loaded>, nest: &Nest) -> bool {
    let head = loaded.and_then(Loaded::head);
    head.is_some_and(|head| head.pending.is_empty() && head.parents != nest.parents)
}

/// What only the root graph of a run is told.
#[derive(Default)]
struct Scope {
    output: Option<superstep_core::plan::Keys>,
    shown: Option<superstep_core::plan::Keys>,
    pause_before: superstep_core::plan::Pauses,
    pause_after: superstep_core::plan::Pauses,
    strict_resume: bool,
}

fn distinct(asks: Vec<Ask>) -> Vec<Ask> {
    let mut seen = std::collections::HashSet::new();
    asks.into_iter().filter(|ask| seen.insert(ask.id)).collect()
}

/// Runs a graph as a node: its output is the node's update.
pub(crate) struct SubgraphNode(pub(crate) Graph);

impl Node for SubgraphNode {
    fn run(&self, ctx: Ctx) -> superstep_core::saver::BoxFuture<'static, Result<Output, Halt>> {
        let graph = self.0.clone();
        Box::pin(async move {
            let output = graph.run_nested(&ctx, RunInput::Value(ctx.input())).await?;
            Ok(output.map_or(Output::Nothing, Output::from))
        })
    }
}

/// Threads and checkpoints a caller names.
pub(crate) type Addresses =
    HashMap<superstep_core::id::Namespace, superstep_core::id::CheckpointId>;

impl Graph {
    /// Forgets cached results of these nodes, or of all.
    pub fn clear_cache(&self, nodes: Option<&[Arc<str>]>) -> Result<(), Error> {
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
        cache.clear(Some(&owners));
        Ok(())
    }
}
