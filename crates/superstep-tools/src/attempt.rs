//! Attempts of a decided call: journaled, reconciled when their outcome is unknown, reviewed by a
//! person when that settles nothing.

use std::{
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    pin::Pin,
    task::{Context, Poll},
};

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use superstep_core::{
    ErrorKind, Value,
    error::{Failure, panic_message},
    event::{SpanEnd, SpanError, SpanKind},
    future::BoxFuture,
    run::EffectError,
};
use superstep_engine::typed::{Ctx, NodeError};
use superstep_model::{Label, Message, ToolCall, message::ToolStatus};
use superstep_text::Redactor;

use crate::{
    error::ToolsError,
    tool::{Reconciled, ToolCtx, ToolError, ToolOutput, cut, reply},
    toolbox::{Checked, Tools},
};

/// The most text of a failure that a model reads, in bytes.
const MAX_FAILURE: usize = 16 << 10;

/// How often a call of an idempotent target is repeated before a person is asked.
const REPEATS: u32 = 2;

/// How many attempts in a row are made without a person while each is known not to have happened.
const UNASKED: u32 = 3;

/// How a call ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum CallEnd {
    /// With this output.
    Output(ToolOutput),
    /// It failed and did not happen, for this reason.
    Failed(String),
    /// Whether it happened is unknown; the model reads this.
    Unknown(String),
    /// It was not made; the model reads this.
    NotMade(String),
}

/// Whether an attempt may be made.
#[derive(Clone, Debug)]
pub enum Gate {
    /// It may.
    Open,
    /// It is not made, and the call ends like this.
    End(CallEnd),
    /// It is not made now. The reviewer is asked about it, with this data.
    Withhold(Json),
}

/// What follows an attempt that settled nothing.
#[derive(Clone, Debug)]
pub enum Next {
    /// Another attempt.
    Attempt,
    /// The call ends like this.
    End(CallEnd),
}

/// An attempt whose outcome is unknown.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Lost {
    /// How many attempts were made.
    pub attempt: u32,
    /// The idempotency key of the call: its target may know it.
    pub key: String,
    /// Why nothing is known.
    pub why: String,
    /// What looking the effect up showed, if the tool can do that.
    pub lookup: Option<String>,
}

impl Lost {
    /// All that is known.
    pub fn known(&self) -> String {
        match &self.lookup {
            Some(lookup) => format!("{}. {lookup}", self.why),
            None => self.why.clone(),
        }
    }
}

/// Reviews the attempts of a call that was decided on.
pub trait Reviewer: Send {
    /// Whether the next attempt may be made. What it says is journaled with the attempt, so that a
    /// later run of the task finds the same. `doubt` says why an earlier attempt may have happened.
    fn gate(&self, doubt: Option<&str>) -> Gate {
        let _ = doubt;
        Gate::Open
    }

    /// What follows an attempt that [`Gate::Withhold`] withheld with this data. `attempt` counts it.
    fn withheld(
        &mut self,
        ctx: &Ctx,
        call: &ToolCall,
        attempt: u32,
        data: &Json,
        doubt: Option<&str>,
    ) -> Result<Next, NodeError> {
        let _ = (ctx, call, attempt, data, doubt);
        let why = "the call was withheld and not made";
        Ok(Next::End(CallEnd::NotMade(why.into())))
    }

    /// What follows an attempt whose outcome is unknown: usually a person is asked.
    fn lost(&mut self, ctx: &Ctx, call: &ToolCall, lost: &Lost) -> Result<Next, NodeError>;
}

/// Makes a call that was decided on, as the task of `ctx`, and gives what the model gets to read.
pub async fn make(
    ctx: &Ctx,
    tools: &Tools,
    checked: &Checked,
    reviewer: &mut dyn Reviewer,
) -> Result<Message, NodeError> {
    let call = &checked.call;
    let args = || Value::from(Json::Object(call.args.clone()));
    let span = ctx.span(SpanKind::Tool, &call.name, args).await;
    let work = attempts(ctx, tools, checked, reviewer);
    let made = span.within(work).await;
    if let Ok(end) = &made {
        span.end(|| end.span_end()).await;
    }
    let (status, content) = match made? {
        CallEnd::Output(output) => (ToolStatus::Success, output.content),
        CallEnd::Failed(why) => (ToolStatus::Error, format!("the call failed: {why}").into()),
        CallEnd::Unknown(why) | CallEnd::NotMade(why) => (ToolStatus::Error, why.into()),
    };
    let message = Message::from(reply(call, status, content));
    Ok(match checked.access.trusted_output {
        true => message,
        false => message.labeled(Label::Untrusted),
    })
}

