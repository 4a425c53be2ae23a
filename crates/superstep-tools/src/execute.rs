//! A tool call as a durable task: parsed, decided on, made once, answered.
//!
//! [`execute`] does it all in one task. A graph that decides on all calls of a turn before it makes
//! any uses the halves: [`decide`] in one task per call, [`make`] in another.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json, json};
use superstep_engine::typed::{Ctx, NodeError};
use superstep_model::{Message, ToolCall, message::ToolStatus};
use superstep_text::Hidden;

use crate::{
    access::Capabilities,
    approval::{
        Action, Allowed, Approval, ApprovalAnswer, Decision, Digest, OutcomeAnswer,
        OutcomeQuestion, Resolution, Scope,
    },
    attempt::{CallEnd, Gate, Lost, Next, Reviewer, check_unread, has_begun, make},
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
        Err(why) => {
            check_unread(ctx, call, &why)?;
            return Ok(refused(why));
        }
    };
    let decided = decide(ctx, tools, policy, checked, read).await?;
    match decided.decision.refusal() {
        Some(why) => Ok(refused(why)),
        None => {
            let mut reviewer = OutcomeReviewer::new(&decided, Gate::Open);
            make(ctx, tools, &decided.checked, &mut reviewer).await
        }
    }
}

/// What was decided about a call.
#[non_exhaustive]
pub struct Decided {
    /// The decision.
    pub decision: Decision,
    /// The call with the arguments that were decided on.
    pub checked: Checked,
    /// Whether an attempt that has not begun may be made.
    ///
    /// Once an attempt has begun, no approval is asked for and none is dropped before it is known whether the call
    /// happened: a person who does not approve now says nothing about the attempts before. After that, an approval of
    /// another [`Scope`], as in a copy of its thread, is withheld, and a person is asked before another attempt.
    pub gate: Gate,
    /// The scope that questions about it are bound to; nothing on no thread.
    pub scope: Option<Scope>,
}

/// Decides about a call without making it: by the policy, or by a person who is asked. Approvals are bound to the
/// [`Scope`] of the task.
///
/// If [`make`] has begun an attempt of it as this task, nobody is asked: see [`Decided::gate`].
pub async fn decide(
    ctx: &Ctx,
    tools: &Tools,
    policy: &Policy,
    checked: Checked,
    read: &[Message],
) -> Result<Decided, NodeError> {
    // Descriptions of tools are read before anything that is said.
    let strangers = [Message::untrusted("descriptions of tools")];
    let read = match tools.has_foreign() {
        true => &strangers,
        false => read,
    };
    let ruling = policy.rule(&checked.call.name, checked.access, read);
    let scope = Scope::of(ctx).await?;
    if has_begun(ctx, &checked.call)? {
        return begun(ctx, tools, checked, ruling, scope);
    }
    let (decision, checked) = match ruling {
        Ruling::Allow => (Decision::Direct, checked),
        Ruling::Deny(why) => (Decision::Denied(why), checked),
        Ruling::Ask(why) => approved(ctx, tools, checked, why, scope.as_ref())?,
    };
    Ok(Decided {
        decision,
        checked,
        gate: Gate::Open,
        scope,
    })
}

fn approved(
    ctx: &Ctx,
    tools: &Tools,
    checked: Checked,
    why: String,
    scope: Option<&Scope>,
) -> Result<(Decision, Checked), NodeError> {
    let (can, why) = (checked.access.capabilities, described(&checked, why));
    let question = question(ctx, &checked.call, can, why, scope);
    let mut edited = None;
    let decision = asked(ctx, question, |decision| {
        if let Some(call) = decision.edited(&checked.call) {
            edited = Some(tools.parse(&call)?);
        }
        edited.as_ref().unwrap_or(&checked).parsed.can_be_made()
    })?;
    Ok((decision, edited.unwrap_or(checked)))
}

/// Asks a person about a call that the graph makes itself, with the reason `why`. The answer is bound to the [`Scope`]
/// of the task; one that wants the call made must pass `check`.
pub async fn ask_approval(
    ctx: &Ctx,
    call: &ToolCall,
    can: Capabilities,
    why: String,
    check: impl FnOnce(&Decision) -> Result<(), String>,
) -> Result<Decision, NodeError> {
    let scope = Scope::of(ctx).await?;
    let why = warned(why, &call.args);
    asked(ctx, question(ctx, call, can, why, scope.as_ref()), check)
}

/// Asks, and returns what the answer decides. A call that is to be made must pass `check`.
fn asked(
    ctx: &Ctx,
    question: Approval,
    check: impl FnOnce(&Decision) -> Result<(), String>,
) -> Result<Decision, NodeError> {
    let (digest, config) = (question.digest.clone(), question.config);
    let action = question.action_request.clone();
    let mut decision = Decision::Ignore;
    ctx.ask_checked(question, |answer: &ApprovalAnswer| {
        answer.digest.matches(&digest)?;
        decision = answer.verdict.clone().decision(&action, config)?;
        match decision.refusal() {
            Some(_) => Ok(()),
            None => check(&decision),
        }
    })?;
    Ok(decision)
}

