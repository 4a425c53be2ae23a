//! Parts of pages that are made of facts alone.

use std::{collections::BTreeMap, fmt::Write as _};

use crate::{
    diagrams,
    facts::{Facts, File, Symbol, SymbolKind, error_types},
    inert::{code, more, place as at, words},
};

/// A part of a page.
#[derive(Clone, Copy, Debug)]
pub(super) enum Part {
    Counts,
    Languages,
    Folders,
    Skipped,
    Components,
    ComponentDiagram,
    Dependencies,
    EntryPoints,
    FlowDiagram,
    TypeDiagram,
    Types,
    Interfaces,
    SymbolKinds,
    ErrorTypes,
    Secrets,
    Marks,
    LargeFiles,
}

/// The longest table; the rest is counted.
const ROWS: usize = 60;

impl Part {
    pub(super) fn render(self, facts: &Facts) -> Option<String> {
        match self {
            Self::Counts => Some(counts(facts)),
            Self::Languages => languages(facts),
            Self::Folders => folders(facts),
            Self::Skipped => skipped(facts),
            Self::Components => components(facts),
            Self::ComponentDiagram => {
                let drawn = diagrams::components(facts)?;
                let mut text = diagram("Which component uses which", Some(drawn.text))?;
                if let Some(note) = drawn.note {
                    let _written = writeln!(text, "\n{note}");
                }
                Some(text)
            }
            Self::Dependencies => dependencies(facts),
            Self::EntryPoints => entry_points(facts),
            Self::FlowDiagram => flow(facts),
            Self::TypeDiagram => types(facts),
            Self::Types => symbols("Public types", facts, |kind, _| {
                matches!(
                    kind,
                    SymbolKind::Type | SymbolKind::Enum | SymbolKind::Alias | SymbolKind::Interface
                )
            }),
            Self::Interfaces => symbols("Public interfaces", facts, |kind, _| {
                kind == SymbolKind::Interface
            }),
            Self::SymbolKinds => symbol_kinds(facts),
            Self::ErrorTypes => errors(facts),
            Self::Secrets => secrets(facts),
            Self::Marks => marks(facts),
            Self::LargeFiles => large(facts),
        }
    }
}

/// A table; nothing if it has no rows. Cells are words of ours, or made inert.
fn table(title: &str, head: &[&str], rows: impl Iterator<Item = Vec<String>>) -> Option<String> {
    let mut text = format!(
        "## {title}\n\n| {} |\n|{}\n",
        head.join(" | "),
        "---|".repeat(head.len())
    );
    let mut total = 0;
    for row in rows {
        total += 1;
        if total <= ROWS {
            let _written = writeln!(text, "| {} |", row.join(" | "));
        }
    }
    if total > ROWS {
        let _written = writeln!(text, "\n{} not listed.", more(total - ROWS));
    }
    (total > 0).then_some(text)
}

fn diagram(title: &str, text: Option<String>) -> Option<String> {
    let text = text?;
    Some(format!("## {title}\n\n```mermaid\n{}```\n", text))
}

fn flow(facts: &Facts) -> Option<String> {
    let flow = diagrams::flow(facts)?;
    let mut text = diagram("From the entry points", Some(flow.diagram))?;
    if flow.left_out > 0 {
        let _written = writeln!(
            text,
            "\nThe files nearest to the entry points; of those that they reach {} not drawn.",
            more(flow.left_out)
        );
    }
    Some(text)
}

fn types(facts: &Facts) -> Option<String> {
    let types = diagrams::types(facts)?;
    let mut text = diagram("Types", Some(types.diagram))?;
    if types.left_out > 0 {
        let _written = writeln!(
            text,
            "\nTypes that extend each other first, then those with most methods; of the public types {} not drawn.",
            more(types.left_out)
        );
    }
    Some(text)
}

fn counts(facts: &Facts) -> String {
    let counts = &facts.counts;
    let rows = [
        ("files", u64::from(counts.files)),
        ("folders", u64::from(counts.folders)),
        ("lines", counts.lines),
        ("test files", u64::from(counts.tests)),
        ("symbols", u64::from(counts.symbols)),
        (
            "components",
            u64::try_from(facts.components.len()).unwrap_or(u64::MAX),
        ),
        (
            "dependencies",
            u64::try_from(facts.dependency_names().len()).unwrap_or(u64::MAX),
        ),
        ("marks", u64::from(counts.marks)),
        ("not read", u64::from(facts.skipped.total())),
    ];
    let uncounted = (
        "files whose lines are not counted",
        u64::from(counts.uncounted),
    );
    let rows = rows
        .into_iter()
        .chain([uncounted].into_iter().filter(|(_, number)| *number > 0))
        .map(|(name, number)| vec![name.to_owned(), number.to_string()]);
    table("Figures", &["what", "how many"], rows).unwrap_or_default()
}

fn languages(facts: &Facts) -> Option<String> {
    let mut rows: Vec<_> = facts.counts.languages.iter().collect();
    rows.sort_by_key(|(name, it)| (std::cmp::Reverse(it.lines), *name));
    let rows = rows
        .into_iter()
        .map(|(name, it)| vec![name.clone(), it.files.to_string(), it.lines.to_string()]);
    table("Languages", &["language", "files", "lines"], rows)
}

