//! What a graph is, before it is checked; and the check, which reports every mistake at once.

use std::{
    collections::{HashMap, HashSet},
    fmt,
    sync::Arc,
};

use super::{
    FieldShape, FreshChannels, Keys, Managed, NodeSpec, Pauses, Persist, Plan, ReadKey, Reads,
    Role, RouteFn, Router, StateShape, TriggerKind, TriggerSpec,
};
use crate::{
    channel::{ChannelKind, ChannelSpec, Channels, Guard},
    command::{END, START},
    policy::{CachePolicy, RetryPolicy, Timeouts},
    record::{Layout, TriggerName},
    table::{ChannelIx, NodeIx, Table, TriggerIx},
    value::Value,
};

/// The channel of a state that is one bare value.
pub const ROOT: &str = "__root__";

/// A graph as its author describes it.
#[derive(Clone, Default)]
pub struct Blueprint {
    /// The graph's name.
    pub name: Option<Arc<str>>,
    /// Names it had before: threads of these are its own.
    pub former_names: Vec<Arc<str>>,
    /// Channels.
    pub channels: Vec<ChannelSpec>,
    /// Computed keys.
    pub managed: Vec<(Arc<str>, Managed)>,
    /// Whether the state is the one channel [`ROOT`].
    pub root: bool,
    /// Input schema; all channels that are not private by default.
    pub input: Option<Vec<Arc<str>>>,
    /// Output schema; all channels that are not private by default.
    pub output: Option<Vec<Arc<str>>>,
    /// Nodes in order.
    pub nodes: Vec<NodeDef>,
    /// Edges.
    pub edges: Vec<Edge>,
    /// Conditional edges.
    pub routers: Vec<RouterDef>,
    /// Static pauses before nodes.
    pub pause_before: Pauses,
    /// Static pauses after nodes.
    pub pause_after: Pauses,
    /// The error handler of nodes without their own.
    pub default_handler: bool,
    /// A channel state of another layer; slots per channel by default.
    pub channel_state: Option<FreshChannels>,
    /// Version and fields of a typed state.
    pub state: Option<StateShape>,
    /// Whether names that it does not have are errors, in inputs and in results of nodes.
    pub strict: bool,
}

/// A node as its author describes it.
#[derive(Clone, Debug, Default)]
pub struct NodeDef {
    /// Its name.
    pub name: Arc<str>,
    /// What it reads; all channels that are not private by default.
    pub input: Option<Vec<Arc<str>>>,
    /// It waits until nothing else would run.
    pub defer: bool,
    /// Where its commands may go.
    pub destinations: Vec<Arc<str>>,
    /// Retries.
    pub retry: Vec<RetryPolicy>,
    /// Result cache.
    pub cache: Option<CachePolicy>,
    /// Limits.
    pub timeouts: Timeouts,
    /// Whether it has its own error handler.
    pub handler: bool,
    /// Whether it is a subgraph.
    pub subgraph: Option<Persist>,
    /// How many tasks of it run at once; any number by default.
    pub max_concurrency: Option<usize>,
}

/// An edge as its author describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Edge {
    /// From one node to another.
    Plain(Arc<str>, Arc<str>),
    /// When all sources have run.
    Join(Vec<Arc<str>>, Arc<str>),
}

/// A conditional edge as its author describes it.
#[derive(Clone)]
pub struct RouterDef {
    /// The node it leaves.
    pub from: Arc<str>,
    /// Its name; numbered by default.
    pub name: Option<Arc<str>>,
    /// Decides.
    pub route: RouteFn,
    /// Translates results to nodes.
    pub map: Option<Vec<(Value, Arc<str>)>>,
}

