//! Times that the calendar has free for a meeting somebody asks for.

use jiff::{SignedDuration, Timestamp, ToSpan as _, civil::Date};

use super::form::{DayPart, Wanted};
use crate::{MailError, Span, services::Services, slots::Day};

/// How many times are proposed in all, and of one day.
const MOST: usize = 3;
const MOST_A_DAY: usize = 2;

/// How many days are looked at if the mail names none.
const AHEAD: i64 = 14;

/// Free times of the length that is wanted, the earliest first; and what of the calendar could not be read.
pub(crate) async fn times(
    wanted: &Wanted,
    services: &Services,
    now: Timestamp,
) -> Result<(Vec<Span>, usize), MailError> {
    let (zone, hours) = (&services.zone.zone, &services.settings.working_hours);
    let today = now.to_zoned(zone.clone()).date();
    let ahead = (1..=AHEAD).filter_map(|days| today.checked_add(days.days()).ok());
    let days: Vec<Date> = match wanted.days.is_empty() {
        true => ahead.collect(),
        false => wanted.days.clone(),
    };
    let per_day = if days.len() > 1 { MOST_A_DAY } else { MOST };
    let mut found = Vec::new();
    for date in days {
        if found.len() >= MOST {
            break;
        }
        let day = Day::of(&*services.calendar, date, zone, hours).await?;
        let noon = zone.to_timestamp(date.at(12, 0, 0, 0)).ok();
        let of_day = day
            .free
            .iter()
            .filter_map(|free| fitting(*free, wanted, noon, now));
        found.extend(of_day.take(per_day));
    }
    found.truncate(MOST);
    let unread = services.calendar.unread().await?;
    Ok((found, unread.len()))
}

/// The first time of that length in a free stretch, at a quarter of an hour.
fn fitting(free: Span, wanted: &Wanted, noon: Option<Timestamp>, now: Timestamp) -> Option<Span> {
    let (from, until) = match (wanted.part, noon) {
        (DayPart::Morning, Some(noon)) => (free.start, free.end.min(noon)),
        (DayPart::Afternoon, Some(noon)) => (free.start.max(noon), free.end),
        _ => (free.start, free.end),
    };
    let from = from.max(now).as_second();
    let quarter = 15 * 60;
    let start = from.checked_add(quarter - 1)?.div_euclid(quarter) * quarter;
    let start = Timestamp::from_second(start).ok()?;
    let end = start
        .checked_add(SignedDuration::from_mins(i64::from(wanted.minutes)))
        .ok()?;
    (end <= until).then_some(Span { start, end })
}

/// A time as people write it: `Tuesday 17 November, 10:00 to 10:30`.
pub(crate) fn written(span: Span, services: &Services) -> String {
    let at = |at: Timestamp| at.to_zoned(services.zone.zone.clone());
    format!(
        "{} to {}",
        at(span.start).strftime("%A %-d %B, %H:%M"),
        at(span.end).strftime("%H:%M")
    )
}
