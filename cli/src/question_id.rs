//! The id of a question in the commands that are printed for it: a command answers that question, and no other one that
//! may be open.

use superstep::OpenAsk;
use superstep_agent::SHORTEST_ID;

use crate::error::{AskedBy, Error, IdError, IdErrorKind};

pub(crate) use superstep_agent::{names_question as names, short_id as short};

/// The open question that a command names, or else the first one. Refuses an answer to a question that is not open.
pub(crate) fn choose(asks: Vec<OpenAsk>, wanted: Option<&str>) -> Result<Option<OpenAsk>, Error> {
    let candidates = asks.iter().map(|ask| format!("  {}", short(ask.id)));
    let (Some(wanted), false) = (wanted, asks.is_empty()) else {
        return Ok(asks.into_iter().next());
    };
    let kind = match wanted.chars().count() < SHORTEST_ID {
        true => IdErrorKind::TooShort,
        false => IdErrorKind::NotOpen,
    };
    let other = IdError {
        text: wanted.to_owned(),
        kind,
        asked_by: AskedBy::Thread,
        candidates: candidates.collect(),
    };
    let named = asks.into_iter().find(|ask| names(wanted, ask.id));
    named.map(Some).ok_or(Error::Question(other))
}
