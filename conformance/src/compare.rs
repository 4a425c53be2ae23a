//! Comparison of an engine's answers with those recorded in a case.
//!
//! Both sides are first brought into one form (`canon`), streams are matched against a pattern
//! that leaves the order of parallel tasks open (`stream`, over `pattern`), and the rest must be
//! equal up to ids and the wording of engine errors (`equal`). What did not fit is a
//! [`Mismatch`], which [`crate::report`] shows to a reader.

mod canon;
mod equal;
mod pattern;
mod stream;

use serde_json::Value as Json;

use self::canon::canon;
use self::equal::{Bindings, Diff, equal, shown};
use crate::case::Case;

/// How closely answers must agree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// Pending tasks of snapshots, and task starts of one step, may come in any order.
    Normal,
    /// Exactly as recorded.
    Strict,
    /// As strict, and fields whose name begins with two underscores, which the other levels
    /// leave out like all names with an underscore, must agree too.
    Exact,
}

/// Whether operations marked as quirks must agree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quirks {
    /// They may answer anything.
    Skip,
    /// They must answer as recorded.
    Require,
}

/// One operation that was answered differently than recorded.
#[derive(Debug, Clone, PartialEq)]
pub struct Mismatch {
    /// Index of the operation in the script; its length if answers are missing or left over.
    pub op: usize,
    /// The way to the first difference inside the answer, such as `/snapshot/values/x`.
    pub path: String,
    /// The part of the recorded answer around the difference.
    pub expected: Json,
    /// The same part of the actual answer; what agrees is written as recorded.
    pub actual: Json,
    /// What the difference is.
    pub why: String,
}

/// Compares all answers of a case, in script order, with what was recorded.
///
/// Stream chunks are a flat list in the order they were delivered; ids may be any strings.
pub fn check_case(case: &Case, results: &[Json], level: Level, quirks: Quirks) -> Vec<Mismatch> {
    let mut bindings = Bindings::default();
    let mut found = Vec::new();
    for (index, (op, result)) in case.script.iter().zip(results).enumerate() {
        let mut attempt = bindings.clone();
        match check(&op.expect, result, &mut attempt, level) {
            Ok(()) => bindings = attempt,
            Err(_) if op.quirk.is_some() && quirks == Quirks::Skip => {}
            Err(fault) => found.push(fault.of(index)),
        }
    }
    if results.len() != case.script.len() {
        found.push(Mismatch {
            op: case.script.len(),
            path: String::new(),
            expected: case.script.len().into(),
            actual: results.len().into(),
            why: "every operation needs one answer".to_owned(),
        });
    }
    found
}

/// A mismatch of which the operation is not known yet.
struct Fault {
    path: String,
    expected: Json,
    actual: Json,
    why: String,
}

impl Fault {
    fn of(self, op: usize) -> Mismatch {
        Mismatch {
            op,
            path: self.path,
            expected: self.expected,
            actual: self.actual,
            why: self.why,
        }
    }
}

fn check(
    expected: &Json,
    actual: &Json,
    bindings: &mut Bindings,
    level: Level,
) -> Result<(), Box<Fault>> {
    let mut expected = canon(expected, level);
    let mut actual = canon(actual, level);
    if let Some(chunks) = take_chunks(&mut expected) {
        let Some(delivered) = take_chunks(&mut actual) else {
            return Err(Box::new(Fault {
                path: "/chunks".to_owned(),
                expected: chunks,
                actual,
                why: "expected a stream".to_owned(),
            }));
        };
        stream::check(&chunks, &delivered, bindings, level)?;
    }
    let before = bindings.clone();
    equal(&expected, &actual, bindings).map_err(|diff| {
        let (expected, actual) = surroundings(&diff, &expected, &actual);
        Box::new(Fault {
            path: diff.path(),
            expected: expected.clone(),
            actual: shown(expected, actual, &before),
            why: diff.why,
        })
    })
}

fn take_chunks(answer: &mut Json) -> Option<Json> {
    answer.as_object_mut()?.remove("chunks")
}

/// The part of an answer worth showing: a field of it, or one snapshot of a history.
fn surroundings<'a>(
    diff: &Diff,
    mut expected: &'a Json,
    mut actual: &'a Json,
) -> (&'a Json, &'a Json) {
    for (depth, step) in diff.steps().take(2).enumerate() {
        if depth > 0 && expected.is_object() {
            break;
        }
        let (Some(inner), Some(other)) = (child(expected, step), child(actual, step)) else {
            break;
        };
        (expected, actual) = (inner, other);
    }
    (expected, actual)
}

fn child<'a>(value: &'a Json, step: &str) -> Option<&'a Json> {
    match value {
        Json::Object(map) => map.get(step),
        Json::Array(items) => items.get(step.parse::<usize>().ok()?),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