/// One mistake in a graph.
///
/// ```
/// use superstep_core::plan::BuildError;
///
/// let mistake = BuildError::NoStore("draft".into());
/// assert!(mistake.to_string().starts_with("[SS4019] node `draft`"));
/// ```
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum BuildError {
    /// Nothing to run.
    #[error("[SS4001] the graph has no node")]
    Empty,
    /// Two nodes of one name.
    #[error("[SS4002] node `{0}` is defined twice")]
    DuplicateNode(Arc<str>),
    /// A name with a meaning of its own.
    #[error("[SS4003] `{0}` cannot name a node: reserved, empty, or with `|` or `:`")]
    BadName(Arc<str>),
    /// An edge from nowhere.
    #[error("[SS4004] an edge starts at unknown node `{0}`")]
    UnknownSource(Arc<str>),
    /// An edge to nowhere.
    #[error("[SS4005] an edge ends at unknown node `{0}`")]
    UnknownTarget(Arc<str>),
    /// No edge from the start.
    #[error("[SS4006] no edge leaves the start")]
    NoEntry,
    /// An edge into the start or out of the end.
    #[error("[SS4007] an edge cannot enter the start or leave the end")]
    BadTerminal,
    /// Two routers of one name on one node.
    #[error("[SS4008] node `{node}` has two routers named `{router}`")]
    DuplicateRouter {
        /// The node.
        node: Arc<str>,
        /// The router.
        router: Arc<str>,
    },
    /// A router's map names an unknown node.
    #[error("[SS4009] router `{router}` of node `{node}` leads to unknown node `{target}`")]
    UnknownRoute {
        /// The node.
        node: Arc<str>,
        /// The router.
        router: Arc<str>,
        /// The unknown node.
        target: Arc<str>,
    },
    /// Two channels of one name, or a channel and a computed key.
    #[error("[SS4010] channel `{0}` is defined twice")]
    DuplicateChannel(Arc<str>),
    /// A schema, pause or destination names something unknown.
    #[error("[SS4011] {what} names unknown {kind} `{name}`")]
    UnknownName {
        /// Who names it.
        what: String,
        /// A channel or a node.
        kind: &'static str,
        /// The name.
        name: Arc<str>,
    },
    /// A join of nothing.
    #[error("[SS4012] a join into `{0}` has no source")]
    EmptyJoin(Arc<str>),
    /// Typed layer: a node that nothing leads to.
    #[error("[SS4013] node `{0}` cannot be reached from the start")]
    Unreachable(Arc<str>),
    /// Typed layer: a node of the enum without a function.
    #[error("[SS4014] node `{0}` has no function")]
    Missing(Arc<str>),
    /// Typed layer: a node that leads nowhere.
    #[error("[SS4015] node `{0}` leads nowhere: add an edge, a route, commands or the end")]
    DeadEnd(Arc<str>),
    /// Typed layer: a node takes a resource the graph does not have.
    #[error("[SS4016] node `{node}` takes resource `{resource}`, which the graph does not have")]
    NoResource {
        /// The node.
        node: Arc<str>,
        /// The resource's type.
        resource: &'static str,
    },
    /// Typed layer: a node takes a payload but an edge leads to it.
    #[error("[SS4017] node `{node}` takes input `{input}` but is reached by an edge, not a send")]
    NeedsInput {
        /// The node.
        node: Arc<str>,
        /// The payload's type.
        input: &'static str,
    },
    /// Typed layer: a join waits for a node that may never run.
    #[error("[SS4018] a join into `{target}` waits for `{source_node}`, which may be skipped")]
    SkippableJoin {
        /// The node after the join.
        target: Arc<str>,
        /// The source that may not run.
        source_node: Arc<str>,
    },
    /// Typed layer: a node is declared to send what its target does not take.
    #[error("[SS4021] node `{from}` sends `{sent}` to node `{node}`, which takes {taken}")]
    OtherPayload {
        /// The sender.
        from: Arc<str>,
        /// The target.
        node: Arc<str>,
        /// The declared type.
        sent: &'static str,
        /// What the target takes.
        taken: &'static str,
    },
    /// Typed layer: a node takes another context than the declared one.
    #[error("[SS4022] node `{node}` takes context `{taken}`, but runs are given `{declared}`")]
    OtherContext {
        /// The node.
        node: Arc<str>,
        /// What it takes.
        taken: &'static str,
        /// The declared type.
        declared: &'static str,
    },
    /// Typed layer: a subgraph that shares fields has none that fits.
    #[error("[SS4023] the graph of node `{node}` cannot share state with this one: {why}")]
    NotShared {
        /// The node.
        node: Arc<str>,
        /// Why not.
        why: String,
    },
    /// A node of which no task may run.
    #[error("[SS4020] node `{0}` may run no task at once: `max_concurrency` is at least 1")]
    NoConcurrency(Arc<str>),
    /// Typed layer: a node takes the long-term store but the graph has none.
    #[error("[SS4019] node `{0}` takes the store, which the graph does not have")]
    NoStore(Arc<str>),
}

