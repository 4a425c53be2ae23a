//! Material of prompts: what a model reads of a code base, within its room, without secrets.
//!
//! Everything comes from facts and, through the redactor, from files. What is shown is chosen by how much it matters: files by
//! how many others import them (`outline`), definitions by the words of an agent (`definitions`) or by how they are reached from
//! the entry points (`flow`). The same facts give the same text, which is what cache keys are made of.

mod definitions;
mod flow;
mod outline;
mod pieces;
mod quotes;

use std::{collections::BTreeMap, fmt::Write as _};

use superstep::text::{Redactor, sanitize};

pub(crate) use definitions::{besides, definitions};
pub(crate) use quotes::{above, head, quoted};

use crate::{
    agent::AgentContext,
    facts::{Dependency, Facts, File, Import, Language, readable},
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
    /// The most imported files: their definitions with signatures, lines and what they say of themselves.
    Outline,
    /// Definitions that have these words in their name or their text, the best first.
    Code(&'static [&'static str]),
    /// Definitions that are reached from the entry points, in the order in which they are.
    Flow,
}

/// The largest file of which an excerpt is made.
const LARGEST: u64 = 1 << 20;

/// The text of some material, each part with its share of the room.
pub fn render(kinds: &[Material], context: &AgentContext) -> String {
    let mut text = identity(&context.facts);
    let mut left = context.room.saturating_sub(text.len());
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
        Material::Outline => outline::outline(context, room),
        Material::Code(words) => definitions(words, context, room),
        Material::Flow => flow::flow(context, room),
    }
}

/// What the code base states of itself.
fn identity(facts: &Facts) -> String {
    let about = &facts.about;
    let mut text = format!(
        "The code base is the folder {}.\n",
        inert::code(&facts.name)
    );
    let language = about.language.as_ref();
    let required = language.map(|it| format!("requires {}", it.name));
    let stated = [
        ("name", &about.name),
        ("description", &about.description),
        ("version", &about.version),
        ("license", &about.license),
        ("readme", &about.readme),
    ];
    let stated = stated
        .into_iter()
        .filter_map(|(what, it)| Some((what, it.as_ref()?)));
    let language = language.map(|it| (required.as_deref().unwrap_or_default(), &it.wanted));
    for (what, it) in stated.chain(language) {
        let _written = writeln!(text, "- {what}: {} ({}:{})", it.text, it.path, it.line);
    }
    text
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
        let users = users(it, facts);
        let used = match users.split_first() {
            None => String::new(),
            Some(((path, line), [])) => format!(", imported at {path}:{line}"),
            Some(((path, line), more)) => {
                format!(
                    ", imported at {path}:{line} and by {}",
                    counted_more(more.len())
                )
            }
        };
        let kind = it.kind.as_str();
        format!(
            "{} {wanted}{locked}, {kind} ({}){used}",
            it.name,
            it.place()
        )
    })
}

fn counted_more(count: usize) -> String {
    counted(u64::try_from(count).unwrap_or(u64::MAX), "more file")
}

/// The first import of a dependency in each file that has one, as far as it is imported by its own name.
fn users<'a>(dependency: &Dependency, facts: &'a Facts) -> Vec<(&'a str, u32)> {
    let name = dependency.name.to_lowercase();
    let other = name.replace('-', "_");
    let is_it = |import: &Import| {
        let target = import.target.to_lowercase();
        [&name, &other].into_iter().any(|name| {
            let rest = target.strip_prefix(name.as_str());
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with([':', '.', '/']))
        })
    };
    let files = facts.files.iter();
    let found = files.filter_map(|file| {
        let import = file
            .imports
            .iter()
            .find(|it| it.file.is_none() && is_it(it))?;
        Some((&*file.path, import.line))
    });
    found.collect()
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
        let mut targets: BTreeMap<&str, &Import> = BTreeMap::new();
        for import in file.imports.iter().rev() {
            if let Some(path) = import.file.as_deref() {
                targets.insert(path, import);
            }
        }
        let targets = targets.into_iter().map(|(path, it)| match it.types_only {
            true => format!("{path} (line {}, types only)", it.line),
            false => format!("{path} (line {})", it.line),
        });
        let targets: Vec<String> = targets.collect();
        (!targets.is_empty()).then(|| format!("{} imports {}", file.path, targets.join(", ")))
    })
}

fn debt(facts: &Facts) -> impl Iterator<Item = String> + '_ {
    let marks = facts.files.iter().flat_map(|file| {
        file.marks.iter().map(|mark| {
            format!(
                "{} at {}:{}: {}",
                mark.word, file.path, mark.line, mark.text
            )
        })
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
    let text = shown(context, context.facts.file(path)?)?;
    let lines = text
        .lines()
        .enumerate()
        .skip(from.saturating_sub(1))
        .take(count);
    let lines = lines.map(|(index, line)| (index + 1, line.chars().take(240).collect()));
    Some(lines.collect())
}

/// The text of a file without secrets, each line where it was.
fn shown(context: &AgentContext, file: &File) -> Option<String> {
    let text = text_of(context, file)?;
    let language = file.language;
    // In programs literals alone are secrets; settings and text may have them without quotes.
    let is_program = language.is_code() && !matches!(language, Language::Shell | Language::Sql);
    let redactor = Redactor::standard();
    Some(sanitize(&match is_program {
        true => redactor.program(&text),
        false => redactor.lines(&text),
    }))
}

/// The text of a file as it is, if it may be read.
fn text_of(context: &AgentContext, file: &File) -> Option<String> {
    String::from_utf8(readable(&context.root, file, LARGEST)?).ok()
}
