//! Results of agents, in the words of the document.

use serde::{Deserialize, Serialize};
use superstep::tools::refine::{Ended, Evaluation, Spending};

use crate::{analysis::Data, citations::CitedLine, claims::ClaimReport};

/// What an agent made.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentResult {
    /// Whose it is.
    pub agent_name: String,
    /// How it went.
    pub status: Status,
    /// The analysis as data.
    pub data: Data,
    /// One sentence.
    pub summary: String,
    /// The page.
    pub markdown: String,
    /// The final grade by 100; null if it has none.
    pub confidence: Option<f64>,
    /// What each round did, and what a reader should know.
    pub warnings: Vec<String>,
    /// How it came about.
    pub metadata: ResultMetadata,
}

/// How a result came about.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ResultMetadata {
    /// How often it was refined.
    pub iterations: u32,
    /// All questions the model asked itself.
    pub self_questions: Vec<String>,
    /// What is still missing.
    pub missing_information: Vec<String>,
    /// The grades of all versions.
    #[serde(default)]
    pub scores: Vec<Evaluation>,
    /// Why it ended.
    #[serde(default)]
    pub ended: Option<Ended>,
    /// The grade that was good enough.
    #[serde(default)]
    pub threshold: Option<f64>,
    /// Claims made, verified, fixed and removed.
    #[serde(default)]
    pub claims: ClaimReport,
    /// What it took.
    #[serde(default)]
    pub usage: Spending,
    /// What it was made of: the same key, the same result.
    #[serde(default)]
    pub key: String,
    /// Files that tools read, with their hashes: if one changes, the result is old.
    #[serde(default)]
    pub read: Vec<(String, String)>,
    /// The same without comments and blank lines: if only these change, the result stays.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub read_shapes: Vec<(String, String)>,
    /// A hash of what it was asked, without the material.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub setup: String,
    /// A hash of the material without line numbers and comments.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub shape: String,
    /// The lines that the analysis cites, to be found again when they move.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cited: Vec<CitedLine>,
    /// The stable code of the error that it failed with.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub code: String,
    /// The title of its page, if the agent is none of the standard ones: its page is kept where it is not known.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// It is of an earlier state of the code base, since the agent could not run for the one that there is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub earlier: Option<Earlier>,
}

/// Of when a result is that could not be made anew.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Earlier {
    /// The revision that it was made in or kept as it should be.
    pub revision: u32,
    /// Why it could not be made anew.
    pub why: String,
}

/// What a note of a round begins with; what a reader should know does not.
const ROUND: &str = "Iteration ";

impl AgentResult {
    /// What a reader should know, without what each round did.
    pub fn notes(&self) -> impl Iterator<Item = &str> {
        let all = self.warnings.iter().map(String::as_str);
        all.filter(|it| !it.starts_with(ROUND))
    }

    /// Whether it is all that was asked for.
    pub(crate) fn is_whole(&self) -> bool {
        self.status.is_finished() && self.metadata.earlier.is_none()
    }

    /// How it went, in a word or two.
    pub(crate) fn state(&self) -> String {
        match &self.metadata.earlier {
            Some(earlier) => format!("of revision {}", earlier.revision),
            None => self.status.as_str().to_owned(),
        }
    }
}

/// How an agent fared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Well.
    Success,
    /// It was refined as far as it may be, and its grade is below the threshold: it is the best that there was.
    BelowThreshold,
    /// A budget ended it early: it is the best that there was.
    Partial,
    /// It failed; the page has the facts alone.
    Failed,
    /// No model was asked; the page has the facts alone.
    #[default]
    Facts,
}

impl Status {
    /// Whether nothing more is to be done for the same material.
    pub(crate) fn is_finished(self) -> bool {
        matches!(self, Self::Success | Self::BelowThreshold)
    }

    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Success => "success",
            Self::BelowThreshold => "below_threshold",
            Self::Partial => "partial",
            Self::Failed => "failed",
            Self::Facts => "facts",
        }
    }
}
