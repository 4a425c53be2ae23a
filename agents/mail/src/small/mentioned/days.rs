//! The days that a mail mentions.

use jiff::{
    ToSpan as _,
    civil::{Date, Weekday},
};

use super::{
    Words,
    names::{month, weekday},
};

/// Before a day they make it the end of a time and not a day to meet on.
const DEADLINES: [&str; 6] = ["before", "by", "until", "till", "bis", "vor"];

/// What is said of the week after this one.
const NEXT: [&str; 5] = ["next", "nächste", "nächsten", "nächster", "kommende"];

/// Before `morgen` they make a part of the day of it, or a greeting.
const PARTS: [&str; 5] = ["guten", "am", "jeden", "den", "der"];

/// How many days are looked at.
const MOST: usize = 7;

/// The days that a mail of that day mentions, in order, none of them in its past. Until when something has to be done
/// is no such day.
pub(in crate::small) fn days(text: &str, written: Date) -> Vec<Date> {
    let words = Words::of(text);
    let word = |place| words.at(place);
    // A week is meant as a whole only if no day is named.
    let (mut found, mut weeks) = (Vec::new(), Vec::new());
    for (place, it) in words.0.iter().enumerate() {
        let (before, after) = (word(place.checked_sub(1)), word(Some(place + 1)));
        if is_deadline(&words.0, place) {
            continue;
        }
        if let Some(date) = in_figures(it, written) {
            found.push(date);
        } else if let Some(weekday) = weekday(it) {
            found.extend(on_weekday(
                weekday,
                is_of_next_week(&words.0, place),
                written,
            ));
        } else if let Some(month) = month(it) {
            let year = [after, word(Some(place + 2))];
            let year = year
                .iter()
                .find_map(|it| it.parse::<i16>().ok().filter(|it| *it > 1_900));
            let second = word(place.checked_sub(2));
            let day = ordinal(before)
                .or_else(|| (before == "of").then(|| ordinal(second)).flatten())
                .or_else(|| ordinal(after));
            found.extend(day.and_then(|day| in_month(day, month, year, written)));
        } else if let Some(day) = ordinal(it).filter(|_| it.ends_with(['t', 'd', 'h'])) {
            let is_of_month =
                month(after).is_some() || (after == "of" && month(word(Some(place + 2))).is_some());
            if !is_of_month && month(before).is_none() {
                found.extend(of_month(day, written));
            }
        } else if ["today", "heute"].contains(&it.as_str()) {
            found.push(written);
        } else if it == "tomorrow" || (it == "morgen" && !PARTS.contains(&before)) {
            found.extend(written.tomorrow().ok());
        } else if it == "übermorgen" {
            found.extend(written.checked_add(2.days()).ok());
        } else if ["week", "woche"].contains(&it.as_str()) {
            let is_next = NEXT.contains(&before);
            let is_this = ["this", "diese", "dieser"].contains(&before);
            if is_next || is_this {
                weeks.extend(of_week(is_next, written));
            }
        }
    }
    let meant = if found.is_empty() { weeks } else { found };
    let mut days: Vec<Date> = meant.into_iter().filter(|date| *date >= written).collect();
    days.sort();
    days.dedup();
    days.truncate(MOST);
    days
}

/// Whether the word at a place is the end of a time: `by the 16th`, `bis zum Freitag`.
fn is_deadline(words: &[String], place: usize) -> bool {
    const SMALL: [&str; 8] = [
        "the", "den", "dem", "zum", "this", "diese", "diesen", "dieser",
    ];
    let (before, rest) = words.split_at(place);
    // Of two weekdays only the first is meant: `by Friday. Monday suits me`.
    let is_second = rest.first().is_some_and(|word| weekday(word).is_some());
    let is_small = |word: &str| {
        SMALL.contains(&word)
            || NEXT.contains(&word)
            || ordinal(word).is_some()
            || (weekday(word).is_some() && !is_second)
    };
    let mut nearest = before.iter().rev().take(4);
    let said = nearest.find(|word| !is_small(word));
    said.is_some_and(|word| DEADLINES.contains(&word.as_str()))
}

/// Whether a weekday, or the list of weekdays that it is in, is said to be of the next week: `next Tuesday or Thursday`,
/// `Tuesday or Thursday next week`, `nächste Woche am Dienstag oder am Donnerstag`.
fn is_of_next_week(words: &[String], place: usize) -> bool {
    let is_listed = |word: &&String| {
        ["or", "and", "on", "oder", "und", "am"].contains(&word.as_str()) || weekday(word).is_some()
    };
    let (before, after) = words.split_at(place);
    let mut before = before
        .iter()
        .rev()
        .skip_while(is_listed)
        .map(String::as_str);
    let mut after = after.iter().skip_while(is_listed).map(String::as_str);
    let is_next = |word: Option<&str>| word.is_some_and(|word| NEXT.contains(&word));
    let is_week = |word: Option<&str>| matches!(word, Some("week" | "woche"));
    let (nearest, second) = (before.next(), before.next());
    let is_after = is_next(after.next()) && is_week(after.next());
    is_next(nearest) || (is_week(nearest) && is_next(second)) || is_after
}

