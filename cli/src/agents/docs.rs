//! The documentation agents: their threads, and the agents without a model, for reading them.

use superstep::Backends;
use superstep_docgen::{Docgen, Settings};

use super::AgentKind;
use crate::error::Error;

pub(super) const KIND: AgentKind = AgentKind {
    name: "docs",
    graphs: &["docs", "DocumentationGeneration-Complete"],
    graph: |backends| Ok(read_only(backends)?.graph().dynamic().clone()),
    title: |state| state.pointer("/request/root"),
    paths: &[
        ("documents", "/request/root"),
        ("writes pages to", "/request/output"),
    ],
};

/// The documentation agents without a model, for reading threads.
pub(crate) fn read_only(backends: Backends) -> Result<Docgen, Error> {
    Ok(Docgen::new(None, Settings::default(), backends)?)
}
