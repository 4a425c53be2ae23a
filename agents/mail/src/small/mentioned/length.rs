//! How long a meeting is.

use super::Words;

/// How long a meeting is, as the mail says: in words, or from when to when.
pub(in crate::small) fn minutes(text: &str) -> Option<u32> {
    length(text).or_else(|| span(text))
}

/// `14:00 – 15:00`, `14:00-15:30`, `from 14:00 to 15:00`.
fn span(text: &str) -> Option<u32> {
    const DASHES: [char; 3] = ['-', '–', '—'];
    const TO: [&str; 4] = ["to", "until", "till", "bis"];
    let apart = text.to_lowercase().replace(DASHES, " - ");
    let words: Vec<&str> = apart.split_whitespace().take(2_000).collect();
    (0..words.len()).find_map(|place| {
        let (before, rest) = words.split_at_checked(place)?;
        let [from, between, to, ..] = rest else {
            return None;
        };
        let is_span = *between == "-" || (TO.contains(between) && !is_moved(before));
        let length = clock(to)?.checked_sub(clock(from)?)?;
        (is_span && (5..=480).contains(&length)).then_some(length)
    })
}

/// Whether what follows is when a meeting was and when it shall be: `move it from 14:00 to 15:00`.
fn is_moved(before: &[&str]) -> bool {
    const MOVES: [&str; 8] = [
        "move", "moved", "shift", "shifted", "postpone", "postponed", "verschieben", "verschoben",
    ];
    before.iter().rev().take(8).any(|word| MOVES.contains(word))
}

/// The minute of the day that `14:30` is.
fn clock(word: &str) -> Option<u32> {
    let word = word.trim_matches(|c: char| !c.is_ascii_digit());
    let (hours, minutes) = word.split_once(':')?;
    let number = |it: &str, most: u32| it.parse::<u32>().ok().filter(|it| *it <= most);
    Some(number(hours, 23)? * 60 + number(minutes, 59)?)
}

fn length(text: &str) -> Option<u32> {
    let words = Words::of(text);
    let word = |place| words.at(place);
    for (place, it) in words.0.iter().enumerate() {
        let (before, two) = (word(place.checked_sub(1)), word(place.checked_sub(2)));
        let (three, after) = (word(place.checked_sub(3)), word(Some(place + 1)));
        let figure = |word: &str| match word {
            "an" | "one" | "a" | "1" | "eine" | "einer" => Some(1),
            "two" | "zwei" => Some(2),
            "three" | "drei" => Some(3),
            "ten" | "zehn" => Some(10),
            "fifteen" | "fünfzehn" => Some(15),
            "twenty" | "zwanzig" => Some(20),
            "thirty" | "dreißig" => Some(30),
            other => other.parse::<u32>().ok().filter(|it| *it <= 480),
        };
        let found = match it.as_str() {
            "minutes" | "minute" | "min" | "mins" | "minuten" => figure(before),
            "half-hour" | "half-an-hour" => Some(30),
            "viertelstunde" => Some(15),
            "dreiviertelstunde" => Some(45),
            "stunde" if ["halbe", "halben"].contains(&before) => Some(30),
            "stunden" if before == "anderthalb" => Some(90),
            "stunde" | "stunden" => figure(before).map(|hours| hours * 60),
            "hour" if before == "half" || (before == "an" && two == "half") => Some(30),
            "hour" if before == "an" && two == "of" && three.ends_with("quarters") => Some(45),
            "hour" if before == "an" && two == "of" && three == "quarter" => Some(15),
            "hour" if after == "and" && word(Some(place + 3)) == "half" => Some(90),
            "hour" | "hours" if before != "per" => figure(before).map(|hours| hours * 60),
            other => {
                let glued = ["minutes", "minute", "mins", "min"];
                let digits = glued.iter().find_map(|unit| other.strip_suffix(unit));
                digits.and_then(|it| it.trim_end_matches('-').parse().ok())
            }
        };
        if let Some(minutes) = found.filter(|it| (5..=480).contains(it)) {
            return Some(minutes);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_found_however_they_are_written() {
        for (text, wanted) in [
            ("Do you have half an hour?", Some(30)),
            ("a 45 minutes call", Some(45)),
            ("a 20-minute call", Some(20)),
            ("an hour and a half", Some(90)),
            ("two hours", Some(120)),
            ("an hour", Some(60)),
            ("a quarter of an hour", Some(15)),
            ("three quarters of an hour", Some(45)),
            ("three-quarters of an hour", Some(45)),
            ("eine halbe Stunde", Some(30)),
            ("mit einer Dreiviertelstunde", Some(45)),
            ("20 Minuten reichen", Some(20)),
            ("zwei Stunden", Some(120)),
            ("80 Euro pro Stunde", None),
            ("Monday, 14:00 – 15:00 (CET)", Some(60)),
            ("von 9:30 bis 10:15", Some(45)),
            ("16:00-16:30", Some(30)),
            ("at 14:00 or 15:00", None),
            ("Could we move the interview from 14:00 to 15:00?", None),
            ("at 14:00, 15:00", None),
            ("soon", None),
            ("the office hours", None),
        ] {
            assert_eq!(minutes(text), wanted, "{text}");
        }
    }
}
