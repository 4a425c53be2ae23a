//! What a node hands back: an update of the state, and where to go next.

use std::{sync::Arc, time::Duration};

use serde::{Deserialize, Serialize};

use crate::{table::ChannelIx, value::Value};

/// The name of the virtual first node.
pub const START: &str = "__start__";
/// The name of the virtual last node.
pub const END: &str = "__end__";

/// Runs a node in the next step with its own input, besides whatever edges trigger.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Send {
    /// The node to run.
    pub node: Arc<str>,
    /// What it gets instead of the state.
    pub arg: Value,
    /// A limit on the run time of this task alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<Duration>,
}

impl Send {
    /// Sends `arg` to `node`.
    pub fn new(node: impl Into<Arc<str>>, arg: impl Into<Value>) -> Self {
        Self {
            node: node.into(),
            arg: arg.into(),
            timeout: None,
        }
    }
}

/// One destination of a command or router.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Goto {
    /// Trigger a node, or [`END`] for nothing.
    Node(Arc<str>),
    /// Run a node with its own input.
    Send(Send),
}

impl From<&str> for Goto {
    fn from(node: &str) -> Self {
        Self::Node(node.into())
    }
}
impl From<Arc<str>> for Goto {
    fn from(node: Arc<str>) -> Self {
        Self::Node(node)
    }
}
impl From<Send> for Goto {
    fn from(send: Send) -> Self {
        Self::Send(send)
    }
}

/// Which graph a [`Command`] speaks to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Target {
    /// The graph whose node returned it.
    #[default]
    Here,
    /// The graph above.
    Parent,
}

/// Update and destinations in one; what a node returns, or what a caller feeds to a thread.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Command {
    /// Writes to channels, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub update: Vec<(Arc<str>, Value)>,
    /// Where to go, besides edges and routers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub goto: Vec<Goto>,
    /// Which graph it is for.
    #[serde(default)]
    pub target: Target,
}

impl Command {
    /// Goes to a node or send.
    pub fn goto(to: impl Into<Goto>) -> Self {
        Self {
            goto: vec![to.into()],
            ..Self::default()
        }
    }

    /// Adds a write.
    #[must_use]
    pub fn set(mut self, channel: impl Into<Arc<str>>, value: impl Into<Value>) -> Self {
        self.update.push((channel.into(), value.into()));
        self
    }

    /// Adds a destination.
    #[must_use]
    pub fn and_goto(mut self, to: impl Into<Goto>) -> Self {
        self.goto.push(to.into());
        self
    }

    /// Hands the command to the graph above.
    #[must_use]
    pub fn to_parent(mut self) -> Self {
        self.target = Target::Parent;
        self
    }
}

/// What a node of the dynamic layer returns.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Output {
    /// Nothing changes.
    #[default]
    Nothing,
    /// A partial update (or, for a graph with a bare root state, the value itself).
    Update(Value),
    /// Writes already resolved to channels, in order.
    Writes(Vec<(ChannelIx, Value)>),
    /// An update with destinations.
    Command(Command),
    /// Several of the above, applied in order.
    Many(Vec<Output>),
    /// The result of a functional entrypoint: what it returns and what the next run sees.
    Final {
        /// The run's output.
        value: Value,
        /// The `previous` of the next run.
        save: Value,
    },
}

impl From<()> for Output {
    fn from((): ()) -> Self {
        Self::Nothing
    }
}
impl From<Value> for Output {
    fn from(update: Value) -> Self {
        if update.is_null() {
            Self::Nothing
        } else {
            Self::Update(update)
        }
    }
}
impl From<serde_json::Value> for Output {
    fn from(update: serde_json::Value) -> Self {
        Value::from(update).into()
    }
}
impl From<Vec<(ChannelIx, Value)>> for Output {
    fn from(writes: Vec<(ChannelIx, Value)>) -> Self {
        if writes.is_empty() {
            Self::Nothing
        } else {
            Self::Writes(writes)
        }
    }
}
impl From<Command> for Output {
    fn from(command: Command) -> Self {
        Self::Command(command)
    }
}
