//! A meeting: shown to a person, made once.
//!
//! The key of the event follows from the idempotency key of its call, so it is equal on every attempt
//! and can be looked up when the outcome of an attempt is unknown.

use serde_json::json;
use superstep::{
    Failure,
    tools::{Lost, Reconciled, ToolError},
};

use super::{Meeting, context::CallContext, outcome::OutcomeText};
use crate::{
    EventLookup, Invitation, MailError, NewEvent, Warning, key::key, prompt::gutter, view::marked,
};

/// A meeting as it would be made, below what a person might overlook.
pub(super) fn describe(meeting: &Meeting, context: &CallContext) -> String {
    let mut text = marked(&context.warnings());
    text.push_str(&gutter(&meeting.title));
    text.push_str(&format!("\n{}\n", meeting.describe()));
    for (name, text_of) in [("Place", &meeting.place), ("Note", &meeting.note)] {
        if let Some(written) = text_of {
            text.push_str(&format!("{name}:\n{}\n", gutter(written)));
        }
    }
    for one in &meeting.attendees {
        let stranger = match context.is_known(one) {
            true => String::new(),
            false => format!(" **{STRANGER}**"),
        };
        text.push_str(&format!("- {}{stranger}\n", one.email));
    }
    text
}

/// The remark about an attendee of whom the thread does not know.
pub(crate) const STRANGER: &str = "(not in this thread so far)";

/// What a person might overlook.
pub(super) fn warnings(meeting: &Meeting, context: &CallContext) -> Vec<Warning> {
    let mut all = context.warnings();
    let attendees = meeting.attendees.iter();
    let strangers = attendees.filter(|one| !context.is_known(one));
    all.extend(strangers.map(|one| {
        let text = format!("Not in this thread so far: {}", one.email);
        Warning::about(one, text)
    }));
    all
}

/// The meeting as data.
pub(super) fn invitation(meeting: &Meeting) -> Invitation {
    Invitation {
        title: meeting.title.clone(),
        when: meeting.describe(),
        attendees: meeting.attendees.clone(),
        place: meeting.place.clone(),
        note: meeting.note.clone(),
    }
}

/// The meeting in a few words.
fn what(meeting: &Meeting) -> String {
    format!("`{}` on {}", meeting.title, meeting.describe())
}

fn scheduled(meeting: &Meeting) -> String {
    format!("scheduled {}", what(meeting))
}

pub(super) fn preview(meeting: &Meeting) -> String {
    format!(
        "nothing was scheduled; it would have been {}",
        what(meeting)
    )
}

fn event_key(call: &str) -> String {
    key(&["meet", call])
}

fn event(meeting: &Meeting, context: &CallContext, call: &str) -> NewEvent {
    NewEvent {
        key: event_key(call),
        title: meeting.title.clone(),
        span: meeting.span,
        time_zone: meeting.zone.name.clone(),
        attendees: meeting.attendees.clone(),
        organizer: context.services.mailbox.owner().clone(),
        location: meeting.place.clone(),
        note: meeting.note.clone(),
    }
}

pub(super) async fn run(
    meeting: &Meeting,
    context: &CallContext,
    call: &str,
) -> Result<String, ToolError> {
    let event = event(meeting, context, call);
    let what = scheduled(meeting);
    let is_known = context.begin(call, &what).await?;
    match context.services.calendar.insert(&event).await {
        Ok(_) => context.made(call, what).await,
        Err(error @ MailError::Unreachable { .. }) => {
            Err(context.lost(call, &what, error.to_string()).await)
        }
        Err(error) => {
            context.not_made(call, is_known).await?;
            match error {
                MailError::Busy { .. } | MailError::Auth { .. } => {
                    Err(ToolError::Stopped(error.failure()))
                }
                _ => Err(ToolError::Failed(format!("not scheduled: {error}"))),
            }
        }
    }
}

pub(super) async fn look_up(
    meeting: &Meeting,
    context: &CallContext,
    call: &str,
) -> Result<Reconciled, Failure> {
    let event = event(meeting, context, call);
    let found = match context.services.calendar.look_up(&event).await {
        Ok(EventLookup::Made(_)) => Reconciled::Happened(scheduled(meeting).into()),
        Ok(EventLookup::NotMade) => Reconciled::NotHappened("the calendar does not have it".into()),
        Ok(EventLookup::Unsure { why }) => Reconciled::Unsure(why),
        // A calendar that is out of reach cannot tell, and the question must not wait for it.
        Err(error) => Reconciled::Unsure(error.to_string()),
    };
    context.looked(call, &scheduled(meeting), found).await
}

pub(super) fn outcome(meeting: &Meeting, lost: &Lost) -> OutcomeText {
    OutcomeText {
        title: "Is this meeting in the calendar?",
        args: json!({"key": event_key(&lost.key), "title": meeting.title}),
        text: format!(
            "{}\n\nThe calendar did not confirm it: {}.\n\n\
             accept: it is not there, make it now\n\
             ignore: leave it as it is\n\
             response: leave it, and tell the assistant what you found\n",
            what(meeting),
            lost.known()
        ),
    }
}