/// Every mistake in a graph.
///
/// ```
/// use superstep_core::plan::{BuildError, BuildErrors};
///
/// let errors = BuildErrors(vec![BuildError::NoStore("draft".into())]);
/// assert!(errors.to_string().starts_with("[SS4019]")); // one line per mistake
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct BuildErrors(pub Vec<BuildError>);

/// What a person should see when a program ends with these mistakes.
impl fmt::Debug for BuildErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for BuildErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, error) in self.0.iter().enumerate() {
            write!(f, "{}{error}", if n == 0 { "" } else { "\n" })?;
        }
        Ok(())
    }
}

impl std::error::Error for BuildErrors {}

impl Blueprint {
    /// A functional entrypoint: one node that takes the input and returns the output.
    pub fn entrypoint(node: NodeDef) -> Result<Plan, BuildErrors> {
        let name = node.name.clone();
        let channel = |name: &str| ChannelSpec {
            name: name.into(),
            kind: ChannelKind::Last,
            private: false,
        };
        let blueprint = Self {
            name: Some(name),
            channels: vec![channel(END), channel("__previous__")],
            nodes: vec![node],
            ..Self::default()
        };
        blueprint.draft(Role::Entrypoint).finish(&blueprint)
    }

    /// Checks the graph and compiles it.
    pub fn compile(&self) -> Result<Plan, BuildErrors> {
        self.draft(Role::Plain).finish(self)
    }

    fn draft(&self, role: Role) -> Draft {
        let mut draft = Draft::default();
        draft.add_channels(self);
        draft.add_nodes(self, role);
        if role == Role::Plain {
            draft.add_edges(self);
            draft.add_routers(self);
            draft.check_names(self);
        }
        draft
    }
}

#[derive(Default)]
struct Draft {
    errors: Vec<BuildError>,
    channels: Table<ChannelIx, ChannelSpec>,
    channel_names: HashMap<Arc<str>, ChannelIx>,
    managed: HashMap<Arc<str>, Managed>,
    nodes: Table<NodeIx, NodeSpec>,
    node_names: HashMap<Arc<str>, NodeIx>,
    triggers: Table<TriggerIx, TriggerSpec>,
    trigger_names: Vec<TriggerName>,
}

impl Draft {
    fn add_channels(&mut self, from: &Blueprint) {
        for spec in &from.channels {
            let ix = self.channels.push(spec.clone());
            if self.channel_names.insert(spec.name.clone(), ix).is_some() {
                self.errors
                    .push(BuildError::DuplicateChannel(spec.name.clone()));
            }
        }
        for (name, managed) in &from.managed {
            if self.channel_names.contains_key(name)
                || self.managed.insert(name.clone(), *managed).is_some()
            {
                self.errors.push(BuildError::DuplicateChannel(name.clone()));
            }
        }
    }

    fn add_nodes(&mut self, from: &Blueprint, role: Role) {
        if from.nodes.is_empty() {
            self.errors.push(BuildError::Empty);
        }
        if role == Role::Plain {
            let start = self.push_node(
                &NodeDef {
                    name: START.into(),
                    ..NodeDef::default()
                },
                Role::Start,
            );
            self.nodes.row_mut(start).reads = Reads::Input;
            self.push_trigger(start, TriggerKind::Start, false, TriggerName::Start);
        }
        for def in &from.nodes {
            let bad = def.name.is_empty() || &*def.name == END || def.name.contains(['|', ':']);
            if bad || (&*def.name == START && role == Role::Plain) {
                self.errors.push(BuildError::BadName(def.name.clone()));
                continue;
            }
            if self.node_names.contains_key(&def.name) {
                self.errors
                    .push(BuildError::DuplicateNode(def.name.clone()));
                continue;
            }
            if def.max_concurrency == Some(0) {
                self.errors
                    .push(BuildError::NoConcurrency(def.name.clone()));
            }
            let node = self.push_node(def, role);
            if role == Role::Entrypoint {
                self.nodes.row_mut(node).reads = Reads::Input;
                self.push_trigger(node, TriggerKind::Start, false, TriggerName::Start);
                continue;
            }
            self.nodes.row_mut(node).reads = self.reads(from, def);
            let name = TriggerName::Node(def.name.clone());
            self.push_trigger(node, TriggerKind::Edge, def.defer, name);
        }
        self.add_handlers(from);
    }

