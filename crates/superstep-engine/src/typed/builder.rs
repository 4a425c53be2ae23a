//! Building a typed graph. The module `check` beside this one has what is checked.

use std::{marker::PhantomData, sync::Arc};

use superstep_core::{
    channel::{ChannelKind, ChannelSpec, Guard},
    command::{END, START},
    error::{ErrorKind, Failure},
    event::Modes,
    graph_state::migrate::Migrations,
    id::IdSource,
    plan::{
        BuildError, BuildErrors, Destination, Edge, Pauses, Persist, RouteFn, RouteView, RouterDef,
        StateShape,
    },
    record::ReadEffects,
    saver::Saver,
    value::Value,
};

use super::{
    channel_state::{TypedState, guarded},
    command::Reach,
    declared::Declared,
    extract::{Needs, Type},
    graph::Graph,
    handler::{AnyHandler, Handler},
    nodes::Nodes,
    options::NodeOptions,
    resources::Resources,
    state::{Keep, State},
};
use crate::{
    builder,
    cache::Cache,
    graph::{self, Backends, CheckContext, CheckInput, NodeFunction, TypedParts},
    metrics::Recorder,
    options::RunOptions,
    store::Store,
};

/// Builds a [`Graph`]; [`GraphBuilder::build`] reports every mistake at once.
///
/// ```
/// # use serde::{Deserialize, Serialize};
/// # use superstep::prelude::*;
/// # #[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
/// # struct Mail { subject: String, reply: String, #[reduce(Append)] log: Vec<String> }
/// # #[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
/// # enum Node { Draft, Check, Send }
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let graph = Graph::<Mail, Node>::builder()
///     .node(Node::Draft, |mail: Snap<Mail>| async move {
///         Mail::update().reply(format!("re: {}", mail.subject))
///     })
///     .node(Node::Check, || async {})
///     .node(Node::Send, || async { Mail::update().log(["sent".to_owned()]) })
///     .start(Node::Draft)
///     .edge(Node::Draft, Node::Check)
///     .route(Node::Check, &[Node::Send], |mail| (mail.reply.len() < 100).then_some(Node::Send))
///     .finish(Node::Send)
///     .build()?;
/// let outcome = graph.run("t", Mail::update().subject("hi")).await?;
/// assert_eq!(outcome.state().log, ["sent"]);
/// # Ok(()) }
/// ```
pub struct GraphBuilder<S: State, N: Nodes> {
    pub(super) nodes: Vec<DeclaredNode<S, N>>,
    pub(super) starts: Vec<N>,
    pub(super) edges: Vec<(N, N)>,
    pub(super) joins: Vec<(Vec<N>, N)>,
    /// Conditional edges; from the start if from nowhere.
    pub(super) routes: Vec<Route<N>>,
    pub(super) commands: Vec<(N, Vec<N>)>,
    pub(super) sends: Vec<(N, Vec<N>)>,
    pub(super) finishes: Vec<N>,
    pub(super) resources: Resources,
    pub(super) backends: Backends,
    pub(super) place: Nesting,
    deferred: Vec<N>,
    pauses: [Pauses; 2],
    persist: Persist,
    name: Option<Arc<str>>,
    former_names: Vec<Arc<str>>,
    limit: u64,
    pub(super) declared: Declared,
    strict: bool,
    effects: Option<ReadEffects>,
    check_input: Option<CheckInput>,
    /// Found before the whole graph is known.
    pub(super) mistakes: Vec<BuildError>,
    /// What nodes send, as far as it is declared.
    pub(super) payloads: Vec<(N, N, Type)>,
    /// The context that runs are given, if it is declared.
    pub(super) context: Option<Type>,
    pub(super) check_context: Option<CheckContext>,
}

/// Where a graph is among others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Nesting {
    /// It runs by itself.
    Root,
    /// It only runs inside others, on their backends.
    Nested,
}

pub(super) struct DeclaredNode<S, N> {
    pub(super) node: N,
    pub(super) handler: AnyHandler<S, N>,
    pub(super) options: NodeOptions<S, N>,
    /// The graph it runs, and whether that takes the store of this one.
    pub(super) child: Option<(graph::DynGraph, bool)>,
}

impl<S, N> DeclaredNode<S, N> {
    /// The needs of its function, of its options and of its error handler.
    pub(super) fn needs(&self) -> impl Iterator<Item = &Needs> {
        let on_error = self.options.on_error.as_ref();
        [&self.handler.needs, &self.options.needs]
            .into_iter()
            .chain(on_error.map(|handler| &handler.needs))
    }

