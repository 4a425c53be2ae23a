//! Recurrence rules: daily, weekly, monthly and yearly events.
//!
//! Instances are counted in the event's own clock time, so a meeting at nine stays at nine when
//! summer time begins. A rule with anything else in it is refused rather than half followed.

use jiff::{
    Timestamp, ToSpan,
    civil::{Date, DateTime, Weekday},
    tz::TimeZone,
};

use crate::{error::RecurError, moment::Moment};

/// How many turns of a rule are looked at.
const MAX_TURNS: i64 = 50_000;

/// How many instances can be counted.
const MAX_COUNT: usize = 10_000;

/// The most entries of a list: more would only repeat each other, and each day of a turn is compared with all of them.
const MAX_LIST: usize = 100;

/// When an event is again.
#[derive(Clone, Debug)]
pub struct Rule {
    every: Every,
    interval: i64,
    count: Option<usize>,
    until: Option<Until>,
    days: Vec<(i8, Weekday)>,
    month_days: Vec<i8>,
    months: Vec<i8>,
    week_start: Weekday,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Every {
    Day,
    Week,
    Month,
    Year,
}

#[derive(Clone, Copy, Debug)]
enum Until {
    Day(Date),
    Time(Timestamp),
}

impl Rule {
    /// Reads a rule without its name: `FREQ=DAILY;COUNT=3`. An end without a zone is in `zone`.
    pub fn read(text: &str, zone: &TimeZone) -> Result<Self, RecurError> {
        let mut every = None;
        let mut rule = Self {
            every: Every::Day,
            interval: 1,
            count: None,
            until: None,
            days: Vec::new(),
            month_days: Vec::new(),
            months: Vec::new(),
            week_start: Weekday::Monday,
        };
        for part in text.split(';').filter(|part| !part.trim().is_empty()) {
            let wrong = || RecurError::Part(part.to_owned());
            let (name, value) = part.split_once('=').ok_or_else(wrong)?;
            let value = value.trim();
            if value.split(',').nth(MAX_LIST).is_some() {
                return Err(wrong());
            }
            match name.trim().to_ascii_uppercase().as_str() {
                "FREQ" => {
                    every = Some(match value.to_ascii_uppercase().as_str() {
                        "DAILY" => Every::Day,
                        "WEEKLY" => Every::Week,
                        "MONTHLY" => Every::Month,
                        "YEARLY" => Every::Year,
                        _ => return Err(wrong()),
                    });
                }
                "INTERVAL" => {
                    let interval = value.parse().ok().filter(|it| (1..=1_000).contains(it));
                    rule.interval = interval.ok_or_else(wrong)?;
                }
                "COUNT" => {
                    let count = value.parse().ok().filter(|it| *it <= MAX_COUNT);
                    rule.count = Some(count.ok_or_else(wrong)?);
                }
                "UNTIL" => {
                    rule.until = Some(match Moment::read(value, zone)? {
                        Moment::Day(day) => Until::Day(day),
                        at => Until::Time(at.instant(zone).ok_or_else(wrong)?),
                    });
                }
                "BYDAY" => {
                    let days = value.split(',').map(|day| weekday(day.trim()));
                    rule.days = days.collect::<Option<_>>().ok_or_else(wrong)?;
                }
                "BYMONTHDAY" => {
                    let days = value.split(',').map(|day| day.trim().parse().ok());
                    rule.month_days = days.collect::<Option<_>>().ok_or_else(wrong)?;
                }
                "BYMONTH" => {
                    let months = value.split(',').map(|month| month.trim().parse().ok());
                    rule.months = months.collect::<Option<_>>().ok_or_else(wrong)?;
                }
                "WKST" => rule.week_start = weekday(value).map(|(_, day)| day).ok_or_else(wrong)?,
                _ => return Err(wrong()),
            }
        }
        rule.every = every.ok_or(RecurError::Frequency)?;
        Ok(rule)
    }

    /// The clock times at which an event that first is at `start` is, up to `end`; those before
    /// `from` may be left out.
    pub fn times(
        &self,
        start: &Moment,
        from: DateTime,
        end: DateTime,
        zone: &TimeZone,
    ) -> Vec<DateTime> {
        let first = start.civil();
        let mut found = Vec::new();
        let skipped = self.turns_before(first.date(), from.date());
        let left = self.count.map(|count| {
            let passed = usize::try_from(skipped).unwrap_or(usize::MAX);
            count.saturating_sub(passed)
        });
        for turn in skipped..skipped.saturating_add(MAX_TURNS) {
            let Some((begin, days)) = self.turn(first.date(), turn) else {
                break;
            };
            if begin > end.date() {
                break;
            }
            for day in days {
                let at = day.to_datetime(first.time());
                if at < first {
                    continue;
                }
                let is_over = left.is_some_and(|left| found.len() >= left)
                    || self.is_past(&start.moved(at), zone);
                if is_over || at > end {
                    return found;
                }
                found.push(at);
            }
        }
        found
    }

