//! Facts: passages of documents, word for word, with their source and what they say.

use serde::{Deserialize, Serialize};

/// What a passage says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Label {
    /// What the system is for.
    Purpose,
    /// A part of it.
    Part,
    /// A limit, number or duty.
    Rule,
    /// What was decided.
    Decision,
    /// A way that could be taken.
    Option,
    /// What is not known or not decided.
    Open,
    /// None of these.
    Other,
}

/// A passage of a document, word for word, and what it says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fact {
    /// The document.
    pub document: String,
    /// The line it begins in, from 1.
    pub line: usize,
    /// The heading above it; empty if there is none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub heading: String,
    /// The words of the document.
    pub text: String,
    /// What it says.
    pub label: Label,
    /// Whether a rule found it; a model if not.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub by_rule: bool,
}
