//! A parsed call of one of the assistant's tools: described, made, looked up.

use std::sync::Arc;

use jiff::{Timestamp, civil::Date};
use superstep::{
    Failure,
    future::BoxFuture,
    store::StoreError,
    tools::{Access, Lost, ParsedCall, Reconciled, ToolCtx, ToolError, ToolOutput},
};

use super::{ToolRequest, schedule, send};
use crate::{
    MailError,
    input::EmailInput,
    parse::one_line,
    past_calls::{PastCall, PastCalls},
    prompt::gutter,
    services::Services,
    slots::Day,
};

/// How many parts of a calendar that cannot be read are named.
const MOST_UNREAD: usize = 5;

/// What the calls about one mail work with.
pub(crate) struct CallContext {
    pub(crate) services: Arc<Services>,
    pub(crate) input: EmailInput,
    /// When the call was decided on: a reply carries this date, whenever it is sent.
    pub(crate) at: Timestamp,
    /// What was done about the mail before.
    pub(crate) before: Vec<PastCall>,
    /// Where what is done is put on record.
    pub(crate) past_calls: PastCalls,
}

impl CallContext {
    /// What was done about the mail before, for whoever is asked about more.
    pub(super) fn describe_before(&self) -> String {
        let zone = &self.services.zone;
        let lines = self.before.iter().map(|past| past.describe(zone) + "\n");
        lines.collect()
    }

    /// Puts on record that a call happened, or that it may have.
    pub(super) async fn record(
        &self,
        call: &str,
        what: &str,
        is_certain: bool,
    ) -> Result<(), StoreError> {
        let past = PastCall {
            what: what.to_owned(),
            at: self.at,
            is_certain,
        };
        let place = self.services.mailbox.place();
        self.past_calls
            .record(&place, &self.input, call, &past)
            .await
    }

    /// Puts on record that a call may happen, before it is made. Gives whether an attempt before this one was on
    /// record.
    pub(super) async fn begin(&self, call: &str, what: &str) -> Result<bool, ToolError> {
        let place = self.services.mailbox.place();
        let begun = async {
            let is_known = self.past_calls.has(&place, &self.input, call).await?;
            self.record(call, what, false).await?;
            Ok(is_known)
        };
        begun
            .await
            .map_err(|error| ToolError::Stopped(unrecorded(error)))
    }

    /// Takes off the record what [`CallContext::begin`] put there, for a call that made nothing for certain. What is known
    /// of an attempt before it stays.
    pub(super) async fn not_made(&self, call: &str, is_known: bool) -> Result<(), ToolError> {
        if is_known {
            return Ok(());
        }
        let place = self.services.mailbox.place();
        let removed = self.past_calls.remove(&place, &self.input, call).await;
        removed.map_err(|error| ToolError::Stopped(unrecorded(error)))
    }

    /// The end of a call that made something. It is on record before the call has ended, or else nobody knows.
    pub(super) async fn made(&self, call: &str, what: String) -> Result<String, ToolError> {
        match self.record(call, &what, true).await {
            Ok(()) => Ok(what),
            Err(error) => Err(ToolError::Unknown(format!(
                "it was {what}, and that could not be recorded: {error}"
            ))),
        }
    }

    /// The end of a call of which nobody knows whether it made something.
    pub(super) async fn lost(&self, call: &str, what: &str, why: String) -> ToolError {
        match self.record(call, what, false).await {
            Ok(()) => ToolError::Unknown(why),
            Err(error) => ToolError::Unknown(format!("{why}; that could not be recorded: {error}")),
        }
    }

    /// What a look-up found, on record.
    pub(super) async fn looked(
        &self,
        call: &str,
        what: &str,
        found: Reconciled,
    ) -> Result<Reconciled, Failure> {
        let recorded = match &found {
            Reconciled::Happened(_) => self.record(call, what, true).await,
            Reconciled::Unsure(_) => self.record(call, what, false).await,
            Reconciled::NotHappened(_) => {
                let place = self.services.mailbox.place();
                self.past_calls.remove(&place, &self.input, call).await
            }
        };
        recorded.map(|()| found).map_err(unrecorded)
    }
}

/// What is done could not be put on record.
fn unrecorded(error: StoreError) -> Failure {
    MailError::Unreachable {
        place: "the long-term store".into(),
        why: error.to_string(),
    }
    .failure()
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
            ToolRequest::Send(draft) => {
                let before = self.context.describe_before();
                Some(before + &send::describe(draft, &self.context))
            }
            ToolRequest::Schedule(meeting) => {
                let before = self.context.describe_before();
                Some(before + &schedule::describe(meeting, &self.context.input))
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
                schedule::look_up(meeting, &self.context, ctx.key()).await
            })),
            _ => None,
        }
    }
}

/// What days have. The failure of a calendar is reported, and nothing is made up in its place.
async fn check(services: &Services, days: &[Date]) -> Result<String, ToolError> {
    let (zone, hours) = (&services.zone, &services.settings.working_hours);
    let unknown = |error: MailError| {
        ToolError::Failed(format!(
            "the calendar could not be read, so nothing is known about these days: {error}. Tell \
             the user; offer no times."
        ))
    };
    let mut text = String::new();
    for date in days {
        let day = Day::of(&*services.calendar, *date, &zone.zone, hours).await;
        text.push_str(&day.map_err(unknown)?.describe(zone, hours));
    }
    let unread = services.calendar.unread().await.map_err(unknown)?;
    if !unread.is_empty() {
        text.push_str(&format!(
            "Not all of the calendar could be read, so more time may be taken on any of these days. \
             Tell the user. Left out, {} in all:\n",
            unread.len()
        ));
        for why in unread.iter().take(MOST_UNREAD) {
            text.push_str(&format!("- {}\n", one_line(why, 200)));
        }
    }
    Ok(text)
}
