//! Facts one by one, the most telling first, for a model that chooses among them.
//!
//! A fact has a place to cite, and what the code base itself says there where it says something: the comment at the
//! head of a file or above a definition. Quotes are text of others: redacted, on one line, and never an instruction.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
};

use crate::{
    agent::AgentContext,
    facts::{File, Lookup, SymbolKind},
    material::{Material, above, figures, head, quoted},
};

/// About as many characters as a fact has in a prompt.
const LENGTH: usize = 150;

/// Something that is known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fact {
    /// What it is, in a few words of Markdown.
    pub what: String,
    /// Where, as `path:line`; nothing for figures.
    pub place: Option<String>,
    /// What the code base says there.
    pub quote: Option<String>,
}

impl Fact {
    /// The fact on one line, for a model.
    pub fn line(&self) -> String {
        let place = self.place.iter().map(|it| format!(" at {it}"));
        let quote = self.quote.iter().map(|it| format!(": \"{it}\""));
        let what = self.what.replace('`', "");
        [what].into_iter().chain(place).chain(quote).collect()
    }

    /// The fact with its citation, for a page.
    pub fn cited(&self) -> String {
        let place = self.place.iter().map(|it| format!(", `{it}`"));
        let quote = self.quote.iter().map(|it| format!(": “{it}”"));
        let what = [self.what.clone()];
        what.into_iter().chain(place).chain(quote).collect()
    }
}

/// The facts that suit some material, as many as fit.
pub fn facts(kinds: &[Material], context: &AgentContext) -> Vec<Fact> {
    let lookup = Lookup::new(&context.facts);
    let mut left = context.room / LENGTH;
    let mut all: Vec<Fact> = Vec::new();
    for (number, kind) in kinds.iter().enumerate() {
        let most = left / kinds.len().saturating_sub(number).max(1);
        let found = of_kind(*kind, context, &lookup, most.max(1));
        let known: BTreeSet<Option<&String>> = all.iter().map(|it| it.place.as_ref()).collect();
        let is_new = |it: &Fact| it.place.is_none() || !known.contains(&it.place.as_ref());
        let found: Vec<Fact> = found.into_iter().filter(is_new).collect();
        left = left.saturating_sub(found.len());
        all.extend(found);
    }
    all
}

/// Facts about files whose path or symbols have these words.
pub fn about(words: &[&str], context: &AgentContext, most: usize) -> Vec<Fact> {
    symbols(words, context, &Lookup::new(&context.facts), most)
}

fn of_kind(kind: Material, context: &AgentContext, lookup: &Lookup<'_>, most: usize) -> Vec<Fact> {
    match kind {
        Material::Tree => folders(context, most),
        Material::Components => components(context, most),
        Material::Dependencies => dependencies(context, most),
        Material::EntryPoints => entry_points(context, most),
        Material::Symbols => symbols(&[], context, lookup, most),
        Material::Imports => imported(context, lookup, most),
        Material::Debt => debt(context, most),
        Material::Counts => {
            let all = figures(&context.facts).take(most);
            all.map(|what| Fact {
                what,
                ..Fact::default()
            })
            .collect()
        }
        Material::Outline => symbols(&[], context, lookup, most),
        Material::Code(words) => symbols(words, context, lookup, most),
        Material::Flow => imported(context, lookup, most),
    }
}

/// A fact about a file, with what its head says.
fn of_file(what: String, path: &str, context: &AgentContext) -> Fact {
    Fact {
        what,
        place: Some(format!("{path}:1")),
        quote: head(context, path),
    }
}