    /// Whether it, or the graph that it runs, takes the store.
    pub(super) fn takes_store(&self) -> bool {
        self.needs().any(|needs| needs.store)
            || self.child.as_ref().is_some_and(|(_, takes)| *takes)
    }
}

pub(super) struct Route<N> {
    pub(super) from: Option<N>,
    pub(super) targets: Vec<N>,
    decide: RouteFn,
}

impl<S: State, N: Nodes> Graph<S, N> {
    /// Starts building a graph.
    pub fn builder() -> GraphBuilder<S, N> {
        GraphBuilder::new()
    }
}

impl<S: State, N: Nodes> GraphBuilder<S, N> {
    pub(crate) fn new() -> Self {
        Self {
            nodes: Vec::new(),
            starts: Vec::new(),
            edges: Vec::new(),
            joins: Vec::new(),
            routes: Vec::new(),
            commands: Vec::new(),
            sends: Vec::new(),
            finishes: Vec::new(),
            resources: Resources::default(),
            backends: Backends::default(),
            place: Nesting::Root,
            deferred: Vec::new(),
            pauses: [Pauses::None, Pauses::None],
            persist: Persist::default(),
            name: None,
            former_names: Vec::new(),
            limit: RunOptions::default().limit,
            declared: Declared::default(),
            strict: false,
            effects: None,
            check_input: None,
            mistakes: Vec::new(),
            payloads: Vec::new(),
            context: None,
            check_context: None,
        }
    }

    /// Names the graph; cached results and threads belong to that name: another graph refuses them.
    ///
    #[doc = include_str!("docs/builder/name.md")]
    #[must_use]
    pub fn name(mut self, name: impl Into<Arc<str>>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// A name that the graph had before: threads of that name are its own.
    ///
    #[doc = include_str!("docs/builder/formerly.md")]
    #[must_use]
    pub fn formerly(mut self, name: impl Into<Arc<str>>) -> Self {
        self.former_names.push(name.into());
        self
    }

    /// Gives nodes a service that they take as [`super::Res`].
    ///
    #[doc = include_str!("docs/builder/resource.md")]
    #[must_use]
    pub fn resource<T: Send + Sync + 'static>(self, resource: T) -> Self {
        self.shared(Arc::new(resource))
    }

