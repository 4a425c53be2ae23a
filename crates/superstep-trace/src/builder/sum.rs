//! Totals of branches, summed toward the root.

use superstep_core::event::SpanKind;

use crate::{
    totals::Totals,
    tree::{Branch, Kind, Status},
};

impl Totals {
    /// The totals of a branch whose parts have theirs.
    pub(crate) fn of(branch: &Branch) -> Self {
        let mut totals = Self::default();
        for child in &branch.children {
            totals.add(&child.totals);
        }
        let failed_below = branch.children.iter().any(|child| child.totals.errors > 0);
        totals.errors += u64::from(branch.status == Status::Failed && !failed_below);
        let took = branch.took().unwrap_or(0);
        match branch.kind {
            Kind::Span(SpanKind::Model) => {
                totals.models += 1;
                totals.model_time = totals.model_time.saturating_add(took);
                totals.unpriced += u64::from(branch.facts.cost.is_none());
            }
            Kind::Span(SpanKind::Tool) => {
                totals.tools += 1;
                totals.tool_time = totals.tool_time.saturating_add(took);
            }
            _ => {}
        }
        totals.claim(&branch.facts);
        totals
    }
}
