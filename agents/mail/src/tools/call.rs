//! A parsed call of one of the assistant's tools: described, made, looked up.

use std::sync::Arc;

use jiff::civil::Date;
use superstep::{
    Failure,
    future::BoxFuture,
    text::Hidden,
    tools::{Access, Lost, ParsedCall, Reconciled, ToolCtx, ToolError, ToolOutput},
};

use super::{
    DraftForm, ToolRequest, attachment, context::CallContext, outcome::OutcomeText, schedule,
    search, send,
};
use crate::{
    EventId, MailError, Span, View, Warning,
    prompt::{gutter, shown},
    services::Services,
    slots::{Day, IdDisplay, Unread},
    view::marked,
};

/// A call whose arguments make sense.
#[derive(Clone)]
pub(crate) struct MailCall {
    pub(crate) request: ToolRequest,
    /// What its tool can do.
    pub(crate) access: Access,
    pub(super) context: Arc<CallContext>,
}

impl MailCall {
    /// What a dry run says in place of making it, or why it could not be made.
    pub(crate) fn preview(&self) -> Result<String, String> {
        match &self.request {
            ToolRequest::Send(draft) => send::preview(draft, &self.context),
            ToolRequest::Schedule(meeting) => Ok(schedule::preview(meeting)),
            ToolRequest::Change(change) => Ok(change.preview()),
            _ => Ok("nothing was done".into()),
        }
    }

    /// The question about it as data, under a heading.
    pub(crate) fn view(&self, title: &str) -> View {
        let mut view = View {
            title: title.to_owned(),
            mail: Some(shown(&self.context.input.mail, &self.context.services.zone)),
            time_zone: Some(self.context.services.zone.name.clone()),
            ..View::default()
        };
        match &self.request {
            ToolRequest::Send(draft) => {
                view.warnings = send::warnings(draft, &self.context);
                view.letter = Some(send::letter(draft, &self.context));
            }
            ToolRequest::Schedule(meeting) => {
                view.warnings = schedule::warnings(meeting, &self.context);
                view.meeting = Some(schedule::invitation(meeting));
            }
            ToolRequest::Change(change) => {
                view.warnings = change.warnings(&self.context);
                view.meeting = Some(change.invitation());
            }
            ToolRequest::Question(content) => {
                view.warnings = self.context.dangers();
                view.text = Some(content.clone());
            }
            _ => {}
        }
        let hidden = Hidden::of(&self.describe().unwrap_or_default());
        if !hidden.is_empty() {
            let text = format!("It holds {hidden}.");
            view.warnings.insert(0, Warning::new(text));
        }
        view
    }

    /// What its question says of other threads, which an answer must have seen; nothing if it changes nothing.
    pub(crate) fn remarks(&self) -> Vec<String> {
        match self.access.capabilities.changes() {
            true => self.context.remarks(),
            false => Vec::new(),
        }
    }

    /// What a person reads above the question about it.
    pub(crate) fn title(&self) -> Option<&'static str> {
        match &self.request {
            ToolRequest::Send(draft) => Some(match draft.form {
                DraftForm::Reply { .. } => "A reply",
                DraftForm::Forward { .. } => "A forward",
                DraftForm::New { .. } => "A new mail",
            }),
            ToolRequest::Schedule(_) => Some("A meeting"),
            ToolRequest::Change(change) => Some(change.title()),
            ToolRequest::Question(_) => Some("A question"),
            _ => None,
        }
    }

    /// The time that it would take in the calendar, and the event that has another time so far.
    pub(crate) fn takes(&self) -> Option<(Span, Option<EventId>)> {
        match &self.request {
            ToolRequest::Schedule(meeting) => Some((meeting.span, None)),
            ToolRequest::Change(change) => {
                Some((change.new_span()?, Some(change.change.id.clone())))
            }
            _ => None,
        }
    }

    /// The title of the meeting that it is about.
    pub(crate) fn meeting_title(&self) -> Option<&str> {
        match &self.request {
            ToolRequest::Schedule(meeting) => Some(&meeting.title),
            ToolRequest::Change(change) => Some(change.meeting_title()),
            _ => None,
        }
    }

    /// The question whether it happened, with its warnings.
    pub(crate) fn outcome(&self, lost: &Lost) -> (OutcomeText, Vec<Warning>) {
        let text = match &self.request {
            ToolRequest::Send(draft) => send::outcome(draft, &self.context, lost),
            ToolRequest::Schedule(meeting) => schedule::outcome(meeting, lost),
            ToolRequest::Change(change) => change.outcome(lost),
            _ => OutcomeText {
                title: "Did this happen?",
                args: serde_json::Value::Null,
                text: format!("{}\n", lost.known()),
            },
        };
        (text, self.context.warnings())
    }
}

impl ParsedCall for MailCall {
    fn describe(&self) -> Option<String> {
        match &self.request {
            ToolRequest::Send(draft) => Some(send::describe(draft, &self.context)),
            ToolRequest::Schedule(meeting) => Some(schedule::describe(meeting, &self.context)),
            ToolRequest::Change(change) => {
                Some(change.describe(&marked(&change.warnings(&self.context))))
            }
            ToolRequest::Question(content) => {
                let marks = marked(&self.context.dangers());
                Some(format!("{marks}{}\n", gutter(content)))
            }
            _ => None,
        }
    }

    fn run(&self, ctx: ToolCtx) -> BoxFuture<'_, Result<ToolOutput, ToolError>> {
        Box::pin(async move {
            let text = match &self.request {
                ToolRequest::Send(draft) => send::run(draft, &self.context, ctx.key()).await?,
                ToolRequest::Schedule(meeting) => {
                    schedule::run(meeting, &self.context, ctx.key()).await?
                }
                ToolRequest::Change(change) => change.run(&self.context, ctx.key()).await?,
                ToolRequest::Check(days) => check(&self.context, days).await?,
                ToolRequest::Search(args) => search::run(args, &self.context).await?,
                ToolRequest::Attachment(name) => attachment::read(name, &self.context).await?,
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
            ToolRequest::Change(change) => Some(Box::pin(async move {
                change.look_up(&self.context, ctx.key()).await
            })),
            _ => None,
        }
    }
}

/// What days have. The failure of a calendar is reported, and nothing is made up in its place.
async fn check(context: &CallContext, days: &[Date]) -> Result<String, ToolError> {
    let services: &Services = &context.services;
    let (zone, hours) = (&services.zone, &services.settings.working_hours);
    let unknown = |error: MailError| {
        ToolError::Failed(format!(
            "the calendar could not be read, so nothing is known about these days: {error}. Tell \
             the user; offer no times."
        ))
    };
    let mut text = String::new();
    let unread = Unread::of(&*services.calendar).await.map_err(unknown)?;
    for date in days {
        let day = Day::with(
            &*services.calendar, *date, &zone.zone, hours, &context.proposed,
        )
        .await;
        text.push_str(
            &day.map_err(unknown)?
                .describe(zone, hours, IdDisplay::Shown, &unread),
        );
    }
    if let Some(warning) = unread.warning() {
        text.push_str(&format!("Tell the user: {warning}\n"));
    }
    Ok(text)
}