    fn push_node(&mut self, def: &NodeDef, role: Role) -> NodeIx {
        let node = self.nodes.push(NodeSpec {
            name: def.name.clone(),
            role,
            reads: Reads::Keys(Vec::new()),
            triggers: Vec::new(),
            edges: Vec::new(),
            joins: Vec::new(),
            routers: Vec::new(),
            rank: 0,
            retry: def.retry.clone(),
            cache: def.cache.clone(),
            timeouts: def.timeouts,
            handler: None,
            subgraph: def.subgraph,
            destinations: def.destinations.clone(),
            max_concurrency: def.max_concurrency,
        });
        self.node_names.insert(def.name.clone(), node);
        node
    }

    fn push_trigger(
        &mut self,
        node: NodeIx,
        kind: TriggerKind,
        deferred: bool,
        name: TriggerName,
    ) -> TriggerIx {
        let trigger = self.triggers.push(TriggerSpec {
            node,
            kind,
            deferred,
        });
        self.trigger_names.push(name);
        self.nodes.row_mut(node).triggers.push(trigger);
        trigger
    }

    fn add_handlers(&mut self, from: &Blueprint) {
        let handler = |name: String| NodeDef {
            name: name.into(),
            ..NodeDef::default()
        };
        let mut default = None;
        for def in &from.nodes {
            let Some(node) = self.node_names.get(&def.name).copied() else {
                continue;
            };
            let target = if def.handler {
                Some(self.push_node(
                    &handler(format!("__error_handler__{}", def.name)),
                    Role::Handler,
                ))
            } else if from.default_handler {
                let name = "__default_error_handler__".to_owned();
                Some(*default.get_or_insert_with(|| self.push_node(&handler(name), Role::Handler)))
            } else {
                None
            };
            self.nodes.row_mut(node).handler = target;
        }
    }

    fn reads(&mut self, from: &Blueprint, def: &NodeDef) -> Reads {
        if from.root
            && let Some(root) = self.channel_names.get(ROOT)
        {
            return Reads::Root(*root);
        }
        let Some(names) = &def.input else {
            let all = self.channels.entries().filter(|(_, spec)| !spec.private);
            let mut keys: Vec<ReadKey> = all.map(|(ix, _)| ReadKey::Channel(ix)).collect();
            keys.extend(
                from.managed
                    .iter()
                    .map(|(name, m)| ReadKey::Managed(name.clone(), *m)),
            );
            return Reads::Keys(keys);
        };
        let mut keys = Vec::with_capacity(names.len());
        for name in names {
            match (self.channel_names.get(name), self.managed.get(name)) {
                (Some(ix), _) => keys.push(ReadKey::Channel(*ix)),
                (None, Some(managed)) => keys.push(ReadKey::Managed(name.clone(), *managed)),
                (None, None) => {
                    self.unknown(format!("the input of `{}`", def.name), "channel", name)
                }
            }
        }
        Reads::Keys(keys)
    }

    fn unknown(&mut self, what: String, kind: &'static str, name: &Arc<str>) {
        self.errors.push(BuildError::UnknownName {
            what,
            kind,
            name: name.clone(),
        });
    }

    fn target(&mut self, name: &Arc<str>) -> Option<NodeIx> {
        if &**name == START {
            self.errors.push(BuildError::BadTerminal);
            return None;
        }
        let found = self.node_names.get(name).copied();
        if found.is_none() && &**name != END {
            self.errors.push(BuildError::UnknownTarget(name.clone()));
        }
        found
    }

