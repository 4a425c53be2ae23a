//! An approved meeting, made once: its key is equal on every attempt, and calendars honour it.

use serde::{Deserialize, Serialize};
use serde_json::json;
use superstep::{Ctx, EffectError, NodeError};

use super::{
    Office, failed,
    perform::Performed,
    send::{settled, unknown},
};
use crate::{MailError, NewEvent, inbox::Act, key::key, tools::Meeting};

/// How often it is tried before a person is asked.
const ATTEMPTS: u32 = 3;

/// How an attempt ended, as it is journaled.
#[derive(Serialize, Deserialize)]
enum Tried {
    Made,
    NotMade(String),
    Unknown(String),
}

pub(super) async fn meet(
    ctx: &Ctx,
    office: &Office,
    meeting: &Meeting,
) -> Result<Performed, NodeError> {
    let event = NewEvent {
        key: key(&["meet", &ctx.key("meet")]),
        title: meeting.title.clone(),
        span: meeting.span,
        time_zone: meeting.zone.name.clone(),
        attendees: meeting.attendees.clone(),
        organizer: office.mailbox.owner().clone(),
    };
    let what = format!("`{}` on {}", event.title, meeting.told());
    if office.settings.dry_run {
        let text = format!("dry run: nothing was scheduled; it would have been {what}");
        return Ok(Performed::Told(text));
    }
    let (mut attempt, mut tries) = (0, 0);
    loop {
        let why = match tried(ctx, office, &event, attempt).await? {
            Tried::Made => return Ok(Performed::Told(format!("scheduled {what}"))),
            Tried::NotMade(why) => return Ok(Performed::Failed(format!("not scheduled: {why}"))),
            Tried::Unknown(why) => why,
        };
        (attempt, tries) = (attempt + 1, tries + 1);
        if tries < ATTEMPTS {
            continue;
        }
        let description = format!(
            "# Is this meeting in the calendar?\n\n{what}\n\nThe calendar did not confirm it: \
             {why}.\n\n\
             accept: try again; it cannot be made twice\n\
             ignore: leave it as it is\n\
             response: leave it, and tell the assistant what you found\n"
        );
        let args = json!({"key": event.key, "title": event.title});
        match unknown(
            ctx,
            "schedule_meeting_tool: outcome unknown",
            args,
            description,
        )? {
            Act::Accept => tries = 0,
            act => return Ok(settled(&act)),
        }
    }
}

async fn tried(
    ctx: &Ctx,
    office: &Office,
    event: &NewEvent,
    attempt: u32,
) -> Result<Tried, NodeError> {
    let insert = |_| async {
        match office.calendar.insert(event).await {
            Ok(_) => Ok(Tried::Made),
            Err(error @ MailError::Unreachable { .. }) => Ok(Tried::Unknown(error.to_string())),
            Err(error @ (MailError::Busy { .. } | MailError::Auth { .. })) => {
                Err(EffectError::not_done(failed(&error)))
            }
            Err(error) => Ok(Tried::NotMade(error.to_string())),
        }
    };
    ctx.once_by_key(&format!("insert {attempt}"), insert).await
}
