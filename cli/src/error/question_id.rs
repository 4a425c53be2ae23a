//! Errors of the id of a question.

use std::fmt;

use superstep_agent::SHORTEST_ID;

use super::{Facts, facts};

/// Why a text names no question.
#[derive(Debug)]
pub(crate) struct IdError {
    /// The text.
    pub(crate) text: String,
    pub(crate) kind: IdErrorKind,
    pub(crate) asked_by: AskedBy,
    /// The questions that may be meant, a line each.
    pub(crate) candidates: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IdErrorKind {
    TooShort,
    Ambiguous,
    NotOpen,
}

/// Whose questions they are: that decides where they are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AskedBy {
    Inbox,
    Thread,
}

impl IdError {
    pub(super) fn facts(&self) -> Facts {
        let (code, exit, hint) = match (self.kind, self.asked_by) {
            (IdErrorKind::TooShort, AskedBy::Inbox) => {
                ("SS6030", 2, "copy the id from `superstep inbox list`")
            }
            (IdErrorKind::TooShort, AskedBy::Thread) => {
                let hint = "copy the id that is printed with the question: `superstep threads resume THREAD` shows it";
                ("SS6030", 2, hint)
            }
            (IdErrorKind::Ambiguous, _) => {
                let hint = "write more of it, or THREAD:ID for a question of a copied thread";
                ("SS6031", 2, hint)
            }
            (IdErrorKind::NotOpen, AskedBy::Inbox) => {
                let hint = "it may have been answered: see `superstep inbox list`";
                ("SS6032", 1, hint)
            }
            (IdErrorKind::NotOpen, AskedBy::Thread) => {
                let hint = "it may have been answered: `superstep threads resume THREAD` shows what is open now";
                ("SS6032", 1, hint)
            }
        };
        facts(code, exit, [hint])
    }
}

impl fmt::Display for IdError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = &self.text;
        match self.kind {
            IdErrorKind::TooShort => write!(
                f,
                "`{text}` is too short for the id of a question: write at least {SHORTEST_ID} letters of it"
            )?,
            IdErrorKind::Ambiguous => write!(f, "`{text}` means several questions")?,
            IdErrorKind::NotOpen => write!(f, "no question `{text}` is open")?,
        }
        if self.kind != IdErrorKind::Ambiguous && !self.candidates.is_empty() {
            write!(f, "; open are")?;
        }
        for line in &self.candidates {
            write!(f, "\n{line}")?;
        }
        Ok(())
    }
}

impl std::error::Error for IdError {}
