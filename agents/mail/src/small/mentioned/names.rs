//! What days of the week and months are called, in English and German.

use jiff::civil::Weekday;

const WEEKDAYS: [(Weekday, &str, &[&str]); 7] = [
    (Weekday::Monday, "monday", &["montag"]),
    (Weekday::Tuesday, "tuesday", &["dienstag"]),
    (Weekday::Wednesday, "wednesday", &["mittwoch"]),
    (Weekday::Thursday, "thursday", &["donnerstag"]),
    (Weekday::Friday, "friday", &["freitag"]),
    (Weekday::Saturday, "saturday", &["samstag", "sonnabend"]),
    (Weekday::Sunday, "sunday", &["sonntag"]),
];

const MONTHS: [(&str, &str); 12] = [
    ("january", "januar"),
    ("february", "februar"),
    ("march", "märz"),
    ("april", "april"),
    ("may", "mai"),
    ("june", "juni"),
    ("july", "juli"),
    ("august", "august"),
    ("september", "september"),
    ("october", "oktober"),
    ("november", "november"),
    ("december", "dezember"),
];

/// Short forms that are words of their own.
const OTHER_WORDS: [&str; 5] = ["sun", "sat", "wed", "mar", "may"];

pub(super) fn weekday(word: &str) -> Option<Weekday> {
    let word = ["'s", "’s"]
        .iter()
        .find_map(|end| word.strip_suffix(end))
        .unwrap_or(word);
    let found = WEEKDAYS
        .iter()
        .find(|(_, english, german)| is_name(word, english) || german.contains(&word));
    found.map(|(weekday, ..)| *weekday)
}

/// The number of a month.
pub(super) fn month(word: &str) -> Option<i8> {
    let place = MONTHS
        .iter()
        .position(|(english, german)| is_name(word, english) || *german == word)?;
    i8::try_from(place + 1).ok()
}

/// Whether a word is an English name, or its first three letters.
fn is_name(word: &str, name: &str) -> bool {
    let is_short = word.len() == 3 && name.starts_with(word) && !OTHER_WORDS.contains(&word);
    word == name || is_short
}
