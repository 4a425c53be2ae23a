//! Profiles: the options and rules that a case runs under.

mod typed;

use std::fmt;

use clap::ValueEnum;
use superstep_core::{policy::Durability, run::Fidelity};
use superstep_engine::RunOptions;

use crate::case::{Case, graph::GraphDef};

pub use self::typed::Untyped;

/// Options and rules of a case, where its script leaves them open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Profile {
    /// The default options of a run.
    Default,
    /// The default options of a typed graph; a plain answer goes to the one open question, by id.
    Typed,
    /// LangGraph's own rules where superstep differs on purpose.
    Langgraph,
}

impl Profile {
    /// The options of the runs of a case.
    pub(crate) fn options(self, case: &Case) -> RunOptions {
        let options = match self {
            Self::Default => return RunOptions::default(),
            Self::Typed => return typed::options(),
            Self::Langgraph => RunOptions {
                fidelity: Fidelity::LangGraph,
                ..RunOptions::default()
            },
        };
        // LangGraph's own default, which shows where a subgraph is not saved.
        match case.graphs.values().any(is_unsaved) {
            true => RunOptions {
                durability: Durability::Async,
                ..options
            },
            false => options,
        }
    }

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::Typed => "typed",
            Self::Langgraph => "langgraph",
        }
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

fn is_unsaved(graph: &GraphDef) -> bool {
    matches!(graph, GraphDef::State(def) if def.checkpointer == Some(false))
}
