//! Matches delivered chunks against a recorded pattern.
//!
//! All ways in which the chunks so far can fit are followed at once. Each is what is left of the
//! pattern, with the ids bound on the way.

use std::collections::HashSet;

use serde_json::Value as Json;

use super::equal::{Bindings, equal, shown};
use super::pattern::{Head, Patterns, Rest, items, mode, place, relax};
use super::{Fault, Level};

/// More ways than this are not followed: only many equal chunks in many lanes make them.
const MOST_WAYS: usize = 200;

/// Checks that the chunks are an interleaving the pattern allows.
pub(super) fn check(
    pattern: &Json,
    chunks: &Json,
    bindings: &mut Bindings,
    level: Level,
) -> Result<(), Box<Fault>> {
    let mut pattern = items(pattern);
    if level == Level::Normal {
        pattern = relax(pattern);
    }
    let mut patterns = Patterns::default();
    let start = Match {
        rest: patterns.list(&pattern),
        bindings: bindings.clone(),
    };
    let mut ways = vec![start];
    for (index, chunk) in chunks.as_array().into_iter().flatten().enumerate() {
        let next = advance(&mut patterns, &ways, chunk);
        if next.is_empty() {
            return Err(misfit(&patterns, &ways, index, chunk));
        }
        ways = next;
    }
    match ways.iter().find(|way| way.rest == Rest::EMPTY) {
        Some(way) => {
            *bindings = way.bindings.clone();
            Ok(())
        }
        None => Err(ended_early(&patterns, &ways, chunks)),
    }
}

/// One way in which the chunks so far fit.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Match {
    rest: Rest,
    bindings: Bindings,
}

fn advance(patterns: &mut Patterns<'_>, ways: &[Match], chunk: &Json) -> Vec<Match> {
    let mut next = Vec::new();
    for way in ways {
        next.append(&mut consume(patterns, way, chunk));
    }
    if next.len() > 1 {
        let mut seen = HashSet::new();
        next.retain(|way| seen.insert(way.clone()));
        next.truncate(MOST_WAYS);
    }
    next
}

/// What is left after the chunk, for every place it can have in the pattern.
fn consume(patterns: &mut Patterns<'_>, way: &Match, chunk: &Json) -> Vec<Match> {
    let Some((head, rest)) = patterns.split(way.rest) else {
        return Vec::new();
    };
    let lanes = match head {
        Head::Chunk(expected) => {
            let mut bindings = way.bindings.clone();
            let fits = equal(expected, chunk, &mut bindings).is_ok();
            return fits
                .then_some(Match { rest, bindings })
                .into_iter()
                .collect();
        }
        Head::Par(lanes) => lanes,
    };
    let mut next = Vec::new();
    for (index, lane) in lanes.iter().enumerate() {
        let inner = Match {
            rest: *lane,
            bindings: way.bindings.clone(),
        };
        for after in consume(patterns, &inner, chunk) {
            let left = lanes
                .iter()
                .enumerate()
                .map(|(other, lane)| match other == index {
                    true => after.rest,
                    false => *lane,
                });
            next.push(Match {
                rest: patterns.lanes(left, rest),
                bindings: after.bindings,
            });
        }
    }
    next
}

/// The chunks that could come next, and with what ids bound.
fn possible<'a, 'w>(patterns: &Patterns<'a>, ways: &'w [Match]) -> Vec<(&'a Json, &'w Bindings)> {
    let mut found: Vec<(&Json, &Bindings)> = Vec::new();
    for way in ways {
        for chunk in patterns.heads(way.rest) {
            if !found.iter().any(|(other, _)| *other == chunk) {
                found.push((chunk, &way.bindings));
            }
        }
    }
    found
}

/// Explains a chunk that fits nowhere by the most similar one that would have.
fn misfit(patterns: &Patterns<'_>, ways: &[Match], index: usize, chunk: &Json) -> Box<Fault> {
    let candidates = possible(patterns, ways);
    let base = format!("/chunks/{index}");
    let similar = candidates
        .iter()
        .rev()
        .max_by_key(|(candidate, _)| similarity(candidate, chunk));
    let Some((expected, bindings)) = similar else {
        return Box::new(Fault {
            path: base,
            expected: Json::Null,
            actual: chunk.clone(),
            why: "the stream should have ended".to_owned(),
        });
    };
    let (path, mut why) = match equal(expected, chunk, &mut Bindings::clone(bindings)) {
        Err(diff) => (base + &diff.path(), diff.why),
        Ok(()) => (base, "does not fit".to_owned()),
    };
    if candidates.len() > 1 {
        why += &format!(" ({} chunks could come here)", candidates.len());
    }
    Box::new(Fault {
        path,
        expected: Json::clone(expected),
        actual: shown(expected, chunk, bindings),
        why,
    })
}

/// How much of what identifies a chunk two chunks share.
fn similarity(candidate: &Json, chunk: &Json) -> usize {
    let keys = |chunk: &Json| {
        let data = chunk.get(2).and_then(Json::as_object);
        data.map(|data| data.keys().cloned().collect::<Vec<_>>())
    };
    let name = |chunk: &Json| {
        let data = chunk.get(2)?;
        data.get("start").or_else(|| data.get("end")).cloned()
    };
    let shared = [
        mode(candidate) == mode(chunk),
        place(candidate) == place(chunk),
        keys(candidate) == keys(chunk),
        name(candidate) == name(chunk),
    ];
    shared.into_iter().filter(|same| *same).count()
}

fn ended_early(patterns: &Patterns<'_>, ways: &[Match], chunks: &Json) -> Box<Fault> {
    let delivered = chunks.as_array().map_or(0, Vec::len);
    let next = possible(patterns, ways).into_iter().next();
    Box::new(Fault {
        path: format!("/chunks/{delivered}"),
        expected: next.map_or(Json::Null, |(chunk, _)| chunk.clone()),
        actual: Json::Null,
        why: "the stream ended early".to_owned(),
    })
}
