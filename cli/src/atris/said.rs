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
        /// The host that a call is made at then.
        host: Option<String>,
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

/// Whether nobody can have written down the answer before the question was asked: whether a call happened,
/// and whether to try again.
pub(super) fn is_unforeseen(ask: &OpenAsk) -> bool {
    let question = ask.question::<Question>();
    let is_again = question.is_ok_and(|question| question.options == OUTCOMES[..2]);
    ask.is::<OutcomeQuestion>() || ask.is::<Question>() && is_again
}

/// The host that a question about a call names: an answer is for that one alone.
pub(super) fn host_of(ask: &OpenAsk) -> Option<String> {
    let action = match ask.is::<OutcomeQuestion>() {
        true => ask.question::<OutcomeQuestion>().ok()?.action_request,
        false if ask.is::<Approval>() => ask.question::<Approval>().ok()?.action_request,
        false => return None,
    };
    action.args.get("host")?.as_str().map(str::to_owned)
}

/// Reads what a person says to a question. Whether a call happened is said in a whole word: `y` is said to
/// other questions, and a mistake here makes a call twice or not at all.
pub(super) fn said(ask: &OpenAsk, text: &str) -> Result<Said, Error> {
    if text.is_empty() {
        return Ok(Said::Nothing);
    }
    if ask.is::<OutcomeQuestion>() {
        let resolution = match text.to_lowercase().as_str() {
            "yes" => Resolution::Happened("that it happened is what a person says".into()),
            "no" => Resolution::Abandon,
            "repeat" => Resolution::Repeat,
            "unknown" => Resolution::StillUnknown,
            _ => return Ok(Said::Unclear("yes, no, repeat or unknown, as a whole word")),
        };
        let question = ask.question::<OutcomeQuestion>()?;
        let changes = resolution == Resolution::Repeat;
        let answer = OutcomeAnswer {
            digest: question.digest,
            resolution,
        };
        let answer = ask.answer::<OutcomeQuestion>(&answer)?;
        let host = changes.then(|| host_of(ask)).flatten();
        return Ok(Said::Answer {
            answer,
            changes,
            host,
        });
    }
    if !ask.is::<Approval>() {
        let answer = ask.answer::<Question>(&text.to_owned())?;
        return Ok(Said::Answer {
            answer,
            changes: false,
            host: None,
        });
    }
    let verdict = match text.to_lowercase().as_str() {
        "y" | "yes" | "accept" => Verdict::Accept,
        "n" | "no" | "ignore" => Verdict::Ignore,
        _ => return Ok(Said::Unclear("y or n")),
    };
    let approval = ask.question::<Approval>()?;
    let is_made = verdict == Verdict::Accept;
    let changes = is_made && changes(ask);
    let answer = ApprovalAnswer {
        digest: approval.digest,
        verdict,
    };
    let answer = ask.answer::<Approval>(&answer)?;
    let host = is_made.then(|| host_of(ask)).flatten();
    Ok(Said::Answer {
        answer,
        changes,
        host,
    })
}
