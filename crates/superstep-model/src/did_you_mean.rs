//! "Did you mean": the known word that is nearest to an unknown one.

use strsim::osa_distance;

/// The known word that somebody probably meant, if one is near enough.
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word = word.to_lowercase();
    let most = (word.chars().count() / 3).max(1);
    known
        .into_iter()
        .map(|candidate| (osa_distance(&word, &candidate.to_lowercase()), candidate))
        .filter(|(distance, _)| *distance <= most)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// `; did you mean ...?`, or nothing.
pub fn hint<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    match nearest(word, known) {
        Some(meant) => format!("; did you mean `{meant}`?"),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_is_found_and_another_word_is_not() {
        let known = ["openai", "anthropic", "ollama", "local"];
        for (word, meant) in [
            ("opnai", Some("openai")),
            ("opneai", Some("openai")),
            ("OpenAI", Some("openai")),
            ("antropic", Some("anthropic")),
            ("locall", Some("local")),
            ("gemini", None),
            ("", None),
        ] {
            assert_eq!(nearest(word, known), meant, "{word}");
        }
    }
}