async fn attempts(
    ctx: &Ctx,
    tools: &Tools,
    checked: &Checked,
    reviewer: &mut dyn Reviewer,
) -> Result<CallEnd, NodeError> {
    let call = &checked.call;
    let journal = CallJournal::of(ctx, call)?;
    let end = |end: CallEnd| end.redacted(tools.redactor());
    let (mut attempt, mut unasked) = (0, 1);
    let mut doubt: Option<String> = None;
    loop {
        let gate = reviewer.gate(doubt.as_deref());
        let tried = attempted(ctx, tools, checked, &gate, &journal.attempt(attempt)).await?;
        let record = attempt;
        attempt += 1;
        let is_interrupted = matches!(tried, Tried::Interrupted);
        let why = match tried {
            Tried::Output(output) => return Ok(CallEnd::Output(output)),
            Tried::Failed(why) => return Ok(CallEnd::Failed(why)),
            Tried::Skipped(skipped) => return Ok(end(skipped)),
            Tried::Withheld(data) => {
                match reviewer.withheld(ctx, call, attempt, &data, doubt.as_deref())? {
                    Next::End(ended) => return Ok(end(ended)),
                    Next::Attempt => unasked = 1,
                }
                continue;
            }
            Tried::Unknown(why) => why,
            Tried::Interrupted => INTERRUPTED.to_owned(),
        };
        let lookup = match reconciled(ctx, tools, checked, &journal.look(record)).await? {
            Some(Reconciled::Happened(output)) => return Ok(CallEnd::Output(output)),
            // It never reached its target, which is certain of it.
            Some(Reconciled::NotHappened(_)) if is_interrupted && unasked < UNASKED => {
                unasked += 1;
                continue;
            }
            Some(Reconciled::NotHappened(said) | Reconciled::Unsure(said)) => Some(said),
            None => None,
        };
        // Where another attempt is not made unasked, it is asked first whether this one happened.
        let is_open = matches!(reviewer.gate(None), Gate::Open);
        if checked.access.idempotent && attempt <= REPEATS && is_open {
            continue;
        }
        let lost = Lost {
            attempt,
            key: journal.idempotency_key(ctx),
            why,
            lookup,
        };
        if let Next::End(ended) = reviewer.lost(ctx, call, &lost)? {
            let settled = Settled::from(&ended);
            ctx.once_idempotent(&journal.settled(record), |_| async move { Ok(settled) })
                .await?;
            return Ok(end(ended));
        }
        // It may have shown up while the question was open.
        let again = journal.look_again(record);
        if let Some(Reconciled::Happened(output)) = reconciled(ctx, tools, checked, &again).await? {
            return Ok(CallEnd::Output(output));
        }
        unasked = 1;
        doubt = Some(lost.known());
    }
}

/// Why nothing is known of an attempt whose process ended.
const INTERRUPTED: &str = "the process ended while the call was under way";

/// The idempotency key of a call that is made as the task of `ctx`: its target sees this one, however often the call
/// is attempted ([`ToolCtx::key`]).
pub fn call_key(ctx: &Ctx, call: &ToolCall) -> Result<String, NodeError> {
    Ok(CallJournal::of(ctx, call)?.idempotency_key(ctx))
}

/// The records of one call in the journal of its task, by their keys.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct CallJournal(String);

/// The name of a call in the journal of a task that makes no other: earlier versions made one per task.
const ONLY_CALL: &str = "call";

impl CallJournal {
    /// That of a call which the task of `ctx` makes, by the id of the call.
    fn of(ctx: &Ctx, call: &ToolCall) -> Result<Self, NodeError> {
        let earlier = Self(ONLY_CALL.to_owned());
        Ok(match ctx.has_started(&earlier.attempt(0))? {
            true => earlier,
            false => Self(format!("{ONLY_CALL} {}", call.id)),
        })
    }

