//! Archie: his threads, and Archie without a model, for reading them.

use std::sync::Arc;

use superstep::Backends;
use superstep_archie::{Archie, Settings};

use super::{AgentKind, READ_ONLY, absent::Absent};
use crate::error::Error;

pub(super) const KIND: AgentKind = AgentKind {
    name: "archie",
    graphs: &["archie"],
    graph: |backends| Ok(read_only(backends)?.graph().dynamic().clone()),
    title: |state| {
        let first = state.pointer("/analysis_history/0/content");
        first.or_else(|| state.get("user_input"))
    },
    paths: &[("reads, and writes its result to,", "/inputs/folder")],
};

/// Archie without a model, for reading threads.
pub(crate) fn read_only(backends: Backends) -> Result<Archie, Error> {
    without(READ_ONLY, Settings::default(), backends)
}

/// Archie without a model, which refuses calls with why there is none.
pub(crate) fn without(why: &str, settings: Settings, backends: Backends) -> Result<Archie, Error> {
    Ok(Archie::new(Arc::new(Absent::new(why)), settings, backends)?)
}
