//! An approved meeting, made once, as a reply is sent once.
//!
//! Its key is equal on every attempt, so it can be looked up when an attempt broke off. One that was
//! handed over and is not found is asked about, never made again silently.
//!
//! An attempt is made only if the meeting was approved for real and the run is for real (`again`). An
//! attempt that broke off is therefore not repeated under its own number: what is journaled of the
//! next one says in which mode it was.

use serde::{Deserialize, Serialize};
use serde_json::json;
use superstep::{Ctx, EffectError, NodeError};

use super::{
    EmailInput, Job, Office,
    again::{Permitted, asked_again, declined, described, permitted},
    decide::proposal,
    failed, is_unknown,
    perform::Performed,
    send::{settled, unknown},
};
use crate::{EventLookup, MailError, Mode, NewEvent, inbox::Act, key::key, tools::Meeting};

/// How often it is tried at once when the calendar is certain that it has not got it.
const ATTEMPTS: u32 = 3;

/// How an attempt ended, as it is journaled.
#[derive(Serialize, Deserialize)]
enum Tried {
    Made,
    NotMade(String),
    Unknown(String),
    /// Approved in a dry run, which this was.
    Dry,
    /// Approved in another mode than that of the run, which is this one.
    Withheld(Mode),
    /// The process ended; never journaled, because nobody was there to do it.
    Interrupted,
}

/// What the calendar says about an attempt that broke off, as it is journaled.
#[derive(Serialize, Deserialize)]
enum Found {
    Made,
    NotMade,
    Unsure(String),
}

pub(super) async fn meet(
    ctx: &Ctx,
    office: &Office,
    input: &EmailInput,
    meeting: &Meeting,
    job: &Job,
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
    let (mut attempt, mut tries) = (0, 0);
    let mut approved = job.mode;
    let mut doubt: Option<String> = None;
    loop {
        let (why, is_handed_over) = match tried(ctx, office, &event, attempt, approved).await? {
            Tried::Made => return Ok(Performed::Told(format!("scheduled {what}"))),
            Tried::NotMade(why) => return Ok(Performed::Failed(format!("not scheduled: {why}"))),
            Tried::Dry => {
                let what = format!("nothing was scheduled; it would have been {what}");
                return Ok(described(&what, doubt.as_deref()));
            }
            Tried::Withheld(run) => {
                let about = proposal(meeting, input);
                let decision = asked_again(ctx, &job.call, run, &about, doubt.as_deref())?;
                let Act::Accept = decision.act else {
                    return Ok(declined(&decision.act, doubt.as_deref()));
                };
                (approved, attempt, tries) = (decision.mode, attempt + 1, 0);
                continue;
            }
            Tried::Unknown(why) => (why, true),
            Tried::Interrupted => {
                let why = "the process ended while the meeting was being made";
                (why.to_owned(), false)
            }
        };
        let unsure = match found(ctx, office, &event, &format!("look {attempt}")).await? {
            Found::Made => return Ok(Performed::Told(format!("scheduled {what}"))),
            // It never came as far as the calendar, which is certain of it.
            Found::NotMade if !is_handed_over && tries + 1 < ATTEMPTS => {
                (attempt, tries) = (attempt + 1, tries + 1);
                continue;
            }
            Found::NotMade => "the calendar does not have it".to_owned(),
            Found::Unsure(unsure) => unsure,
        };
        let description = format!(
            "# Is this meeting in the calendar?\n\n{what}\n\nThe calendar did not confirm it: \
             {why}. {unsure}.\n\n\
             accept: it is not there, make it now\n\
             ignore: leave it as it is\n\
             response: leave it, and tell the assistant what you found\n"
        );
        let args = json!({"key": event.key, "title": event.title});
        let decision = unknown(
            ctx,
            "schedule_meeting_tool: outcome unknown",
            args,
            description,
            approved,
        )?;
        let Act::Accept = decision.act else {
            return Ok(settled(&decision.act));
        };
        // It may have shown up while the question was open.
        if let Found::Made = found(ctx, office, &event, &format!("look again {attempt}")).await? {
            return Ok(Performed::Told(format!("scheduled {what}")));
        }
        (approved, attempt, tries) = (decision.mode, attempt + 1, 0);
        doubt = Some(format!("{why}. {unsure}"));
    }
}

async fn tried(
    ctx: &Ctx,
    office: &Office,
    event: &NewEvent,
    attempt: u32,
    approved: Mode,
) -> Result<Tried, NodeError> {
    let run = office.settings.mode();
    let insert = || async {
        match permitted(approved, run) {
            Permitted::Make => {}
            Permitted::Describe => return Ok(Tried::Dry),
            Permitted::Nothing => return Ok(Tried::Withheld(run)),
        }
        match office.calendar.insert(event).await {
            Ok(_) => Ok(Tried::Made),
            Err(error @ MailError::Unreachable { .. }) => Ok(Tried::Unknown(error.to_string())),
            Err(error @ (MailError::Busy { .. } | MailError::Auth { .. })) => {
                Err(EffectError::not_done(failed(&error)))
            }
            Err(error) => Ok(Tried::NotMade(error.to_string())),
        }
    };
    match ctx.once(&format!("insert {attempt}"), insert).await {
        Err(error) if is_unknown(&error) => Ok(Tried::Interrupted),
        tried => tried,
    }
}

async fn found(
    ctx: &Ctx,
    office: &Office,
    event: &NewEvent,
    key: &str,
) -> Result<Found, NodeError> {
    let look = |_| async {
        match office.calendar.look_up(event).await {
            Ok(EventLookup::Made(_)) => Ok(Found::Made),
            Ok(EventLookup::NotMade) => Ok(Found::NotMade),
            Ok(EventLookup::Unsure { why }) => Ok(Found::Unsure(why)),
            // A calendar that is out of reach cannot tell, and the question must not wait for it.
            Err(error) => Ok(Found::Unsure(error.to_string())),
        }
    };
    // As for a reply: looking is harmless, and its result stays.
    ctx.once_by_key(key, look).await
}
