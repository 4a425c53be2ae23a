//! The instances of recurring events, at the same time of the day in the zone they are meant in, whatever the clocks do.

use jiff::{Span, Timestamp, Zoned, civil::Date, tz::TimeZone};
use serde_json::{Value as Json, json};
use superstep_recur::{Moment, Rule};

/// The most instances of one event.
const MOST: usize = 1000;

/// When an event begins and ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Times {
    pub(crate) start: Timestamp,
    pub(crate) end: Timestamp,
}

/// The times of an event; those of whole days in the zone of the calendar.
pub(crate) fn times(event: &Json, zone: &TimeZone) -> Option<Times> {
    let start = point(event.get("start")?, zone)?.timestamp();
    let end = point(event.get("end")?, zone)?.timestamp();
    Some(Times { start, end })
}

/// The instances of an event that begin before a time; one that does not recur is its own.
pub(crate) fn instances(event: &Json, zone: &TimeZone, before: Timestamp) -> Vec<Json> {
    let rule = event.pointer("/recurrence/0").and_then(Json::as_str);
    let rule = rule.and_then(|rule| rule.strip_prefix("RRULE:"));
    match rule.and_then(|rule| Rule::read(rule, zone).ok()) {
        Some(rule) => repeated(event, &rule, zone, before).unwrap_or_default(),
        None => vec![event.clone()],
    }
}

/// The instances that a rule gives.
fn repeated(event: &Json, rule: &Rule, zone: &TimeZone, before: Timestamp) -> Option<Vec<Json>> {
    let start = point(event.get("start")?, zone)?;
    let end = point(event.get("end")?, zone)?;
    let id = event.get("id")?.as_str()?;
    let in_zone = start.time_zone().clone();
    let (first, shown): (_, fn(&Zoned) -> Json) = match event.pointer("/start/date") {
        Some(_) => (Moment::Day(start.date()), day),
        None => (Moment::At(start.datetime(), in_zone.clone()), time),
    };
    let last = before.to_zoned(in_zone).datetime();
    let mut found = Vec::new();
    for at in rule
        .times(&first, first.civil(), last, zone)
        .into_iter()
        .take(MOST)
    {
        // Days are added on the calendar, so that nine o'clock stays nine o'clock.
        let step = Span::new().days(start.date().until(at.date()).ok()?.get_days());
        let (start, end) = (start.checked_add(step).ok()?, end.checked_add(step).ok()?);
        if start.timestamp() >= before {
            break;
        }
        let mut instance = event.clone();
        let Json::Object(fields) = &mut instance else {
            return None;
        };
        let stamp = start.timestamp().strftime("%Y%m%dT%H%M%SZ").to_string();
        fields.shift_remove("recurrence");
        fields.insert("id".into(), format!("{id}_{stamp}").into());
        fields.insert("recurringEventId".into(), id.into());
        fields.insert("start".into(), shown(&start));
        fields.insert("end".into(), shown(&end));
        found.push(instance);
    }
    Some(found)
}

fn point(value: &Json, zone: &TimeZone) -> Option<Zoned> {
    if let Some(day) = value.get("date").and_then(Json::as_str) {
        return day.parse::<Date>().ok()?.to_zoned(zone.clone()).ok();
    }
    let text = value.get("dateTime").and_then(Json::as_str)?;
    let named = value.get("timeZone").and_then(Json::as_str);
    let zone = match named {
        Some(name) => TimeZone::get(name).ok()?,
        None => zone.clone(),
    };
    if let Ok(instant) = text.parse::<Timestamp>() {
        return Some(instant.to_zoned(zone));
    }
    let civil: jiff::civil::DateTime = text.parse().ok()?;
    civil.to_zoned(zone).ok()
}

fn day(at: &Zoned) -> Json {
    json!({"date": at.date().to_string()})
}

fn time(at: &Zoned) -> Json {
    let zone = at.time_zone().iana_name();
    let local = at.strftime("%Y-%m-%dT%H:%M:%S%:z").to_string();
    json!({"dateTime": local, "timeZone": zone})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_weekly_event_keeps_its_hour_when_the_clocks_change() {
        let event = json!({
            "id": "w", "recurrence": ["RRULE:FREQ=WEEKLY;COUNT=2"],
            "start": {"dateTime": "2026-03-23T09:00:00", "timeZone": "Europe/Berlin"},
            "end": {"dateTime": "2026-03-23T10:00:00", "timeZone": "Europe/Berlin"},
        });
        let before = "2027-01-01T00:00:00Z".parse().unwrap_or_default();
        let starts: Vec<String> = instances(&event, &TimeZone::UTC, before)
            .iter()
            .filter_map(|it| it.pointer("/start/dateTime")?.as_str().map(str::to_owned))
            .collect();
        assert_eq!(
            starts,
            ["2026-03-23T09:00:00+01:00", "2026-03-30T09:00:00+02:00"]
        );
    }
}
