//! Formatting of durations, numbers and money.

/// A time span, in three figures.
pub(crate) fn duration(micros: u64) -> String {
    let (unit, name) = match micros {
        0..1_000 => return format!("{micros} µs"),
        1_000..1_000_000 => (1_000, "ms"),
        1_000_000..60_000_000 => (1_000_000, "s"),
        _ => {
            let seconds = micros / 1_000_000;
            return format!("{} min {:02} s", seconds / 60, seconds % 60);
        }
    };
    let whole = micros / unit;
    let part = micros % unit;
    match whole {
        0..10 => format!("{whole}.{:02} {name}", part * 100 / unit),
        10..100 => format!("{whole}.{} {name}", part * 10 / unit),
        _ => format!("{whole} {name}"),
    }
}

/// A number with commas.
pub(crate) fn number(n: u64) -> String {
    let digits = n.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Millionths of a dollar.
pub(crate) fn money(micros: u64) -> String {
    let part = format!("{:06}", micros % 1_000_000);
    let trimmed = part.trim_end_matches('0').len().max(2);
    let part = part.get(..trimmed).unwrap_or(&part);
    format!("${}.{part}", number(micros / 1_000_000))
}

/// A time, in UTC.
pub(crate) fn time(micros: u64) -> String {
    let seconds = micros / 1_000_000;
    let (year, month, day) = date(seconds / 86_400);
    let (hour, minute, second) = (seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
    format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}Z")
}

/// A time as ISO 8601 has it, in UTC and with milliseconds.
pub(crate) fn iso(micros: u64) -> String {
    let milliseconds = micros / 1_000 % 1_000;
    let time = time(micros).replace(' ', "T");
    time.replace('Z', &format!(".{milliseconds:03}Z"))
}

/// The date of a day since 1970: years begin in March here, so that leap days come last.
fn date(days: u64) -> (u64, u64, u64) {
    let days = days + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let of_month = day - (153 * month + 2) / 5 + 1;
    let (month, later) = match month {
        0..10 => (month + 3, 0),
        _ => (month - 9, 1),
    };
    (era * 400 + year + later, month, of_month)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_three_figures() {
        let times = [7, 1_000, 12_345, 123_456, 2_410_000, 59_999_999, 61_000_000];
        assert_eq!(
            times.map(duration),
            [
                "7 µs", "1.00 ms", "12.3 ms", "123 ms", "2.41 s", "59.9 s", "1 min 01 s"
            ]
        );
    }

    #[test]
    fn numbers_and_money_are_grouped() {
        assert_eq!(
            [0, 999, 1_204, 1_234_567].map(number),
            ["0", "999", "1,204", "1,234,567"]
        );
        assert_eq!(
            [0, 12, 12_300, 1_500_000].map(money),
            ["$0.00", "$0.000012", "$0.0123", "$1.50"]
        );
    }

    #[test]
    fn times_for_programs_have_milliseconds() {
        assert_eq!(iso(951_782_400_042_999), "2000-02-29T00:00:00.042Z");
    }

    #[test]
    fn times_know_leap_years() {
        let days = [0, 951_782_400, 951_868_800, 1_709_164_800, 4_107_542_400];
        let days = days.map(|seconds| time(seconds * 1_000_000));
        let dates: Vec<&str> = days.iter().filter_map(|day| day.get(..10)).collect();
        assert_eq!(
            dates,
            [
                "1970-01-01", "2000-02-29", "2000-03-01", "2024-02-29", "2100-03-01"
            ]
        );
    }
}