/// The folders with the most code, two levels deep, each with all that is below it.
fn folders(context: &AgentContext, most: usize) -> Vec<Fact> {
    let mut found: BTreeMap<&str, (usize, u64)> = BTreeMap::new();
    for file in &context.facts.files {
        let mut ends = file
            .path
            .match_indices('/')
            .map(|(at, _)| at)
            .take(2)
            .peekable();
        // What is in no folder is counted as such.
        let top = ends.peek().is_none().then_some(0);
        for end in top.into_iter().chain(ends) {
            let entry = found.entry(file.path.get(..end).unwrap_or_default());
            let entry = entry.or_default();
            entry.0 += 1;
            entry.1 += u64::from(file.lines);
        }
    }
    // A folder that has all of the one around it stands for both.
    let inner: BTreeSet<(&str, usize)> = found
        .iter()
        .filter_map(|(folder, (files, _))| Some((folder.rsplit_once('/')?.0, *files)))
        .collect();
    let mut found: Vec<_> = found
        .iter()
        .filter(|(folder, (files, _))| !inner.contains(&(**folder, *files)))
        .collect();
    found.sort_by_key(|(folder, (_, lines))| (Reverse(*lines), **folder));
    let mut cited = BTreeSet::new();
    let facts = found.into_iter().filter_map(|(folder, (files, lines))| {
        let path = described_by(context, folder).filter(|path| cited.insert(*path))?;
        let name = match folder.is_empty() {
            true => "the files in no folder".to_owned(),
            false => format!("folder `{folder}`"),
        };
        Some(of_file(
            format!("{name} (files: {files}, lines: {lines})"),
            path,
            context,
        ))
    });
    facts.take(most).collect()
}

/// The file that says most about a folder: the nearest one that usually does, or its largest.
fn described_by<'a>(context: &'a AgentContext, folder: &str) -> Option<&'a str> {
    const USUAL: [&str; 12] = [
        "lib.rs", "main.rs", "mod.rs", "__init__.py", "main.py", "index.ts", "index.js", "main.go",
        "main.ts", "README.md", "readme.md", "Main.java",
    ];
    let below = match folder {
        "" => String::new(),
        folder => format!("{folder}/"),
    };
    let files = context.facts.files.iter();
    let files: Vec<&File> = files
        .filter(|file| file.path.starts_with(&below) && file.lines > 0)
        .filter(|file| !below.is_empty() || !file.path.contains('/'))
        .collect();
    let rank = |file: &&&File| {
        let name = file.path.rsplit('/').next().unwrap_or_default();
        let usual = USUAL.iter().position(|it| *it == name);
        let depth = file.path.matches('/').count();
        (
            usual.is_none(),
            depth,
            usual,
            Reverse(file.lines),
            file.path.clone(),
        )
    };
    files.iter().min_by_key(rank).map(|file| file.path.as_str())
}

fn components(context: &AgentContext, most: usize) -> Vec<Fact> {
    let mut all: Vec<_> = context.facts.components.iter().collect();
    all.sort_by_key(|it| (Reverse(it.files), &it.name));
    let facts = all.into_iter().filter_map(|it| {
        let uses: Vec<String> = it.uses.iter().take(4).map(|it| format!("`{it}`")).collect();
        let uses = match uses.is_empty() {
            true => "uses no other".to_owned(),
            false => format!("uses {}", uses.join(", ")),
        };
        let what = format!("component `{}` {uses}", it.name);
        Some(of_file(what, described_by(context, &it.folder)?, context))
    });
    facts.take(most).collect()
}

/// What most manifests ask for.
fn dependencies(context: &AgentContext, most: usize) -> Vec<Fact> {
    let mut found: BTreeMap<&str, Vec<_>> = BTreeMap::new();
    for it in &context.facts.dependencies {
        found.entry(&it.name).or_default().push(it);
    }
    let mut found: Vec<_> = found.into_iter().collect();
    found.sort_by_key(|(name, all)| (Reverse(all.len()), *name));
    let facts = found.into_iter().filter_map(|(name, all)| {
        let first = all.first()?;
        let version = first.locked.first().or(first.wanted.as_ref());
        let version = version.map(|it| format!(" {it}")).unwrap_or_default();
        Some(Fact {
            what: format!("dependency `{name}`{version} (manifests: {})", all.len()),
            place: Some(first.place()),
            quote: None,
        })
    });
    facts.take(most).collect()
}

