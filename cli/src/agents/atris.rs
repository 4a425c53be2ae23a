//! Atris: its threads, and Atris without a model, for reading them.

use superstep::Backends;
use superstep_atris::{Atris, Settings};

use super::AgentKind;
use crate::error::Error;

pub(super) const KIND: AgentKind = AgentKind {
    name: "atris",
    graphs: &["atris"],
    graph: |backends| Ok(read_only(backends)?.graph().dynamic().clone()),
    title: |state| {
        let answers = state.get("message_history").and_then(|it| it.as_array());
        let last = answers.and_then(|answers| answers.last()?.get("question"));
        state.get("query").filter(|query| !query.is_null()).or(last)
    },
    paths: &[],
};

/// Atris without a model, for reading threads.
pub(crate) fn read_only(backends: Backends) -> Result<Atris, Error> {
    Ok(Atris::new(None, Settings::default(), backends)?)
}
