//! A compiled graph: dense ids, no strings on the way of a run.
//!
//! A [`blueprint::Blueprint`] describes a graph; [`blueprint::Blueprint::compile`] checks all of
//! it and makes a [`Plan`]. The run loop ([`crate::run`]) and the snapshot reader
//! ([`crate::snapshot`]) work on plans. What a node's result means for channels and triggers is in
//! [`route`].

pub mod blueprint;
pub mod route;
pub mod shape;

use std::{collections::HashMap, sync::Arc};

use serde::{Deserialize, Serialize};

pub use blueprint::{Blueprint, BuildError, BuildErrors, Edge, NodeDef, RouterDef};
pub use route::{Destination, IntoDestinations, RouteFn, RouteView};
pub use shape::{FieldShape, StateShape};

use crate::{
    channel::{ChannelKind, ChannelSpec},
    channel_state::ChannelState,
    id::IdSource,
    message,
    policy::{CachePolicy, RetryPolicy, Timeouts},
    record::{Layout, StartValue, Write},
    reducer::Reducer,
    table::{ChannelIx, NodeIx, Table, TriggerIx},
    value::Value,
};

/// A value computed for a node instead of read from a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Managed {
    /// How many steps the limit leaves.
    RemainingSteps,
    /// Whether this is the last one.
    IsLastStep,
}

/// How long a subgraph's own state lives.
///
/// ```
/// use superstep_core::plan::Persist;
///
/// // Given to the builder of a subgraph: `.persist(Persist::PerThread)`.
/// assert_eq!(Persist::default(), Persist::PerCall);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Persist {
    /// As long as the task that runs it; kept while that task waits or has failed.
    #[default]
    PerCall,
    /// As long as the thread.
    PerThread,
    /// Not at all: a resume starts it again.
    Off,
}

/// What part a node plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Takes the input and fires the entry edges; hidden.
    Start,
    /// A node of the user.
    Plain,
    /// The one node of a functional entrypoint.
    Entrypoint,
    /// Runs in place of a failed node.
    Handler,
}

/// A key a node reads.
#[derive(Clone, Debug)]
pub enum ReadKey {
    /// A channel.
    Channel(ChannelIx),
    /// A computed value.
    Managed(Arc<str>, Managed),
}

/// What a triggered node gets.
#[derive(Clone, Debug)]
pub enum Reads {
    /// The run's input.
    Input,
    /// The bare value of the root channel.
    Root(ChannelIx),
    /// An object of these keys, as far as they are present.
    Keys(Vec<ReadKey>),
}

impl Reads {
    /// How a key is read, if it is.
    pub fn key(&self, plan: &Plan, name: &str) -> Option<&ReadKey> {
        let Self::Keys(keys) = self else {
            return None;
        };
        let channel = plan.channel(name);
        keys.iter().find(|key| match key {
            ReadKey::Channel(ix) => Some(*ix) == channel,
            ReadKey::Managed(managed, _) => **managed == *name,
        })
    }
}

/// A conditional edge.
#[derive(Clone)]
pub struct Router {
    /// Its name, for messages and drawings.
    pub name: Arc<str>,
    /// Decides.
    pub route: RouteFn,
    /// Translates results to nodes; without it results are node names.
    pub map: Option<Vec<(Value, Arc<str>)>>,
}

impl std::fmt::Debug for Router {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Router")
            .field("name", &self.name)
            .field("map", &self.map)
            .finish()
    }
}

/// A node of a plan.
#[derive(Clone, Debug)]
pub struct NodeSpec {
    /// Its name.
    pub name: Arc<str>,
    /// Its part.
    pub role: Role,
    /// What it gets when triggered.
    pub reads: Reads,
    /// What triggers it.
    pub triggers: Vec<TriggerIx>,
    /// Plain edges out of it.
    pub edges: Vec<TriggerIx>,
    /// Joins it is a source of, with its position in them.
    pub joins: Vec<(TriggerIx, u32)>,
    /// Conditional edges out of it.
    pub routers: Vec<Router>,
    /// Its place among all nodes by name.
    pub rank: u32,
    /// Retries; the first policy that covers an error decides.
    pub retry: Vec<RetryPolicy>,
    /// Result cache.
    pub cache: Option<CachePolicy>,
    /// Limits.
    pub timeouts: Timeouts,
    /// Who runs when it fails.
    pub handler: Option<NodeIx>,
    /// Whether it is a subgraph, and how long that one's state lives.
    pub subgraph: Option<Persist>,
    /// Nodes it may go to by command; for validation and drawing.
    pub destinations: Vec<Arc<str>>,
    /// How many tasks of it run at once; any number by default.
    pub max_concurrency: Option<usize>,
}

