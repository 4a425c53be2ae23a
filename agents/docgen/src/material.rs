//! Material of prompts: what a model reads of a code base, within its room, without secrets.
//!
//! Everything comes from facts, in their order, and excerpts of files through the redactor. The same facts give
//! the same text, which is what cache keys are made of.

mod excerpts;

use std::fmt::Write as _;

use superstep::text::{Redactor, sanitize};

pub(crate) use excerpts::{besides, excerpts};

use crate::{
    agent::AgentContext,
    facts::{DependencyKind, Facts, File, readable},
    inert::{self, counted},
};

/// A kind of material.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Material {
    /// Paths, and how many files each language has.
    Tree,
    /// Components and which uses which.
    Components,
    /// What manifests ask for.
    Dependencies,
    /// Where programs begin.
    EntryPoints,
    /// Public symbols with their places.
    Symbols,
    /// Who imports whom.
    Imports,
    /// Lines with marks, and the largest files.
    Debt,
    /// Figures.
    Counts,
    /// Files that have one of these words in their path, their symbols or their text, or the places in them that do.
    Excerpts(&'static [&'static str]),
}

/// The largest file of which an excerpt is made.
const LARGEST: u64 = 1 << 20;

/// The text of some material, each part with its share of the room.
pub fn render(kinds: &[Material], context: &AgentContext) -> String {
    let mut text = format!(
        "The code base is called {}.\n",
        inert::code(&context.facts.name)
    );
    let mut left = context.room;
    for (number, kind) in kinds.iter().enumerate() {
        // What a part does not use is left for those after it.
        let share = left / kinds.len().saturating_sub(number).max(1);
        let part = part(*kind, context, share);
        left = left.saturating_sub(part.len());
        text.push_str(&part);
    }
    text
}

fn part(kind: Material, context: &AgentContext, room: usize) -> String {
    let facts = &*context.facts;
    match kind {
        Material::Tree => list(
            "Files",
            room,
            facts.files.iter().map(|file| file.path.clone()),
        ),
        Material::Components => list("Components", room, components(facts)),
        Material::Dependencies => list("Dependencies", room, dependencies(facts)),
        Material::EntryPoints => list(
            "Entry points",
            room,
            facts
                .entry_points
                .iter()
                .map(|it| format!("{} {} at {}:{}", it.kind, it.name, it.path, it.line)),
        ),
        Material::Symbols => list("Public symbols", room, symbols(facts)),
        Material::Imports => list("Imports between files", room, imports(facts)),
        Material::Debt => list("Marks and large files", room, debt(facts)),
        Material::Counts => list("Figures", room, figures(facts)),
        Material::Excerpts(words) => excerpts(words, context, room),
    }
}

/// A list that says how much of it is missing.
fn list(title: &str, room: usize, items: impl Iterator<Item = String>) -> String {
    let mut text = format!("\n# {title}\n");
    let (mut shown, mut total) = (0_usize, 0_usize);
    for item in items.map(|item| inert::line(&item)) {
        total += 1;
        if text.len() + item.len() + 3 <= room && shown + 1 == total {
            text.push_str("- ");
            text.push_str(&item);
            text.push('\n');
            shown = total;
        }
    }
    if total == 0 {
        text.push_str("(none)\n");
    } else if shown < total {
        let _written = writeln!(text, "({} not shown)", inert::more(total - shown));
    }
    text
}

fn components(facts: &Facts) -> impl Iterator<Item = String> + '_ {
    facts.components.iter().map(|it| {
        let folder = if it.folder.is_empty() {
            "."
        } else {
            &it.folder
        };
        let uses = match it.uses.is_empty() {
            true => "nothing of the others".to_owned(),
            false => it.uses.join(", "),
        };
        format!("{} in {folder}, uses {uses}", it.name)
    })
}

fn dependencies(facts: &Facts) -> impl Iterator<Item = String> + '_ {
    facts.dependencies.iter().map(|it| {
        let wanted = it.wanted.as_deref().unwrap_or("any");
        let locked = match it.locked.is_empty() {
            true => String::new(),
            false => format!(", locked {}", it.locked.join(" and ")),
        };
        let kind = match it.kind {
            DependencyKind::Runtime => "",
            DependencyKind::Dev => ", for development",
            DependencyKind::Build => ", for the build",
        };
        format!("{} {wanted}{locked}{kind} ({})", it.name, it.place())
    })
}