fn folders(facts: &Facts) -> Option<String> {
    let mut found: BTreeMap<&str, (u32, u64)> = BTreeMap::new();
    for file in &facts.files {
        let folder = file.path.split_once('/').map_or(".", |(folder, _)| folder);
        let entry = found.entry(folder).or_default();
        entry.0 += 1;
        entry.1 += u64::from(file.lines);
    }
    let rows = found
        .into_iter()
        .map(|(name, (files, lines))| vec![code(name), files.to_string(), lines.to_string()]);
    table("Top folders", &["folder", "files", "lines"], rows)
}

fn skipped(facts: &Facts) -> Option<String> {
    let rows = facts.skipped.counts.iter().map(|(why, count)| {
        let first = facts.skipped.first.iter().find(|it| it.why == *why);
        vec![
            why.clone(),
            count.to_string(),
            first.map(|it| code(&it.path)).unwrap_or_default(),
        ]
    });
    table("Not read", &["why", "how many", "such as"], rows)
}

fn components(facts: &Facts) -> Option<String> {
    let rows = facts.components.iter().map(|it| {
        let uses: Vec<String> = it.uses.iter().map(|name| code(name)).collect();
        let folder = if it.folder.is_empty() {
            "."
        } else {
            &it.folder
        };
        vec![
            code(&it.name),
            code(folder),
            it.files.to_string(),
            uses.join(", "),
        ]
    });
    table(
        "Components",
        &["component", "folder", "files", "uses"],
        rows,
    )
}

fn dependencies(facts: &Facts) -> Option<String> {
    let rows = facts.dependencies.iter().map(|it| {
        let wanted = it.wanted.as_deref().map(words).unwrap_or_default();
        let locked: Vec<String> = it.locked.iter().map(|it| words(it)).collect();
        vec![
            code(&it.name),
            wanted,
            locked.join(", "),
            it.kind.as_str().to_owned(),
            at(&it.manifest, it.line),
        ]
    });
    table(
        "Dependencies",
        &["name", "wanted", "locked", "for", "where"],
        rows,
    )
}

fn entry_points(facts: &Facts) -> Option<String> {
    let rows = facts
        .entry_points
        .iter()
        .map(|it| vec![it.kind.clone(), code(&it.name), at(&it.path, it.line)]);
    table("Entry points", &["kind", "name", "where"], rows)
}

fn symbols(title: &str, facts: &Facts, fits: impl Fn(SymbolKind, &str) -> bool) -> Option<String> {
    let rows = facts
        .files
        .iter()
        .filter(|file| !file.test)
        .flat_map(|file| {
            let own = file.symbols.iter();
            let own = own.filter(|it| it.public && fits(it.kind, &it.name));
            own.map(move |it| symbol(file, it))
        });
    table(title, &["name", "kind", "where"], rows)
}

fn symbol(file: &File, symbol: &Symbol) -> Vec<String> {
    vec![
        code(&symbol.name),
        symbol.kind.as_str().to_owned(),
        at(&file.path, symbol.line),
    ]
}

fn errors(facts: &Facts) -> Option<String> {
    let found = error_types(facts).into_iter();
    let found = found.filter(|(file, _)| !file.test);
    let rows = found.map(|(file, it)| {
        let mut row = symbol(file, it);
        row.push(if it.public { "yes" } else { "no" }.to_owned());
        row
    });
    table(
        "Types of errors",
        &["name", "kind", "where", "public"],
        rows,
    )
}

fn symbol_kinds(facts: &Facts) -> Option<String> {
    let mut found: BTreeMap<SymbolKind, (u32, u32)> = BTreeMap::new();
    for symbol in facts.files.iter().flat_map(|file| &file.symbols) {
        let entry = found.entry(symbol.kind).or_default();
        entry.0 += 1;
        entry.1 += u32::from(symbol.public);
    }
    let rows = found.into_iter().map(|(kind, (all, public))| {
        vec![
            kind.as_str().to_owned(),
            all.to_string(),
            public.to_string(),
        ]
    });
    table("Symbols", &["kind", "how many", "public"], rows)
}

fn secrets(facts: &Facts) -> Option<String> {
    let rows = facts
        .files
        .iter()
        .filter(|it| superstep::fs::is_secret_name(&it.path));
    table(
        "Files that may hold secrets (never read)",
        &["file"],
        rows.map(|it| vec![code(&it.path)]),
    )
}

fn marks(facts: &Facts) -> Option<String> {
    let text = |it: &str| {
        if it.is_empty() {
            String::new()
        } else {
            words(it)
        }
    };
    let rows = facts.files.iter().flat_map(|file| {
        file.marks.iter().map(|mark| {
            vec![
                mark.word.clone(),
                at(&file.path, mark.line),
                text(&mark.text),
            ]
        })
    });
    table("Marks", &["mark", "where", "what"], rows)
}

fn large(facts: &Facts) -> Option<String> {
    let mut files: Vec<&File> = facts
        .files
        .iter()
        .filter(|it| it.language.is_code() && it.lines > 0)
        .collect();
    files.sort_by_key(|it| (std::cmp::Reverse(it.lines), &it.path));
    let rows = files.into_iter().take(15).map(|it| {
        vec![
            code(&it.path),
            it.lines.to_string(),
            it.symbols.len().to_string(),
        ]
    });
    table("Largest files", &["file", "lines", "symbols"], rows)
}
