//! The id of a question in the commands that are printed for it: a command answers that question, and no other one that
//! may be open by then.

use superstep::OpenAsk;
use superstep_agent::SHORTEST_ID;

use crate::error::{AskedBy, Error, IdError, IdErrorKind};

pub(crate) use superstep_agent::{names_question as names, short_id as short};

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
