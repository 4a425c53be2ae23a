//! Dates of sheets: days since an epoch, with the leap day of 1900 that never was.

use serde::{Deserialize, Serialize};

/// From when a workbook counts its days.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum DateSystem {
    /// Day 1 is 1 January 1900, and 29 February 1900 is counted.
    #[default]
    #[serde(rename = "1900")]
    Since1900,
    /// Day 0 is 1 January 1904.
    #[serde(rename = "1904")]
    Since1904,
}

/// Days from 1 January 1970 to the day before day 1, with the leap day that never was.
const OFFSET_1900: i64 = -25_569;
const OFFSET_1904: i64 = -24_107;
const DAY: i64 = 86_400;

impl DateSystem {
    /// A number as a date or time: `2025-06-10`, `2025-06-10T08:30:00`, `08:30:00`; none if no
    /// date is meant by it.
    pub fn show(self, serial: f64) -> Option<String> {
        if !(0.0..2_958_466.0).contains(&serial) {
            return None;
        }
        let whole = serial.floor();
        let mut days = whole as i64;
        let mut seconds = ((serial - whole) * DAY as f64).round() as i64;
        if seconds == DAY {
            days += 1;
            seconds = 0;
        }
        let (h, m, s) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
        let time = format!("{h:02}:{m:02}:{s:02}");
        if days == 0 && self == Self::Since1900 {
            return Some(time);
        }
        let date = match self {
            // The day that never was, and those before it, which are one further.
            Self::Since1900 if days == 60 => "1900-02-29".to_owned(),
            Self::Since1900 if days < 60 => civil(days + 1 + OFFSET_1900),
            Self::Since1900 => civil(days + OFFSET_1900),
            Self::Since1904 => civil(days + OFFSET_1904),
        };
        Some(match seconds {
            0 => date,
            _ => format!("{date}T{time}"),
        })
    }

    /// The number of a date or of a date with time, as [`Self::show`] writes them; none if it is no date.
    ///
    /// ```
    /// use superstep_workbook::DateSystem;
    ///
    /// let dates = DateSystem::default();
    /// let serial = dates.read("2025-06-10").unwrap();
    /// assert_eq!(serial, 45_818.0);
    /// assert_eq!(dates.show(serial).unwrap(), "2025-06-10");
    /// ```
    pub fn read(self, text: &str) -> Option<f64> {
        let (date, time) = match text.split_once(['T', ' ']) {
            Some((date, time)) => (date, Some(time)),
            None => (text, None),
        };
        let mut parts = date.split('-');
        let mut next = || parts.next()?.parse::<i64>().ok();
        let (year, month, day) = (next()?, next()?, next()?);
        let days = days_from_civil(year, month, day);
        if parts.next().is_some() || civil(days) != format!("{year:04}-{month:02}-{day:02}") {
            return None;
        }
        let serial = match self {
            Self::Since1900 => match days - OFFSET_1900 {
                early if early <= 60 => early - 1,
                late => late,
            },
            Self::Since1904 => days - OFFSET_1904,
        };
        if !(0..2_958_466).contains(&serial) {
            return None;
        }
        let seconds = match time {
            None => 0.0,
            Some(time) => {
                let mut parts = time.split(':');
                let hour: u32 = parts.next()?.parse().ok()?;
                let minute: u32 = parts.next()?.parse().ok()?;
                let second: f64 = parts.next().unwrap_or("0").parse().ok()?;
                let is_time = hour < 24 && minute < 60 && (0.0..60.0).contains(&second);
                if !is_time || parts.next().is_some() {
                    return None;
                }
                f64::from(hour * 3600 + minute * 60) + second
            }
        };
        Some(serial as f64 + seconds / DAY as f64)
    }
}

/// Year, month and day of a day since 1970, in the Gregorian calendar.
fn civil(days: i64) -> String {
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_index = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_index + 2) / 5 + 1;
    let month = if month_index < 10 {
        month_index + 3
    } else {
        month_index - 9
    };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}

fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let month_index = (month + 9).rem_euclid(12);
    let day_of_year = (153 * month_index + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_dates_in_both_systems() {
        let new = DateSystem::Since1900;
        let old = DateSystem::Since1904;
        for (serial, text) in [
            (1.0, "1900-01-01"),
            (59.0, "1900-02-28"),
            (61.0, "1900-03-01"),
            (45_782.0, "2025-05-05"),
            (45_782.5, "2025-05-05T12:00:00"),
        ] {
            assert_eq!(new.show(serial).as_deref(), Some(text));
            assert_eq!(new.read(text), Some(serial));
        }
        assert_eq!(new.show(60.0).as_deref(), Some("1900-02-29"));
        assert_eq!(new.show(0.25).as_deref(), Some("06:00:00"));
        assert_eq!(old.show(0.0).as_deref(), Some("1904-01-01"));
        assert_eq!(old.show(44_320.0), new.show(45_782.0));
        assert_eq!(old.read("2025-05-05"), Some(44_320.0));
    }

    #[test]
    fn what_is_no_date_is_none() {
        for text in [
            "", "2025-13-01", "2025-02-30", "1899-12-30", "10000-01-01", "2025-1", "x",
        ] {
            assert_eq!(DateSystem::Since1900.read(text), None, "{text}");
        }
        assert_eq!(DateSystem::Since1900.show(-1.0), None);
        assert_eq!(DateSystem::Since1900.show(f64::NAN), None);
    }
}
