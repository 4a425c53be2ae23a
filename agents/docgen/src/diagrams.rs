//! Diagrams made of facts.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
};

use crate::{
    facts::{Facts, Lookup, SymbolKind},
    inert::counted,
};

/// The most nodes of a diagram, and the most edges that can be told apart.
const MOST: usize = 40;
const MOST_EDGES: usize = 40;

/// A diagram, and what its reader should know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagram {
    /// The diagram.
    pub text: String,
    /// What is not drawn.
    pub note: Option<String>,
}

type Edges = BTreeSet<(String, String)>;

/// A flowchart of edges. Nodes are called by number, and their names are labels.
fn drawn(edges: &Edges) -> Option<String> {
    let mut at: BTreeMap<&str, usize> = BTreeMap::new();
    let mut text = String::from("flowchart TD\n");
    for name in edges.iter().flat_map(|(from, to)| [from, to]) {
        let next = at.len();
        if next < MOST && !at.contains_key(&**name) {
            at.insert(name, next);
            let _written = writeln!(text, "    n{next}[\"{}\"]", label(name));
        }
    }
    let mut count = 0_usize;
    for (from, to) in edges {
        if let (Some(from), Some(to)) = (at.get(&**from), at.get(&**to)) {
            count += 1;
            let _written = writeln!(text, "    n{from} --> n{to}");
        }
    }
    (count > 0).then_some(text)
}

/// A name as a label: what would end it or be markup is an entity, and all else is as it is written.
fn label(name: &str) -> String {
    let mut label = String::new();
    for c in crate::inert::line(name).chars() {
        match c {
            '"' | '<' | '>' | '#' | '`' | '&' | ';' | '(' | '[' | ':' | '*' | '\\' => {
                let _written = write!(label, "#{};", u32::from(c));
            }
            c => label.push(c),
        }
    }
    label
}

/// Edges without those that follow from others: if a uses b and b uses c, that a uses c is not drawn.
fn reduced(edges: &Edges) -> Edges {
    let mut next: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (from, to) in edges {
        next.entry(from).or_default().insert(to);
    }
    let reaches = |from: &str, to: &str| {
        // By two edges at least.
        let mut left: Vec<&str> = next.get(from).into_iter().flatten().copied().collect();
        left.retain(|it| *it != to && *it != from);
        let mut seen: BTreeSet<&str> = left.iter().copied().collect();
        while let Some(at) = left.pop() {
            for it in next.get(at).into_iter().flatten() {
                if *it == to {
                    return true;
                }
                if *it != from && seen.insert(it) {
                    left.push(it);
                }
            }
        }
        false
    };
    // In a circle each edge follows from others, so those of circles stay.
    let is_kept = |(from, to): &&(String, String)| !reaches(from, to) || reaches(to, from);
    edges.iter().filter(is_kept).cloned().collect()
}

/// Components and which uses which; nothing if none uses another.
pub fn components(facts: &Facts) -> Option<Diagram> {
    let edges = facts
        .components
        .iter()
        .flat_map(|from| from.uses.iter().map(|to| (from.name.clone(), to.clone())));
    let all: Edges = edges.filter(|(from, to)| from != to).collect();
    let edges = match all.len() > MOST_EDGES {
        true => reduced(&all),
        false => all.clone(),
    };
    let left_out = u64::try_from(all.len() - edges.len()).unwrap_or(u64::MAX);
    let note = (left_out > 0).then(|| {
        let uses = counted(left_out, "use");
        format!("{uses} not drawn: a component that is reached through another one may be used directly too.")
    });
    let text = drawn(&edges)?;
    Some(Diagram { text, note })
}

/// What the entry points import.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flow {
    /// The diagram.
    pub diagram: String,
    /// How many files that the entry points reach are not drawn.
    pub left_out: usize,
}