fn entry_points(context: &AgentContext, most: usize) -> Vec<Fact> {
    let mut seen = BTreeSet::new();
    let all = context.facts.entry_points.iter();
    let all = all.filter(|it| seen.insert(it.path.clone()));
    all.take(most)
        .map(|it| Fact {
            what: format!("{} `{}`", it.kind, it.name),
            place: Some(format!("{}:{}", it.path, it.line)),
            quote: head(context, &it.path),
        })
        .collect()
}

/// Public symbols of the files that most others import, those with one of the words first; at most two of a file.
fn symbols(words: &[&str], context: &AgentContext, lookup: &Lookup<'_>, most: usize) -> Vec<Fact> {
    let has_word = |text: &str| {
        let text = text.to_lowercase();
        words.iter().any(|word| text.contains(word))
    };
    let files = context.facts.files.iter();
    let files = files.filter(|it| it.language.is_code() && !it.test);
    let mut scored = Vec::new();
    for file in files {
        let importers = lookup.importers(&file.path).count().min(50);
        for symbol in &file.symbols {
            let is_type = matches!(
                symbol.kind,
                SymbolKind::Type | SymbolKind::Enum | SymbolKind::Interface
            );
            let is_shown = symbol.public && symbol.of.is_none();
            let is_named = has_word(&symbol.name);
            if !is_shown || !words.is_empty() && !is_named && !has_word(&file.path) {
                continue;
            }
            let score = importers + 40 * usize::from(is_named) + 20 * usize::from(is_type);
            scored.push((score, file, symbol));
        }
    }
    scored.sort_by_key(|(score, file, symbol)| (Reverse(*score), &file.path, symbol.line));
    let mut taken: BTreeMap<&str, usize> = BTreeMap::new();
    scored.retain(|(_, file, _)| {
        let count = taken.entry(&file.path).or_default();
        *count += 1;
        *count <= 2
    });
    let facts = scored.into_iter().take(most).map(|(_, file, it)| Fact {
        what: format!("{} `{}`", it.kind.as_str(), it.name),
        place: Some(format!("{}:{}", file.path, it.line)),
        quote: above(context, &file.path, it.line).or_else(|| head(context, &file.path)),
    });
    facts.collect()
}

/// The files that most others import.
fn imported(context: &AgentContext, lookup: &Lookup<'_>, most: usize) -> Vec<Fact> {
    let files = context.facts.files.iter();
    let mut files: Vec<(usize, &File)> = files
        .map(|file| (lookup.importers(&file.path).count(), file))
        .filter(|(count, _)| *count > 0)
        .collect();
    files.sort_by_key(|(count, file)| (Reverse(*count), &file.path));
    let facts = files.into_iter().take(most);
    facts
        .map(|(count, file)| {
            let what = format!("a file that others import (importers: {count})");
            of_file(what, &file.path, context)
        })
        .collect()
}

fn debt(context: &AgentContext, most: usize) -> Vec<Fact> {
    let files = context.facts.files.iter();
    let mut large: Vec<&File> = files
        .filter(|it| it.language.is_code() && it.lines > 0)
        .collect();
    large.sort_by_key(|file| (Reverse(file.lines), &file.path));
    let large = large.into_iter().take(most.div_ceil(2)).map(|file| {
        of_file(
            format!("one of the longest files (lines: {})", file.lines),
            &file.path,
            context,
        )
    });
    let marks = context.facts.files.iter().flat_map(|file| {
        file.marks.iter().map(|mark| Fact {
            what: format!("the mark {}", mark.word),
            place: Some(format!("{}:{}", file.path, mark.line)),
            quote: quoted(context, &file.path, mark.line),
        })
    });
    large.chain(marks).take(most).collect()
}