    /// That which a key is the record of the first attempt in.
    pub(crate) fn begun_by(key: &str) -> Option<Self> {
        let name = key.strip_suffix(" 0")?;
        let rest = name.strip_prefix(ONLY_CALL)?;
        let is_call = rest.is_empty() || rest.starts_with(' ');
        is_call.then(|| Self(name.to_owned()))
    }

    fn idempotency_key(&self, ctx: &Ctx) -> String {
        ctx.idempotency_key(&self.0)
    }

    /// The record of an attempt.
    pub(crate) fn attempt(&self, attempt: u32) -> String {
        format!("{} {attempt}", self.0)
    }

    /// The record of what somebody found out about an attempt.
    pub(crate) fn settled(&self, attempt: u32) -> String {
        self.about("settled", attempt)
    }

    /// The record of a look at what became of an attempt.
    pub(crate) fn look(&self, attempt: u32) -> String {
        self.about("look", attempt)
    }

    /// The record of a look after somebody was asked.
    pub(crate) fn look_again(&self, attempt: u32) -> String {
        self.about("look again", attempt)
    }

    fn about(&self, what: &str, attempt: u32) -> String {
        match self.0.strip_prefix("call ") {
            Some(id) => format!("{what} {id} {attempt}"),
            None => format!("{what} {attempt}"),
        }
    }
}

/// Whether an attempt of a call was begun as this task.
pub(crate) fn has_begun(ctx: &Ctx, call: &ToolCall) -> Result<bool, NodeError> {
    ctx.has_started(&CallJournal::of(ctx, call)?.attempt(0))
}

/// For a call that cannot be read, as with other settings or tools than it was made with, for the reason `why`. It is
/// refused with this reason, unless an attempt of it has begun as this task: nobody knows then whether it
/// happened, and that it cannot be read now says nothing about it (SS5108).
pub fn check_unread(ctx: &Ctx, call: &ToolCall, why: &str) -> Result<(), NodeError> {
    match has_begun(ctx, call)? {
        true => Err(ToolsError::begun_and_unread(&call.name, why).into()),
        false => Ok(()),
    }
}

/// What somebody found out about a call of which nobody knew whether it happened, as it is journaled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Settled {
    Happened,
    NotHappened,
    Unknown,
}

impl From<&CallEnd> for Settled {
    fn from(end: &CallEnd) -> Self {
        match end {
            CallEnd::Output(_) => Self::Happened,
            CallEnd::Failed(_) => Self::NotHappened,
            // That nobody makes it now says nothing about what was made.
            CallEnd::Unknown(_) | CallEnd::NotMade(_) => Self::Unknown,
        }
    }
}

/// How an attempt ended, as it is journaled.
#[derive(Serialize, Deserialize)]
pub(crate) enum Tried {
    Output(ToolOutput),
    Failed(String),
    Unknown(String),
    /// The gate ended the call.
    Skipped(CallEnd),
    /// The gate withheld the attempt.
    Withheld(Json),
    /// The process ended; never journaled, because nobody was there to do it.
    Interrupted,
}

async fn attempted(
    ctx: &Ctx,
    tools: &Tools,
    checked: &Checked,
    gate: &Gate,
    record: &str,
) -> Result<Tried, NodeError> {
    let redactor = tools.redactor();
    let changes = checked.access.capabilities.changes();
    let is_begun = changes && ctx.has_started(record)?;
    let key = call_key(ctx, &checked.call)?;
    let run = async || -> Result<Tried, NodeError> {
        match gate {
            // Whether it happened does not follow from what may be done now.
            Gate::End(_) | Gate::Withhold(_) if is_begun => {
                return Ok(Tried::Unknown(INTERRUPTED.to_owned()));
            }
            Gate::Open => {}
            Gate::End(end) => return Ok(Tried::Skipped(end.clone())),
            Gate::Withhold(data) => return Ok(Tried::Withheld(data.clone())),
        }
        let called = Called {
            call: checked.parsed.run(inside(ctx, tools, checked, key.clone())),
            redactor,
        };
        Ok(match called.await {
            Ok(output) => Tried::Output(output.redacted(redactor).capped()),
            Err(ToolError::Failed(why)) => Tried::Failed(redacted(why, redactor)),
            Err(ToolError::Unknown(why)) => Tried::Unknown(redacted(why, redactor)),
            Err(ToolError::Error(why)) if changes => Tried::Unknown(redacted(why, redactor)),
            Err(ToolError::Error(why)) => Tried::Failed(redacted(why, redactor)),
            Err(ToolError::Ended(error)) => return Err(error),
            Err(ToolError::Stopped(failure)) => {
                let message = redacted(failure.message.clone(), redactor);
                return Err(NodeError::failed(Failure { message, ..failure }));
            }
        })
    };
    if !changes {
        return run().await;
    }
    // A call that failed is a result too, so that it is on record what is known of its outcome. Only
    // one that stopped the run before anything happened is none.
    let run = async || run().await.map_err(EffectError::not_done);
    let done = match checked.access.idempotent {
        true => ctx.once_idempotent(record, |_| run()).await,
        false => ctx.once(record, run).await,
    };
    match done {
        Err(error) if is_unknown(&error) => Ok(Tried::Interrupted),
        done => done,
    }
}

