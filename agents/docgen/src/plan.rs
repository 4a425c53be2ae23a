//! The plan: which agents run, by the keys of their results, and what that will cost.

use std::{collections::BTreeMap, path::Path, sync::Arc};

use serde::{Deserialize, Serialize};
use superstep::tools::RefineConfig;
use xxhash_rust::xxh3::xxh3_128;

use crate::{
    agent::{AgentContext, DocAgent},
    facts::{FACTS_VERSION, Facts},
    inert,
    result::{AgentResult, Status},
    state::Planned,
};

/// Changes when the same prompts give other pages.
const FORMAT_VERSION: u32 = 1;

/// A hash of all that was read.
pub(crate) fn digest(facts: &Facts) -> String {
    let mut text = format!("{FACTS_VERSION}\n");
    for file in &facts.files {
        text.push_str(&file.path);
        text.push(' ');
        text.push_str(&file.hash);
        text.push('\n');
    }
    format!("{:032x}", xxh3_128(text.as_bytes()))
}

/// The hashes of all files, by their paths as they are shown.
pub(crate) fn hashes(facts: &Facts) -> BTreeMap<String, String> {
    facts
        .files
        .iter()
        .map(|file| (inert::line(&file.path), file.hash.clone()))
        .collect()
}

/// The key of a result: prompts, model, configuration and version. What tools read is checked apart.
pub(crate) fn key(
    agent: &dyn DocAgent,
    context: &AgentContext,
    config: &RefineConfig,
    model: &str,
    has_tools: bool,
) -> String {
    // Grades of earlier runs change with each run; a result is not older for that.
    let config = RefineConfig {
        earlier_scores: Vec::new(),
        ..config.clone()
    };
    let config = serde_json::to_string(&config).unwrap_or_default();
    let version = env!("CARGO_PKG_VERSION");
    let parts = [
        format!("{FORMAT_VERSION} {FACTS_VERSION} {version} {has_tools}"),
        agent.name().to_owned(),
        model.to_owned(),
        config,
        agent.system_prompt(context),
        agent.criteria().join("\n"),
        agent.human_prompt(context),
    ];
    format!("{:032x}", xxh3_128(parts.join("\u{0}").as_bytes()))
}

/// Whether a result is still what the agent would make.
pub(crate) fn is_current(result: &AgentResult, key: &str, facts: &Facts) -> bool {
    let is_read =
        |(path, hash): &(String, String)| facts.file(path).is_some_and(|file| file.hash == *hash);
    result.metadata.key == key
        && result.status == Status::Success
        && result.metadata.read.iter().all(is_read)
}

/// What a run will do, and what it will take at most.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Forecast {
    /// The agents.
    pub agents: Vec<ForecastAgent>,
    /// Files that are read.
    pub files: u32,
    /// Files that are not.
    pub skipped: u32,
    /// Tokens of all agents, if each is refined as often as it may be.
    pub most_tokens: u64,
}

/// What an agent will do.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ForecastAgent {
    /// Its name.
    pub name: String,
    /// Its result is there already.
    pub is_kept: bool,
    /// Tokens of its first prompt, roughly.
    pub prompt_tokens: u64,
    /// Calls at least and at most, without tools and repairs.
    pub fewest_calls: u32,
    /// See `fewest_calls`.
    pub most_calls: u32,
    /// Tokens at most, roughly.
    pub most_tokens: u64,
}

/// About so many tokens a reply has.
const REPLY_TOKENS: u64 = 1_500;

/// What agents will do.
pub(crate) fn forecast(
    agents: &[Arc<dyn DocAgent>],
    plan: &[Planned],
    context: &AgentContext,
    config: &RefineConfig,
) -> Forecast {
    let mut forecast = Forecast {
        files: context.facts.counts.files,
        skipped: context.facts.skipped.total(),
        ..Forecast::default()
    };
    for (agent, planned) in agents.iter().zip(plan) {
        let prompt = agent.system_prompt(context).len() + agent.human_prompt(context).len();
        let prompt = u64::try_from(prompt / 4).unwrap_or(u64::MAX);
        let (fewest, most) = match (planned.is_kept, config.enable_self_questioning) {
            (true, _) => (0, 0),
            (false, false) => (1, 1),
            (false, true) => {
                let answers = if config.parallel_answers { 5 } else { 0 };
                (2, 2 + (3 + answers) * config.max_iterations)
            }
        };
        let tokens = u64::from(most).saturating_mul(prompt + REPLY_TOKENS);
        forecast.most_tokens = forecast.most_tokens.saturating_add(tokens);
        forecast.agents.push(ForecastAgent {
            name: agent.name().to_owned(),
            is_kept: planned.is_kept,
            prompt_tokens: prompt,
            fewest_calls: fewest,
            most_calls: most,
            most_tokens: tokens,
        });
    }
    forecast
}

/// The prefix of links from a documentation to its code base; nothing if it is elsewhere.
pub(crate) fn prefix(root: &Path, output: &Path) -> Option<String> {
    let below = output.strip_prefix(root).ok()?;
    Some("../".repeat(below.components().count()))
}