/// What a trigger does.
#[derive(Clone, Debug)]
pub struct TriggerSpec {
    /// The node it triggers.
    pub node: NodeIx,
    /// Which kind it is.
    pub kind: TriggerKind,
    /// It waits until nothing else would run.
    pub deferred: bool,
}

/// Kinds of triggers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TriggerKind {
    /// The run's input.
    Start,
    /// Fires when written.
    Edge,
    /// Fires when each of so many sources has run.
    Join(u32),
}

/// Nodes a run pauses at.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Pauses {
    /// Nowhere.
    #[default]
    None,
    /// At every node.
    All,
    /// At these.
    Nodes(Vec<Arc<str>>),
}

/// Keys to read out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Keys {
    /// An object of these channels.
    Many(Vec<ChannelIx>),
    /// The bare value of one channel.
    One(ChannelIx),
}

impl Keys {
    /// Whether the channel is among them.
    pub fn contains(&self, channel: ChannelIx) -> bool {
        match self {
            Self::Many(keys) => keys.contains(&channel),
            Self::One(key) => *key == channel,
        }
    }
}

/// Makes empty channels.
pub type FreshChannels = Arc<dyn Fn() -> Arc<dyn ChannelState> + Send + Sync>;

/// A compiled graph.
#[derive(Clone)]
pub struct Plan {
    /// The graph's name.
    pub name: Arc<str>,
    /// Names it had before: threads of these are its own.
    pub former_names: Vec<Arc<str>>,
    /// Names of channels, nodes and triggers, for records.
    pub layout: Arc<Layout>,
    /// Channels.
    pub channels: Arc<Table<ChannelIx, ChannelSpec>>,
    /// Nodes; the hidden start node first, in order of definition.
    pub nodes: Table<NodeIx, NodeSpec>,
    /// Triggers.
    pub triggers: Table<TriggerIx, TriggerSpec>,
    /// The trigger of the input.
    pub start: TriggerIx,
    /// Channels that the input may write.
    pub input: Vec<ChannelIx>,
    /// What a run returns.
    pub output: Keys,
    /// What snapshots and `values` show.
    pub shown: Keys,
    /// Channels that change by time alone.
    pub volatile: Vec<ChannelIx>,
    /// Deferred triggers.
    pub deferred: Vec<TriggerIx>,
    /// Triggers of nodes that have several.
    pub shared_targets: Vec<TriggerIx>,
    /// Channels that are never stored.
    pub untracked: Vec<ChannelIx>,
    /// Channels of messages.
    pub messages: Vec<ChannelIx>,
    /// The bare root channel, if the state is one value.
    pub root: Option<ChannelIx>,
    /// The channel of an entrypoint's `previous`.
    pub previous: Option<ChannelIx>,
    /// Static pauses before nodes.
    pub pause_before: Pauses,
    /// Static pauses after nodes.
    pub pause_after: Pauses,
    /// Makes empty channels.
    pub fresh: FreshChannels,
    /// The fields of a typed state.
    pub state: Option<StateShape>,
    /// Whether names that it does not have are errors, in inputs and in results of nodes.
    pub strict: bool,
    pub(crate) channel_names: HashMap<Arc<str>, ChannelIx>,
    pub(crate) node_names: HashMap<Arc<str>, NodeIx>,
}

impl Plan {
    /// The channel of that name.
    pub fn channel(&self, name: &str) -> Option<ChannelIx> {
        // Comparing a few names is cheaper than hashing one.
        if self.channels.len() <= 8 {
            let mut entries = self.channels.entries();
            return entries
                .find(|(_, spec)| *spec.name == *name)
                .map(|(channel, _)| channel);
        }
        self.channel_names.get(name).copied()
    }

