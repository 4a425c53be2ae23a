//! Analyses that were paid for and cannot be made anew: a failure or a budget does not take them away.

use crate::{
    agent::DocAgent,
    metadata::Metadata,
    result::{AgentResult, Earlier, Status},
};

/// The result of the last documentation in place of one that has no analysis, if it had one.
pub(crate) fn instead(
    agent: &dyn DocAgent,
    result: &AgentResult,
    old: &Metadata,
) -> Option<AgentResult> {
    let has_analysis = |it: &AgentResult| {
        matches!(it.status, Status::Success | Status::Partial)
            && !agent.markdown(&it.data).trim().is_empty()
    };
    if has_analysis(result) {
        return None;
    }
    let mut kept = old
        .agent(agent.name())
        .filter(|it| has_analysis(it))?
        .clone();
    let last = old.revisions.last().map_or(1, |it| it.number);
    let revision = kept.metadata.earlier.map_or(last, |it| it.revision);
    kept.metadata.earlier = Some(Earlier {
        revision,
        why: why(result),
    });
    Some(kept)
}

/// Why a result has no analysis.
pub(crate) fn why(result: &AgentResult) -> String {
    let said = result.notes().last().filter(|it| !it.trim().is_empty());
    match (said, result.status) {
        (Some(said), _) => said.to_owned(),
        (None, Status::Partial) => "The budget was used up".to_owned(),
        (None, _) => "It ended without saying why".to_owned(),
    }
}
