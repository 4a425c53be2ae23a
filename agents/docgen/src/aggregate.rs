//! Results put together: metadata, pages, links checked, files written.

use std::sync::Arc;

use superstep::tools::refine::Ended;

use crate::{
    agent::{DocAgent, is_agent_name},
    agents::{self, UnknownAgent},
    analysis,
    citations::{self, Moves},
    claims::{self, ClaimReport},
    clean::clean,
    earlier,
    error::Error,
    facts::{Facts, Lookup},
    links,
    metadata::{INPUTS, METADATA, Metadata, Revision, inputs},
    output, pages, plan,
    result::{AgentResult, Status},
    services::Services,
    state::{DocState, Outcome},
};

/// The code of a key that a provider refused.
const REFUSED: &str = "SS5001";

pub(crate) fn aggregate(services: &Services, state: &DocState) -> Result<Outcome, Error> {
    let request = &services.settings.allowed(&state.request)?;
    let context = services.context(request)?;
    let facts = &*context.facts;
    let old = Metadata::read(&request.output).ok().flatten();
    let asks = services.asks(request);
    let mut metadata = Metadata::new(&facts.name);
    metadata.counts = facts.counts.clone();
    if let Some(old) = &old {
        metadata.history.clone_from(&old.history);
        metadata.revisions.clone_from(&old.revisions);
    }
    let mut outcome = Outcome {
        output: request.output.display().to_string(),
        ..Outcome::default()
    };
    let works = |name: &str| services.settings.agents.iter().any(|it| it.name() == name);
    let mut agents = services.settings.all_agents();
    agents.retain(|agent| {
        let name = agent.name();
        works(name) || asks && old.as_ref().is_some_and(|old| old.agent(name).is_some())
    });
    // Pages of agents that this run does not know, such as those of a file of agents, were paid for too.
    let strangers = old.iter().flat_map(|old| &old.agents).filter(|it| {
        let is_known = agents.iter().any(|agent| agent.name() == it.agent_name);
        asks && !is_known && is_agent_name(&it.agent_name)
    });
    let strangers: Vec<Arc<dyn DocAgent>> = strangers
        .map(|it| Arc::new(UnknownAgent::of(it)) as Arc<dyn DocAgent>)
        .collect();
    agents.extend(strangers);
    for agent in &agents {
        let name = agent.name();
        if !works(name) {
            // It was not asked for now; what it wrote before was paid for.
            if let Some(result) = old.as_ref().and_then(|old| old.agent(name)) {
                let result = fresh(&**agent, result, facts);
                metadata.claims.add(&result.metadata.claims);
                metadata.agents.push(result);
            }
            continue;
        }
        let planned = state.plan.iter().find(|it| it.name == name);
        let is_kept = planned.is_some_and(|it| it.is_kept);
        let mut result = match state.results.get(name).filter(|_| asks) {
            Some(result) => fresh(&**agent, result, facts),
            None => facts_alone(&**agent, facts),
        };
        if is_kept {
            outcome.kept.push(name.to_owned());
            if result.metadata.earlier.take().is_some() {
                result = fresh(&**agent, &result, facts);
            }
        } else if asks {
            let usage = result.metadata.usage;
            match usage.calls {
                0 => outcome.unasked.push(name.to_owned()),
                _ => outcome.ran.push(name.to_owned()),
            }
            if usage.calls == 0 && result.metadata.ended == Some(Ended::Budget) {
                let needs = services.first_call(&**agent, &context);
                outcome.needs_tokens = outcome.needs_tokens.max(Some(needs));
            }
            outcome.estimated |= usage.estimated;
            outcome.calls = outcome.calls.saturating_add(usage.calls);
            outcome.tokens = outcome.tokens.saturating_add(usage.usage.total());
            let read = outcome.input_tokens.saturating_add(usage.usage.input);
            let written = outcome.output_tokens.saturating_add(usage.usage.output);
            (outcome.input_tokens, outcome.output_tokens) = (read, written);
            outcome.micros = outcome.micros.saturating_add(usage.micros);
            outcome.cost_micro_usd = outcome.micros;
            if let Some(confidence) = result.confidence {
                metadata.graded(name, confidence * 100.0);
            }
        }
        if result.status == Status::Failed {
            outcome
                .failed
                .insert(name.to_owned(), earlier::why(&result));
            if result.metadata.code == REFUSED {
                outcome.refused = Some(REFUSED.to_owned());
            }
        }
        let before = old.as_ref().filter(|_| asks && !is_kept);
        if let Some(kept) = before.and_then(|old| earlier::instead(&**agent, &result, old)) {
            outcome.earlier.push(name.to_owned());
            result = fresh(&**agent, &kept, facts);
        } else if result.status != Status::Failed && !is_kept {
            let mut notes: Vec<String> = result.notes().map(str::to_owned).collect();
            let below = (result.status == Status::BelowThreshold).then_some(());
            let grades = below.and(result.confidence.zip(result.metadata.threshold));
            notes.extend(grades.map(|(confidence, threshold)| {
                let grade = confidence * 100.0;
                format!("Its grade of {grade:.0} is below the threshold of {threshold:.0}")
            }));
            if !notes.is_empty() {
                outcome.warnings.insert(name.to_owned(), notes);
            }
        }
        metadata.claims.add(&result.metadata.claims);
        metadata.agents.push(result);
    }
    metadata.claims.problems.clear();
    metadata.claims.open.clear();
    let is_whole = metadata
        .agents
        .iter()
        .all(|it| it.is_whole() || !works(&it.agent_name));
    // A budget may end an agent before its first word.
    let has_written = |it: &AgentResult| match it.status {
        Status::Success | Status::BelowThreshold => true,
        Status::Partial => analysis::sections(&it.data).next().is_some(),
        Status::Failed | Status::Facts => false,
    };
    let is_any = metadata.agents.iter().any(has_written);
    let status = match (asks, is_whole, is_any) {
        (false, _, _) => "facts",
        (true, true, _) => "success",
        (true, false, true) => "partial",
        (true, false, false) => "failed",
    };
    // Who has written nothing is not named.
    let analyses = metadata.agents.iter().any(|it| !it.data.is_empty());
    metadata.model = (asks && analyses).then(|| services.usual_name());
    status.clone_into(&mut metadata.status);
    let hashes = plan::hashes(facts);
    let mut revision = Revision::between(&inputs(&request.output), &hashes);
    revision.agents.clone_from(&outcome.ran);
    let before = old.iter().flat_map(|old| &old.agents);
    let gone = before.filter(|it| metadata.agent(&it.agent_name).is_none());
    revision.gone = gone.map(|it| it.agent_name.clone()).collect();
    metadata.revised(revision);

    let prefix = plan::prefix(&request.root, &request.output);
    let mut files = pages::pages(&metadata, &agents, facts, prefix.as_deref());
    let broken = links::check(&files, facts, prefix.as_deref());
    for link in &broken {
        if let Some(page) = files.get_mut(&link.page) {
            *page = links::unlinked(page, &link.target);
        }
    }
    outcome.broken_links = u32::try_from(broken.len()).unwrap_or(u32::MAX);
    let json = |value: Result<String, serde_json::Error>| {
        value.map_err(|error| Error::Output {
            path: METADATA.into(),
            why: error.to_string(),
        })
    };
    files.insert(
        INPUTS.into(),
        json(serde_json::to_string_pretty(&hashes))? + "\n",
    );
    let hashed = files.iter();
    metadata.written = hashed
        .map(|(name, text)| (name.clone(), output::hash(text)))
        .collect();
    metadata.files = files.keys().cloned().chain([METADATA.to_owned()]).collect();
    files.insert(
        METADATA.into(),
        json(serde_json::to_string_pretty(&metadata))? + "\n",
    );
    outcome.aside = output::write(&request.output, &files, services.doubt(request))?;
    status.clone_into(&mut outcome.status);
    outcome.files = files.into_keys().collect();
    outcome.claims = metadata.claims;
    Ok(outcome)
}

