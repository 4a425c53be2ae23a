//! The spreadsheet agent: its threads, and the agent without a model, for reading them and their workbooks.

use std::sync::Arc;

use superstep::{Backends, model::Model};
use superstep_sheets::{MemoryVersions, Models, Settings, Sheets, Versions};

use super::{AgentKind, READ_ONLY, absent::Absent};
use crate::error::Error;

pub(super) const KIND: AgentKind = AgentKind {
    name: "sheets",
    graphs: &["sheets"],
    graph: |backends| {
        let agent = read_only(Arc::new(MemoryVersions::default()), backends)?;
        Ok(agent.graph().dynamic().clone())
    },
    title: |state| state.pointer("/problem/instruction"),
    // Those of a foreign thread are not used at all: its result is a version, and is exported by name.
    paths: &[],
};

/// The spreadsheet agent without a model, for reading threads and their workbooks.
pub(crate) fn read_only(versions: Arc<dyn Versions>, backends: Backends) -> Result<Sheets, Error> {
    without(READ_ONLY, versions, backends)
}

/// The spreadsheet agent without a model, which refuses calls with why there is none.
pub(crate) fn without(
    why: &str,
    versions: Arc<dyn Versions>,
    backends: Backends,
) -> Result<Sheets, Error> {
    with(Arc::new(Absent::new(why)), versions, backends)
}

/// The spreadsheet agent with a model of one's own.
pub(crate) fn with(
    planner: Arc<dyn Model>,
    versions: Arc<dyn Versions>,
    backends: Backends,
) -> Result<Sheets, Error> {
    let models = Models {
        planner,
        informer: None,
    };
    Ok(Sheets::new(
        models,
        versions,
        Settings::default(),
        backends,
    )?)
}