/// What a running call has.
fn inside(ctx: &Ctx, tools: &Tools, checked: &Checked, key: String) -> ToolCtx {
    ToolCtx::new(
        key,
        ctx.clone(),
        checked.access.capabilities.changes(),
        tools.services().clone(),
        tools.redactor().clone(),
    )
}

/// Whether the process ended while an effect was under way.
fn is_unknown(error: &NodeError) -> bool {
    let unknown = |kind: &ErrorKind| matches!(kind, ErrorKind::UnknownOutcome { .. });
    error.error().is_some_and(|error| unknown(&error.kind))
}

/// Looks an effect up; nothing if the tool cannot. Looking is harmless, so a look that broke off is
/// repeated. Its result is journaled, so that answers belong to the same questions when the task
/// runs again.
async fn reconciled(
    ctx: &Ctx,
    tools: &Tools,
    checked: &Checked,
    record: &str,
) -> Result<Option<Reconciled>, NodeError> {
    let key = call_key(ctx, &checked.call)?;
    let Some(look) = checked.parsed.reconcile(inside(ctx, tools, checked, key)) else {
        return Ok(None);
    };
    let redactor = tools.redactor();
    let look = |_| async move {
        let found = look.await.map_err(NodeError::failed)?;
        Ok(match found {
            Reconciled::Happened(output) => {
                Reconciled::Happened(output.redacted(redactor).capped())
            }
            Reconciled::NotHappened(said) => Reconciled::NotHappened(redacted(said, redactor)),
            Reconciled::Unsure(said) => Reconciled::Unsure(redacted(said, redactor)),
        })
    };
    ctx.once_idempotent(record, look).await.map(Some)
}

/// Text without secrets, and not more than a model should read. In this order: of a secret that is
/// cut in two, neither half would be known.
fn redacted(text: String, redactor: &Redactor) -> String {
    cut(redactor.document(&text).into_owned(), &mut { MAX_FAILURE })
}

impl CallEnd {
    fn span_end(&self) -> SpanEnd {
        match self {
            Self::Output(output) => Value::from(output.content.text().as_str()).into(),
            Self::Failed(why) | Self::NotMade(why) => SpanError::new("failed", why).into(),
            Self::Unknown(why) => SpanError::new("unknown", why).into(),
        }
    }

    fn redacted(self, redactor: &Redactor) -> Self {
        match self {
            Self::Output(output) => Self::Output(output.redacted(redactor).capped()),
            Self::Failed(why) => Self::Failed(redacted(why, redactor)),
            Self::Unknown(why) => Self::Unknown(redacted(why, redactor)),
            Self::NotMade(why) => Self::NotMade(redacted(why, redactor)),
        }
    }
}

/// A running call. A panic continues as one, without secrets in its message: it is stored as the error
/// of the task.
struct Called<'a> {
    call: BoxFuture<'a, Result<ToolOutput, ToolError>>,
    redactor: &'a Redactor,
}

impl Future for Called<'_> {
    type Output = Result<ToolOutput, ToolError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let polled = catch_unwind(AssertUnwindSafe(|| self.call.as_mut().poll(cx)));
        polled.unwrap_or_else(|panic| match panic_message(&*panic) {
            Some(text) => resume_unwind(Box::new(self.redactor.document(&text).into_owned())),
            None => resume_unwind(panic),
        })
    }
}