/// A result with its page made anew: facts may have changed where its analysis did not, and claims with them.
fn fresh(agent: &dyn DocAgent, result: &AgentResult, facts: &Facts) -> AgentResult {
    let mut result = result.clone();
    let lookup = Lookup::new(facts);
    let said = agent.markdown(&result.data);
    let moved = Moves::of(&result.metadata.cited, &lookup).apply(&said, facts);
    if moved != said {
        result.data = agent.parse(&moved);
    }
    let (checked, again) = claims::check(&moved, &lookup);
    let before = &mut result.metadata.claims;
    if again.fixed + again.removed > 0 {
        // What was put right before is right now; it is counted once.
        let verified = again.verified.saturating_sub(before.fixed);
        let fixed = before.fixed + again.fixed;
        let removed = before.removed + again.removed;
        *before = ClaimReport {
            made: verified + fixed + removed + again.unverified,
            verified,
            fixed,
            removed,
            unverified: again.unverified,
            open: again.open,
            problems: before.problems.drain(..).chain(again.problems).collect(),
        };
        // Names of files come from the facts, and may be of any kind.
        result.data = agent.parse(&clean(&checked).0);
        result.summary = agent.summary(&result.data);
    } else {
        before.open = again.open;
        // What was verified once and is not any more.
        let fewer = again.unverified.saturating_sub(before.unverified);
        let fewer = fewer.min(before.verified);
        before.verified -= fewer;
        before.unverified += fewer;
    }
    result.metadata.cited = citations::remembered(&agent.markdown(&result.data), &lookup);
    // Maps come back from a saver in the order of their keys, and bytes must be the same before and after.
    result.data.sort_keys();
    for value in result.data.values_mut() {
        value.sort_all_objects();
    }
    result.metadata.title = match agents::is_standard(agent.name()) {
        true => String::new(),
        false => agent.title(),
    };
    result.markdown = pages::page(agent, facts, &result);
    result
}

/// What the facts alone give.
fn facts_alone(agent: &dyn DocAgent, facts: &Facts) -> AgentResult {
    let mut result = AgentResult {
        agent_name: agent.name().to_owned(),
        summary: "Facts alone".to_owned(),
        ..AgentResult::default()
    };
    result.markdown = pages::page(agent, facts, &result);
    result
}
