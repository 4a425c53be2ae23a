//! Errors of answers to questions.

use crate::AgentError;

/// Why an answer was not given, or its run did not end.
#[derive(Debug, thiserror::Error, superstep::Coded)]
#[non_exhaustive]
pub enum InboxError {
    /// There are no answers to give.
    #[error("there is nothing to answer")]
    #[coded("SS6050", hint = "give at least one answer")]
    NoAnswer,
    /// The question does not allow this kind of answer; it stays open.
    #[error("this question ({asks}) does not take `{kind}`; use {allowed}")]
    #[coded("SS6050", hint = "see the message")]
    NotAllowed {
        /// What is asked.
        asks: String,
        /// The kind.
        kind: &'static str,
        /// The kinds that it allows.
        allowed: String,
    },
    /// The run was stopped; answers that were given are kept.
    #[error("cancelled")]
    #[coded("SS6055", hint = "resume the thread")]
    Stopped,
    /// The assistant failed.
    #[error(transparent)]
    #[coded(transparent)]
    Agent(#[from] AgentError),
}
