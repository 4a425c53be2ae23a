//! Where a sentence stands: below which heading, behind which sentence, in which table.
//!
//! "It has 5 files" is about the whole code base only where nothing else was spoken of before.

use std::collections::BTreeSet;

use super::{mood, units};
use crate::facts::Lookup;

/// What the place of a sentence says about it.
#[derive(Clone, Debug, Default)]
pub(super) struct Setting {
    /// The first row of the table that it is a row of, in lower case.
    pub(super) header: Option<String>,
    /// Whether what has no subject of its own is about the whole code base.
    pub(super) is_whole: bool,
    /// Whether a heading announces advice.
    pub(super) is_advised: bool,
}

impl Setting {
    /// Whether it is a row of a table of versions or dependencies.
    pub(super) fn is_of_versions(&self) -> bool {
        self.header.as_deref().is_some_and(units::is_of_versions)
    }

    /// The head of the column in which a place of a row is.
    pub(super) fn column(&self, unit: &str, at: usize) -> Option<&str> {
        let number = unit.get(..at)?.matches('|').count();
        self.header
            .as_deref()?
            .split('|')
            .nth(number)
            .map(str::trim)
    }
}

/// Follows the lines of an analysis.
#[derive(Debug)]
pub(super) struct Section {
    /// Names of components, folders and languages, in lower case.
    parts: BTreeSet<String>,
    header: Option<String>,
    /// The heading names a part of the code base.
    is_narrow: bool,
    is_advised: bool,
    /// The line before a paragraph, a list or a table may announce figures of a part.
    is_led: bool,
    /// What was spoken of last is the whole.
    is_whole: bool,
}

const ADVICE: &[&str] = &[
    "recommend", "suggest", "next step", "roadmap", "migrat", "upgrad", "improve", "future",
    "proposal", "action",
];

impl Section {
    pub(super) fn new(lookup: &Lookup<'_>) -> Self {
        Self {
            parts: parts(lookup),
            header: None,
            is_narrow: false,
            is_advised: false,
            is_led: false,
            is_whole: true,
        }
    }

    /// A heading begins.
    pub(super) fn head(&mut self, title: &str) {
        let lower = title.to_lowercase();
        self.header = None;
        self.is_narrow = self.is_of_part(&lower);
        self.is_advised = ADVICE.iter().any(|word| lower.contains(word));
        self.is_led = false;
        self.is_whole = true;
    }

    /// A paragraph ends.
    pub(super) fn end(&mut self) {
        self.header = None;
        self.is_whole = !self.is_led;
    }

    /// A line begins: a row of a table, an item of a list, or text.
    pub(super) fn line(&mut self, line: &str, is_row: bool) {
        let start = line.trim_start();
        match is_row {
            true => drop(self.header.get_or_insert_with(|| start.to_lowercase())),
            false => self.header = None,
        }
        let is_item = units::marker(line) > line.len() - start.len();
        let is_nested = is_item && line.starts_with([' ', '\t']);
        if is_row || is_item {
            self.is_whole = !is_nested && !self.is_led;
        } else {
            // A line that announces something, or names a part: a list behind it may be about that.
            let is_announcing = line.trim_end().ends_with([':', '*']);
            self.is_led = !is_of_whole(line) && (is_announcing || self.is_of_part(line));
        }
    }

    /// Where the next sentence stands.
    pub(super) fn setting(&self) -> Setting {
        Setting {
            header: self.header.clone(),
            is_whole: self.is_whole && !self.is_narrow,
            is_advised: self.is_advised,
        }
    }

    /// Whether a text names a component, a folder, a language, or what most code bases have as a part.
    fn is_of_part(&self, text: &str) -> bool {
        mood::words(text)
            .iter()
            .any(|word| self.parts.contains(word))
    }

    /// A sentence was said: what has no subject behind it is about what it was about.
    pub(super) fn said(&mut self, unit: &str) {
        let words = mood::words(unit);
        let first = words.first().map_or("", String::as_str);
        let is_same = ["it", "there", "they"].contains(&first);
        let is_whole = is_of_whole(unit) || self.is_whole && is_same;
        // "The project has a server. It has 5 files."
        self.is_whole = is_whole && !self.is_of_part(unit);
    }
}

/// Names of the whole code base.
pub(super) const WHOLE: &[&str] = &["codebase", "repository", "repo", "project", "monorepo"];

/// Words that say nothing of a part.
pub(super) const GENERAL: &[&str] = &[
    "the", "this", "our", "its", "whole", "entire", "code", "base", "key", "main", "total",
    "overall", "figures", "numbers", "size", "scale", "scope", "summary", "overview", "statistics",
    "metrics", "following", "in", "of", "are", "has", "is", "here", "by",
];

/// Whether a sentence begins with the whole code base, or has no subject but that.
fn is_of_whole(unit: &str) -> bool {
    let words = mood::words(&unit.to_lowercase().replace("code base", "codebase"));
    let head = words
        .iter()
        .take_while(|it| GENERAL.contains(&&***it))
        .count();
    words.get(head).is_none_or(|it| WHOLE.contains(&&**it))
}

/// Words for parts of most code bases.
const PARTS: &[&str] = &[
    "api", "app", "backend", "cli", "client", "component", "core", "docs", "frontend", "library",
    "module", "package", "scripts", "server", "service", "test", "tests", "tool", "tools", "ui",
    "web",
];

/// Names of parts of a code base.
fn parts(lookup: &Lookup<'_>) -> BTreeSet<String> {
    let facts = lookup.facts;
    let folders = facts.files.iter().flat_map(|file| {
        let (folder, _) = file.path.rsplit_once('/').unwrap_or_default();
        folder.split('/')
    });
    let components = facts.components.iter().map(|it| it.name.as_str());
    let languages = facts.counts.languages.keys().map(String::as_str);
    let all = folders.chain(components).chain(languages);
    let all = all.chain(PARTS.iter().copied()).filter(|it| it.len() > 1);
    all.map(str::to_lowercase).collect()
}