    /// Gives nodes a service that others hold too, or one that they know by its trait:
    /// `.shared::<dyn Mailer>(Arc::new(Smtp))` is taken as `Res<dyn Mailer>`, where `trait Mailer: Send + Sync`.
    ///
    #[doc = include_str!("docs/builder/shared.md")]
    #[must_use]
    pub fn shared<T: ?Sized + Send + Sync + 'static>(mut self, resource: Arc<T>) -> Self {
        self.resources.insert(resource);
        self
    }

    /// Adds a node.
    ///
    #[doc = include_str!("docs/builder/node.md")]
    #[must_use]
    pub fn node<Args, H: Handler<S, N, Args>>(self, node: N, handler: H) -> Self {
        self.node_with(node, handler, NodeOptions::default())
    }

    /// Adds a node with options.
    ///
    #[doc = include_str!("docs/builder/node_with.md")]
    #[must_use]
    pub fn node_with<Args, H: Handler<S, N, Args>>(
        self,
        node: N,
        handler: H,
        options: NodeOptions<S, N>,
    ) -> Self {
        self.add(node, AnyHandler::new(handler), options, None)
    }

    pub(super) fn add(
        mut self,
        node: N,
        handler: AnyHandler<S, N>,
        options: NodeOptions<S, N>,
        child: Option<(graph::DynGraph, bool)>,
    ) -> Self {
        self.nodes.push(DeclaredNode {
            node,
            handler,
            options,
            child,
        });
        self
    }

    /// A run begins here; with several, at all of them.
    ///
    #[doc = include_str!("docs/builder/start.md")]
    #[must_use]
    pub fn start(mut self, node: N) -> Self {
        self.starts.push(node);
        self
    }

    /// A run begins where the function decides, which sees the state with the input in it.
    ///
    #[doc = include_str!("docs/builder/start_if.md")]
    #[must_use]
    pub fn start_if(
        mut self,
        targets: &[N],
        decide: impl Fn(&S) -> N + Send + Sync + 'static,
    ) -> Self {
        self.routes
            .push(Route::new(None, targets, move |state: &S| {
                vec![decide(state)]
            }));
        self
    }

    /// After `from` runs `to`.
    ///
    #[doc = include_str!("docs/builder/edge.md")]
    #[must_use]
    pub fn edge(mut self, from: N, to: N) -> Self {
        self.edges.push((from, to));
        self
    }

    /// When all of `from` have run, `to` runs once.
    ///
    #[doc = include_str!("docs/builder/join.md")]
    #[must_use]
    pub fn join(mut self, from: &[N], to: N) -> Self {
        self.joins.push((from.to_vec(), to));
        self
    }

    /// After `from` runs what the function returns; nothing ends the branch. It sees the state with
    /// the writes of `from` in it, not those of nodes that ran beside it.
    ///
    #[doc = include_str!("docs/builder/route.md")]
    #[must_use]
    pub fn route(
        mut self,
        from: N,
        targets: &[N],
        decide: impl Fn(&S) -> Option<N> + Send + Sync + 'static,
    ) -> Self {
        let decide = move |state: &S| decide(state).into_iter().collect();
        self.routes.push(Route::new(Some(from), targets, decide));
        self
    }

    /// Like [`GraphBuilder::route`], to any number of nodes.
    ///
    #[doc = include_str!("docs/builder/route_many.md")]
    #[must_use]
    pub fn route_many(
        mut self,
        from: N,
        targets: &[N],
        decide: impl Fn(&S) -> Vec<N> + Send + Sync + 'static,
    ) -> Self {
        self.routes.push(Route::new(Some(from), targets, decide));
        self
    }

    /// The commands of `from` may go to these, or end.
    ///
    #[doc = include_str!("docs/builder/may_goto.md")]
    #[must_use]
    pub fn may_goto(mut self, from: N, targets: &[N]) -> Self {
        self.commands.push((from, targets.to_vec()));
        self
    }

    /// The commands of `from` may send payloads to these.
    ///
    #[doc = include_str!("docs/builder/may_send.md")]
    #[must_use]
    pub fn may_send(mut self, from: N, targets: &[N]) -> Self {
        self.sends.push((from, targets.to_vec()));
        self
    }

    /// A branch may end after this node. A node that has a route or commands may end without this; saying
    /// it shows that in pictures.
    ///
    #[doc = include_str!("docs/builder/finish.md")]
    #[must_use]
    pub fn finish(mut self, node: N) -> Self {
        self.finishes.push(node);
        self
    }

    /// The node waits until nothing else would run.
    ///
    #[doc = include_str!("docs/builder/defer.md")]
    #[must_use]
    pub fn defer(mut self, node: N) -> Self {
        self.deferred.push(node);
        self
    }

    /// Runs pause before these nodes.
    ///
    #[doc = include_str!("docs/builder/pause_before.md")]
    #[must_use]
    pub fn pause_before(mut self, nodes: &[N]) -> Self {
        self.pauses[0] = pauses(nodes);
        self
    }

    /// Runs pause after these nodes.
    ///
    #[doc = include_str!("docs/builder/pause_after.md")]
    #[must_use]
    pub fn pause_after(mut self, nodes: &[N]) -> Self {
        self.pauses[1] = pauses(nodes);
        self
    }

    /// What the graph runs on.
    ///
    #[doc = include_str!("docs/builder/backends.md")]
    #[must_use]
    pub fn backends(mut self, backends: Backends) -> Self {
        self.backends = backends;
        self
    }

    /// Keeps threads.
    ///
    #[doc = include_str!("docs/builder/saver.md")]
    #[must_use]
    pub fn saver(mut self, saver: impl Saver) -> Self {
        self.backends.saver = Some(Arc::new(saver));
        self
    }

    /// Long-term memory, for nodes that take [`super::Store`].
    ///
    #[doc = include_str!("docs/builder/store.md")]
    #[must_use]
    pub fn store(mut self, store: impl Store + 'static) -> Self {
        self.backends.store = Some(Arc::new(store));
        self
    }

    /// Keeps results of nodes.
    ///
    #[doc = include_str!("docs/builder/cache.md")]
    #[must_use]
    pub fn cache(mut self, cache: impl Cache) -> Self {
        self.backends.cache = Some(Arc::new(cache));
        self
    }

    /// Takes measurements of runs: counts and durations of steps, tasks and calls of models.
    #[must_use]
    pub fn recorder(mut self, recorder: impl Recorder) -> Self {
        self.backends.recorder = Some(Arc::new(recorder));
        self
    }

    /// Where new checkpoint ids come from.
    #[must_use]
    pub fn ids(mut self, ids: impl IdSource + 'static) -> Self {
        self.backends.ids = Some(Arc::new(ids));
        self
    }

    /// The graph only runs inside others and has their saver, store and cache.
    ///
    #[doc = include_str!("docs/builder/nested.md")]
    #[must_use]
    pub fn nested(mut self) -> Self {
        self.place = Nesting::Nested;
        self
    }

    /// How long its state lives when it runs inside another graph.
    ///
    #[doc = include_str!("docs/builder/persist.md")]
    #[must_use]
    pub fn persist(mut self, persist: Persist) -> Self {
        self.persist = persist;
        self
    }

    /// How many steps a run may take before it stops; it can be continued.
    ///
    #[doc = include_str!("docs/builder/step_limit.md")]
    #[must_use]
    pub fn step_limit(mut self, steps: u64) -> Self {
        self.limit = steps;
        self
    }

    /// Refuses input by name or as JSON that is no field of the state or does not fit it (SS1120, SS1013),
    /// before anything is stored.
    #[must_use]
    pub fn strict(mut self) -> Self {
        self.strict = true;
        self
    }

    /// Refuses a run whose input fails the check, before anything is stored. The check sees the fields that the input
    /// brings, as JSON. Answers and runs without input are not checked.
    ///
    #[doc = include_str!("docs/builder/check_input.md")]
    #[must_use]
    pub fn check_input(mut self, check: fn(&serde_json::Value) -> Result<(), Failure>) -> Self {
        self.check_input = Some(check);
        self
    }

    /// How the journals of its tasks are read for effects that happened or may have, which no run from an
    /// earlier checkpoint repeats unasked (SS1205); by default every effect that was started counts.
    #[must_use]
    pub fn effects(mut self, read: ReadEffects) -> Self {
        self.effects = Some(read);
        self
    }

    /// Checks the graph and builds it, or reports every mistake.
    ///
    #[doc = include_str!("docs/builder/build.md")]
    pub fn build(self) -> Result<Graph<S, N>, BuildErrors> {
        let errors = self.mistakes();
        if !errors.is_empty() {
            return Err(BuildErrors(errors));
        }
        let inherits_store =
            self.place == Nesting::Nested && self.nodes.iter().any(DeclaredNode::takes_store);
        let options = RunOptions {
            limit: self.limit,
            strict_resume: true,
            modes: Modes::ALL,
            ..RunOptions::default()
        };
        let declared = Arc::new(self.declared.clone());
        let inner = self.compile()?;
        Ok(Graph {
            inner,
            options,
            inherits_store,
            declared,
            types: PhantomData,
        })
    }

    fn compile(self) -> Result<graph::DynGraph, BuildErrors> {
        let reaches: Vec<Reach> = N::ALL.iter().map(|node| self.reach(*node)).collect();
        let resources = Arc::new(self.resources);
        let mut inner = builder::DynGraphBuilder::new()
            .backends(self.backends)
            .persist(self.persist);
        let asks = self.declared.asks.iter();
        inner.typed = TypedParts {
            migrate: Some(migrations::<S>()),
            answers: asks.map(|(kind, it)| (*kind, it.check)).collect(),
            sealed: S::SEALED,
            input: self.check_input,
            check_context: self.check_context,
        };
        inner.effects = self.effects;
        let [before, after] = self.pauses;
        let blueprint = &mut inner.blueprint;
        blueprint.name = self.name;
        blueprint.former_names = self.former_names;
        blueprint.strict = self.strict;
        blueprint.channels = S::FIELDS
            .iter()
            .map(|(name, keep)| channel(name, *keep))
            .collect();
        blueprint.channel_state = Some(Arc::new(|| Arc::new(TypedState::<S>::new())));
        blueprint.state = Some(StateShape {
            version: S::VERSION,
            fields: S::SHAPES,
        });
        (blueprint.pause_before, blueprint.pause_after) = (before, after);
        let plain = |from: &str, to: &str| Edge::Plain(from.into(), to.into());
        blueprint
            .edges
            .extend(self.starts.iter().map(|to| plain(START, to.name())));
        blueprint.edges.extend(
            self.edges
                .iter()
                .map(|(from, to)| plain(from.name(), to.name())),
        );
        blueprint
            .edges
            .extend(self.finishes.iter().map(|from| plain(from.name(), END)));
        blueprint.edges.extend(self.joins.iter().map(|(from, to)| {
            Edge::Join(
                from.iter().map(|node| node.name().into()).collect(),
                to.name().into(),
            )
        }));
        let routes = self.routes.into_iter();
        let routers = routes.map(|route| route.into_def(&self.finishes));
        blueprint.routers = routers.collect();
        for DeclaredNode {
            node,
            handler,
            options,
            child,
        } in self.nodes
        {
            let reach = reaches.get(node.index()).cloned().unwrap_or_default();
            let on_error = options.on_error;
            let mut destinations = destinations(&reach);
            // Its commands may end the branch, and pictures show it.
            if !destinations.is_empty() && self.finishes.contains(&node) {
                destinations.push(END.into());
            }
            let options = builder::DynNodeOptions {
                defer: self.deferred.contains(&node),
                destinations,
                retry: options.retry,
                cache: options.cache,
                timeouts: options.timeouts,
                max_concurrency: options.max_concurrency,
                placement: options.placement,
                on_error: on_error.map(|on| on.into_node(resources.clone(), reach.clone())),
                ..builder::DynNodeOptions::default()
            };
            let run = handler.into_node(resources.clone(), reach);
            let entry = NodeFunction {
                run,
                graph: child.map(|(graph, _)| graph),
            };
            inner = inner.entry(node.name().into(), entry, options);
        }
        inner.build()
    }

    fn reach(&self, from: N) -> Reach {
        let among = |all: &[(N, Vec<N>)], node: N| {
            all.iter()
                .any(|(source, targets)| *source == from && targets.contains(&node))
        };
        let may = |node: N| [among(&self.commands, node), among(&self.sends, node)];
        Reach {
            nodes: N::ALL
                .iter()
                .map(|node| (node.name().into(), may(*node)))
                .collect(),
        }
    }
}

