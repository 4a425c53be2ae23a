//! What a person says to a question of a thread, as the answer that the question takes: a value or a name,
//! whether a call may be made, or whether one happened.

use serde_json::Value as Json;
use superstep::{
    AskId, OpenAsk,
    tools::{Approval, ApprovalAnswer, OutcomeAnswer, OutcomeQuestion, Resolution, Verdict},
};
use superstep_atris::{Question, tools::WRITE};

use crate::error::Error;

/// What can be said about a call of which nobody knows whether it happened.
pub(super) const OUTCOMES: [&str; 4] = ["yes", "no", "repeat", "unknown"];

/// What a line of a person is.
pub(super) enum Said {
    Answer {
        answer: (AskId, Json),
        /// Whether it lets a call be made that changes something.
        changes: bool,
    },
    /// An empty line.
    Nothing,
    /// Something else than what can be said here, which is this.
    Unclear(&'static str),
}

/// Whether an answer to a question may change something at Audius.
pub(super) fn changes(ask: &OpenAsk) -> bool {
    let approval = ask.question::<Approval>();
    let is_write = approval.is_ok_and(|approval| approval.action_request.action == WRITE);
    ask.is::<OutcomeQuestion>() || ask.is::<Approval>() && is_write
}

/// Reads what a person says to a question.
pub(super) fn said(ask: &OpenAsk, text: &str) -> Result<Said, Error> {
    if text.is_empty() {
        return Ok(Said::Nothing);
    }
    if ask.is::<OutcomeQuestion>() {
        let resolution = match text.to_lowercase().as_str() {
            "y" | "yes" | "happened" => {
                Resolution::Happened("that it happened is what a person says".into())
            }
            "n" | "no" | "abandon" => Resolution::Abandon,
            "repeat" | "again" => Resolution::Repeat,
            "unknown" => Resolution::StillUnknown,
            _ => return Ok(Said::Unclear("yes, no, repeat or unknown")),
        };
        let question = ask.question::<OutcomeQuestion>()?;
        let changes = resolution == Resolution::Repeat;
        let answer = OutcomeAnswer {
            digest: question.digest,
            resolution,
        };
        let answer = ask.answer::<OutcomeQuestion>(&answer)?;
        return Ok(Said::Answer { answer, changes });
    }
    if !ask.is::<Approval>() {
        let answer = ask.answer::<Question>(&text.to_owned())?;
        let changes = false;
        return Ok(Said::Answer { answer, changes });
    }
    let verdict = match text.to_lowercase().as_str() {
        "y" | "yes" | "accept" => Verdict::Accept,
        "n" | "no" | "ignore" => Verdict::Ignore,
        _ => return Ok(Said::Unclear("y or n")),
    };
    let approval = ask.question::<Approval>()?;
    let changes = verdict == Verdict::Accept && changes(ask);
    let answer = ApprovalAnswer {
        digest: approval.digest,
        verdict,
    };
    let answer = ask.answer::<Approval>(&answer)?;
    Ok(Said::Answer { answer, changes })
}
