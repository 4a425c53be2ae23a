//! Days (`days`), lengths (`length`) and parts of the day that a mail mentions, found by rule.
//!
//! What a rule finds is there, whatever a model thinks. English, German, and dates in figures.

mod days;
mod length;
mod names;

pub(super) use days::days;
pub(super) use length::minutes;

/// The words of a text without the marks around them, in small letters.
struct Words(Vec<String>);

impl Words {
    fn of(text: &str) -> Self {
        let parts = text.split(|c: char| c.is_whitespace() || "()\"“”".contains(c));
        let words = parts.map(bare).filter(|word| !word.is_empty());
        Self(words.take(2_000).collect())
    }

    /// The word at a place; an empty one beyond the ends.
    fn at(&self, place: Option<usize>) -> &str {
        let word = place.and_then(|place| self.0.get(place));
        word.map_or("", String::as_str)
    }

    fn has(&self, names: &[&str]) -> bool {
        self.0.iter().any(|word| names.contains(&word.as_str()))
    }
}

/// The full stop behind `17.11.` stays: it makes a date of it.
fn bare(word: &str) -> String {
    let bare = word
        .trim_matches(|c: char| !c.is_alphanumeric())
        .to_lowercase();
    let is_date = bare.split('.').count() == 2 && bare.starts_with(|c: char| c.is_ascii_digit());
    let end = word.trim_end_matches(['?', '!', ',', ';', ')']);
    match is_date && end.ends_with('.') {
        true => bare + ".",
        false => bare,
    }
}

/// Words of people who want to meet. `talk` is one only if somebody wants to: others give talks.
const MEETING: [&str; 27] = [
    "meet", "meeting", "call", "phone", "chat", "lunch", "dinner", "coffee", "breakfast",
    "appointment", "interview", "session", "slot", "visit", "1:1", "demo", "treffen", "termin",
    "gespräch", "besprechung", "besprechen", "telefonat", "telefonieren", "mittagessen", "kaffee",
    "besuch", "vorbeikommen",
];

/// Whether the mail has a word of people who want to meet.
pub(super) fn is_meeting(text: &str) -> bool {
    let words = Words::of(text);
    let talks = |pair: &[String]| match pair {
        [before, word] => {
            word == "talk" && ["to", "we", "us", "could", "can"].contains(&before.as_str())
        }
        _ => false,
    };
    words.has(&MEETING) || words.0.windows(2).any(talks)
}

/// Whether the mail names the morning or the afternoon, and not both.
pub(super) fn part(text: &str) -> Option<&'static str> {
    let words = Words::of(text);
    let morning = words.has(&["morning", "vormittag", "vormittags"]);
    let afternoon = words.has(&["afternoon", "nachmittag", "nachmittags"]);
    match (morning, afternoon) {
        (true, false) => Some("morning"),
        (false, true) => Some("afternoon"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn meetings_are_found_however_they_are_written() {
        for wanted in [
            "Could we meet?",
            "I would like to talk",
            "a short call",
            "Hast du Zeit für ein Gespräch?",
        ] {
            assert!(is_meeting(wanted), "{wanted}");
        }
        assert!(!is_meeting(
            "Would you give a talk about databases in spring?"
        ));
        assert_eq!(part("Monday morning"), Some("morning"));
        assert_eq!(part("morning or afternoon"), None);
        assert_eq!(part("am Vormittag"), Some("morning"));
    }
}
