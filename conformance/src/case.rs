//! A case file: graphs, a script of operations over them, and what each operation must answer.
//!
//! Graph definitions are in [`graph`] (with [`channel`] and [`node`]), operations in [`op`].
//! Everything is checked while reading, so the rest of the runner meets only well-formed cases;
//! expressions and programs alone stay JSON, because [`crate::expr`] and [`crate::program`]
//! interpret them as they are.

pub mod channel;
mod fields;
pub mod graph;
pub mod node;
pub mod op;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use serde_json::Value as Json;

use self::fields::{Fields, Flaw, Read};
use self::graph::GraphDef;
use self::node::NodeBody;
use self::op::{Action, Op};

/// A program of the mini-language: a list of statements for [`crate::program::run`].
pub type Program = Vec<Json>;

/// The name of the graph every case has.
pub const MAIN: &str = "main";

const FORMAT: u64 = 1;

/// One case file.
#[derive(Debug, Clone)]
pub struct Case {
    /// Unique name.
    pub name: String,
    /// Feature group the case belongs to.
    pub feature: String,
    /// One sentence on what the case pins.
    pub about: String,
    /// What the root graphs are given.
    pub setup: Setup,
    /// Graph definitions by name; `main` is always among them.
    pub graphs: BTreeMap<String, GraphDef>,
    /// The operations, in the order they run.
    pub script: Vec<Op>,
}

/// What the root graphs of a case are built with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Setup {
    /// Whether checkpoints are saved.
    pub checkpointer: bool,
    /// Whether there is a long-term store.
    pub store: bool,
    /// Whether there is a node cache.
    pub cache: bool,
}

/// Why a case file could not be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CaseError {
    /// The file could not be opened or is not text.
    #[error("{file}: cannot be read: {source}")]
    Unreadable {
        /// The file.
        file: String,
        /// What the system said.
        source: std::io::Error,
    },
    /// The file is not JSON.
    #[error("{file}: not JSON: {source}")]
    Syntax {
        /// The file.
        file: String,
        /// What the parser said.
        source: serde_json::Error,
    },
    /// The file is JSON, but not a case.
    #[error("{file}: {field}: {why}")]
    Malformed {
        /// The file.
        file: String,
        /// Dotted path of the field at fault.
        field: String,
        /// What is wrong with it.
        why: String,
    },
}

impl Case {
    /// Reads a case from a file.
    pub fn load(path: &Path) -> Result<Case, CaseError> {
        let file = path.display().to_string();
        match fs::read_to_string(path) {
            Ok(text) => Case::parse(&file, &text),
            Err(source) => Err(CaseError::Unreadable { file, source }),
        }
    }

    /// Reads a case from text; `file` is the name used in errors.
    pub fn parse(file: &str, text: &str) -> Result<Case, CaseError> {
        let file = file.to_owned();
        let value: Json = match serde_json::from_str(text) {
            Ok(value) => value,
            Err(source) => return Err(CaseError::Syntax { file, source }),
        };
        Case::read(&value).map_err(|flaw| CaseError::Malformed {
            file,
            field: flaw.field(),
            why: flaw.why().to_owned(),
        })
    }

    /// The graphs built with the saver, store and cache: `main` and those the script names.
    /// All others are only ever part of another graph.
    pub fn roots(&self) -> BTreeSet<&str> {
        let named = self.script.iter().map(|op| op.graph.as_str());
        named.chain([MAIN]).collect()
    }

    fn check_references(&self) -> Result<(), Flaw> {
        let known = |name: &str| match self.graphs.contains_key(name) {
            true => Ok(()),
            false => Err(Flaw::new(format!("there is no graph {name:?}"))),
        };
        known(MAIN).map_err(|flaw| flaw.under("graphs"))?;
        for (name, graph) in &self.graphs {
            for (index, node) in graph.nodes().iter().enumerate() {
                let NodeBody::Subgraph(inner) = &node.body else {
                    continue;
                };
                let place = |flaw: Flaw| flaw.under("subgraph").at(index).under("nodes");
                known(inner).map_err(|flaw| place(flaw).under(name).under("graphs"))?;
            }
        }
        for (index, op) in self.script.iter().enumerate() {
            let place = |flaw: Flaw, field| flaw.under(field).at(index).under("script");
            known(&op.graph).map_err(|flaw| place(flaw, "graph"))?;
            let Action::Rebuild { replace } = &op.action else {
                continue;
            };
            for name in replace.values() {
                known(name).map_err(|flaw| place(flaw, "replace"))?;
            }
        }
        Ok(())
    }
}

impl Read for Case {
    fn read(value: &Json) -> Result<Self, Flaw> {
        let fields = Fields::of(value)?;
        let format: u64 = fields.need("format")?;
        if format != FORMAT {
            let why = format!("expected {FORMAT}, found {format}");
            return Err(Flaw::new(why).under("format"));
        }
        let case = Case {
            name: fields.need("name")?,
            feature: fields.need("feature")?,
            about: fields.or_empty("about")?,
            setup: fields.or_empty("setup")?,
            graphs: fields.need("graphs")?,
            script: fields.need("script")?,
        };
        case.check_references()?;
        Ok(case)
    }
}

impl Default for Setup {
    fn default() -> Self {
        Setup {
            checkpointer: true,
            store: false,
            cache: false,
        }
    }
}

impl Read for Setup {
    fn read(value: &Json) -> Result<Self, Flaw> {
        let fields = Fields::of(value)?;
        fields.only(&[&["checkpointer", "store", "cache"]])?;
        Ok(Setup {
            checkpointer: fields.or("checkpointer", true)?,
            store: fields.or("store", false)?,
            cache: fields.or("cache", false)?,
        })
    }
}

#[cfg(test)]
mod tests;