/// An attempt has begun. The answer that it was approved by says with which arguments; whether it counts for
/// another attempt is a matter of its own.
fn begun(
    ctx: &Ctx,
    tools: &Tools,
    checked: Checked,
    ruling: Ruling,
    scope: Option<Scope>,
) -> Result<Decided, NodeError> {
    let call = &checked.call;
    let (mut gate, is_asked) = match ruling {
        Ruling::Allow => (Gate::Open, false),
        Ruling::Deny(why) => (Gate::End(CallEnd::Failed(why)), false),
        Ruling::Ask(why) => {
            let why = described(&checked, why);
            let can = checked.access.capabilities;
            (Gate::Withhold(json!(Unapproved { why, can })), true)
        }
    };
    let (mut decision, mut edited) = (Decision::Direct, None);
    if let Some(known) = ctx.known_answer::<Approval>()?
        && !is_of_later_attempt(ctx, call, scope.as_ref(), &known.digest)
    {
        let can = checked.access.capabilities;
        let question = question(ctx, call, can, String::new(), scope.as_ref());
        let (digest, asked) = (question.digest.clone(), question.action_request.clone());
        let answer = ctx.ask(question)?;
        let said = answer.verdict.decision(&asked, Allowed::ALL);
        if let Some(said) = said.ok().filter(|said| said.refusal().is_none()) {
            let parsed = said.edited(call).map(|call| tools.parse(&call));
            let is_whole = !matches!(parsed, Some(Err(_)));
            if is_asked && is_whole && answer.digest == digest {
                gate = Gate::Open;
            }
            (decision, edited) = (said, parsed.and_then(Result::ok));
        }
    }
    Ok(Decided {
        decision,
        checked: edited.unwrap_or(checked),
        gate,
        scope,
    })
}

/// How many attempts a digest is looked for in.
const MOST_ATTEMPTS: u32 = 64;

/// Whether an answer is to a question of [`OutcomeReviewer`], which come after the first attempt.
fn is_of_later_attempt(ctx: &Ctx, call: &ToolCall, scope: Option<&Scope>, digest: &Digest) -> bool {
    let of = |attempt| Digest::of::<Approval>(call, scope, ctx.task_id(), attempt);
    (1..MOST_ATTEMPTS).any(|attempt| of(attempt) == *digest)
}

/// The question about the first attempt of a call.
fn question(
    ctx: &Ctx,
    call: &ToolCall,
    can: Capabilities,
    description: String,
    scope: Option<&Scope>,
) -> Approval {
    Approval {
        action_request: Action::from(call),
        config: Allowed::ALL,
        description,
        capabilities: can,
        digest: Digest::of::<Approval>(call, scope, ctx.task_id(), 0),
    }
}

/// Why it is asked about a call, and what it would do.
fn described(checked: &Checked, why: String) -> String {
    let why = match checked.parsed.describe() {
        Some(what) => format!("{why}\n\n{what}"),
        None => why,
    };
    warned(why, &checked.call.args)
}

/// Why it is asked, with a warning where more would be done than can be seen.
fn warned(why: String, args: &Map<String, Json>) -> String {
    let hidden = Hidden::of_json(&Json::Object(args.clone()));
    match hidden.is_empty() {
        true => why,
        false => format!("{why}\nWARNING: the arguments hold {hidden}"),
    }
}

/// Asks an [`OutcomeQuestion`] about each attempt whose outcome is unknown, and for an approval before another
/// one that was not approved.
#[derive(Clone, Debug)]
pub struct OutcomeReviewer {
    /// Whether an attempt that has not begun may be made.
    gate: Gate,
    /// Why the answer that the call is repeated is refused, if it is; see
    /// [`ParsedCall::can_be_made`](crate::ParsedCall::can_be_made).
    repeat: Result<(), String>,
    /// The scope that questions are bound to.
    scope: Option<Scope>,
}

/// The reason for a question about an attempt that was withheld, as it is journaled.
#[derive(Serialize, Deserialize)]
struct Unapproved {
    why: String,
    can: Capabilities,
}

impl OutcomeReviewer {
    /// For a call that was decided on. `gate` says whether an attempt that has not begun may be made at
    /// all.
    pub fn new(decided: &Decided, gate: Gate) -> Self {
        Self {
            gate: match gate {
                Gate::Open => decided.gate.clone(),
                gate => gate,
            },
            repeat: decided.checked.parsed.can_be_made(),
            scope: decided.scope.clone(),
        }
    }
}

impl Reviewer for OutcomeReviewer {
    fn gate(&self, _: Option<&str>) -> Gate {
        self.gate.clone()
    }

    fn withheld(
        &mut self,
        ctx: &Ctx,
        call: &ToolCall,
        attempt: u32,
        data: &Json,
        _: Option<&str>,
    ) -> Result<Next, NodeError> {
        let Unapproved { why, can } = Unapproved::deserialize(data)?;
        let question = Approval {
            action_request: Action::from(call),
            config: Allowed::AGAIN,
            description: format!("{why}\n\nIt was approved before, but not in this thread."),
            capabilities: can,
            digest: Digest::of::<Approval>(call, self.scope.as_ref(), ctx.task_id(), attempt),
        };
        let decision = asked(ctx, question, |_| self.repeat.clone())?;
        // Of the attempts before it is known that they did not happen: otherwise it is asked about them.
        Ok(match decision.refusal() {
            Some(why) => Next::End(CallEnd::Failed(why)),
            None => {
                self.gate = Gate::Open;
                Next::Attempt
            }
        })
    }

    fn lost(&mut self, ctx: &Ctx, call: &ToolCall, lost: &Lost) -> Result<Next, NodeError> {
        let (scope, task) = (self.scope.as_ref(), ctx.task_id());
        let digest = Digest::of::<OutcomeQuestion>(call, scope, task, lost.attempt);
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