/// What the entry points import: the files nearest to them, with all imports between these.
pub fn flow(facts: &Facts) -> Option<Flow> {
    let mut reached: Vec<&str> = Vec::new();
    let mut known: BTreeSet<&str> = BTreeSet::new();
    let starts = facts.entry_points.iter().map(|it| &*it.path);
    let mut level: Vec<&str> = starts.filter(|path| known.insert(path)).collect();
    while !level.is_empty() {
        reached.extend(&level);
        let next = level.iter().flat_map(|path| imported(facts, path));
        level = next.filter(|path| known.insert(path)).collect();
    }
    let shown: BTreeSet<&str> = reached.iter().take(MOST).copied().collect();
    let mut edges = BTreeSet::new();
    for from in &shown {
        let targets = imported(facts, from).filter(|to| shown.contains(to) && to != from);
        edges.extend(targets.map(|to| ((*from).to_owned(), to.to_owned())));
    }
    if edges.is_empty() {
        return None;
    }
    Some(Flow {
        diagram: drawn(&edges)?,
        left_out: reached.len().saturating_sub(MOST),
    })
}

fn imported<'a>(facts: &'a Facts, path: &str) -> impl Iterator<Item = &'a str> {
    let imports = facts.file(path).map_or(&[][..], |file| &file.imports);
    let loaded = imports.iter().filter(|it| !it.types_only);
    loaded.filter_map(|it| it.file.as_deref())
}

/// The most types of a diagram.
const MOST_TYPES: usize = 12;

/// The types of a code base.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Types {
    /// The diagram.
    pub diagram: String,
    /// How many public types are not drawn.
    pub left_out: usize,
}

/// The public types of the code base with their methods and what they extend: those that extend each other first, then
/// those with most methods.
pub fn types(facts: &Facts) -> Option<Types> {
    let is_type = |kind| {
        matches!(
            kind,
            SymbolKind::Type | SymbolKind::Interface | SymbolKind::Enum
        )
    };
    let plain = |name: &str| name.chars().all(|c| c.is_alphanumeric() || c == '_');
    let symbols = || {
        let files = facts.files.iter().filter(|file| !file.test);
        files.flat_map(|file| &file.symbols).filter(|it| it.public)
    };
    let mut found: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    let mut extends: BTreeSet<(&str, &str)> = BTreeSet::new();
    for symbol in symbols().filter(|it| is_type(it.kind) && plain(&it.name)) {
        found.entry(&symbol.name).or_default();
        extends.extend(symbol.bases.iter().map(|base| (&**base, &*symbol.name)));
    }
    extends.retain(|(base, name)| base != name && found.contains_key(base));
    for symbol in symbols().filter(|it| it.kind == SymbolKind::Method && plain(&it.name)) {
        let of = symbol.of.as_deref().and_then(|of| found.get_mut(of));
        if let Some(methods) = of {
            methods.insert(&symbol.name);
        }
    }
    let related: BTreeSet<&str> = extends
        .iter()
        .flat_map(|(base, name)| [*base, *name])
        .collect();
    let mut all: Vec<(&str, BTreeSet<&str>)> = found.into_iter().collect();
    all.sort_by_key(|(name, methods)| {
        let is_alone = !related.contains(name);
        (is_alone, std::cmp::Reverse(methods.len()), *name)
    });
    let left_out = all.len().saturating_sub(MOST_TYPES);
    all.truncate(MOST_TYPES);
    all.sort_unstable();
    if all.is_empty() {
        return None;
    }
    let mut diagram = String::from("classDiagram\n");
    for (name, methods) in &all {
        if methods.is_empty() {
            diagram.push_str(&format!("    class {name}\n"));
            continue;
        }
        diagram.push_str(&format!("    class {name} {{\n"));
        for method in methods.iter().take(8) {
            diagram.push_str(&format!("        +{method}()\n"));
        }
        diagram.push_str("    }\n");
    }
    let is_drawn = |name: &str| all.iter().any(|(known, _)| *known == name);
    for (base, name) in extends {
        if is_drawn(base) && is_drawn(name) {
            diagram.push_str(&format!("    {base} <|-- {name}\n"));
        }
    }
    Some(Types { diagram, left_out })
}

/// Who depends on a file, two imports far.
pub fn impact(lookup: &Lookup<'_>, path: &str) -> Option<String> {
    let mut edges = BTreeSet::new();
    for near in lookup.importers(path) {
        edges.insert((near.to_owned(), path.to_owned()));
        edges.extend(
            lookup
                .importers(near)
                .map(|far| (far.to_owned(), near.to_owned())),
        );
    }
    drawn(&edges)
}