    fn source(&mut self, name: &Arc<str>) -> Option<NodeIx> {
        if &**name == END {
            self.errors.push(BuildError::BadTerminal);
            return None;
        }
        let found = self.node_names.get(name).copied();
        if found.is_none() {
            self.errors.push(BuildError::UnknownSource(name.clone()));
        }
        found
    }

    fn add_edges(&mut self, from: &Blueprint) {
        for edge in &from.edges {
            match edge {
                Edge::Plain(source, target) => {
                    let (source, target) = (self.source(source), self.target(target));
                    if let (Some(source), Some(target)) = (source, target) {
                        let first = self.nodes.row(target).triggers.first().copied();
                        self.nodes.row_mut(source).edges.extend(first);
                    }
                }
                Edge::Join(sources, target) => self.add_join(sources, target),
            }
        }
        let entered = from.edges.iter().any(|edge| match edge {
            Edge::Plain(source, _) => &**source == START,
            Edge::Join(sources, _) => sources.iter().any(|source| &**source == START),
        });
        if !entered && !from.routers.iter().any(|router| &*router.from == START) {
            self.errors.push(BuildError::NoEntry);
        }
    }

    fn add_join(&mut self, sources: &[Arc<str>], target: &Arc<str>) {
        let mut seen = HashSet::new();
        let distinct: Vec<Arc<str>> = sources
            .iter()
            .filter(|source| seen.insert((*source).clone()))
            .cloned()
            .collect();
        if distinct.is_empty() {
            self.errors.push(BuildError::EmptyJoin(target.clone()));
            return;
        }
        let found: Vec<Option<NodeIx>> = distinct.iter().map(|s| self.source(s)).collect();
        let Some(into) = self.target(target) else {
            return;
        };
        let deferred = self
            .nodes
            .row(into)
            .triggers
            .first()
            .is_some_and(|first| self.triggers.row(*first).deferred);
        let name = TriggerName::Join(distinct.clone(), target.clone());
        let count = u32::try_from(distinct.len()).unwrap_or(u32::MAX);
        let join = self.push_trigger(into, TriggerKind::Join(count), deferred, name);
        for (source, position) in found.into_iter().zip(0..) {
            if let Some(source) = source {
                self.nodes.row_mut(source).joins.push((join, position));
            }
        }
    }

    fn add_routers(&mut self, from: &Blueprint) {
        let mut names = HashSet::new();
        for (n, def) in from.routers.iter().enumerate() {
            let name = def
                .name
                .clone()
                .unwrap_or_else(|| format!("route{n}").into());
            if !names.insert((def.from.clone(), name.clone())) {
                let node = def.from.clone();
                self.errors.push(BuildError::DuplicateRouter {
                    node,
                    router: name.clone(),
                });
            }
            for (_, target) in def.map.iter().flatten() {
                if &**target != END && !self.node_names.contains_key(target) {
                    self.errors.push(BuildError::UnknownRoute {
                        node: def.from.clone(),
                        router: name.clone(),
                        target: target.clone(),
                    });
                }
            }
            if let Some(node) = self.source(&def.from) {
                let router = Router {
                    name,
                    route: def.route.clone(),
                    map: def.map.clone(),
                };
                self.nodes.row_mut(node).routers.push(router);
            }
        }
    }

    fn check_names(&mut self, from: &Blueprint) {
        for (what, names) in [
            ("the input schema", &from.input),
            ("the output schema", &from.output),
        ] {
            for name in names.iter().flatten() {
                if !self.channel_names.contains_key(name) {
                    self.unknown(what.into(), "channel", name);
                }
            }
        }
        for (what, pauses) in [
            ("a pause before", &from.pause_before),
            ("a pause after", &from.pause_after),
        ] {
            let Pauses::Nodes(names) = pauses else {
                continue;
            };
            for name in names {
                if !self.node_names.contains_key(name) {
                    self.unknown(what.into(), "node", name);
                }
            }
        }
        for def in &from.nodes {
            for name in &def.destinations {
                if &**name != END && !self.node_names.contains_key(name) {
                    self.unknown(format!("the destinations of `{}`", def.name), "node", name);
                }
            }
        }
    }