/// The declared migrations; one that panics is an error.
fn migrations<S: State>() -> Migrations {
    fn caught<T>(from: u32, migrate: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
        let wrong = |panic| Err(format!("the migration from version {from}: {panic}"));
        guarded(migrate).unwrap_or_else(wrong)
    }
    Migrations {
        state: Arc::new(|from, data| caught(from, || S::migrate(from, data))),
        update: Arc::new(|from, data| caught(from, || S::migrate_update(from, data))),
    }
}

fn destinations(reach: &Reach) -> Vec<Arc<str>> {
    let reached = reach
        .nodes
        .iter()
        .filter(|(_, [command, send])| *command || *send);
    reached.map(|(name, _)| name.clone()).collect()
}

fn pauses<N: Nodes>(nodes: &[N]) -> Pauses {
    Pauses::Nodes(nodes.iter().map(|node| node.name().into()).collect())
}

fn channel(name: &str, keep: Keep) -> ChannelSpec {
    let kind = match keep {
        Keep::Stored => ChannelKind::Last,
        Keep::Ephemeral => ChannelKind::Ephemeral(Guard::Any),
        Keep::Untracked => ChannelKind::Untracked(Guard::Any),
    };
    ChannelSpec {
        name: name.into(),
        kind,
        private: false,
    }
}

