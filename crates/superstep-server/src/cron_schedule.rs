//! Schedules in the form of cron: minute, hour, day of the month, month and day of the week.
//!
//! If both days are restricted, either of them is enough, as in cron. Times are those of a time zone: one
//! that a clock jumps over is skipped, one that it shows twice is taken once.

use jiff::{Timestamp, ToSpan as _, Zoned, civil::Date, tz::TimeZone};

/// How many days ahead a schedule is looked for; one that has none is never due: 30 February.
const AHEAD: i64 = 366 * 8;

const MONTHS: &[&str] = &[
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
];
const DAYS: &[&str] = &["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

/// A schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Schedule {
    minutes: u64,
    hours: u64,
    days: u64,
    months: u64,
    weekdays: u64,
    /// Whether a day of the month, or of the week, is restricted.
    by_day: bool,
    by_weekday: bool,
}

impl Schedule {
    /// Reads five fields; what is wrong with them otherwise.
    pub(crate) fn read(text: &str) -> Result<Self, String> {
        let text = match text.trim() {
            "@yearly" | "@annually" => "0 0 1 1 *",
            "@monthly" => "0 0 1 * *",
            "@weekly" => "0 0 * * 0",
            "@daily" | "@midnight" => "0 0 * * *",
            "@hourly" => "0 * * * *",
            text => text,
        };
        let fields: Vec<&str> = text.split_ascii_whitespace().collect();
        let [minute, hour, day, month, weekday] = fields.as_slice() else {
            return Err(
                "it must have five fields: minute hour day_of_month month day_of_week".into(),
            );
        };
        let weekdays = field(weekday, 0, 7, DAYS, 0)?;
        Ok(Self {
            minutes: field(minute, 0, 59, &[], 0)?,
            hours: field(hour, 0, 23, &[], 0)?,
            days: field(day, 1, 31, &[], 0)?,
            months: field(month, 1, 12, MONTHS, 1)?,
            // Sunday goes by 0 and by 7.
            weekdays: weekdays | (weekdays >> 7 & 1),
            by_day: !day.starts_with('*'),
            by_weekday: !weekday.starts_with('*'),
        })
    }

    /// The first time after another one.
    pub(crate) fn next(&self, after: Timestamp, zone: &TimeZone) -> Option<Timestamp> {
        let start = Zoned::new(after, zone.clone());
        let mut date = start.date();
        for _ in 0..AHEAD {
            if self.has_date(date) {
                let times = (0..24_i8).filter(|hour| has(self.hours, i64::from(*hour)));
                for hour in times {
                    for minute in (0..60_i8).filter(|minute| has(self.minutes, i64::from(*minute)))
                    {
                        let Ok(time) = date.at(hour, minute, 0, 0).to_zoned(zone.clone()) else {
                            continue;
                        };
                        let is_shown = time.hour() == hour && time.minute() == minute;
                        if is_shown && time.timestamp() > after {
                            return Some(time.timestamp());
                        }
                    }
                }
            }
            date = date.checked_add(1.day()).ok()?;
        }
        None
    }

    fn has_date(&self, date: Date) -> bool {
        let weekday = i64::from(date.weekday().to_sunday_zero_offset());
        let is_day = has(self.days, i64::from(date.day()));
        let is_weekday = has(self.weekdays, weekday);
        let is_due = match (self.by_day, self.by_weekday) {
            (true, true) => is_day || is_weekday,
            _ => is_day && is_weekday,
        };
        is_due && has(self.months, i64::from(date.month()))
    }
}

fn has(set: u64, n: i64) -> bool {
    u32::try_from(n).is_ok_and(|n| n < 64 && set >> n & 1 == 1)
}

/// The numbers of a field: a list of numbers, ranges and steps.
fn field(text: &str, least: u32, most: u32, names: &[&str], offset: u32) -> Result<u64, String> {
    let number = |text: &str| {
        let lower = text.to_ascii_lowercase();
        let named = names.iter().position(|name| *name == lower);
        let named = named
            .and_then(|n| u32::try_from(n).ok())
            .map(|n| n + offset);
        let found = named.or_else(|| text.parse().ok());
        let found = found.filter(|n| (least..=most).contains(n));
        found.ok_or_else(|| format!("`{text}` is not {least} to {most}"))
    };
    let mut set = 0;
    for part in text.split(',') {
        let (range, step) = match part.split_once('/') {
            Some((range, step)) => {
                let step = step.parse::<u32>().ok().filter(|step| *step > 0);
                (
                    range,
                    Some(step.ok_or_else(|| format!("`{part}`: the step must be from 1"))?),
                )
            }
            None => (part, None),
        };
        let (first, last) = match range.split_once('-') {
            _ if range == "*" => (least, most),
            Some((first, last)) => (number(first)?, number(last)?),
            None if step.is_some() => (number(range)?, most),
            None => (number(range)?, number(range)?),
        };
        if first > last {
            return Err(format!("`{part}` ends before it begins"));
        }
        let step = usize::try_from(step.unwrap_or(1)).unwrap_or(1);
        set |= (first..=last).step_by(step).fold(0, |set, n| set | 1 << n);
    }
    Ok(set)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn next(schedule: &str, after: &str, zone: &str) -> String {
        let found = Schedule::read(schedule)
            .ok()
            .zip(after.parse().ok())
            .zip(TimeZone::get(zone).ok())
            .and_then(|((schedule, after), zone)| schedule.next(after, &zone));
        found.map(|found| found.to_string()).unwrap_or_default()
    }

    #[test]
    fn the_next_time_is_after_the_given_one() {
        for (schedule, after, expected) in [
            ("* * * * *", "2026-11-15T00:23:53Z", "2026-11-15T00:24:00Z"),
            (
                "*/5 * * * *",
                "2026-11-15T00:25:00Z",
                "2026-11-15T00:30:00Z",
            ),
            ("0 9 * * 1", "2026-11-15T00:00:00Z", "2026-11-16T09:00:00Z"),
            (
                "0 9 * * MON-FRI",
                "2026-11-13T10:00:00Z",
                "2026-11-16T09:00:00Z",
            ),
            ("0 0 29 2 *", "2026-11-15T00:00:00Z", "2028-02-29T00:00:00Z"),
            ("0 0 1 * 7", "2026-11-15T01:00:00Z", "2026-11-22T00:00:00Z"),
            (
                "30 10-12/2 * jan *",
                "2026-11-15T00:00:00Z",
                "2027-01-01T10:30:00Z",
            ),
            ("0 0 30 2 *", "2026-11-15T00:00:00Z", ""),
            ("@hourly", "2026-11-15T00:00:00Z", "2026-11-15T01:00:00Z"),
        ] {
            assert_eq!(next(schedule, after, "UTC"), expected, "{schedule}");
        }
    }

    #[test]
    fn a_time_that_the_clock_jumps_over_is_skipped() {
        let rome = |schedule, after| next(schedule, after, "Europe/Rome");
        assert_eq!(
            rome("0 9 * * *", "2026-11-15T00:00:00Z"),
            "2026-11-15T08:00:00Z"
        );
        // On 28 March 2027 it goes from 2:00 to 3:00.
        assert_eq!(
            rome("30 2 * * *", "2027-03-27T12:00:00Z"),
            "2027-03-29T00:30:00Z"
        );
    }

    #[test]
    fn what_is_no_schedule_is_refused() {
        for text in [
            "banana",
            "",
            "* * * *",
            "60 * * * *",
            "*/0 * * * *",
            "5-1 * * * *",
            "* * 0 * *",
        ] {
            assert!(Schedule::read(text).is_err(), "{text}");
        }
    }
}
