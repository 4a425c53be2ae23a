//! Finding whole words in a line; shared by the checks that read text.

/// Whether `word` is in `line` and is not part of a longer identifier.
///
/// A side of `word` that is punctuation itself needs no boundary: `say!` is found before any `(`.
pub(super) fn has(line: &str, word: &str) -> bool {
    line.match_indices(word).any(|(at, _)| {
        let (before, rest) = line.split_at(at);
        let after = rest.strip_prefix(word).unwrap_or_default();
        !is_one_word(before, word) && !is_one_word(word, after)
    })
}

/// Whether a word runs over the seam of two texts.
fn is_one_word(left: &str, right: &str) -> bool {
    let is_letter = |c: char| c.is_alphanumeric() || c == '_';
    left.ends_with(is_letter) && right.starts_with(is_letter)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_inside_a_longer_one_is_not_found() {
        assert!(has("a step, done", "step"));
        assert!(!has("superstep", "step"));
        assert!(!has("steps", "step"));
        assert!(!has("a_step", "step"));
    }

    #[test]
    fn punctuation_needs_no_boundary() {
        assert!(has("say!x", "say!"));
        assert!(!has("essay!x", "say!"));
    }
}
