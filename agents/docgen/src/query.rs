//! Questions about a code base, answered from facts: what a change of a file concerns, and where things are.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

mod prompt;

pub use prompt::prompt;

use crate::facts::{Facts, Lookup};

/// What a change of a file concerns.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Impact {
    /// The file.
    pub path: String,
    /// The component it is part of.
    pub component: Option<String>,
    /// What it defines for others.
    pub symbols: Vec<String>,
    /// Files that import it.
    pub direct: Vec<String>,
    /// Files that depend on those, with how many imports they are away.
    pub indirect: Vec<(String, u32)>,
    /// Components of all of them.
    pub components: Vec<String>,
    /// Entry points among them.
    pub entry_points: Vec<String>,
    /// Tests among them.
    pub tests: Vec<String>,
}

/// What a change of a file concerns; nothing if there is no such file.
pub fn impact(facts: &Facts, path: &str) -> Option<Impact> {
    let file = facts.file(path)?;
    let lookup = Lookup::new(facts);
    let all = lookup.dependants(path);
    let mut found = Impact {
        path: path.to_owned(),
        component: component(facts, path),
        ..Impact::default()
    };
    let public = file.symbols.iter().filter(|it| it.public);
    found.symbols = public
        .map(|it| format!("{} {}:{}", it.name, path, it.line))
        .collect();
    let mut components = BTreeSet::new();
    components.extend(found.component.clone());
    for (other, away) in &all {
        match away {
            1 => found.direct.push((*other).to_owned()),
            _ => found.indirect.push(((*other).to_owned(), *away)),
        }
        components.extend(component(facts, other));
        if facts.file(other).is_some_and(|file| file.test) {
            found.tests.push((*other).to_owned());
        }
    }
    found.components = components.into_iter().collect();
    let is_reached = |it: &str| it == path || all.iter().any(|(other, _)| *other == it);
    let entries = facts.entry_points.iter().filter(|it| is_reached(&it.path));
    found.entry_points = entries
        .map(|it| format!("{} {}:{}", it.name, it.path, it.line))
        .collect();
    Some(found)
}

/// The component of a file: that of the nearest folder above it.
fn component(facts: &Facts, path: &str) -> Option<String> {
    let is_above = |folder: &str| {
        folder.is_empty()
            || path
                .strip_prefix(folder)
                .is_some_and(|it| it.starts_with('/'))
    };
    let above = facts.components.iter().filter(|it| is_above(&it.folder));
    above
        .max_by_key(|it| it.folder.len())
        .map(|it| it.name.clone())
}

/// Something of the facts that a question is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hit {
    /// `file`, `symbol`, `dependency`, `component` or `entry point`.
    pub kind: String,
    /// Its name.
    pub name: String,
    /// Where it is, as `path:line`.
    pub place: String,
    /// How well it fits.
    pub score: u32,
}

/// Words that are in every question.
const COMMON: &[&str] = &[
    "the", "and", "for", "what", "where", "which", "who", "how", "does", "are", "is", "in", "of",
    "to", "a", "an", "it", "that", "this", "with", "from", "used", "use", "uses", "defined",
    "code", "file", "files", "about",
];

/// The words of a question that say what it is about.
fn words(question: &str) -> Vec<String> {
    question
        .split(|c: char| !(c.is_alphanumeric() || "_-./".contains(c)))
        .map(|word| word.trim_matches(['.', '-', '/']).to_lowercase())
        .filter(|word| word.len() > 1 && !COMMON.contains(&&**word))
        .collect()
}

/// What of the facts a question is about, the best first.
pub fn find(facts: &Facts, question: &str, most: usize) -> Vec<Hit> {
    let words = words(question);
    let score = |name: &str| {
        let name = name.to_lowercase();
        let fits = words.iter().map(|word| {
            let stem = word
                .strip_suffix('s')
                .filter(|stem| stem.len() > 2)
                .unwrap_or(word);
            match () {
                () if name == *word || name == *stem => 10,
                () if name.contains(stem) && stem.len() > 2 => 4,
                () => 0,
            }
        });
        fits.sum::<u32>()
    };
    let mut hits = Vec::new();
    let mut add = |kind: &str, name: &str, place: String, score: u32| {
        if score > 0 {
            hits.push(Hit {
                kind: kind.to_owned(),
                name: name.to_owned(),
                place,
                score,
            });
        }
    };
    for it in &facts.components {
        let place = it.manifest.clone().unwrap_or_else(|| it.folder.clone());
        add("component", &it.name, place, score(&it.name) * 2);
    }
    for it in &facts.dependencies {
        add(
            "dependency",
            &it.name,
            format!("{}:{}", it.manifest, it.line),
            score(&it.name) * 2,
        );
    }
    for it in &facts.entry_points {
        let asked = words
            .iter()
            .any(|word| word == "entry" || word == "start" || word == "main");
        let extra = if asked { 6 } else { 0 };
        add(
            "entry point",
            &it.name,
            format!("{}:{}", it.path, it.line),
            score(&it.name) + extra,
        );
    }
    for file in &facts.files {
        let name = file.path.rsplit('/').next().unwrap_or_default();
        let stem = name.split('.').next().unwrap_or_default();
        let whole = words.iter().any(|word| *word == file.path.to_lowercase());
        add(
            "file",
            &file.path,
            file.path.clone(),
            if whole { 30 } else { score(stem) },
        );
        for symbol in &file.symbols {
            let public = u32::from(symbol.public);
            let value = score(&symbol.name);
            let value = if value > 0 { value + public } else { 0 };
            add(
                "symbol",
                &symbol.name,
                format!("{}:{}", file.path, symbol.line),
                value,
            );
        }
    }
    hits.sort_by(|one, other| (other.score, &one.place).cmp(&(one.score, &other.place)));
    hits.truncate(most);
    hits
}
