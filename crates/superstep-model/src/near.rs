//! "Did you mean": the known word that is nearest to an unknown one.

/// The known word that somebody probably meant, if one is near enough.
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word = word.to_lowercase();
    let most = (word.chars().count() / 3).max(1);
    known
        .into_iter()
        .map(|candidate| (distance(&word, &candidate.to_lowercase()), candidate))
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

/// How many letters must be changed, added, taken away or swapped with their neighbour.
fn distance(one: &str, other: &str) -> usize {
    let (one, other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=other.len()).collect();
    for (row, have) in one.iter().enumerate() {
        let mut line = vec![row + 1];
        for (column, want) in other.iter().enumerate() {
            let at = |line: &[usize], index: usize| line.get(index).copied().unwrap_or(usize::MAX);
            let change = at(&last, column).saturating_add(usize::from(have != want));
            let add = at(&line, column).saturating_add(1);
            let remove = at(&last, column + 1).saturating_add(1);
            let mut least = change.min(add).min(remove);
            let is_swapped = row > 0
                && column > 0
                && one.get(row - 1) == Some(want)
                && other.get(column - 1) == Some(have);
            if is_swapped {
                least = least.min(at(&before, column - 1).saturating_add(1));
            }
            line.push(least);
        }
        before = std::mem::replace(&mut last, line);
    }
    last.last().copied().unwrap_or(usize::MAX)
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
