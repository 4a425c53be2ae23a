//! Which place a sentence gives to a name, and how surely it says that the name is defined there.

use super::{
    claim::{Claim, What},
    kinds::KIND_WORDS,
    mood::words,
};

/// The place of a name in a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Tie {
    /// Which of the claims is the path.
    pub(super) path: usize,
    pub(super) said: PlaceClaim,
}

/// What a sentence says of a name and a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum PlaceClaim {
    /// Both are in it.
    Named,
    /// The place is cited right behind the name.
    Placed,
    /// The name is there, as a definition or not.
    Stands,
    /// It is implemented there: a type of which there are many implementations may be, at each.
    Implemented,
    /// It is declared there, as a prototype is.
    Declared,
    /// It is defined there.
    Defined,
}

impl PlaceClaim {
    /// Whether the sentence is about where the name itself is, and not about a use of it.
    pub(super) fn is_of_name(self) -> bool {
        self >= Self::Stands
    }
}

/// Words that say that something is defined.
const DEFINED: &[&str] = &[
    "defined", "declared", "implemented", "located", "lives", "live", "resides", "sits",
    "definition", "declaration",
];

/// Words of a file that say so.
const DEFINES: &[&str] = &["defines", "declares", "implements", "introduces"];

const HAS: &[&str] = &["is", "are"];

/// Words that say where a name stands, but not that it is defined there.
const MENTIONED: &[&str] = &["found", "was", "were"];

/// Words before a name that make it a part of what the sentence is about: "the call of", "tests for".
const PART_OF: &[&str] = &[
    "of", "to", "for", "by", "with", "from", "on", "in", "into", "via", "through", "using",
    "about", "between", "against",
];

const AT: &[&str] = &[
    "at", "in", "inside", "within", "on", "from", "of", "see", "by",
];

const FILLERS: &[&str] = &[
    "a", "an", "the", "which", "that", "this", "file", "line", "lines", "here", "its", "itself",
    "both", "all", "also", "and", "or", "public", "new",
];

/// The place of each claim that has one, in the order of the claims.
pub(super) fn ties(unit: &str, all: &[Claim]) -> Vec<Option<Tie>> {
    let mut ties = vec![None; all.len()];
    let mut names: Vec<usize> = Vec::new();
    let mut last: Option<(usize, bool)> = None;
    for (index, claim) in all.iter().enumerate() {
        match claim.what {
            What::Symbol { .. } | What::Dependency { .. } => names.push(index),
            What::Path { .. } => {
                last = Some((index, names.is_empty()));
                // From the nearest on: a list of names shares what is said of its last one.
                let mut next = claim.place.start;
                let mut said = None;
                for name in names.drain(..).rev() {
                    let Some(place) = all.get(name).map(|it| it.place.clone()) else {
                        continue;
                    };
                    let between = unit.get(place.end..next).unwrap_or_default();
                    said = Some(match said {
                        None => behind(between, unit.get(..place.start).unwrap_or_default()),
                        Some(said) if is_list(between) => said,
                        Some(_) => PlaceClaim::Named,
                    });
                    next = place.start;
                    if let Some(tie) = ties.get_mut(name) {
                        *tie = said.map(|said| Tie { path: index, said });
                    }
                }
            }
            _ => {}
        }
    }
    // Names behind the last path are about it if it has no other.
    let Some((path, true)) = last else {
        return ties;
    };
    let mut from = all.get(path).map_or(0, |it| it.place.end);
    let mut is_first = true;
    for name in names {
        let Some(place) = all.get(name).map(|it| it.place.clone()) else {
            continue;
        };
        let between = unit.get(from..place.start).unwrap_or_default();
        let after = unit.get(place.end..).unwrap_or_default();
        let said = match is_first {
            true => before(between, after),
            false => PlaceClaim::Named,
        };
        (is_first, from) = (false, place.end);
        if let Some(tie) = ties.get_mut(name) {
            *tie = Some(Tie { path, said });
        }
    }
    ties
}

/// What a sentence is about, by the words before a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Subject {
    Name,
    /// The name, with a word for what kind of definition it is.
    Kind,
    /// "The definition of".
    Definition,
    /// "The call of", "tests for".
    Other,
}

fn subject(before: &str) -> Subject {
    // Names that are listed with it share what is said of it.
    let pieces: Vec<&str> = before.split('`').step_by(2).collect();
    let words = words(&pieces.join(" "));
    let is_kind = words.last().is_some_and(|it| KIND_WORDS.contains(&&**it));
    let is_telling = |it: &&String| {
        let word = it.as_str();
        !(FILLERS.contains(&word) || KIND_WORDS.contains(&word))
    };
    let mut rest = words.iter().rev().filter(is_telling).map(String::as_str);
    match (rest.next(), rest.next()) {
        (Some("of"), Some("definition" | "declaration")) => Subject::Definition,
        (Some(word), _) if PART_OF.contains(&word) => Subject::Other,
        _ if is_kind => Subject::Kind,
        _ => Subject::Name,
    }
}

/// How a word says that something is defined.
fn said_by(words: &[String]) -> PlaceClaim {
    let has = |part: &str| words.iter().any(|it| it.starts_with(part));
    match (has("implement"), has("declar")) {
        (true, _) => PlaceClaim::Implemented,
        (_, true) => PlaceClaim::Declared,
        _ => PlaceClaim::Defined,
    }
}

/// What the words between a name and the place behind it say, and those before the name.
fn behind(between: &str, before: &str) -> PlaceClaim {
    let words = words(between);
    let has = |list: &[&str]| words.iter().any(|it| list.contains(&&**it));
    let is_known = words.iter().all(|it| {
        let lists = [DEFINED, HAS, MENTIONED, AT, FILLERS, KIND_WORDS];
        lists.iter().any(|list| list.contains(&&**it))
    });
    match is_known {
        false => PlaceClaim::Named,
        true if has(DEFINED) || has(MENTIONED) || has(HAS) && has(AT) => match subject(before) {
            Subject::Other => PlaceClaim::Named,
            Subject::Definition => PlaceClaim::Defined,
            _ if has(MENTIONED) => PlaceClaim::Stands,
            _ if has(DEFINED) => said_by(&words),
            // A class that is somewhere is not used there.
            Subject::Kind => PlaceClaim::Declared,
            Subject::Name if has(KIND_WORDS) => PlaceClaim::Declared,
            Subject::Name => PlaceClaim::Stands,
        },
        true => PlaceClaim::Placed,
    }
}

/// What the words between a place and the name behind it say, and those behind the name.
fn before(between: &str, after: &str) -> PlaceClaim {
    let (words, after) = (words(between), words(after));
    let has = |list: &[&str]| words.iter().any(|it| list.contains(&&**it));
    let is_known = words.iter().all(|it| {
        let lists = [DEFINES, FILLERS, KIND_WORDS];
        lists.iter().any(|list| list.contains(&&**it))
    });
    let mut after = after.iter().map(String::as_str);
    let is_said = after.next().is_some_and(|it| HAS.contains(&it))
        && after.next().is_some_and(|it| DEFINED.contains(&it));
    match is_known {
        true if has(DEFINES) => said_by(&words),
        true if is_said => PlaceClaim::Defined,
        true if words.is_empty() => PlaceClaim::Placed,
        _ => PlaceClaim::Named,
    }
}

/// Whether two names are items of one list.
fn is_list(between: &str) -> bool {
    words(between)
        .iter()
        .all(|it| ["and", "or", "the"].contains(&&**it) || KIND_WORDS.contains(&&**it))
}
