//! Graphs as data: a [`GraphSpec`] is what a graph is as JSON, a [`Registry`] what its kinds of nodes,
//! reducers and routers mean. Together they make a [`DynGraph`](crate::DynGraph) of the dynamic layer.
//!
//! `read` reads JSON and names the place of a mistake, `registry` holds what programs register and
//! what there is from the start, `make` checks a spec against a registry and builds it. The form is
//! described in `docs/graph-spec.md`.

mod kinds;
mod make;
mod read;
mod registry;

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use superstep_core::plan::BuildError;

pub use registry::Registry;

/// A graph as data.
///
#[doc = include_str!("spec/docs/spec.md")]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GraphSpec {
    /// Its name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Its channels, in order.
    #[serde(default)]
    pub channels: Vec<ChannelEntry>,
    /// What an input may name; all channels that are not private by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<Vec<String>>,
    /// What a run returns; all channels that are not private by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<Vec<String>>,
    /// Its nodes, in order.
    pub nodes: Vec<NodeEntry>,
    /// Its edges. `__start__` and `__end__` are where it begins and ends.
    #[serde(default)]
    pub edges: Vec<EdgeEntry>,
    /// Edges that a router chooses.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub routes: Vec<RouteEntry>,
    /// Nodes that a run pauses before.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pause_before: Vec<String>,
    /// Nodes that a run pauses after.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pause_after: Vec<String>,
    /// Whether names that it does not have are ignored when it runs, as in LangGraph. By default they are errors
    /// (SS1120).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub lax: bool,
}

/// A channel of a [`GraphSpec`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChannelEntry {
    /// Its name.
    pub name: String,
    /// What it is.
    #[serde(default)]
    pub kind: ChannelEntryKind,
    /// The name of the reducer, for channels that have one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reducer: Option<String>,
    /// The value before any write, for channels with a reducer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<Json>,
    /// Only nodes that list it see it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub private: bool,
}

/// What a channel of a [`GraphSpec`] is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ChannelEntryKind {
    /// Keeps the last value; a reducer, if there is one, combines writes with it.
    #[default]
    Last,
    /// Present only in the step after the write.
    Ephemeral,
    /// The list of a step's writes, emptied by the next step.
    Topic,
    /// The list of all writes ever.
    Log,
    /// The last write of the step; a step without one clears it.
    Any,
    /// Like `last`, but never stored.
    Untracked,
}

/// A node of a [`GraphSpec`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NodeEntry {
    /// Its name.
    pub name: String,
    /// The kind that the registry knows; a subgraph has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// The configuration of the kind.
    #[serde(default, skip_serializing_if = "Json::is_null")]
    pub config: Json,
    /// The graph that it runs, in place of a kind.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub graph: Option<Box<GraphSpec>>,
    /// What it reads; all channels that are not private by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<Vec<String>>,
    /// Where its commands and sends may go.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub goto: Vec<String>,
    /// It waits until nothing else would run.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub defer: bool,
    /// How often it is attempted in all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attempts: Option<u32>,
    /// How long an attempt may take, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
    /// How many tasks of it run at once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_concurrency: Option<usize>,
}

/// An edge of a [`GraphSpec`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EdgeEntry {
    /// A node, or several that have all run.
    pub from: Sources,
    /// A node.
    pub to: String,
}

/// Where an edge starts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Sources {
    /// At one node.
    One(String),
    /// When all of these have run.
    All(Vec<String>),
}

/// A conditional edge of a [`GraphSpec`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RouteEntry {
    /// The node it leaves.
    pub from: String,
    /// The kind of router that the registry knows.
    pub kind: String,
    /// The configuration of the kind.
    #[serde(default, skip_serializing_if = "Json::is_null")]
    pub config: Json,
    /// From what the router decides to the node; without it, it decides for names of nodes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub map: Option<std::collections::BTreeMap<String, String>>,
}

/// One mistake in a [`GraphSpec`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SpecError {
    /// Where, such as `nodes[2].kind`; empty for the graph as a whole.
    pub at: String,
    /// What is wrong.
    pub kind: SpecErrorKind,
}

/// What is wrong with a [`GraphSpec`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SpecErrorKind {
    /// It does not have the form of a spec.
    Form(String),
    /// The registry has no such kind of node, reducer or router.
    UnknownKind {
        /// A node, a reducer or a router.
        what: &'static str,
        /// The name.
        name: String,
        /// What there is.
        known: Vec<String>,
    },
    /// The kind refuses its configuration.
    Config(String),
    /// The graph makes no sense.
    Graph(BuildError),
}

impl SpecError {
    /// The stable code.
    pub fn code(&self) -> &'static str {
        match &self.kind {
            SpecErrorKind::Form(_) => "SS4030",
            SpecErrorKind::UnknownKind { .. } => "SS4031",
            SpecErrorKind::Config(_) => "SS4032",
            SpecErrorKind::Graph(_) => "SS4033",
        }
    }
}

impl fmt::Display for SpecError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{}] ", self.code())?;
        if !self.at.is_empty() {
            write!(f, "{}: ", self.at)?;
        }
        match &self.kind {
            SpecErrorKind::Form(why) | SpecErrorKind::Config(why) => f.write_str(why),
            SpecErrorKind::UnknownKind { what, name, known } => {
                write!(
                    f,
                    "there is no {what} `{name}`; there are {}",
                    known.join(", ")
                )
            }
            SpecErrorKind::Graph(error) => error.fmt(f),
        }
    }
}

/// Every mistake in a [`GraphSpec`].
#[derive(Clone, PartialEq, Eq)]
pub struct SpecErrors(pub Vec<SpecError>);

impl fmt::Display for SpecErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, error) in self.0.iter().enumerate() {
            write!(f, "{}{error}", if n == 0 { "" } else { "\n" })?;
        }
        Ok(())
    }
}

/// What a person should see when a program ends with these mistakes.
impl fmt::Debug for SpecErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for SpecErrors {}
