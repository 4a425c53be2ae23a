//! The review of an analysis: its claims against the facts, its diagrams, the lines that it cites, and what it should read.

use std::{fmt::Write as _, sync::Arc};

use superstep::tools::refine::Review;

use crate::{
    agent::AgentContext,
    citations, claims,
    clean::diagram_problems,
    facts::Lookup,
    library::{Library, ReadFiles},
};

/// How many problems a review tells.
const MOST: usize = 20;

/// How many characters of cited lines a review reads.
const CITED: usize = 12_000;

/// How many lines of a citation it reads.
const LINES: u32 = 8;

/// How many characters of what is looked up for it a round reads.
const LOOKED_UP: usize = 5 * crate::library::MOST_CHARACTERS;

/// How many bytes a review attaches at most in all rounds.
pub(crate) fn most_bytes(context: &AgentContext, rounds: u32) -> usize {
    let rounds = usize::try_from(rounds).unwrap_or(usize::MAX);
    let looked_up = LOOKED_UP.saturating_mul(rounds);
    CITED.saturating_add(looked_up.min(context.room.saturating_mul(4)))
}

/// Checks an analysis against facts and files.
pub(crate) struct FactReview {
    pub(crate) context: Arc<AgentContext>,
    pub(crate) library: Library,
}

impl Review for FactReview {
    fn refuted(&self, analysis: &str) -> Vec<String> {
        let (_, report) = claims::check(analysis, &Lookup::new(&self.context.facts));
        let problems = report.problems.into_iter();
        let problems = problems.map(|it| format!("`{}`: {}", it.claim, it.why));
        let diagrams = diagram_problems(analysis).into_iter();
        problems.chain(diagrams).take(MOST).collect()
    }

    fn corrected(&self, analysis: &str) -> String {
        claims::check(analysis, &Lookup::new(&self.context.facts)).0
    }

    fn cited(&self, analysis: &str) -> String {
        // The analysis was not written with these lines.
        let library = Library::new(self.context.clone(), ReadFiles::default());
        let mut text = String::new();
        for it in citations::all(analysis, &self.context.facts) {
            let last = it.last.min(it.first.saturating_add(LINES - 1));
            let Some(lines) = library.lines(&it.path, it.first, last) else {
                continue;
            };
            if text.len() + it.path.len() + lines.len() > CITED {
                break;
            }
            let _written = write!(text, "{}:\n{lines}", it.path);
        }
        text
    }

    fn look_up(&self, wanted: &str) -> Option<String> {
        self.library.look_up(wanted)
    }
}
