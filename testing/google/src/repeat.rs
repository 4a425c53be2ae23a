//! The instances of recurring events: daily and weekly ones, at the same time of the day in the
//! zone they are meant in, whatever the clocks do.

use jiff::{Span, Timestamp, Zoned, civil::Date, tz::TimeZone};
use serde_json::{Value as Json, json};

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
    let Some(rule) = rule.and_then(Rule::read) else {
        return vec![event.clone()];
    };
    rule.instances(event, zone, before).unwrap_or_default()
}

struct Rule {
    days: i64,
    count: usize,
    until: Option<Timestamp>,
}

impl Rule {
    fn read(text: &str) -> Option<Self> {
        let mut rule = Self {
            days: 0,
            count: MOST,
            until: None,
        };
        let mut interval = 1;
        for field in text.strip_prefix("RRULE:")?.split(';') {
            match field.split_once('=')? {
                ("FREQ", "DAILY") => rule.days = 1,
                ("FREQ", "WEEKLY") => rule.days = 7,
                ("INTERVAL", value) => interval = value.parse().ok()?,
                ("COUNT", value) => rule.count = value.parse::<usize>().ok()?.min(MOST),
                ("UNTIL", value) => rule.until = Some(until(value)?),
                _ => return None,
            }
        }
        rule.days *= interval;
        (rule.days > 0).then_some(rule)
    }

    fn instances(&self, event: &Json, zone: &TimeZone, before: Timestamp) -> Option<Vec<Json>> {
        let start = point(event.get("start")?, zone)?;
        let end = point(event.get("end")?, zone)?;
        let id = event.get("id")?.as_str()?;
        let shown = match event.pointer("/start/date") {
            Some(_) => day,
            None => time,
        };
        let mut found = Vec::new();
        for number in 0..self.count {
            let step = Span::new().days(self.days.checked_mul(i64::try_from(number).ok()?)?);
            // Days are added on the calendar, so that nine o'clock stays nine o'clock.
            let (start, end) = (start.checked_add(step).ok()?, end.checked_add(step).ok()?);
            let is_over = self.until.is_some_and(|until| start.timestamp() > until);
            if is_over || start.timestamp() >= before {
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

fn until(text: &str) -> Option<Timestamp> {
    let civil = jiff::civil::DateTime::strptime("%Y%m%dT%H%M%SZ", text).ok()?;
    Some(civil.to_zoned(TimeZone::UTC).ok()?.timestamp())
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
