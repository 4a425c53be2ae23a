//! The instructions that all agents share, around the task of one.

use crate::findings::Findings;

const STRONG: &str = include_str!("../../prompts/frame.md");
const SMALL: &str = include_str!("../../prompts/small.md");

/// For a model that writes.
pub(super) fn strong(task: &str, points: &[String]) -> String {
    let points: Vec<String> = points.iter().map(|point| format!("- {point}")).collect();
    format!(
        "{STRONG}\nYour task: {task}\n\nPoints, one heading each:\n{}\n",
        points.join("\n")
    )
}

/// For a model that chooses.
pub(super) fn small(task: &str, findings: &Findings) -> String {
    format!("{SMALL}\nYour task: {task}\n{}", findings.questions())
}
