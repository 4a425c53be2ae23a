//! One approved call, made as a task of its own.

use serde_json::Value as Json;
use superstep::{
    Ctx, Input, NodeError, Res, Snap, SpanEnd, SpanError, SpanKind, Value,
    model::{Label, message::ToolStatus},
};

use super::{
    EmailInput, Job, Office, ReplyState, ReplyStateUpdate, meet::meet, respond::result, send::send,
};
use crate::{slots::Day, tools::Wanted};

/// What came of a call.
pub(super) enum Performed {
    /// It worked; this is what the model reads.
    Told(String),
    /// It worked, and others wrote some of what the model reads.
    Shown(String),
    /// It did not happen, or nobody knows.
    Failed(String),
}

pub(super) async fn tool_call(
    Input(job): Input<Job>,
    state: Snap<ReplyState>,
    office: Res<Office>,
    ctx: Ctx,
) -> Result<ReplyStateUpdate, NodeError> {
    let Some(input) = &state.email_input else {
        return Ok(ReplyState::update());
    };
    let call = &job.call;
    let args = || Value::from(Json::Object(call.args.clone()));
    let span = ctx.span(SpanKind::Tool, &call.name, args).await;
    let performed = perform(&ctx, &office, input, &job).await;
    if let Ok(performed) = &performed {
        span.end(|| performed.told()).await;
    }
    let performed = performed?;
    let (text, status) = match &performed {
        Performed::Told(text) | Performed::Shown(text) => (text, ToolStatus::Success),
        Performed::Failed(text) => (text, ToolStatus::Error),
    };
    let message = result(&ctx, 0, &call.id, &call.name, text, status);
    let message = match performed {
        Performed::Shown(_) => message.labelled(Label::Untrusted),
        _ => message,
    };
    Ok(ReplyState::update().messages(vec![message]))
}

impl Performed {
    fn told(&self) -> SpanEnd {
        match self {
            Self::Told(text) | Self::Shown(text) => Value::from(text.as_str()).into(),
            Self::Failed(text) => SpanError::new("failed", text).into(),
        }
    }
}

async fn perform(
    ctx: &Ctx,
    office: &Office,
    input: &EmailInput,
    job: &Job,
) -> Result<Performed, NodeError> {
    let call = &job.call;
    Ok(match office.desk(input).read(&call.name, &call.args) {
        Ok(Wanted::Send(letter)) => send(ctx, office, input, &letter, job).await?,
        Ok(Wanted::Schedule(meeting)) => meet(ctx, office, input, &meeting, job).await?,
        Ok(Wanted::Check(days)) => check(office, &days).await,
        Ok(Wanted::Question(_) | Wanted::Done) => Performed::Failed("nothing to be done".into()),
        Err(why) => Performed::Failed(why),
    })
}

/// What days have. A calendar that fails is told, and nothing is made up in its place.
async fn check(office: &Office, days: &[jiff::civil::Date]) -> Performed {
    let (zone, hours) = (&office.zone, &office.settings.working_hours);
    let mut text = String::new();
    for date in days {
        match Day::of(&*office.calendar, *date, &zone.zone, hours).await {
            Ok(day) => text.push_str(&day.told(zone, hours)),
            Err(error) => {
                let why = format!(
                    "the calendar could not be read, so nothing is known about these days: {error}. \
                     Tell the user; offer no times."
                );
                return Performed::Failed(why);
            }
        }
    }
    Performed::Shown(text)
}
