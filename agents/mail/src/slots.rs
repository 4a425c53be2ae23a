//! Free slots of a day: its meetings, and the free time in working hours, in the owner's zone.
//!
//! A day is from midnight to midnight there, so it has 23 or 25 hours when the clocks change. A
//! calendar that fails is an error; a day is never called free because nobody answered.

use jiff::{Timestamp, ToSpan, civil::Date, tz::TimeZone};

use crate::{
    Calendar, Event, MailError, Span, When,
    parse::one_line,
    settings::{WorkingHours, Zone},
};

/// What a day has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Day {
    /// The day.
    pub date: Date,
    /// What is on that day, by start.
    pub events: Vec<Event>,
    /// Working hours that nothing takes.
    pub free: Vec<Span>,
}

impl Day {
    /// Looks at a day of a calendar.
    pub async fn of(
        calendar: &dyn Calendar,
        date: Date,
        zone: &TimeZone,
        hours: &WorkingHours,
    ) -> Result<Self, MailError> {
        Self::with(calendar, date, zone, hours, &[]).await
    }

    /// The same with events that are not in the calendar yet.
    pub(crate) async fn with(
        calendar: &dyn Calendar,
        date: Date,
        zone: &TimeZone,
        hours: &WorkingHours,
        proposed: &[Event],
    ) -> Result<Self, MailError> {
        let span = whole(date, zone).ok_or_else(|| MailError::Refused {
            place: calendar.place(),
            why: format!("{date} is out of range"),
        })?;
        let mut events = calendar.events(span).await?;
        let is_here = |event: &&Event| {
            times(event, zone).is_some_and(|it| it.start < span.end && it.end > span.start)
        };
        events.extend(proposed.iter().filter(is_here).cloned());
        let mut taken: Vec<Span> = calendar
            .busy(span)
            .await?
            .iter()
            .map(|it| it.span)
            .collect();
        taken.extend(
            events
                .iter()
                .filter(|it| !it.is_free)
                .filter_map(|it| times(it, zone)),
        );
        let free = match hours.days.contains(&date.weekday()) {
            true => free(date, zone, hours, &taken),
            false => Vec::new(),
        };
        events.sort_by_key(|event| times(event, zone).map(|span| span.start));
        Ok(Self { date, events, free })
    }

    /// The day in words that models and people read. Where not all of the calendar could be read, no time is called
    /// free.
    pub(crate) fn describe(
        &self,
        zone: &Zone,
        hours: &WorkingHours,
        ids: IdDisplay,
        unread: &Unread,
    ) -> String {
        let clock = |at: Timestamp| at.to_zoned(zone.zone.clone());
        let mut text = format!("{} ({}):\n", self.date.strftime("%A %d-%m-%Y"), zone.name);
        if self.events.is_empty() {
            text.push_str(match unread.0.is_empty() {
                true => "- nothing is in the calendar\n",
                false => "- nothing is in what could be read of the calendar\n",
            });
        }
        for event in &self.events {
            let when = match &event.when {
                When::Days { .. } => "all day".to_owned(),
                When::Times(span) => {
                    let (start, end) = (clock(span.start), clock(span.end));
                    let day = |at: &jiff::Zoned| match at.date() == self.date {
                        true => at.strftime("%H:%M").to_string(),
                        false => at.strftime("%d-%m-%Y %H:%M").to_string(),
                    };
                    format!("{} to {}", day(&start), day(&end))
                }
            };
            let title = match event.title.is_empty() {
                true => "(no title)".to_owned(),
                false => one_line(&event.title, 200),
            };
            let free = if event.is_free {
                " (does not take time)"
            } else {
                ""
            };
            let id = match ids {
                IdDisplay::Shown => format!(" [id: {}]", one_line(&event.id.0, 1_024)),
                IdDisplay::Left => String::new(),
            };
            text.push_str(&format!("- {when}: {title}{free}{id}\n"));
        }
        let slots: Vec<String> = self
            .free
            .iter()
            .map(|span| {
                let (start, end) = (clock(span.start), clock(span.end));
                format!("{} to {}", start.strftime("%H:%M"), end.strftime("%H:%M"))
            })
            .collect();
        text.push_str(
            &match (hours.days.contains(&self.date.weekday()), slots.is_empty()) {
                (false, _) => "free: not a working day\n".to_owned(),
                (true, true) => "free: nothing in working hours\n".to_owned(),
                (true, false) if unread.0.is_empty() => format!("free: {}\n", slots.join(", ")),
                (true, false) => format!("not taken by what could be read: {}\n", slots.join(", ")),
            },
        );
        text
    }
}

/// The parts of a calendar that cannot be read, in a few words each.
pub(crate) struct Unread(Vec<String>);

/// How many parts of a calendar that cannot be read are named.
const MOST_UNREAD: usize = 5;

impl Unread {
    pub(crate) async fn of(calendar: &dyn Calendar) -> Result<Self, MailError> {
        calendar.unread().await.map(Self)
    }

    /// The warning that more time may be taken; nothing if all of it was read.
    pub(crate) fn warning(&self) -> Option<String> {
        let named: Vec<String> = self
            .0
            .iter()
            .take(MOST_UNREAD)
            .map(|why| one_line(why, 200))
            .collect();
        (!named.is_empty()).then(|| {
            format!(
                "Not all of the calendar could be read, so more time may be taken. Left out, {} in all: {}",
                self.0.len(),
                named.join("; ")
            )
        })
    }
}

/// Whether the ids of events are told: a model needs them to change one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IdDisplay {
    Shown,
    Left,
}

/// A day of a zone, from midnight to midnight.
fn whole(date: Date, zone: &TimeZone) -> Option<Span> {
    let midnight = |day: Date| Some(day.to_zoned(zone.clone()).ok()?.timestamp());
    Some(Span {
        start: midnight(date)?,
        end: midnight(date.checked_add(1.day()).ok()?)?,
    })
}

/// When an event is, as a stretch of time of somebody in that zone.
pub(crate) fn times(event: &Event, zone: &TimeZone) -> Option<Span> {
    match &event.when {
        When::Times(span) => Some(*span),
        When::Days { first, end } => Some(Span {
            start: whole(*first, zone)?.start,
            end: whole(*end, zone)?.start,
        }),
    }
}

/// The parts of the working hours that nothing takes, a quarter of an hour or longer.
fn free(date: Date, zone: &TimeZone, hours: &WorkingHours, taken: &[Span]) -> Vec<Span> {
    let at = |time| zone.to_timestamp(date.to_datetime(time)).ok();
    let (Some(mut from), Some(until)) = (at(hours.start), at(hours.end)) else {
        return Vec::new();
    };
    let mut taken: Vec<&Span> = taken.iter().filter(|span| span.end > span.start).collect();
    taken.sort_by_key(|span| span.start);
    let mut slots = Vec::new();
    let long_enough = |span: &Span| span.end.as_second() - span.start.as_second() >= 15 * 60;
    for span in taken {
        let gap = Span {
            start: from,
            end: span.start.min(until),
        };
        slots.extend(Some(gap).filter(long_enough));
        from = from.max(span.end);
    }
    let rest = Span {
        start: from,
        end: until,
    };
    slots.extend(Some(rest).filter(long_enough));
    slots
}
