//! A parsed call of one of the assistant's tools: described, made, looked up.

use std::sync::Arc;

use jiff::{Timestamp, civil::Date};
use superstep::{
    Failure,
    future::BoxFuture,
    tools::{Access, Lost, ParsedCall, Reconciled, ToolCtx, ToolError, ToolOutput},
};

use super::{ToolRequest, schedule, send};
use crate::{input::EmailInput, prompt::gutter, services::Services, slots::Day};

/// What the calls about one mail work with.
pub(crate) struct CallContext {
    pub(crate) services: Arc<Services>,
    pub(crate) input: EmailInput,
    /// When the call was decided on: a reply carries this date, whenever it is sent.
    pub(crate) at: Timestamp,
}

/// A call whose arguments make sense.
#[derive(Clone)]
pub(crate) struct MailCall {
    pub(crate) request: ToolRequest,
    /// What its tool can do.
    pub(crate) access: Access,
    pub(super) context: Arc<CallContext>,
}

/// The texts of a question whether a call happened.
pub(crate) struct OutcomeText {
    /// What identifies the effect.
    pub(crate) args: serde_json::Value,
    pub(crate) description: String,
}

impl MailCall {
    /// What a dry run says in place of making it, or why it could not be made.
    pub(crate) fn preview(&self) -> Result<String, String> {
        match &self.request {
            ToolRequest::Send(draft) => send::preview(draft, &self.context),
            ToolRequest::Schedule(meeting) => Ok(schedule::preview(meeting)),
            _ => Ok("nothing was done".into()),
        }
    }

    /// The question whether it happened.
    pub(crate) fn outcome(&self, lost: &Lost) -> OutcomeText {
        match &self.request {
            ToolRequest::Send(draft) => send::outcome(draft, &self.context, lost),
            ToolRequest::Schedule(meeting) => schedule::outcome(meeting, lost),
            _ => OutcomeText {
                args: serde_json::Value::Null,
                description: format!("# Did this happen?\n\n{}\n", lost.known()),
            },
        }
    }
}

impl ParsedCall for MailCall {
    fn describe(&self) -> Option<String> {
        match &self.request {
            ToolRequest::Send(draft) => Some(send::describe(draft, &self.context)),
            ToolRequest::Schedule(meeting) => {
                Some(schedule::describe(meeting, &self.context.input))
            }
            ToolRequest::Question(content) => Some(format!("{}\n", gutter(content))),
            ToolRequest::Check(_) | ToolRequest::Done => None,
        }
    }

    fn run(&self, ctx: ToolCtx) -> BoxFuture<'_, Result<ToolOutput, ToolError>> {
        Box::pin(async move {
            let text = match &self.request {
                ToolRequest::Send(draft) => send::run(draft, &self.context, ctx.key()).await?,
                ToolRequest::Schedule(meeting) => {
                    schedule::run(meeting, &self.context, ctx.key()).await?
                }
                ToolRequest::Check(days) => check(&self.context.services, days).await?,
                ToolRequest::Question(_) | ToolRequest::Done => {
                    return Err(ToolError::failed("nothing to be done"));
                }
            };
            Ok(text.into())
        })
    }

    fn reconcile(&self, ctx: ToolCtx) -> Option<BoxFuture<'_, Result<Reconciled, Failure>>> {
        match &self.request {
            ToolRequest::Send(draft) => Some(Box::pin(async move {
                send::look_up(draft, &self.context, ctx.key()).await
            })),
            ToolRequest::Schedule(meeting) => Some(Box::pin(async move {
                Ok(schedule::look_up(meeting, &self.context, ctx.key()).await)
            })),
            _ => None,
        }
    }
}

/// What days have. The failure of a calendar is reported, and nothing is made up in its place.
async fn check(services: &Services, days: &[Date]) -> Result<String, ToolError> {
    let (zone, hours) = (&services.zone, &services.settings.working_hours);
    let mut text = String::new();
    for date in days {
        match Day::of(&*services.calendar, *date, &zone.zone, hours).await {
            Ok(day) => text.push_str(&day.told(zone, hours)),
            Err(error) => {
                return Err(ToolError::Failed(format!(
                    "the calendar could not be read, so nothing is known about these days: {error}. \
                     Tell the user; offer no times."
                )));
            }
        }
    }
    Ok(text)
}