    fn finish(mut self, from: &Blueprint) -> Result<Plan, BuildErrors> {
        let start = self
            .triggers
            .entries()
            .find(|(_, t)| t.kind == TriggerKind::Start);
        let Some((start, _)) = start.filter(|_| self.errors.is_empty()) else {
            return Err(BuildErrors(self.errors));
        };
        self.rank_nodes();
        let public = |c: &ChannelSpec| !c.private;
        let select = |names: &Option<Vec<Arc<str>>>| -> Vec<ChannelIx> {
            match names {
                Some(names) => names
                    .iter()
                    .filter_map(|n| self.channel_names.get(n))
                    .copied()
                    .collect(),
                None => self
                    .channels
                    .entries()
                    .filter(|(_, c)| public(c))
                    .map(|(ix, _)| ix)
                    .collect(),
            }
        };
        let input = select(&from.input);
        let root = self.channel_names.get(ROOT).copied().filter(|_| from.root);
        let previous = self.channel_names.get("__previous__").copied();
        let end = self
            .channel_names
            .get(END)
            .copied()
            .filter(|_| previous.is_some());
        let (output, shown) = match root.or(end) {
            Some(bare) => (Keys::One(bare), Keys::One(bare)),
            None => (
                Keys::Many(select(&from.output)),
                Keys::Many(self.channels.keys().collect()),
            ),
        };
        let channels = Arc::new(self.channels);
        let pick = |wanted: &dyn Fn(&ChannelKind) -> bool| -> Vec<ChannelIx> {
            channels
                .entries()
                .filter(|(_, c)| wanted(&c.kind))
                .map(|(ix, _)| ix)
                .collect()
        };
        let specs = channels.clone();
        Ok(Plan {
            name: from.name.clone().unwrap_or_else(|| "graph".into()),
            layout: Arc::new(Layout {
                channels: channels.iter().map(|c| c.name.clone()).collect(),
                nodes: self.nodes.iter().map(|n| n.name.clone()).collect(),
                triggers: self.trigger_names,
                state: from.state.as_ref().map(StateShape::stored),
                graph: from.name.clone().unwrap_or_default(),
                shapes: match &from.state {
                    Some(shape) => shape.fields.iter().map(FieldShape::hash).collect(),
                    None => Vec::new(),
                },
            }),
            former_names: from.former_names.clone(),
            start,
            input,
            output,
            shown,
            volatile: pick(&ChannelKind::is_volatile),
            shared_targets: self
                .nodes
                .iter()
                .filter(|node| node.triggers.len() > 1)
                .flat_map(|node| node.triggers.iter().copied())
                .collect(),
            deferred: self
                .triggers
                .entries()
                .filter(|(_, t)| t.deferred)
                .map(|(ix, _)| ix)
                .collect(),
            untracked: pick(&|kind| !kind.is_stored()),
            messages: pick(&Plan::is_messages),
            root,
            previous,
            pause_before: from.pause_before.clone(),
            pause_after: from.pause_after.clone(),
            fresh: from
                .channel_state
                .clone()
                .unwrap_or_else(|| Arc::new(move || Arc::new(Channels::new(specs.clone())))),
            state: from.state,
            strict: from.strict,
            channels,
            nodes: self.nodes,
            triggers: self.triggers,
            channel_names: self.channel_names,
            node_names: self.node_names,
        })
    }

    fn rank_nodes(&mut self) {
        let mut order: Vec<NodeIx> = self.nodes.keys().collect();
        order.sort_by(|a, b| {
            self.nodes
                .row(*a)
                .name
                .as_bytes()
                .cmp(self.nodes.row(*b).name.as_bytes())
        });
        for (node, rank) in order.into_iter().zip(0..) {
            self.nodes.row_mut(node).rank = rank;
        }
    }
}

impl ChannelSpec {
    /// A channel that keeps the last value.
    pub fn last(name: impl Into<Arc<str>>) -> Self {
        Self {
            name: name.into(),
            kind: ChannelKind::Last,
            private: false,
        }
    }

    /// A channel present only in the step after a write.
    pub fn ephemeral(name: impl Into<Arc<str>>) -> Self {
        Self {
            name: name.into(),
            kind: ChannelKind::Ephemeral(Guard::One),
            private: false,
        }
    }
}
