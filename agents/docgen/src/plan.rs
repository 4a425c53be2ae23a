//! The plan: which agents run, by the keys of their results.

use std::{collections::BTreeMap, path::Path};

use superstep::tools::RefineConfig;
use xxhash_rust::xxh3::xxh3_128;

use crate::{
    agent::{AgentContext, DocAgent},
    citations::Moves,
    facts::{FACTS_VERSION, Facts, File, Lookup},
    inert,
    result::AgentResult,
};

/// Changes when the same prompts give other pages.
const FORMAT_VERSION: u32 = 2;

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

/// What a result was made of, as hashes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Keys {
    /// Prompts, model, configuration and version. What tools read is checked apart.
    pub(crate) whole: String,
    /// The same without the material: another one asks for another page.
    pub(crate) setup: String,
    /// The material without line numbers, comments and blank lines.
    pub(crate) shape: String,
}

impl Keys {
    pub(crate) fn of(
        agent: &dyn DocAgent,
        context: &AgentContext,
        config: &RefineConfig,
        model: &str,
        has_tools: bool,
    ) -> Self {
        // Grades of earlier runs change with each run; a result is not older for that.
        let config = RefineConfig {
            earlier_scores: Vec::new(),
            ..config.clone()
        };
        let config = serde_json::to_string(&config).unwrap_or_default();
        let version = env!("CARGO_PKG_VERSION");
        let material = agent.human_prompt(context);
        let setup = [
            format!("{FORMAT_VERSION} {FACTS_VERSION} {version} {has_tools}"),
            agent.name().to_owned(),
            model.to_owned(),
            config,
            agent.system_prompt(context),
            agent.criteria().join("\n"),
        ];
        let setup = setup.join("\u{0}");
        let hash = |text: &str| format!("{:032x}", xxh3_128(text.as_bytes()));
        Self {
            whole: hash(&format!("{setup}\u{0}{material}")),
            setup: hash(&setup),
            shape: hash(&shape(&material)),
        }
    }
}

impl Keys {
    /// Says that a result was made of this.
    pub(crate) fn put_into(&self, result: &mut AgentResult) {
        let about = &mut result.metadata;
        about.key.clone_from(&self.whole);
        about.setup.clone_from(&self.setup);
        about.shape.clone_from(&self.shape);
    }
}

/// Material without what changes when lines move or a comment is written: numbers of lines, comments and blank lines of code.
pub(crate) fn shape(material: &str) -> String {
    let mut shape = String::new();
    for line in material.lines() {
        let bare = line.trim_start();
        let digits = bare.len() - bare.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let (number, code) = bare.split_at(digits);
        let is_code = line.starts_with(' ') && (!number.is_empty() || bare.starts_with("..."));
        let said = if is_code { code.trim() } else { line };
        let is_comment = ["//", "#", "/*", "*", "--", "..."]
            .iter()
            .any(|it| said.starts_with(it));
        if is_code && (said.is_empty() || is_comment) {
            continue;
        }
        match is_code {
            true => shape.push_str(said),
            false => unnumbered(said, &mut shape),
        }
        shape.push('\n');
    }
    shape
}

/// A line of a list without numbers of lines: behind a path, as a range, beside the word.
fn unnumbered(line: &str, shape: &mut String) {
    let is_sign = |c: char| c.is_ascii_digit() || c == '-';
    let is_line =
        |word: Option<&&str>| word.is_some_and(|it| it.trim_start_matches('(').starts_with("line"));
    let words: Vec<&str> = line.split(' ').collect();
    for (at, word) in words.iter().enumerate() {
        let plain = word.trim_matches(['(', ')', ',', ':', '.']);
        let place = plain.rsplit_once(':');
        let is_number = |it: &str| !it.is_empty() && it.chars().all(is_sign);
        let before = at.checked_sub(1).and_then(|at| words.get(at));
        match place.filter(|(_, lines)| is_number(lines)) {
            Some((path, _)) => shape.push_str(path),
            None if is_number(plain) => {
                let is_place = plain.contains('-') || is_line(words.get(at + 1)) || is_line(before);
                shape.push_str(if is_place { "" } else { plain });
            }
            None => shape.push_str(word),
        }
        shape.push(' ');
    }
}

/// A hash of a file without comments and blank lines.
pub(crate) fn file_shape(file: &File, lookup: &Lookup<'_>) -> String {
    let Some(source) = lookup.source(file) else {
        return file.hash.clone();
    };
    let mut text = String::new();
    for line in source.lines().map(str::trim) {
        let is_comment = ["//", "#", "/*", "*", "--"]
            .iter()
            .any(|it| line.starts_with(it));
        if !(line.is_empty() || is_comment && file.language.is_code()) {
            text.push_str(line);
            text.push('\n');
        }
    }
    format!("{:032x}", xxh3_128(text.as_bytes()))
}

/// Whether a result is still what the agent would make.
pub(crate) fn is_current(result: &AgentResult, keys: &Keys, facts: &Facts) -> bool {
    let is_read =
        |(path, hash): &(String, String)| facts.file(path).is_some_and(|file| file.hash == *hash);
    result.metadata.key == keys.whole
        && result.status.is_finished()
        && result.metadata.read.iter().all(is_read)
}

/// Whether a result is still right, once its citations are moved: only lines, comments and blank lines have changed, and what it
/// cites is still there.
pub(crate) fn is_moved(result: &AgentResult, keys: &Keys, lookup: &Lookup<'_>) -> bool {
    let about = &result.metadata;
    let is_same = |(path, shape): &(String, String)| {
        let file = lookup.facts.file(path);
        file.is_some_and(|file| file_shape(file, lookup) == *shape)
    };
    !about.shape.is_empty()
        && (&about.shape, &about.setup) == (&keys.shape, &keys.setup)
        && result.status.is_finished()
        && about.earlier.is_none()
        && about.read_shapes.iter().all(is_same)
        && Moves::of(&about.cited, lookup).lost.is_empty()
}

/// The prefix of links from a documentation to its code base; nothing if it is elsewhere.
pub(crate) fn prefix(root: &Path, output: &Path) -> Option<String> {
    let below = output.strip_prefix(root).ok()?;
    Some("../".repeat(below.components().count()))
}
