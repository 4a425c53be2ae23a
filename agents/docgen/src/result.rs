//! Results of agents, in the words of the document.

use serde::{Deserialize, Serialize};
use superstep::tools::refine::{Ended, Evaluation, Spending};

use crate::{analysis::Data, claims::ClaimReport};

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
}

/// How an agent fared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Well.
    Success,
    /// A budget ended it early: it is the best that there was.
    Partial,
    /// It failed; the page has the facts alone.
    Failed,
    /// No model was asked; the page has the facts alone.
    #[default]
    Facts,
}

impl Status {
    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Success => "success",
            Self::Partial => "partial",
            Self::Failed => "failed",
            Self::Facts => "facts",
        }
    }
}
