//! A tool call as a durable task: parsed, decided on, made once, answered.
//!
//! [`execute`] does it all in one task. A graph that decides on all calls of a turn before it makes
//! any uses the halves: [`decide`] in one task per call, [`make`] in another.

use serde_json::{Map, Value as Json};
use superstep_engine::typed::{Ctx, NodeError};
use superstep_model::{Message, ToolCall, message::ToolStatus};
use superstep_text::Hidden;

use crate::{
    approval::{
        Action, Allowed, Approval, ApprovalAnswer, Decision, Digest, OutcomeAnswer,
        OutcomeQuestion, Resolution,
    },
    attempt::{CallEnd, Gate, Lost, Next, Reviewer, make},
    policy::{Policy, Ruling},
    tool::reply,
    toolbox::{Checked, Tools},
};

/// Makes one call that a model wants, as the task of `ctx`, and gives what the model gets to read.
///
/// Run each call in a task of its own (a send to a node that calls this): then a finished call is
/// never made again, whatever becomes of the others, and every question is about one call.
///
/// - Arguments that do not fit are not run; the model reads what is wrong.
/// - The policy allows the call, denies it, or has a person asked ([`Approval`]). The answer is
///   stored before the call is made.
/// - A call that changes something is journaled as started before and as done after. If the process
///   dies in between, the tool looks its effect up, if it can
///   ([`ParsedCall::reconcile`](crate::ParsedCall::reconcile)). If that settles nothing, an
///   idempotent target gets the call again with the same key, and a person is asked about any other
///   ([`OutcomeQuestion`]).
pub async fn execute(
    ctx: &Ctx,
    tools: &Tools,
    policy: &Policy,
    call: &ToolCall,
    read: &[Message],
) -> Result<Message, NodeError> {
    let refused = |why: String| Message::from(reply(call, ToolStatus::Error, why.into()));
    let checked = match tools.parse(call) {
        Ok(checked) => checked,
        Err(why) => return Ok(refused(why)),
    };
    let (decision, checked) = decide(ctx, tools, policy, checked, read)?;
    match decision.refusal() {
        Some(why) => Ok(refused(why)),
        None => {
            let mut reviewer = OutcomeReviewer {
                gate: Gate::Open,
                repeat: checked.parsed.can_be_made(),
            };
            make(ctx, tools, &checked, &mut reviewer).await
        }
    }
}

/// Decides about a call without making it: by the policy, or by a person who is asked. Gives the
/// decision and the call with the arguments that were decided on.
pub fn decide(
    ctx: &Ctx,
    tools: &Tools,
    policy: &Policy,
    checked: Checked,
    read: &[Message],
) -> Result<(Decision, Checked), NodeError> {
    // Descriptions of tools are read before anything that is said.
    let strangers = [Message::untrusted("descriptions of tools")];
    let read = match tools.has_foreign() {
        true => &strangers,
        false => read,
    };
    match policy.rule(&checked.call.name, checked.access, read) {
        Ruling::Allow => Ok((Decision::Direct, checked)),
        Ruling::Deny(why) => Ok((Decision::Denied(why), checked)),
        Ruling::Ask(why) => approved(ctx, tools, checked, why),
    }
}

fn approved(
    ctx: &Ctx,
    tools: &Tools,
    checked: Checked,
    why: String,
) -> Result<(Decision, Checked), NodeError> {
    let call = &checked.call;
    let digest = Digest::of::<Approval>(call, ctx.thread(), ctx.task_id(), 0);
    let asked = Action::from(call);
    let why = match checked.parsed.describe() {
        Some(what) => format!("{why}\n\n{what}"),
        None => why,
    };
    let allowed = Allowed::default();
    let question = Approval {
        action_request: asked.clone(),
        config: allowed,
        description: warned(why, &call.args),
        capabilities: checked.access.capabilities,
        digest: digest.clone(),
    };
    let (mut decision, mut edited) = (Decision::Ignore, None);
    ctx.ask_checked(question, |answer: &ApprovalAnswer| {
        answer.digest.matches(&digest)?;
        decision = answer.verdict.clone().decision(&asked, allowed)?;
        if let Some(call) = decision.edited(call) {
            edited = Some(tools.parse(&call)?);
        }
        match decision.refusal() {
            Some(_) => Ok(()),
            None => edited.as_ref().unwrap_or(&checked).parsed.can_be_made(),
        }
    })?;
    Ok((decision, edited.unwrap_or(checked)))
}

/// Why it is asked, with a warning where more would be done than can be seen.
fn warned(why: String, args: &Map<String, Json>) -> String {
    let hidden = Hidden::of_json(&Json::Object(args.clone()));
    match hidden.is_empty() {
        true => why,
        false => format!("{why}\nWARNING: the arguments hold {hidden}"),
    }
}

/// Asks an [`OutcomeQuestion`] about each attempt whose outcome is unknown.
#[derive(Clone, Debug)]
pub struct OutcomeReviewer {
    /// Whether an attempt that has not begun may be made.
    pub gate: Gate,
    /// Why the answer that the call is repeated is refused, if it is; see
    /// [`ParsedCall::can_be_made`](crate::ParsedCall::can_be_made).
    pub repeat: Result<(), String>,
}

impl Reviewer for OutcomeReviewer {
    fn gate(&self, _: Option<&str>) -> Gate {
        self.gate.clone()
    }

    fn lost(&mut self, ctx: &Ctx, call: &ToolCall, lost: &Lost) -> Result<Next, NodeError> {
        let digest = Digest::of::<OutcomeQuestion>(call, ctx.thread(), ctx.task_id(), lost.attempt);
        let question = OutcomeQuestion {
            action_request: Action::from(call),
            description: format!("did this call happen? {}", lost.known()),
            key: lost.key.clone(),
            digest: digest.clone(),
        };
        let check = |answer: &OutcomeAnswer| {
            answer.digest.matches(&digest)?;
            match answer.resolution {
                Resolution::Repeat => self.repeat.clone(),
                _ => Ok(()),
            }
        };
        Ok(match ctx.ask_checked(question, check)?.resolution {
            Resolution::Repeat => Next::Attempt,
            Resolution::Happened(result) => Next::End(CallEnd::Output(result.into())),
            Resolution::Abandon => {
                let why = "it did not happen, and the user does not want it made again";
                Next::End(CallEnd::Failed(why.into()))
            }
            Resolution::StillUnknown => {
                let why = "whether this call happened is unknown; do not make it again";
                Next::End(CallEnd::Unknown(why.into()))
            }
        })
    }
}
