//! One call as a durable task: checked, ruled on, journaled, answered.

use std::{
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    pin::Pin,
    task::{Context, Poll},
};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};
use superstep_core::{
    ErrorKind, Value,
    event::{SpanEnd, SpanError, SpanKind},
    saver::BoxFuture,
};
use superstep_engine::typed::{Ctx, NodeError};
use superstep_model::{
    Content, Label, Message, ToolCall,
    message::{ToolReply, ToolStatus},
};
use superstep_text::{Hidden, Redactor};

use crate::{
    approval::{
        Action, Allowed, Approval, Decision, Digest, OutcomeAnswer, OutcomeQuestion, Resolution,
        Verdict, matches,
    },
    policy::{Policy, Ruling},
    tool::{Tool, ToolCtx, ToolError, ToolOutput, cut},
    toolbox::Tools,
};

/// The most of a failure that is told, in bytes.
const MAX_FAILURE: usize = 16 << 10;

/// How often a call whose target honours its key is repeated before a person is asked.
const REPEATS: u32 = 2;

/// Makes one call that a model wants, as the task of `ctx`, and gives what the model gets to read.
///
/// Run each call in a task of its own (a send to a node that calls this): then a finished call is
/// never made again, whatever becomes of the others, and every question stands for one call.
///
/// - Arguments that do not fit are not run; the model is told what is wrong.
/// - The policy allows the call, denies it, or has a person asked ([`Approval`]). The answer is
///   stored before the call is made.
/// - A call that changes something is journaled as started before and as done after. If the process
///   dies in between, the next attempt asks a person ([`OutcomeQuestion`]), unless the target honours keys:
///   then it is repeated with the same one.
pub async fn execute(
    ctx: &Ctx,
    tools: &Tools,
    policy: &Policy,
    call: &ToolCall,
    read: &[Message],
) -> Result<Message, NodeError> {
    let reply = |status, content: Content| Message::from(reply(call, status, content));
    let tool = match tools.check(call) {
        Ok(()) => tools.get(&call.name),
        Err(why) => return Ok(reply(ToolStatus::Error, why.into())),
    };
    let Some(tool) = tool else {
        return Ok(reply(ToolStatus::Error, "there is no such tool".into()));
    };
    // Descriptions of tools are read before anything that is said.
    let strangers = [Message::untrusted("descriptions of tools")];
    let read = match tools.has_foreign() {
        true => &strangers,
        false => read,
    };
    let call = match policy.rule(&call.name, tool.access(), read) {
        Ruling::Allow => call.clone(),
        Ruling::Deny(why) => return Ok(reply(ToolStatus::Error, why.into())),
        Ruling::Ask(why) => match approved(ctx, &**tool, call, why)? {
            Verdict::Accept => call.clone(),
            Verdict::Edit(action) => ToolCall {
                args: action.args,
                ..call.clone()
            },
            Verdict::Ignore => {
                let said = "the user decided against this call; it was not made";
                return Ok(reply(ToolStatus::Error, said.into()));
            }
            Verdict::Response(text) => {
                let said = format!("this call was not made; the user says: {text}");
                return Ok(reply(ToolStatus::Error, said.into()));
            }
        },
    };
    let args = || Value::from(Json::Object(call.args.clone()));
    let span = ctx.span(SpanKind::Tool, &call.name, args).await;
    let made = make(ctx, tools, &**tool, &call).await;
    if let Ok(ended) = &made {
        span.end(|| ended.told()).await;
    }
    let (status, content) = match made? {
        Ended::Output(output) => (ToolStatus::Success, output.content),
        Ended::Failed(why) => (ToolStatus::Error, format!("the call failed: {why}").into()),
        Ended::Unknown(why) => (ToolStatus::Error, why.into()),
    };
    let message = reply(status, content);
    Ok(match tool.access().trusted_output {
        true => message,
        false => message.labelled(Label::Untrusted),
    })
}

/// What a model reads about a call of its own.
pub(crate) fn reply(call: &ToolCall, status: ToolStatus, content: Content) -> ToolReply {
    ToolReply {
        tool_call_id: call.id.clone(),
        name: call.name.clone(),
        content,
        status,
    }
}

fn approved(
    ctx: &Ctx,
    tool: &dyn Tool,
    call: &ToolCall,
    why: String,
) -> Result<Verdict, NodeError> {
    let digest = Digest::of::<Approval>(call, ctx.thread(), ctx.task_id(), 0);
    let question = Approval {
        action_request: action(call),
        config: Allowed::default(),
        description: warned(why, &call.args),
        capabilities: tool.access().capabilities,
        digest: digest.clone(),
    };
    let decision = ctx.ask_checked(question, |decision: &Decision| {
        matches(&decision.digest, &digest)?;
        let Verdict::Edit(edited) = &decision.verdict else {
            return Ok(());
        };
        if edited.action != call.name {
            return Err(format!("the call is of `{}`, not another tool", call.name));
        }
        tool.check(&edited.args)
            .map_err(|problems| problems.join("; "))
    })?;
    Ok(decision.verdict)
}

/// Why it is asked, with a warning where more would be done than can be seen.
fn warned(why: String, args: &Map<String, Json>) -> String {
    let hidden = Hidden::of_json(&Json::Object(args.clone()));
    match hidden.is_empty() {
        true => why,
        false => format!("{why}\nWARNING: the arguments hold {hidden}"),
    }
}

