//! Citations of an analysis: the lines that it cites, and where these are after the code base changed.
//!
//! A citation is remembered with hashes of its lines. A line that moved is found by its hash; of several lines that are equal, the
//! one that moved as far as the nearest line that there is only once.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use crate::facts::{Facts, Lookup};

/// Lines of a file that an analysis cites.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Citation {
    pub(crate) path: String,
    pub(crate) first: u32,
    pub(crate) last: u32,
}

/// A cited line with a hash of its text.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct CitedLine {
    /// The file.
    pub path: String,
    /// Where in it, from 1.
    pub line: u32,
    /// A hash of the line without the blanks around it.
    pub hash: String,
}

/// A place of a text that is a citation: `path:3` or `path:3-9` in backticks.
struct CitedPlace<'a> {
    /// Where the numbers stand.
    at: usize,
    numbers: &'a str,
    path: &'a str,
}

fn places<'a>(text: &'a str, facts: &Facts) -> Vec<CitedPlace<'a>> {
    let mut found = Vec::new();
    let mut at = 0;
    for (number, piece) in text.split('`').enumerate() {
        let parts = piece.rsplit_once(':').filter(|_| number % 2 == 1);
        if let Some((path, numbers)) = parts
            && facts.file(path).is_some()
            && range(numbers).is_some()
        {
            found.push(CitedPlace {
                at: at + path.len() + 1,
                numbers,
                path,
            });
        }
        at += piece.len() + 1;
    }
    found
}

fn range(numbers: &str) -> Option<(u32, u32)> {
    let (first, last) = numbers.split_once(['-', '–']).unwrap_or((numbers, numbers));
    let (first, last) = (first.parse().ok()?, last.parse().ok()?);
    (first >= 1 && first <= last).then_some((first, last))
}

/// The citations of a text, each once, in their order.
pub(crate) fn all(text: &str, facts: &Facts) -> Vec<Citation> {
    let mut found: Vec<Citation> = Vec::new();
    for place in places(text, facts) {
        let Some((first, last)) = range(place.numbers) else {
            continue;
        };
        let path = place.path.to_owned();
        let citation = Citation { path, first, last };
        if !found.contains(&citation) {
            found.push(citation);
        }
    }
    found
}

fn hash(line: &str) -> String {
    format!("{:016x}", xxh3_64(line.trim().as_bytes()))
}

/// The lines of a file, hashed.
fn hashes(path: &str, lookup: &Lookup<'_>) -> Vec<String> {
    let source = lookup.facts.file(path).and_then(|file| lookup.source(file));
    source.map_or_else(Vec::new, |it| it.lines().map(hash).collect())
}

/// The lines that a text cites, to be found again.
pub(crate) fn remembered(text: &str, lookup: &Lookup<'_>) -> Vec<CitedLine> {
    let mut known: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut found: Vec<CitedLine> = Vec::new();
    for it in all(text, lookup.facts) {
        let hashes = known
            .entry(it.path.clone())
            .or_insert_with(|| hashes(&it.path, lookup));
        for line in [it.first, it.last] {
            let at = usize::try_from(line).unwrap_or(usize::MAX) - 1;
            if let Some(hash) = hashes.get(at) {
                found.push(CitedLine {
                    path: it.path.clone(),
                    line,
                    hash: hash.clone(),
                });
            }
        }
    }
    found.sort();
    found.dedup();
    found
}

/// Where cited lines are now.
#[derive(Debug, Default)]
pub(crate) struct Moves {
    moved: BTreeMap<(String, u32), u32>,
    /// Lines that are no longer there.
    pub(crate) lost: Vec<(String, u32)>,
}

impl Moves {
    pub(crate) fn of(cited: &[CitedLine], lookup: &Lookup<'_>) -> Self {
        let mut moves = Self::default();
        let mut files: BTreeMap<&str, Vec<&CitedLine>> = BTreeMap::new();
        for it in cited {
            files.entry(&it.path).or_default().push(it);
        }
        for (path, cited) in files {
            let now = hashes(path, lookup);
            let places = |hash: &str| -> Vec<i64> {
                let all = (1_i64..).zip(&now).filter(|(_, it)| *it == hash);
                all.map(|(line, _)| line).collect()
            };
            // Lines that are there once say how far their neighbours moved.
            let sure: Vec<(i64, i64)> = cited
                .iter()
                .filter_map(|it| match places(&it.hash).as_slice() {
                    [line] => Some((i64::from(it.line), line - i64::from(it.line))),
                    _ => None,
                })
                .collect();
            for it in cited {
                let old = i64::from(it.line);
                let near = sure.iter().min_by_key(|(line, _)| (line - old).abs());
                let expected = old + near.map_or(0, |(_, shift)| *shift);
                let found = places(&it.hash).into_iter();
                let found = found.min_by_key(|line| (line - expected).abs());
                match found.and_then(|line| u32::try_from(line).ok()) {
                    Some(line) => {
                        moves.moved.insert((path.to_owned(), it.line), line);
                    }
                    None => moves.lost.push((path.to_owned(), it.line)),
                }
            }
        }
        moves
    }

    /// A text with its citations where their lines are now; those that are lost stay.
    pub(crate) fn apply(&self, text: &str, facts: &Facts) -> String {
        let mut moved = text.to_owned();
        for place in places(text, facts).iter().rev() {
            let Some((first, last)) = range(place.numbers) else {
                continue;
            };
            let to = |line: u32| self.moved.get(&(place.path.to_owned(), line)).copied();
            let (Some(to_first), Some(to_last)) = (to(first), to(last)) else {
                continue;
            };
            let numbers = match first == last {
                true => to_first.to_string(),
                false if to_first <= to_last => format!("{to_first}-{to_last}"),
                false => continue,
            };
            moved.replace_range(place.at..place.at + place.numbers.len(), &numbers);
        }
        moved
    }
}
