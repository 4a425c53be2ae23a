//! Answers that a person types: a value or a name, whether a call may be made, or whether one happened.

use serde_json::Value as Json;
use superstep::{
    OpenAsk,
    tools::{Approval, OutcomeAnswer, OutcomeQuestion, Resolution, Verdict},
};
use superstep_agent::{AgentError, Answer, Choices, Decides, Notice, Reading, bad};

use crate::{Atris, Question, tools::WRITE};

/// Answers to the question whether a call happened.
pub(super) const OUTCOMES: [&str; 4] = ["yes", "no", "repeat", "unknown"];

/// Whether an answer to a question may change something at Audius.
pub fn changes(ask: &OpenAsk) -> bool {
    let approval = ask.question::<Approval>();
    let is_write = approval.is_ok_and(|approval| approval.action_request.action == WRITE);
    ask.is::<OutcomeQuestion>() || is_write
}

/// The host that a question about a call names: an answer is for that one alone.
pub(super) fn host_of(ask: &OpenAsk) -> Option<String> {
    let action = match ask.is::<OutcomeQuestion>() {
        true => ask.question::<OutcomeQuestion>().ok()?.action_request,
        false => ask.question::<Approval>().ok()?.action_request,
    };
    action.args.get("host")?.as_str().map(str::to_owned)
}

/// Effect of an answer.
pub(super) fn decides(ask: &OpenAsk) -> Decides {
    let question = ask.question::<Question>();
    let is_again = question.is_ok_and(|question| question.options == OUTCOMES[..2]);
    match () {
        () if ask.is::<OutcomeQuestion>() => Decides::Outcome,
        () if ask.is::<Approval>() => Decides::Call,
        () if is_again => Decides::Retry,
        () => Decides::Content,
    }
}

/// Reads an answer. Whether a call happened is said in a whole word: `y` is said to other questions, and a mistake
/// here makes a call twice or not at all.
pub(super) fn read(ask: &OpenAsk, text: &str, agent: &Atris) -> Result<Reading, AgentError> {
    if text.is_empty() {
        return Ok(Reading::Empty);
    }
    let word = text.to_lowercase();
    if ask.is::<OutcomeQuestion>() {
        let resolution = match word.as_str() {
            "yes" => Resolution::Happened("that it happened is what a person says".into()),
            "no" => Resolution::Abandon,
            "repeat" => Resolution::Repeat,
            "unknown" => Resolution::StillUnknown,
            _ => {
                let expected = "yes, no, repeat or unknown, as a whole word";
                return Ok(Reading::Unclear(expected.into()));
            }
        };
        let is_made = resolution == Resolution::Repeat;
        let digest = ask.question::<OutcomeQuestion>()?.digest;
        let answer = OutcomeAnswer { digest, resolution };
        let answer = ask.answer::<OutcomeQuestion>(&answer)?;
        return within(ask, answer.into(), is_made, agent);
    }
    if ask.is::<Approval>() {
        return match word.as_str() {
            "y" | "yes" | "accept" => decide(ask, Verdict::Accept, agent),
            "n" | "no" | "ignore" => decide(ask, Verdict::Ignore, agent),
            _ => Ok(Reading::Unclear("y or n".into())),
        };
    }
    let choices = Choices::of(ask);
    let text = choices.chosen(text).and_then(Json::as_str).unwrap_or(text);
    let answer = ask.answer::<Question>(&text.to_owned())?;
    Ok(Reading::Answer(Answer::from(answer)))
}

/// A verdict on a call that the agent asked about.
pub(super) fn decide(
    ask: &OpenAsk,
    verdict: Verdict,
    agent: &Atris,
) -> Result<Reading, AgentError> {
    let is_made = verdict == Verdict::Accept;
    within(ask, Answer::to_call(ask, verdict)?, is_made, agent)
}

/// An answer, unless it makes a call that the settings do not allow. A call is made at the host that the question names, or
/// not at all.
fn within(
    ask: &OpenAsk,
    answer: Answer,
    is_made: bool,
    agent: &Atris,
) -> Result<Reading, AgentError> {
    if is_made && changes(ask) && !agent.settings().writes {
        let why = "that changes something at Audius, which needs --writes";
        return Ok(Reading::Refused(Notice::say([bad(why)])));
    }
    if let Some(host) = host_of(ask).filter(|_| is_made) {
        agent.check_host(&host)?;
    }
    Ok(Reading::Answer(answer))
}
