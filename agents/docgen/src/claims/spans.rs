//! Code spans of a sentence, and what stands around them.

use std::ops::Range;

/// The insides of code spans.
pub(super) fn spans(unit: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut open: Option<usize> = None;
    for (at, _) in unit.match_indices('`') {
        match open.take() {
            None => open = Some(at + 1),
            Some(start) if start < at => found.push(start..at),
            Some(_) => {}
        }
    }
    found
}

/// What stands before and behind a code span, in lower case.
pub(super) fn around(unit: &str, span: &Range<usize>) -> (String, String) {
    let before = unit.get(..span.start.saturating_sub(1)).unwrap_or_default();
    let after = unit.get(span.end + 1..).unwrap_or_default();
    (before.to_lowercase(), after.to_lowercase())
}
