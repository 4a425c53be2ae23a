//! Questions about a code base, answered from facts: what a change of a file concerns, and where things are.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

mod find;
mod prompt;
mod unseen;

pub use find::{Hit, find};
pub use prompt::prompt;

use crate::facts::{Facts, Language, Lookup};

/// What a change of a file concerns.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Impact {
    /// The file.
    pub path: String,
    /// The component it is part of.
    pub component: Option<String>,
    /// What it defines.
    pub symbols: Vec<String>,
    /// How many of these are public.
    #[serde(default)]
    pub public: usize,
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
    /// Kinds of uses of such a file that are not seen: others may depend on it by these.
    #[serde(default)]
    pub unseen: Vec<String>,
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
    found.public = file.symbols.iter().filter(|it| it.public).count();
    let unseen = unseen::unseen(file.language).iter();
    found.unseen = unseen.map(|it| (*it).to_owned()).collect();
    let symbols = file.symbols.iter();
    found.symbols = symbols
        .map(|it| format!("{} {}:{}", it.name, path, it.line))
        .collect();
    let mut components = BTreeSet::new();
    components.extend(found.component.clone());
    // A manifest concerns its component, and those that use it.
    let own = facts.components.iter();
    let mut own = own.filter(|it| it.manifest.as_deref() == Some(path));
    if let Some(own) = own.next() {
        let users = facts.components.iter();
        let users = users.filter(|it| it.uses.contains(&own.name));
        components.extend(users.map(|it| it.name.clone()));
    }
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
    // Files of a package of Go see each other without an import.
    let folder = |path: &str| {
        path.rsplit_once('/')
            .map_or("", |(folder, _)| folder)
            .to_owned()
    };
    if file.language == Language::Go {
        let beside = facts.files.iter().filter(|it| {
            it.test && it.language == Language::Go && folder(&it.path) == folder(path)
        });
        let beside = beside.filter(|it| it.path != path && !found.tests.contains(&it.path));
        let beside: Vec<String> = beside.map(|it| it.path.clone()).collect();
        found.tests.extend(beside);
    }
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