    /// The node of that name.
    pub fn node(&self, name: &str) -> Option<NodeIx> {
        self.node_names.get(name).copied()
    }

    /// The edge trigger of a node of that name.
    pub fn edge_to(&self, name: &str) -> Option<TriggerIx> {
        let node = self.nodes.get(self.node(name)?)?;
        let edge = |t: &&TriggerIx| self.triggers.row(**t).kind == TriggerKind::Edge;
        node.triggers.iter().find(edge).copied()
    }

    /// Resolves channel names, or returns the one that is unknown.
    pub fn keys(&self, names: &[Arc<str>]) -> Result<Vec<ChannelIx>, Arc<str>> {
        names
            .iter()
            .map(|name| self.channel(name).ok_or_else(|| name.clone()))
            .collect()
    }

    /// Reads channels out of a channel state.
    pub fn read(&self, channels: &dyn ChannelState, keys: &Keys) -> Value {
        match keys {
            Keys::One(channel) => channels.get(*channel).unwrap_or_default(),
            Keys::Many(many) => {
                if let Some(whole) = channels.whole() {
                    return whole;
                }
                let mut present = Vec::with_capacity(many.len());
                present.extend(many.iter().filter_map(|channel| {
                    Some((
                        self.channels.row(*channel).name.clone(),
                        channels.get(*channel)?,
                    ))
                }));
                Value::map(present)
            }
        }
    }

    /// Whether a node is hidden from streams and pauses.
    pub fn is_hidden(&self, node: NodeIx) -> bool {
        self.nodes.row(node).role == Role::Start
    }

    /// Whether the state is one Rust type.
    pub fn is_typed(&self) -> bool {
        self.layout.state.is_some()
    }

    /// Whether a channel holds messages.
    pub fn holds_messages(&self, channel: ChannelIx) -> bool {
        self.messages.contains(&channel)
    }

    /// Gives new messages ids before anything is stored or shown, so that all hold the same.
    pub fn name_messages(&self, writes: &mut [Write], ids: &dyn IdSource) {
        if self.messages.is_empty() {
            return;
        }
        for write in writes {
            if let Write::State(channel, value) = write
                && self.holds_messages(*channel)
            {
                let named = std::mem::take(value);
                *value = message::with_ids(named, &mut || ids.next(None).to_string());
            }
        }
    }

    /// How often a delta channel is snapshot.
    pub fn delta_every(&self, channel: ChannelIx) -> Option<u32> {
        match &self.channels.row(channel).kind {
            ChannelKind::Reduce { delta, .. } => *delta,
            _ => None,
        }
    }

    /// Takes what must not be stored out of a send.
    pub fn forget_untracked(&self, send: &mut crate::command::Send) {
        self.forget_untracked_in(&mut send.arg);
    }

    /// Takes what must not be stored out of the input of a run.
    pub(crate) fn forget_untracked_input(&self, start: &mut StartValue) {
        match start {
            StartValue::Input(value) => self.forget_untracked_in(value),
            StartValue::Command(command) => {
                command.update.retain(|(name, _)| !self.is_untracked(name));
            }
        }
    }

    fn is_untracked(&self, name: &str) -> bool {
        self.channel(name)
            .is_some_and(|channel| self.untracked.contains(&channel))
    }

    /// Takes channels that must not be stored out of an object, or a list of objects, of channels.
    pub(crate) fn forget_untracked_in(&self, value: &mut Value) {
        if let Value::List(items) = value {
            for item in Arc::make_mut(items) {
                self.forget_untracked_in(item);
            }
        } else if let Value::Map(map) = value
            && map.keys().any(|name| self.is_untracked(name))
        {
            Arc::make_mut(map).retain(|name, _| !self.is_untracked(name));
        }
    }

    fn is_messages(kind: &ChannelKind) -> bool {
        matches!(
            kind,
            ChannelKind::Reduce {
                reducer: Reducer::Messages(_),
                ..
            }
        )
    }
}

impl std::fmt::Debug for Plan {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Plan")
            .field("name", &self.name)
            .field("nodes", &self.nodes)
            .finish()
    }
}
