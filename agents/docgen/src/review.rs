//! The review of an analysis: its claims against the facts.

use std::sync::Arc;

use superstep::tools::refine::Review;

use crate::{
    claims,
    facts::{Facts, Lookup},
};

/// Checks claims against facts.
pub(crate) struct FactReview(pub(crate) Arc<Facts>);

impl Review for FactReview {
    fn refuted(&self, analysis: &str) -> Vec<String> {
        let (_, report) = claims::check(analysis, &Lookup::new(&self.0));
        let problems = report.problems.into_iter().take(20);
        problems
            .map(|it| format!("`{}`: {}", it.claim, it.why))
            .collect()
    }

    fn corrected(&self, analysis: &str) -> String {
        claims::check(analysis, &Lookup::new(&self.0)).0
    }
}
