//! Claims of an analysis, checked against the facts.
//!
//! What an analysis says in backticks, and a few plain sentences, can be checked: paths with lines, symbols,
//! dependencies with versions, counts. There are three outcomes:
//!
//! - *verified*, only if the facts say just this;
//! - *refuted*, only if the sentence plainly states, in the present and about the whole or about the thing that it
//!   names, what the facts contradict. It is put right where there is one right answer, and taken out where there is none;
//! - *unverified* is everything else. It stays as it was written, and is counted.
//!
//! A true sentence must never become a false one: when in doubt, it is unverified. So each kind of claim asks two
//! things, what the facts have, and whether the sentence is plain enough to be held against that. In headings, which go
//! to the index, of what is unverified only what some file imports stays.
//!
//! `find` finds claims in a sentence, `judge` checks them, each kind in a file of its own; `mood` tells how a sentence
//! speaks, `setting` where it stands, `units` how a line begins.

mod claim;
mod counts;
mod dependencies;
mod find;
mod headings;
mod identity;
mod inventions;
mod judge;
mod kinds;
mod mood;
mod numerals;
mod outside;
mod paths;
mod phrases;
mod places;
mod relations;
mod rows;
mod setting;
mod spans;
mod spots;
mod targets;
mod units;
mod values;
mod verdict;
mod versions;

use serde::{Deserialize, Serialize};
use superstep::tools::guided::sentences;

use crate::facts::Lookup;
use claim::{Claim, What};
use find::claims;
use judge::judge;
pub(crate) use numerals::is_many;
use setting::{Section, Setting};
use units::marker;
use verdict::Verdict;

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
    /// Those of the last kind, as they were written, for somebody who wants to check them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub open: Vec<String>,
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
    let mut section = Section::new(lookup);
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
        if fence.is_some() {
            kept.extend(in_block(line, lookup, &mut report));
            continue;
        }
        if start.is_empty() {
            section.end();
            kept.push(line.to_owned());
            continue;
        }
        if start.starts_with('#') {
            section.head(start);
            kept.push(headings::checked(line, lookup, &mut report));
            continue;
        }
        // A row of a table stands or falls as a whole.
        let is_row = start.starts_with('|');
        section.line(line, is_row);
        let (mark, rest) = line.split_at(marker(line));
        let units = match is_row {
            true => vec![rest],
            false => sentences(rest),
        };
        let units: Vec<&str> = units.into_iter().flat_map(pieces).collect();
        let count = units.len();
        let left: Vec<String> = units
            .into_iter()
            .filter_map(|unit| {
                let setting = section.setting();
                section.said(unit);
                checked(unit, &setting, lookup, &mut report)
            })
            .collect();
        if is_row && left.len() < count {
            continue;
        }
        let left = left.concat();
        if !left.trim().is_empty() || rest.trim().is_empty() {
            kept.push(format!("{mark}{}", left.trim_end()));
        }
    }
    report.problems.truncate(MOST);
    (kept.join("\n"), report)
}

/// The longest sentence that is looked at as one: each claim is held against the whole of it.
const LONGEST: usize = 2_000;

/// A sentence that nobody would read in pieces that are looked at one by one.
fn pieces(mut sentence: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    while sentence.len() > LONGEST {
        let (piece, _) = sentence.split_at(sentence.floor_char_boundary(LONGEST));
        let end = piece.rfind(' ').map_or(piece.len(), |blank| blank + 1);
        let (piece, rest) = sentence.split_at(end);
        pieces.push(piece);
        sentence = rest;
    }
    pieces.push(sentence);
    pieces
}

/// A sentence with its claims put right; nothing if it cannot be.
fn checked(
    unit: &str,
    setting: &Setting,
    lookup: &Lookup<'_>,
    report: &mut ClaimReport,
) -> Option<String> {
    let found = claims(unit, setting, lookup);
    judged(unit, found, setting, lookup, report)
}

/// A line of a code block or a diagram: only places with lines are claims there.
fn in_block(line: &str, lookup: &Lookup<'_>, report: &mut ClaimReport) -> Option<String> {
    let mut found = paths::words(line, 0);
    found.retain(|it| matches!(it.what, What::Path { lines: Some(_), .. }));
    judged(line, found, &Setting::default(), lookup, report)
}

fn judged(
    unit: &str,
    found: Vec<Claim>,
    setting: &Setting,
    lookup: &Lookup<'_>,
    report: &mut ClaimReport,
) -> Option<String> {
    let verdicts = judge(unit, &found, setting, lookup);
    let is_refuted = verdicts
        .iter()
        .any(|verdict| matches!(verdict, Verdict::Wrong { now: None, .. }));
    let mut text = unit.to_owned();
    let mut problems = Vec::new();
    // From the end, so that places before stay where they are.
    for (claim, verdict) in found.iter().zip(verdicts).rev() {
        match verdict {
            Verdict::NoClaim => continue,
            Verdict::Verified => report.verified += 1,
            Verdict::Unknown => {
                report.unverified += 1;
                if report.open.len() < MOST {
                    report.open.push(written(unit, claim));
                }
            }
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
                    claim: written(unit, claim),
                    why,
                    now: now.map(|it| it.trim_end_matches('`').to_owned()),
                });
            }
        }
        report.made += 1;
    }
    report.problems.extend(problems.into_iter().rev());
    (!is_refuted).then_some(text)
}

/// A claim as it was written, for the list of what was wrong.
fn written(unit: &str, claim: &Claim) -> String {
    let text = unit.get(claim.place.clone()).unwrap_or_default();
    match &claim.what {
        What::Version { name, .. } if text.starts_with('@') => format!("{name}{text}"),
        What::Version { name, .. } => format!("{name} {text}"),
        _ => text.replace('`', ""),
    }
}
