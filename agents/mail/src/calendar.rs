//! The calendar trait: what a back end for meetings implements.

use jiff::{Timestamp, civil::Date};
use serde::{Deserialize, Serialize};

use crate::{address::Address, error::MailError, mailbox::Later};

/// An event, as its calendar calls it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct EventId(pub String);

/// A stretch of time; its end is not part of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Span {
    /// From here.
    pub start: Timestamp,
    /// To here.
    pub end: Timestamp,
}

/// When an event is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum When {
    /// At these times.
    Times(Span),
    /// On whole days, in whatever zone the reader is; the last one is not part of it.
    Days {
        /// From this day.
        first: Date,
        /// To before this day.
        end: Date,
    },
}

/// Something in a calendar. A recurring event is given as its instances.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    /// The event.
    pub id: EventId,
    /// Its title; empty if the calendar hides it.
    pub title: String,
    /// When it is.
    pub when: When,
    /// Whether its time is free all the same.
    pub is_free: bool,
    /// Who comes.
    pub attendees: Vec<Address>,
}

/// Time that is taken.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Busy {
    /// When.
    pub span: Span,
}

/// An event to make.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewEvent {
    /// Equal on every attempt to make it: lower-case letters `a` to `v` and digits, 5 to 64 of them,
    /// which is what calendars take as an id.
    pub key: String,
    /// The title.
    pub title: String,
    /// When it is.
    pub span: Span,
    /// The zone it is meant in, such as `Europe/Berlin`.
    pub time_zone: String,
    /// Who is invited.
    pub attendees: Vec<Address>,
    /// Who invites.
    pub organizer: Address,
    /// Where it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub location: Option<String>,
    /// What those who come should know.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// A change of an event that is there. It says what the event is to become, so that making it twice makes it once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventChange {
    /// Which event.
    pub id: EventId,
    /// What it becomes.
    pub to: Changed,
}

/// What an event becomes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Changed {
    /// It is at another time.
    Moved {
        /// When.
        span: Span,
        /// The zone it is meant in.
        time_zone: String,
    },
    /// It does not take place.
    Cancelled,
}

/// Whether an event was made before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EventLookup {
    /// It was.
    Made(EventId),
    /// It was not, for certain. That it was not found is not enough, unless it would have been
    /// found had it been made.
    NotMade,
    /// The calendar cannot tell; a person has to look.
    Unsure {
        /// Why it cannot.
        why: String,
    },
}

/// A place where meetings are.
pub trait Calendar: Send + Sync + 'static {
    /// What it is called in errors.
    fn place(&self) -> String;

    /// The zone of whoever owns it, such as `Europe/Berlin`.
    fn time_zone(&self) -> String;

    /// Whether it tells attendees itself that a meeting was made, moved or cancelled.
    fn invites(&self) -> bool {
        false
    }

    /// What is in a stretch of time, recurring events as their instances, by start. All of it, or an
    /// error: whoever asks offers the time that is left.
    fn events(&self, span: Span) -> Later<'_, Result<Vec<Event>, MailError>>;

    /// When the owner has no time, within a stretch of time.
    fn busy(&self, span: Span) -> Later<'_, Result<Vec<Busy>, MailError>>;

    /// What of the calendar cannot be read and is left out of the others, in a few words each.
    /// Whoever offers time must know that there may be more.
    fn unread(&self) -> Later<'_, Result<Vec<String>, MailError>> {
        Box::pin(async { Ok(Vec::new()) })
    }

    /// Makes an event, by one attempt. One with the same key is there once: a second call gives
    /// the first one. [`MailError::Unreachable`] means that it may have been made.
    fn insert<'a>(&'a self, event: &'a NewEvent) -> Later<'a, Result<EventId, MailError>>;

    /// Whether an event was made, for an attempt that broke off. Without more a calendar cannot
    /// tell, and a person is asked.
    fn look_up<'a>(&'a self, event: &'a NewEvent) -> Later<'a, Result<EventLookup, MailError>> {
        let why = format!(
            "{} cannot tell whether {} was made",
            self.place(),
            event.key
        );
        Box::pin(async { Ok(EventLookup::Unsure { why }) })
    }

    /// An event by its id. A cancelled one is missing.
    fn event<'a>(&'a self, _id: &'a EventId) -> Later<'a, Result<Event, MailError>> {
        Box::pin(async { Err(no_changes(self.place())) })
    }

    /// Changes an event, by one attempt.
    /// [`MailError::Unreachable`] means that it may have been changed.
    fn change<'a>(&'a self, _change: &'a EventChange) -> Later<'a, Result<(), MailError>> {
        Box::pin(async { Err(no_changes(self.place())) })
    }

    /// Whether an event was changed, for an attempt that broke off: by what it is now.
    fn look_up_change<'a>(
        &'a self,
        change: &'a EventChange,
    ) -> Later<'a, Result<EventLookup, MailError>> {
        Box::pin(async move {
            let is_made = match (self.event(&change.id).await, &change.to) {
                (Ok(event), Changed::Moved { span, .. }) => event.when == When::Times(*span),
                (Err(MailError::Missing { .. }), Changed::Cancelled) => true,
                (Ok(_), Changed::Cancelled) => false,
                (Err(error), _) => return Err(error),
            };
            Ok(match is_made {
                true => EventLookup::Made(change.id.clone()),
                false => EventLookup::Unsure {
                    why: format!(
                        "{} shows it as it was; the change may show late",
                        self.place()
                    ),
                },
            })
        })
    }
}

/// A calendar that only shows and makes events.
fn no_changes(place: String) -> MailError {
    MailError::Refused {
        place,
        why: "it cannot move or cancel meetings".into(),
    }
}