    /// How many turns can be passed over. Where instances are counted, only turns of one instance each can.
    fn turns_before(&self, first: Date, from: Date) -> i64 {
        let is_plain = self.days.is_empty() && self.month_days.is_empty() && self.months.is_empty();
        let is_single = is_plain && matches!(self.every, Every::Day | Every::Week);
        if from <= first || self.count.is_some() && !is_single {
            return 0;
        }
        let years = i64::from(from.year()) - i64::from(first.year());
        let days = first
            .until(from)
            .map_or(0, |span| i64::from(span.get_days()));
        let turns = match self.every {
            Every::Day => days,
            Every::Week => days / 7,
            Every::Month => years * 12 - 12,
            Every::Year => years,
        };
        (turns / self.interval - 2).max(0)
    }

    fn is_past(&self, at: &Moment, zone: &TimeZone) -> bool {
        match self.until {
            None => false,
            Some(Until::Day(day)) => at.civil().date() > day,
            Some(Until::Time(until)) => at.instant(zone).is_none_or(|at| at > until),
        }
    }

    /// The days of a turn of the rule, and where the turn begins.
    fn turn(&self, first: Date, turn: i64) -> Option<(Date, Vec<Date>)> {
        let ahead = turn.checked_mul(self.interval)?;
        let (begin, mut days) = match self.every {
            Every::Day => {
                let day = first.checked_add(ahead.days()).ok()?;
                let fits = self.has_weekday(day) && self.has_month(day) && self.has_month_day(day);
                (day, Vec::from_iter(fits.then_some(day)))
            }
            Every::Week => {
                let back = i64::from(self.week_start.until(first.weekday()));
                let week = first.checked_sub(back.days()).ok()?;
                let week = week.checked_add(ahead.checked_mul(7)?.days()).ok()?;
                let days = (0..7).filter_map(|n| week.checked_add(i64::from(n).days()).ok());
                let wanted = |day: &Date| match self.days.is_empty() {
                    true => day.weekday() == first.weekday(),
                    false => self.has_weekday(*day),
                };
                (
                    week,
                    days.filter(wanted)
                        .filter(|day| self.has_month(*day))
                        .collect(),
                )
            }
            Every::Month => {
                let month = first.first_of_month().checked_add(ahead.months()).ok()?;
                let fits = self.has_month(month);
                let days = if fits {
                    self.in_month(month, first)
                } else {
                    Vec::new()
                };
                (month, days)
            }
            Every::Year => {
                let year = first.year().checked_add(i16::try_from(ahead).ok()?)?;
                let months = match self.months.as_slice() {
                    [] => vec![first.month()],
                    months => months.to_vec(),
                };
                let months = months
                    .iter()
                    .filter_map(|month| Date::new(year, *month, 1).ok());
                let days = months
                    .flat_map(|month| self.in_month(month, first))
                    .collect();
                (Date::new(year, 1, 1).ok()?, days)
            }
        };
        days.sort_unstable();
        days.dedup();
        Some((begin, days))
    }

    /// The days of the rule in a month.
    fn in_month(&self, month: Date, first: Date) -> Vec<Date> {
        let length = month.days_in_month();
        let all = (1..=length).filter_map(|day| Date::new(month.year(), month.month(), day).ok());
        all.filter(
            |day| match (self.days.is_empty(), self.month_days.is_empty()) {
                (true, true) => day.day() == first.day(),
                _ => self.has_month_day(*day) && self.has_ordinal(*day),
            },
        )
        .collect()
    }

    fn has_weekday(&self, day: Date) -> bool {
        self.days.is_empty() || self.days.iter().any(|(_, it)| *it == day.weekday())
    }

    fn has_month(&self, day: Date) -> bool {
        self.months.is_empty() || self.months.contains(&day.month())
    }

    fn has_month_day(&self, day: Date) -> bool {
        let from_end = day.day() - day.days_in_month() - 1;
        let is_in = |it: &i8| *it == day.day() || *it == from_end;
        self.month_days.is_empty() || self.month_days.iter().any(is_in)
    }

