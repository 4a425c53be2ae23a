//! The plan: which agents run, by the keys of their results.

use std::{collections::BTreeMap, path::Path};

use superstep::tools::RefineConfig;
use xxhash_rust::xxh3::xxh3_128;

use crate::{
    agent::{AgentContext, DocAgent},
    facts::{FACTS_VERSION, Facts},
    inert,
    result::{AgentResult, Status},
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

/// The prefix of links from a documentation to its code base; nothing if it is elsewhere.
pub(crate) fn prefix(root: &Path, output: &Path) -> Option<String> {
    let below = output.strip_prefix(root).ok()?;
    Some("../".repeat(below.components().count()))
}
