//! How a reply greets its reader: in German if it is German, otherwise in English.

const GERMAN: [&str; 16] = [
    "der", "die", "das", "und", "ist", "sie", "ich", "wir", "nicht", "für", "mit", "um", "ja",
    "nein", "bitte", "danke",
];

const ENGLISH: [&str; 16] = [
    "the", "and", "is", "are", "to", "you", "i", "we", "not", "for", "with", "at", "yes", "no",
    "please", "thanks",
];

/// The greeting of a reply that says something about a mail. Where the reply is too short to tell its language, the mail tells it.
pub(super) fn greeting(said: &str, mail: &str, reader: Option<&str>) -> String {
    let is_german = is_german(said).or_else(|| is_german(mail));
    let hello = match is_german {
        Some(true) => "Hallo",
        Some(false) | None => "Hello",
    };
    match reader {
        Some(name) => format!("{hello} {name},"),
        None => format!("{hello},"),
    }
}

/// Nothing if it could be either.
fn is_german(text: &str) -> Option<bool> {
    let text = text.to_lowercase();
    let count = |names: &[&str]| {
        let words = text.split(|c: char| !c.is_alphanumeric());
        words.filter(|word| names.contains(word)).count()
    };
    let (german, english) = (count(&GERMAN), count(&ENGLISH));
    (german != english).then_some(german > english)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reply_greets_in_its_own_language_or_else_in_that_of_the_mail() {
        let german = "Hallo Max, können wir das Gespräch verschieben? Ich bin krank.";
        let english = "Hi Max, can we move the meeting? I am ill.";
        for (said, mail, greeted) in [
            ("Dienstag 10:00", german, "Hallo Lena,"),
            ("Dienstag 10:00", english, "Hello Lena,"),
            ("yes, we can move it", german, "Hello Lena,"),
            ("Ja, das geht.", english, "Hallo Lena,"),
        ] {
            assert_eq!(greeting(said, mail, Some("Lena")), greeted, "{said}");
        }
        assert_eq!(greeting("", "", None), "Hello,");
    }
}