fn action(call: &ToolCall) -> Action {
    Action {
        action: call.name.clone(),
        args: call.args.clone(),
    }
}

/// How a call ended, as it is journaled.
#[derive(Serialize, Deserialize)]
enum Ended {
    Output(ToolOutput),
    Failed(String),
    Unknown(String),
}

impl From<Result<ToolOutput, ToolError>> for Ended {
    fn from(result: Result<ToolOutput, ToolError>) -> Self {
        match result {
            Ok(output) => Self::Output(output),
            Err(ToolError::Failed(why)) => Self::Failed(why),
            Err(ToolError::Unknown(why)) => Self::Unknown(why),
        }
    }
}

impl Ended {
    fn told(&self) -> SpanEnd {
        match self {
            Self::Output(output) => Value::from(output.content.text().as_str()).into(),
            Self::Failed(why) => SpanError::new("failed", why).into(),
            Self::Unknown(why) => SpanError::new("unknown", why).into(),
        }
    }

    /// Without what must not be stored or shown to a model, and not more than it should read. In this
    /// order: of a secret that is cut in two, neither half would be known.
    fn redacted(self, redactor: &Redactor) -> Self {
        let text = |text: String| cut(redactor.document(&text).into_owned(), &mut { MAX_FAILURE });
        match self {
            Self::Output(output) => Self::Output(output.redacted(redactor).capped()),
            Self::Failed(why) => Self::Failed(text(why)),
            Self::Unknown(why) => Self::Unknown(text(why)),
        }
    }
}

/// A running call. A panic goes on as one, without secrets in its message: it is stored as the error
/// of the task.
struct Called<'a> {
    call: BoxFuture<'static, Result<ToolOutput, ToolError>>,
    redactor: &'a Redactor,
}

impl Future for Called<'_> {
    type Output = Result<ToolOutput, ToolError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let polled = catch_unwind(AssertUnwindSafe(|| self.call.as_mut().poll(cx)));
        polled.unwrap_or_else(|panic| {
            let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
            let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
            match text {
                Some(text) => resume_unwind(Box::new(self.redactor.document(&text).into_owned())),
                None => resume_unwind(panic),
            }
        })
    }
}

async fn make(
    ctx: &Ctx,
    tools: &Tools,
    tool: &dyn Tool,
    call: &ToolCall,
) -> Result<Ended, NodeError> {
    let mut attempt = 0;
    loop {
        let why = match attempted(ctx, tools, tool, call, attempt).await? {
            Ended::Unknown(why) => why,
            known => return Ok(known),
        };
        attempt += 1;
        if tool.access().idempotent && attempt <= REPEATS {
            continue;
        }
        match settled(ctx, call, &why, attempt)? {
            Resolution::Repeat => {}
            Resolution::Happened(result) => {
                let output = Ended::Output(result.into());
                return Ok(output.redacted(tools.redactor()));
            }
            Resolution::Abandon => {
                let why = "it did not happen, and the user does not want it made again";
                return Ok(Ended::Failed(why.into()));
            }
            Resolution::StillUnknown => {
                let why = "whether this call happened is unknown; do not make it again";
                return Ok(Ended::Unknown(why.into()));
            }
        }
    }
}

async fn attempted(
    ctx: &Ctx,
    tools: &Tools,
    tool: &dyn Tool,
    call: &ToolCall,
    attempt: u32,
) -> Result<Ended, NodeError> {
    let run = async || {
        // The target sees one key, however often the call is attempted.
        let inside = ToolCtx::new(
            ctx.key("call"),
            ctx.clone(),
            tools.services().clone(),
            tools.redactor().clone(),
        );
        let called = Called {
            call: tool.call(inside, call.args.clone()),
            redactor: tools.redactor(),
        };
        Ended::from(called.await).redacted(tools.redactor())
    };
    let access = tool.access();
    if !access.capabilities.changes() {
        return Ok(run().await);
    }
    // A call that failed is a result too, so that it is on record what is known of its outcome.
    let run = async || Ok(run().await);
    let record = format!("call {attempt}");
    let done = match access.idempotent {
        true => ctx.once_by_key(&record, |_| run()).await,
        false => ctx.once(&record, run).await,
    };
    match done {
        Err(error) if is_unknown(&error) => {
            let why = "the process ended while the call was under way";
            Ok(Ended::Unknown(why.into()))
        }
        done => done,
    }
}

fn is_unknown(error: &NodeError) -> bool {
    let unknown = |kind: &ErrorKind| matches!(kind, ErrorKind::UnknownOutcome { .. });
    error.error().is_some_and(|error| unknown(&error.kind))
}

/// Asks whether the last of so many attempts happened.
fn settled(ctx: &Ctx, call: &ToolCall, why: &str, attempt: u32) -> Result<Resolution, NodeError> {
    let digest = Digest::of::<OutcomeQuestion>(call, ctx.thread(), ctx.task_id(), attempt);
    let question = OutcomeQuestion {
        action_request: action(call),
        description: format!("did this call happen? {why}"),
        key: ctx.key("call"),
        digest: digest.clone(),
    };
    let check = |settlement: &OutcomeAnswer| matches(&settlement.digest, &digest);
    Ok(ctx.ask_checked(question, check)?.resolution)
}