impl<N: Nodes> Route<N> {
    fn new<S: State>(
        from: Option<N>,
        targets: &[N],
        decide: impl Fn(&S) -> Vec<N> + Send + Sync + 'static,
    ) -> Self {
        let keys: Vec<Value> = N::ALL.iter().map(|node| Value::from(node.name())).collect();
        let decide = move |view: &RouteView<'_>| {
            let Some(channels) = view.channels.as_any().downcast_ref::<TypedState<S>>() else {
                return Err(Failure::new("Router", "a router of another graph").permanent());
            };
            let chosen = channels
                .look(view.writes, &decide)
                .map_err(|kind| match kind {
                    ErrorKind::Failed(failure) | ErrorKind::Reduce { failure, .. } => failure,
                    other => Failure::new(other.code(), other.to_string()).permanent(),
                })?;
            let key = |node: &N| keys.get(node.index()).cloned().unwrap_or_default();
            Ok(chosen
                .iter()
                .map(|node| Destination::Key(key(node)))
                .collect())
        };
        Self {
            from,
            targets: targets.to_vec(),
            decide: Arc::new(decide),
        }
    }

    fn into_def(self, finishes: &[N]) -> RouterDef {
        let may_end = self.from.is_some_and(|from| finishes.contains(&from));
        let names = self.targets.iter().map(|node| node.name());
        let names = names.chain(may_end.then_some(END));
        let map = names.map(|name| (Value::from(name), name.into()));
        RouterDef {
            from: self.from.map_or(START, N::name).into(),
            name: None,
            map: Some(map.collect()),
            route: self.decide,
        }
    }
}
