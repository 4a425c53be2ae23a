//! An answer: how a question ended, in words and as data. `wording` makes it.

use serde::{Deserialize, Serialize};

use crate::{catalogue::Parameters, mention::Mentions, problem::Problem, tools::Source};

/// How a question ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// With an answer.
    #[default]
    Answered,
    /// With an answer from a reply in which something was missing or wrong.
    Partial,
    /// With a reply that has nothing in it.
    Empty,
    /// With an error.
    Failed,
    /// There is none: it would change something, is private, is not about Audius, or Audius does not say it.
    Refused,
}

/// An answer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// The question.
    pub question: String,
    /// The operation that was called.
    pub operation: Option<String>,
    /// Its parameters.
    pub parameters: Option<Parameters>,
    /// How it ended.
    pub status: Status,
    /// The answer in words.
    pub answer: String,
    /// Every reply that was used.
    pub sources: Vec<Source>,
    /// Where every number and name in the answer comes from.
    pub facts: Vec<Fact>,
    /// The records as a table, for terminals.
    pub table: Option<Table>,
    /// What went wrong.
    pub error: Option<Problem>,
    /// What the question was understood as: the operation and its parameters in words.
    #[serde(default)]
    pub understood: Option<String>,
    /// How the question was read, where that is not plain: whom `their` means, which words nothing was made
    /// of.
    #[serde(default)]
    pub reading: Vec<String>,
    /// Parts of the question that could not be expressed, looked up or made sure, as a model says it.
    #[serde(default)]
    pub limits: Vec<String>,
    /// Figures that a model gave and no record says.
    #[serde(default)]
    pub unverified: Vec<String>,
    /// What it names, for questions that follow.
    #[serde(default)]
    pub mentions: Mentions,
}

/// Where a part of the answer comes from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fact {
    /// What the answer says.
    pub text: String,
    /// The field: a JSON pointer into a reply.
    pub field: String,
    /// Which of the sources, from 0.
    pub source: usize,
}

/// Records as a table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Table {
    /// The heads.
    pub columns: Vec<String>,
    /// The rows.
    pub rows: Vec<Vec<String>>,
    /// The words of the answer leave its rows out.
    #[serde(default)]
    pub is_apart: bool,
}
