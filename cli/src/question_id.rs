//! The id of a question in the commands that are printed for it: a command answers that question, and no other one that
//! may be open by then.

use superstep::{AskId, OpenAsk};

use crate::error::{AskedBy, Error, IdError, IdErrorKind, SHORTEST_ID};

/// How many letters of an id a command carries.
const LETTERS: usize = 8;

/// The beginning of a question's id, which names it in its thread.
pub(crate) fn short(id: AskId) -> String {
    id.to_string().chars().take(LETTERS).collect()
}

/// Whether a text names a question.
pub(crate) fn names(wanted: &str, id: AskId) -> bool {
    wanted.chars().count() >= SHORTEST_ID
        && id.to_string().starts_with(&wanted.trim().to_lowercase())
}

/// Refuses an answer to another question than the one that is open.
pub(crate) fn require(ask: &OpenAsk, wanted: &str, asked_by: AskedBy) -> Result<(), Error> {
    let kind = match wanted.chars().count() < SHORTEST_ID {
        true => IdErrorKind::TooShort,
        false if names(wanted, ask.id) => return Ok(()),
        false => IdErrorKind::NotOpen,
    };
    Err(Error::Question(IdError {
        text: wanted.to_owned(),
        kind,
        asked_by,
        candidates: vec![format!("  {}", short(ask.id))],
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_beginning_of_four_letters_names_a_question() {
        let id = AskId(0x3b0e_935b_0000_0000_0000_0000_0000_0001);
        assert_eq!(short(id), "3b0e935b");
        for wanted in ["3b0e935b", "3b0e", "3B0E"] {
            assert!(names(wanted, id), "{wanted}");
        }
        for wanted in ["3b0", "", "3b0f935b"] {
            assert!(!names(wanted, id), "{wanted}");
        }
    }
}
