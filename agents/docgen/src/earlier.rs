//! Analyses of an earlier state of the code base: those that cannot be made anew stay, as they were paid for, and others are what
//! the analysis of today is made of.

use std::collections::BTreeMap;

use superstep::tools::refine::EarlierAnalysis;

use crate::{
    agent::{AgentContext, DocAgent},
    citations::Moves,
    facts::Lookup,
    metadata::{Metadata, Revision},
    plan::{self, Keys},
    result::{AgentResult, Earlier, Status},
};

/// The analysis of the last documentation with its citations moved, and what changed since; nothing if it was asked for
/// something else, or with a form.
pub(crate) fn to_update(
    agent: &dyn DocAgent,
    old: &Metadata,
    inputs: &BTreeMap<String, String>,
    keys: &Keys,
    context: &AgentContext,
) -> Option<EarlierAnalysis> {
    let result = old.agent(agent.name())?;
    let said = agent.markdown(&result.data);
    let is_same = result.metadata.setup == keys.setup && agent.form(context).is_none();
    if !is_same || said.trim().is_empty() {
        return None;
    }
    let lookup = Lookup::new(&context.facts);
    let moves = Moves::of(&result.metadata.cited, &lookup);
    let revision = Revision::between(inputs, &plan::hashes(&context.facts));
    let listed = [
        ("was added", &revision.added),
        ("was changed", &revision.changed),
        ("was removed", &revision.removed),
    ];
    let changed = listed
        .into_iter()
        .flat_map(|(how, paths)| paths.iter().map(move |path| format!("`{path}` {how}")));
    let more = (revision.more > 0).then(|| format!("{} more files changed", revision.more));
    let lost = moves.lost.iter();
    let lost = lost.map(|(path, line)| format!("the cited line `{path}:{line}` is lost"));
    Some(EarlierAnalysis {
        text: moves.apply(&said, &context.facts),
        changes: changed.chain(more).chain(lost).collect(),
    })
}

/// The result of the last documentation in place of one that has no analysis, if it had one.
pub(crate) fn instead(
    agent: &dyn DocAgent,
    result: &AgentResult,
    old: &Metadata,
) -> Option<AgentResult> {
    let has_analysis = |it: &AgentResult| {
        (it.status.is_finished() || it.status == Status::Partial)
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
