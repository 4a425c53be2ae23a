//! Claims of an analysis, checked against the facts.
//!
//! What an analysis says in backticks, and a few plain sentences, can be checked: paths with lines, symbols,
//! dependencies with versions, counts. A claim that is wrong is put right where there is one right answer, and its
//! sentence, list item or row is taken out where there is none. What cannot be checked stays and is counted as
//! unverified. `find` finds claims in a sentence, `judge` checks one.

mod find;
mod judge;

use serde::{Deserialize, Serialize};

use crate::facts::Lookup;
use find::{Claim, claims};
use judge::{Verdict, judge};

/// What became of the claims of an analysis.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ClaimReport {
    /// Claims that can be told from other text.
    pub made: u32,
    /// Those that the facts confirm.
    pub verified: u32,
    /// Those that were wrong and were put right.
    pub fixed: u32,
    /// Those that were wrong and were taken out.
    pub removed: u32,
    /// Those that the facts say nothing about.
    pub unverified: u32,
    /// What was wrong.
    pub problems: Vec<Problem>,
}

/// A claim that was wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    /// The claim, as it was written.
    pub claim: String,
    /// What is wrong.
    pub why: String,
    /// What is there now; nothing if its sentence was taken out.
    pub now: Option<String>,
}

impl ClaimReport {
    /// Both together.
    pub fn add(&mut self, other: &Self) {
        self.made += other.made;
        self.verified += other.verified;
        self.fixed += other.fixed;
        self.removed += other.removed;
        self.unverified += other.unverified;
        self.problems.extend(other.problems.iter().cloned());
    }
}

/// The most problems that are told.
const MOST: usize = 200;

/// Checks an analysis: the text with wrong claims put right or taken out, and what became of them.
pub fn check(text: &str, lookup: &Lookup<'_>) -> (String, ClaimReport) {
    let mut report = ClaimReport::default();
    let mut kept = Vec::new();
    let mut fence: Option<usize> = None;
    for line in text.lines() {
        let start = line.trim_start();
        let ticks = start.len() - start.trim_start_matches('`').len();
        if ticks >= 3 {
            fence = match fence {
                Some(open) if ticks >= open => None,
                None => Some(ticks),
                open => open,
            };
            kept.push(line.to_owned());
            continue;
        }
        if fence.is_some() || start.is_empty() || start.starts_with('#') {
            kept.push(line.to_owned());
            continue;
        }
        // A list item and a row of a table stand or fall as a whole.
        let is_whole = start.starts_with(['|', '-', '*', '+'])
            || start
                .split_once(". ")
                .is_some_and(|(number, _)| number.bytes().all(|it| it.is_ascii_digit()));
        let units = match is_whole {
            true => vec![line],
            false => sentences(line),
        };
        let left: Vec<String> = units
            .into_iter()
            .filter_map(|unit| checked(unit, lookup, &mut report))
            .collect();
        let left = left.concat();
        if !left.trim().is_empty() {
            kept.push(left.trim_end().to_owned());
        }
    }
    report.problems.truncate(MOST);
    (kept.join("\n"), report)
}

/// A sentence with its claims put right; nothing if it cannot be.
fn checked(unit: &str, lookup: &Lookup<'_>, report: &mut ClaimReport) -> Option<String> {
    let found = claims(unit);
    let judged: Vec<(&Claim, Verdict)> = found
        .iter()
        .map(|claim| (claim, judge(claim, &found, unit, lookup)))
        .collect();
    let is_refuted = judged
        .iter()
        .any(|(_, verdict)| matches!(verdict, Verdict::Wrong { now: None, .. }));
    let mut text = unit.to_owned();
    let mut problems = Vec::new();
    // From the end, so that places before stay where they are.
    for (claim, verdict) in judged.into_iter().rev() {
        let written = unit.get(claim.place.clone()).unwrap_or_default();
        match verdict {
            Verdict::NoClaim => continue,
            Verdict::Verified => report.verified += 1,
            Verdict::Unknown => report.unverified += 1,
            Verdict::Wrong { why, now } => {
                let now = now.filter(|_| !is_refuted);
                match &now {
                    Some(now) => {
                        report.fixed += 1;
                        text.replace_range(claim.place.clone(), now);
                    }
                    None => report.removed += 1,
                }
                problems.push(Problem {
                    claim: written.to_owned(),
                    why,
                    now,
                });
            }
        }
        report.made += 1;
    }
    report.problems.extend(problems.into_iter().rev());
    (!is_refuted).then_some(text)
}

/// Sentences of a line, each with the blanks behind it.
fn sentences(line: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut start = 0;
    let mut in_code = false;
    let mut before = ' ';
    for (at, c) in line.char_indices() {
        match c {
            '`' => in_code = !in_code,
            ' ' if !in_code && matches!(before, '.' | '!' | '?') => {
                found.push(line.get(start..=at).unwrap_or_default());
                start = at + 1;
            }
            _ => {}
        }
        before = c;
    }
    found.push(line.get(start..).unwrap_or_default());
    found
}
