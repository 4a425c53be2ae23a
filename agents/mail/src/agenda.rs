//! The day of a proposed meeting: what is in the calendar then, and what it conflicts with.

use superstep::{Ctx, store::StoreError};

use crate::{
    Event, EventId, MailError, Span, When,
    proposals::Proposals,
    services::Services,
    slots::{Day, IdDisplay, Unread, times},
    tools::MailCall,
};

/// The day of a proposed meeting.
pub(crate) struct Agenda {
    /// What else is at the time of the meeting, a line each.
    pub(crate) conflicts: Vec<String>,
    /// The warning that not all of the calendar could be read.
    pub(crate) unread: Option<String>,
    /// The day in words; why nothing is known of it, if the calendar cannot be read.
    pub(crate) day: Result<String, String>,
}

impl Agenda {
    /// The day of the meeting that a call of a thread would make or move; nothing if it does neither.
    pub(crate) async fn of(
        call: &MailCall,
        services: &Services,
        proposals: &Proposals,
        thread: &str,
    ) -> Result<Option<Self>, StoreError> {
        let Some((span, moved)) = call.takes() else {
            return Ok(None);
        };
        let mut proposed = proposals.others(thread).await?;
        // A copy of a thread proposes what the thread proposes that it was made of.
        let title = call.meeting_title().unwrap_or_default();
        let is_own = |it: &Event| it.when == When::Times(span) && it.title.starts_with(title);
        proposed.retain(|it| !is_own(it));
        let (zone, hours) = (&services.zone, &services.settings.working_hours);
        let date = span.start.to_zoned(zone.zone.clone()).date();
        let calendar = &*services.calendar;
        let looked = async {
            let day = Day::with(calendar, date, &zone.zone, hours, &proposed).await?;
            Ok((day, Unread::of(calendar).await?))
        };
        Ok(Some(match looked.await {
            Ok((day, unread)) => Self {
                conflicts: conflicts(&day, span, moved.as_ref(), services),
                day: Ok(day.describe(zone, hours, IdDisplay::Left, &unread)),
                unread: unread.warning(),
            },
            Err(error) => Self {
                conflicts: Vec::new(),
                unread: None,
                day: Err(unknown(&error)),
            },
        }))
    }

    /// The conflicts that were not there when the question was asked.
    pub(crate) fn news(&self, known: &[String]) -> Vec<String> {
        let is_new = |one: &&String| !known.contains(one);
        self.conflicts.iter().filter(is_new).cloned().collect()
    }
}

/// The name of the thread of a run.
pub(crate) fn thread(ctx: &Ctx) -> String {
    ctx.thread().map(ToString::to_string).unwrap_or_default()
}

fn unknown(error: &MailError) -> String {
    format!("The calendar could not be read, so conflicts are not known: {error}")
}

fn conflicts(day: &Day, span: Span, moved: Option<&EventId>, services: &Services) -> Vec<String> {
    let zone = &services.zone.zone;
    let clock = |at: jiff::Timestamp| at.to_zoned(zone.clone()).strftime("%H:%M").to_string();
    let events = day.events.iter().filter(|event| !event.is_free);
    let events = events.filter(|event| Some(&event.id) != moved);
    let taken = events.filter_map(|event| Some((event, times(event, zone)?)));
    let taken = taken.filter(|(_, its)| its.start < span.end && its.end > span.start);
    taken
        .map(|(event, its)| {
            let when = match &event.when {
                When::Days { .. } => "all day".to_owned(),
                When::Times(_) => format!("{} to {}", clock(its.start), clock(its.end)),
            };
            let title = crate::parse::one_line(&event.title, 200);
            format!(
                "{when}: {}",
                if title.is_empty() {
                    "(no title)"
                } else {
                    &title
                }
            )
        })
        .collect()
}
