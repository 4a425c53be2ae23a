//! The typed layer: its default options, and cases that it has no words for.

use std::{any::Any, fmt, sync::LazyLock};

use serde::{Deserialize, Serialize};
use superstep_core::{
    channel_state::{Folded, Recording},
    error::ErrorKind,
    plan::FieldShape,
    record::Change,
    value::{DecodeError, Value},
};
use superstep_engine::{
    RunOptions,
    typed::{Graph, Keep, Nodes, State, Undo, Update, state::Writes},
};

use crate::case::{
    Case,
    channel::ChannelKind,
    graph::{GraphDef, Shape},
    op::{self, Action, At, Op, Run},
};

/// Why a case cannot be expressed in the typed layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Untyped {
    /// A graph is a function.
    Entrypoint,
    /// The state is one bare value.
    BareState,
    /// The runtime computes a field.
    ComputedField,
    /// The script expects mistakes in a graph.
    Mistake,
    /// An operation has no thread.
    NoThread,
    /// A command from outside updates the state or names the next node.
    Command,
    /// An operation addresses a checkpoint of a subgraph.
    SubgraphCheckpoint,
    /// An edit has several steps, or counts as the input or the end.
    Edit,
    /// A run returns chosen fields.
    OutputKeys,
    /// The script lists subgraphs or empties the cache.
    Listing,
}

impl Untyped {
    /// Checks whether a case can be expressed.
    pub fn check(case: &Case) -> Result<(), Self> {
        case.graphs.values().try_for_each(of_graph)?;
        case.script.iter().try_for_each(of_op)
    }
}

impl fmt::Display for Untyped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Entrypoint => "a graph is an entrypoint function",
            Self::BareState => "the state is one bare value",
            Self::ComputedField => "the runtime computes a field",
            Self::Mistake => "the script expects mistakes in a graph",
            Self::NoThread => "an operation has no thread",
            Self::Command => "a command from outside updates the state or names the next node",
            Self::SubgraphCheckpoint => "an operation addresses a checkpoint of a subgraph",
            Self::Edit => "an edit has several steps, or counts as the input or the end",
            Self::OutputKeys => "a run returns chosen fields",
            Self::Listing => "the script lists subgraphs or empties the cache",
        })
    }
}

fn of_graph(graph: &GraphDef) -> Result<(), Untyped> {
    let GraphDef::State(def) = graph else {
        return Err(Untyped::Entrypoint);
    };
    let Shape::Channels(channels) = &def.shape else {
        return Err(Untyped::BareState);
    };
    let is_computed = |kind: &ChannelKind| matches!(kind, ChannelKind::Managed(_));
    match channels.values().any(|channel| is_computed(&channel.kind)) {
        true => Err(Untyped::ComputedField),
        false => Ok(()),
    }
}

fn of_op(op: &Op) -> Result<(), Untyped> {
    if op.thread.is_none() {
        return Err(Untyped::NoThread);
    }
    if matches!(op.at, Some(At::Sub { .. })) {
        return Err(Untyped::SubgraphCheckpoint);
    }
    match &op.action {
        Action::Build => Err(Untyped::Mistake),
        Action::Invoke(run) | Action::Stream { run, .. } => of_run(run),
        Action::UpdateState(update) => match update.as_node.as_deref() {
            Some(node) if node.starts_with("__") => Err(Untyped::Edit),
            _ => Ok(()),
        },
        Action::BulkUpdate(_) => Err(Untyped::Edit),
        Action::ClearCache { .. } | Action::Subgraphs { .. } => Err(Untyped::Listing),
        _ => Ok(()),
    }
}

fn of_run(run: &Run) -> Result<(), Untyped> {
    if run.output_keys.is_some() {
        return Err(Untyped::OutputKeys);
    }
    match &run.input {
        op::RunInput::Command(def)
            if def.update.is_some() || def.goto.is_some() || def.graph.is_some() =>
        {
            Err(Untyped::Command)
        }
        _ => Ok(()),
    }
}

/// The options of the runs of a typed graph that sets none.
pub(super) fn options() -> RunOptions {
    static OPTIONS: LazyLock<RunOptions> = LazyLock::new(|| {
        let built = Graph::<Stateless, Only>::builder()
            .node(Only, || async {})
            .start(Only)
            .finish(Only)
            .build();
        let mut found = RunOptions::default();
        if let Ok(graph) = built {
            drop(graph.with_options(|options| found.clone_from(options)));
        }
        found
    });
    OPTIONS.clone()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Only;

impl Nodes for Only {
    const ALL: &'static [Self] = &[Self];

    fn name(self) -> &'static str {
        "only"
    }
}

/// A state without fields.
#[derive(Clone, Default, Serialize, Deserialize)]
struct Stateless {}

#[derive(Clone, Default)]
struct NoUpdate;

impl From<Stateless> for NoUpdate {
    fn from(_: Stateless) -> Self {
        Self
    }
}

impl Update for NoUpdate {
    type State = Stateless;

    fn into_writes(self) -> Vec<(usize, Value)> {
        Vec::new()
    }

    fn read_write(&mut self, _: usize, _: Value) -> Result<(), DecodeError> {
        Ok(())
    }
}

impl State for Stateless {
    type Update = NoUpdate;
    const VERSION: u32 = 1;
    const FIELDS: &'static [(&'static str, Keep)] = &[];
    const SHAPES: &'static [FieldShape] = &[];

    fn fold(&mut self, _: usize, _: Writes<'_>, _: Recording) -> Result<Folded, ErrorKind> {
        Err(ErrorKind::EmptyInput)
    }

    fn try_fold(&mut self, _: usize, _: Vec<Value>) -> Result<Undo<Self>, ErrorKind> {
        Err(ErrorKind::EmptyInput)
    }

    fn restore(&mut self, _: usize, _: &Change) -> Result<(), DecodeError> {
        Ok(())
    }

    fn get(&self, _: usize) -> Option<Value> {
        None
    }

    fn field(&self, _: usize) -> Option<&dyn Any> {
        None
    }

    fn overwrite(_: usize, _: &dyn Any) -> Result<Value, DecodeError> {
        Ok(Value::Null)
    }

    fn lead(&self, _: usize, _: &dyn Any) -> Result<Option<Value>, DecodeError> {
        Ok(None)
    }

    fn reset(&mut self, _: usize) {}
}