fn symbols(facts: &Facts) -> impl Iterator<Item = String> + '_ {
    facts
        .files
        .iter()
        .filter(|file| !file.test)
        .flat_map(|file| {
            let public = file
                .symbols
                .iter()
                .filter(|it| it.public && it.of.is_none());
            public.map(|it| {
                format!(
                    "{} {} ({}:{})",
                    it.kind.as_str(),
                    it.name,
                    file.path,
                    it.line
                )
            })
        })
}

fn imports(facts: &Facts) -> impl Iterator<Item = String> + '_ {
    facts.files.iter().filter_map(|file| {
        let mut targets: Vec<&str> = file
            .imports
            .iter()
            .filter_map(|it| it.file.as_deref())
            .collect();
        targets.sort_unstable();
        targets.dedup();
        (!targets.is_empty()).then(|| format!("{} imports {}", file.path, targets.join(", ")))
    })
}

fn debt(facts: &Facts) -> impl Iterator<Item = String> + '_ {
    let marks = facts.files.iter().flat_map(|file| {
        file.marks
            .iter()
            .map(|mark| format!("{} at {}:{}", mark.word, file.path, mark.line))
    });
    let mut large: Vec<&File> = facts
        .files
        .iter()
        .filter(|it| it.language.is_code() && it.lines > 500)
        .collect();
    large.sort_by_key(|file| std::cmp::Reverse(file.lines));
    let large = large.into_iter().take(20);
    large
        .map(|file| format!("{} is long: {} lines", file.path, file.lines))
        .chain(marks)
}

pub(crate) fn figures(facts: &Facts) -> impl Iterator<Item = String> + '_ {
    let counts = &facts.counts;
    let length = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
    let dependencies = match facts.dependency_names().len() {
        1 => "1 dependency".to_owned(),
        many => format!("{many} dependencies"),
    };
    let first = [
        format!(
            "{} in {}, {}",
            counted(counts.files.into(), "file"),
            counted(counts.folders.into(), "folder"),
            counted(counts.lines, "line")
        ),
        format!(
            "{}, {}, {}",
            counted(counts.tests.into(), "test file"),
            counted(counts.symbols.into(), "symbol"),
            counted(counts.marks.into(), "mark")
        ),
        format!(
            "{dependencies}, {}",
            counted(length(facts.components.len()), "component")
        ),
    ];
    let uncounted = (counts.uncounted > 0).then(|| {
        let files = counted(counts.uncounted.into(), "file");
        format!("{files} not read, with lines that are not counted")
    });
    let languages = counts.languages.iter().map(|(name, it)| {
        let files = counted(it.files.into(), "file");
        format!("{name}: {files}, {}", counted(it.lines, "line"))
    });
    first.into_iter().chain(uncounted).chain(languages)
}

/// Lines of a file with their numbers as a text, without secrets; nothing if it is not one of the facts.
pub fn excerpt(context: &AgentContext, path: &str, from: usize, count: usize) -> Option<String> {
    let mut shown = format!("\n## {}\n", inert::line(path));
    for (number, line) in lines(context, path, from, count)? {
        let _written = writeln!(shown, "{number:>5} {line}");
    }
    Some(shown)
}

/// Lines of a file with their numbers, without secrets; nothing if it is not one of the facts.
pub(crate) fn lines(
    context: &AgentContext,
    path: &str,
    from: usize,
    count: usize,
) -> Option<Vec<(usize, String)>> {
    let text = text_of(context, context.facts.file(path)?)?;
    let text = sanitize(&Redactor::standard().lines(&text));
    let lines = text
        .lines()
        .enumerate()
        .skip(from.saturating_sub(1))
        .take(count);
    let lines = lines.map(|(index, line)| (index + 1, line.chars().take(240).collect()));
    Some(lines.collect())
}

/// The text of a file as it is, if it may be read.
fn text_of(context: &AgentContext, file: &File) -> Option<String> {
    String::from_utf8(readable(&context.root, file, LARGEST)?).ok()
}