    fn has_ordinal(&self, day: Date) -> bool {
        let from_start = (day.day() - 1) / 7 + 1;
        let from_end = -((day.days_in_month() - day.day()) / 7 + 1);
        self.days.is_empty()
            || self.days.iter().any(|(nth, weekday)| {
                *weekday == day.weekday() && (*nth == 0 || *nth == from_start || *nth == from_end)
            })
    }
}

/// `MO`, `2TU` or `-1FR`.
fn weekday(text: &str) -> Option<(i8, Weekday)> {
    let (nth, name) = text.split_at_checked(text.len().checked_sub(2)?)?;
    let nth = match nth {
        "" => 0,
        nth => nth.parse().ok().filter(|nth: &i8| *nth != 0)?,
    };
    let day = match name.to_ascii_uppercase().as_str() {
        "MO" => Weekday::Monday,
        "TU" => Weekday::Tuesday,
        "WE" => Weekday::Wednesday,
        "TH" => Weekday::Thursday,
        "FR" => Weekday::Friday,
        "SA" => Weekday::Saturday,
        "SU" => Weekday::Sunday,
        _ => return None,
    };
    Some((nth, day))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn days(rule: &str, start: &str, end: &str) -> Vec<String> {
        let zone = TimeZone::UTC;
        let (Ok(rule), Ok(start)) = (Rule::read(rule, &zone), Moment::read(start, &zone)) else {
            return vec!["refused".into()];
        };
        let Ok(Moment::Day(end)) = Moment::read(end, &zone) else {
            return vec!["no end".into()];
        };
        let end = end.to_datetime(jiff::civil::Time::midnight());
        let times = rule.times(&start, DateTime::MIN, end, &zone);
        times
            .iter()
            .map(|at| at.strftime("%m-%d").to_string())
            .collect()
    }

    #[test]
    fn rules_give_the_days_that_people_expect() {
        let table = [
            (
                "FREQ=DAILY;COUNT=3",
                "20261115",
                &["11-15", "11-16", "11-17"][..],
            ),
            (
                "FREQ=DAILY;INTERVAL=2;UNTIL=20261119",
                "20261115",
                &["11-15", "11-17", "11-19"],
            ),
            (
                "FREQ=WEEKLY;BYDAY=MO,WE;COUNT=3",
                "20261116",
                &["11-16", "11-18", "11-23"],
            ),
            (
                "FREQ=WEEKLY;INTERVAL=2;COUNT=2",
                "20261120",
                &["11-20", "12-04"],
            ),
            ("FREQ=MONTHLY;COUNT=2", "20261115", &["11-15", "12-15"]),
            (
                "FREQ=MONTHLY;BYDAY=-1FR;COUNT=2",
                "20261101",
                &["11-27", "12-25"],
            ),
            (
                "FREQ=MONTHLY;BYDAY=2TU;COUNT=2",
                "20261101",
                &["11-10", "12-08"],
            ),
            (
                "FREQ=MONTHLY;BYMONTHDAY=-1",
                "20261101",
                &["11-30", "12-31"],
            ),
            ("FREQ=YEARLY", "20251224", &["12-24", "12-24"]),
            ("FREQ=SECONDLY", "20261115", &["refused"]),
            ("FREQ=DAILY;BYSETPOS=1", "20261115", &["refused"]),
            ("FREQ=DAILY;INTERVAL=0", "20261115", &["refused"]),
        ];
        for (rule, start, expected) in table {
            assert_eq!(days(rule, start, "20261231"), expected, "{rule}");
        }
    }

    #[test]
    fn a_month_without_the_day_is_left_out() {
        let found = days("FREQ=MONTHLY;COUNT=3", "20260131", "20261231");
        assert_eq!(found, ["01-31", "03-31", "05-31"]);
    }

    #[test]
    fn passing_over_what_is_long_past_changes_nothing() {
        let zone = TimeZone::UTC;
        let time = |text: &str| text.parse::<DateTime>().unwrap_or(DateTime::MIN);
        let (from, end) = (time("2026-06-01T00:00"), time("2026-09-01T00:00"));
        let Ok(start) = Moment::read("20010131T090000", &zone) else {
            unreachable!("it is a time");
        };
        for rule in [
            "FREQ=DAILY;INTERVAL=3",
            "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,SU",
            "FREQ=MONTHLY",
            "FREQ=MONTHLY;INTERVAL=5;BYDAY=-1FR",
            "FREQ=YEARLY;INTERVAL=5;BYMONTH=7",
            "FREQ=DAILY;COUNT=9300",
            "FREQ=WEEKLY;INTERVAL=3;WKST=SU;COUNT=445",
        ] {
            let Ok(rule) = Rule::read(rule, &zone) else {
                unreachable!("it is a rule");
            };
            let all = rule.times(&start, DateTime::MIN, end, &zone);
            let all: Vec<_> = all.into_iter().filter(|at| *at >= from).collect();
            let some = rule.times(&start, from, end, &zone);
            let some: Vec<_> = some.into_iter().filter(|at| *at >= from).collect();
            assert_eq!(all, some, "{rule:?}");
            assert!(!all.is_empty(), "{rule:?}");
        }
    }

    #[test]
    fn a_list_of_any_length_is_refused() {
        for name in ["BYDAY", "BYMONTHDAY", "BYMONTH"] {
            let list = |entries: usize| {
                let one = if name == "BYDAY" { "MO" } else { "1" };
                format!("FREQ=MONTHLY;{name}={}", vec![one; entries].join(","))
            };
            assert!(Rule::read(&list(MAX_LIST), &TimeZone::UTC).is_ok());
            assert!(Rule::read(&list(MAX_LIST + 1), &TimeZone::UTC).is_err());
        }
    }

    #[test]
    fn a_rule_without_end_stops_somewhere() {
        let found = days("FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30", "20260101", "99991231");
        assert!(found.is_empty());
    }
}