/// A day of the month: `16`, `16th`.
fn ordinal(word: &str) -> Option<i8> {
    let endings = ["st", "nd", "rd", "th"];
    let digits = endings
        .iter()
        .find_map(|end| word.strip_suffix(end))
        .unwrap_or(word);
    digits
        .parse::<i8>()
        .ok()
        .filter(|day| (1..=31).contains(day))
}

/// `2026-11-17`, `17-11-2026`, `17.11.2026`, `17.11.`.
fn in_figures(word: &str, written: Date) -> Option<Date> {
    let sign = ['-', '.', '/']
        .into_iter()
        .find(|sign| word.contains(*sign))?;
    let is_short = word.ends_with('.');
    let parts = word.trim_end_matches('.').split(sign);
    let parts: Vec<i16> = parts.map(|it| it.parse().ok()).collect::<Option<_>>()?;
    let small = |part: i16| i8::try_from(part).ok();
    match parts.as_slice() {
        [year, month, day] if *year > 1_900 => Date::new(*year, small(*month)?, small(*day)?).ok(),
        [day, month, year] if *year > 1_900 => Date::new(*year, small(*month)?, small(*day)?).ok(),
        [day, month] if is_short => in_month(small(*day)?, small(*month)?, None, written),
        _ => None,
    }
}

/// The next such day after the mail, or the one of the week after.
fn on_weekday(weekday: Weekday, is_next_week: bool, written: Date) -> Option<Date> {
    match is_next_week {
        false => written.nth_weekday(1, weekday).ok(),
        true => {
            let monday = written.nth_weekday(1, Weekday::Monday).ok()?;
            monday
                .checked_add(i64::from(weekday.to_monday_zero_offset()).days())
                .ok()
        }
    }
}

fn in_month(day: i8, month: i8, year: Option<i16>, written: Date) -> Option<Date> {
    if let Some(year) = year {
        return Date::new(year, month, day).ok();
    }
    let this = Date::new(written.year(), month, day).ok()?;
    match this < written {
        true => Date::new(written.year() + 1, month, day).ok(),
        false => Some(this),
    }
}

fn of_month(day: i8, written: Date) -> Option<Date> {
    let this = Date::new(written.year(), written.month(), day).ok();
    if let Some(date) = this.filter(|date| *date >= written) {
        return Some(date);
    }
    let next = written.first_of_month().checked_add(1.month()).ok()?;
    Date::new(next.year(), next.month(), day).ok()
}

/// The working days that are left of the week, or those of the next one.
fn of_week(is_next: bool, written: Date) -> Vec<Date> {
    let from = match is_next {
        true => written.nth_weekday(1, Weekday::Monday),
        false => written.tomorrow(),
    };
    let Ok(from) = from else {
        return Vec::new();
    };
    let all = (0..5_i64).filter_map(|more| from.checked_add(more.days()).ok());
    let friday = |date: &Date| date.weekday().to_monday_zero_offset() <= 4;
    all.take_while(friday).collect()
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    #[test]
    fn days_are_found_however_they_are_written() {
        // A Monday.
        let written = date(2026, 11, 2);
        let found = |text: &str| -> Vec<String> {
            let all = days(text, written);
            all.iter().map(ToString::to_string).collect()
        };
        for (text, wanted) in [
            (
                "half an hour on the 16th or 17th?",
                vec!["2026-11-16", "2026-11-17"],
            ),
            ("Tuesday or Thursday", vec!["2026-11-03", "2026-11-05"]),
            ("next Tuesday", vec!["2026-11-10"]),
            ("Wednesday next week", vec!["2026-11-11"]),
            (
                "on 12 November or November 13th, 2026",
                vec!["2026-11-12", "2026-11-13"],
            ),
            ("the 3rd of January", vec!["2027-01-03"]),
            (
                "2026-11-20, 21.11.2026 or 23.11.",
                vec!["2026-11-20", "2026-11-21", "2026-11-23"],
            ),
            ("today or tomorrow", vec!["2026-11-02", "2026-11-03"]),
            ("version 2.1 costs 3.50, 40 people, the sun", vec![]),
            ("before Wednesday noon, or by the 16th", vec![]),
            ("by Friday 6 November at the latest", vec![]),
            ("bis Freitag, spätestens bis zum 12.11.", vec![]),
            ("bis nächsten Freitag oder bis nächste Woche", vec![]),
            (
                "Tell me by Friday. Monday at 10 suits me.",
                vec!["2026-11-09"],
            ),
            (
                "am Dienstag oder am Donnerstag, die Zeit mit dir",
                vec!["2026-11-03", "2026-11-05"],
            ),
            ("nächste Woche am Mittwoch", vec!["2026-11-11"]),
            (
                "nächste Woche am Dienstag oder am Donnerstag",
                vec!["2026-11-10", "2026-11-12"],
            ),
            (
                "Tuesday or Thursday next week",
                vec!["2026-11-10", "2026-11-12"],
            ),
            ("diese Woche am Mittwoch", vec!["2026-11-04"]),
            (
                "am 12. November oder am 3. März",
                vec!["2026-11-12", "2027-03-03"],
            ),
            ("Guten Morgen, geht es morgen?", vec!["2026-11-03"]),
            ("übermorgen am Morgen", vec!["2026-11-04"]),
            (
                "next week",
                vec![
                    "2026-11-09", "2026-11-10", "2026-11-11", "2026-11-12", "2026-11-13",
                ],
            ),
        ] {
            assert_eq!(found(text), wanted, "{text}");
        }
    }
}
