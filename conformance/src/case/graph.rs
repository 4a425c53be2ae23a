//! Graph definitions: state graphs and entrypoints.

use std::collections::BTreeMap;

use serde_json::Value as Json;

use super::Program;
use super::channel::ChannelDef;
use super::fields::{Fields, Flaw, Read, expected};
use super::node::{self, NodeDef, Policies, RetryDef, TaskDef};

/// One graph.
#[derive(Debug, Clone)]
pub enum GraphDef {
    /// Nodes over a shared state.
    State(Box<StateDef>),
    /// One function that calls tasks.
    Entrypoint(Box<EntrypointDef>),
}

/// A graph of nodes over a shared state.
#[derive(Debug, Clone)]
pub struct StateDef {
    /// The state.
    pub shape: Shape,
    /// Input schema; all channels that are not private if absent.
    pub input: Option<Vec<String>>,
    /// Output schema; all channels that are not private if absent.
    pub output: Option<Vec<String>>,
    /// Nodes in definition order.
    pub nodes: Vec<NodeDef>,
    /// Edges in definition order.
    pub edges: Vec<EdgeDef>,
    /// Routers in definition order.
    pub branches: Vec<BranchDef>,
    /// Nodes to stop before.
    pub interrupt_before: Option<NodeSet>,
    /// Nodes to stop after.
    pub interrupt_after: Option<NodeSet>,
    /// Policies of nodes that have none of their own.
    pub defaults: Policies,
    /// For subgraphs: own persistent state, none at all, or (absent) one for each run.
    pub checkpointer: Option<bool>,
    /// Task functions its programs may call.
    pub tasks: Vec<TaskDef>,
}

/// What the state of a graph is.
#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    /// An object with one field a channel.
    Channels(BTreeMap<String, ChannelDef>),
    /// One bare value.
    Root(ChannelDef),
}

/// An edge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EdgeDef {
    /// Where it starts.
    pub from: EdgeStart,
    /// The node it triggers.
    pub to: String,
}

/// Where an edge starts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EdgeStart {
    /// At one node.
    Node(String),
    /// At a barrier that opens when all of these have run.
    All(Vec<String>),
}

/// A router.
#[derive(Debug, Clone, PartialEq)]
pub struct BranchDef {
    /// The node after which it runs.
    pub from: String,
    /// Expression over `state` that gives the targets.
    pub path: Json,
    /// Translation of results to nodes.
    pub map: Option<BranchMap>,
    /// Its name.
    pub name: Option<String>,
}

/// Translation of router results to nodes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BranchMap {
    /// By table.
    Table(BTreeMap<String, String>),
    /// Results are node names, and must be among these.
    Names(Vec<String>),
}

/// A choice of nodes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NodeSet {
    /// Every node.
    All,
    /// These nodes.
    Named(Vec<String>),
}

/// A workflow written as one function.
#[derive(Debug, Clone)]
pub struct EntrypointDef {
    /// The name of its only node.
    pub name: String,
    /// What it does.
    pub program: Program,
    /// Task functions it may call.
    pub tasks: Vec<TaskDef>,
    /// Retry policies.
    pub retry: Option<Vec<RetryDef>>,
}

impl GraphDef {
    /// The nodes in definition order; none for an entrypoint.
    pub fn nodes(&self) -> &[NodeDef] {
        match self {
            GraphDef::State(graph) => &graph.nodes,
            GraphDef::Entrypoint(_) => &[],
        }
    }

    /// The task functions its programs may call.
    pub fn tasks(&self) -> &[TaskDef] {
        match self {
            GraphDef::State(graph) => &graph.tasks,
            GraphDef::Entrypoint(graph) => &graph.tasks,
        }
    }
}

impl Read for GraphDef {
    fn read(value: &Json) -> Result<Self, Flaw> {
        let fields = Fields::of(value)?;
        match fields.maybe::<String>("kind")?.as_deref() {
            None => StateDef::read(value).map(|graph| GraphDef::State(Box::new(graph))),
            Some("entrypoint") => {
                EntrypointDef::read(value).map(|graph| GraphDef::Entrypoint(Box::new(graph)))
            }
            Some(other) => {
                Err(Flaw::new(format!("there is no graph kind {other:?}")).under("kind"))
            }
        }
    }
}

impl Read for StateDef {
    fn read(value: &Json) -> Result<Self, Flaw> {
        let fields = Fields::of(value)?;
        let structure: &[&str] = &["channels", "root", "input", "output", "nodes", "edges"];
        let control: &[&str] = &["branches", "interrupt_before", "interrupt_after"];
        let rest: &[&str] = &["defaults", "checkpointer", "tasks"];
        fields.only(&[structure, control, rest])?;
        let shape = match fields.maybe("root")? {
            Some(channel) => Shape::Root(channel),
            None => Shape::Channels(fields.need("channels")?),
        };
        Ok(StateDef {
            shape,
            input: fields.maybe("input")?,
            output: fields.maybe("output")?,
            nodes: fields.need("nodes")?,
            edges: fields.or_empty("edges")?,
            branches: fields.or_empty("branches")?,
            interrupt_before: fields.maybe("interrupt_before")?,
            interrupt_after: fields.maybe("interrupt_after")?,
            defaults: fields.or_empty("defaults")?,
            checkpointer: fields.maybe("checkpointer")?,
            tasks: fields.or_empty("tasks")?,
        })
    }
}

impl Read for EntrypointDef {
    fn read(value: &Json) -> Result<Self, Flaw> {
        let fields = Fields::of(value)?;
        fields.only(&[&["kind", "name", "tasks", "do", "retry"]])?;
        Ok(EntrypointDef {
            name: fields.need("name")?,
            program: fields.need("do")?,
            tasks: fields.or_empty("tasks")?,
            retry: node::retry(&fields)?,
        })
    }
}

impl Read for EdgeDef {
    fn read(value: &Json) -> Result<Self, Flaw> {
        let Some([from, Json::String(to)]) = value.as_array().map(Vec::as_slice) else {
            return Err(expected("[from, to]", value));
        };
        let from = match from {
            Json::String(node) => EdgeStart::Node(node.clone()),
            other => EdgeStart::All(Vec::read(other)?),
        };
        let to = to.clone();
        Ok(EdgeDef { from, to })
    }
}

impl Read for BranchDef {
    fn read(value: &Json) -> Result<Self, Flaw> {
        let fields = Fields::of(value)?;
        fields.only(&[&["from", "path", "map", "name"]])?;
        Ok(BranchDef {
            from: fields.need("from")?,
            path: fields.need("path")?,
            map: fields.maybe("map")?,
            name: fields.maybe("name")?,
        })
    }
}

impl Read for BranchMap {
    fn read(value: &Json) -> Result<Self, Flaw> {
        match value {
            Json::Object(_) => BTreeMap::read(value).map(BranchMap::Table),
            Json::Array(_) => Vec::read(value).map(BranchMap::Names),
            other => Err(expected("an object or a list", other)),
        }
    }
}

impl Read for NodeSet {
    fn read(value: &Json) -> Result<Self, Flaw> {
        match value {
            Json::String(word) if word == "*" => Ok(NodeSet::All),
            Json::Array(_) => Vec::read(value).map(NodeSet::Named),
            other => Err(expected("\"*\" or a list of nodes", other)),
        }
    }
}
