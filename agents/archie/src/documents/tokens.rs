//! Token estimate for any model.
//!
//! Three letters or blanks count as a token, every other character as one. Models need fewer for
//! prose of any European language (about four letters per token) and about as many for tables of
//! figures, so that a budget holds for whichever model answers.

/// What the header of a document adds.
pub(crate) const HEADER: usize = 40;

/// How many tokens a text is at most.
pub(crate) fn estimate(text: &str) -> usize {
    let mut cost = Cost::default();
    text.chars().for_each(|c| cost.add(c));
    cost.tokens()
}

/// The beginning of a text that is so many tokens, up to the end of a line where that loses
/// little.
pub(crate) fn head(text: &str, most: usize) -> &str {
    let mut cost = Cost::default();
    let end = text.char_indices().find_map(|(at, c)| {
        cost.add(c);
        (cost.tokens() > most).then_some(at)
    });
    let Some(end) = end else {
        return text;
    };
    let kept = text.get(..end).unwrap_or_default();
    match kept.rfind('\n') {
        Some(line) if line > kept.len() / 2 => kept.get(..line).unwrap_or(kept),
        _ => kept,
    }
}

#[derive(Default)]
struct Cost {
    light: usize,
    heavy: usize,
}

impl Cost {
    fn add(&mut self, c: char) {
        if c.is_ascii_alphabetic() || c == ' ' || c == '\n' {
            self.light += 1;
        } else {
            self.heavy += 1;
        }
    }

    fn tokens(&self) -> usize {
        self.light.div_ceil(3) + self.heavy
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_weigh_a_third_and_the_rest_weighs_one() {
        assert_eq!(estimate(""), 0);
        assert_eq!(estimate("abc def"), 3);
        assert_eq!(estimate("1234"), 4);
        assert_eq!(estimate("größe"), 3);
    }

    #[test]
    fn a_head_fits_and_ends_with_a_line_where_it_can() {
        let text = "one line\nanother line\na third";
        assert_eq!(head(text, 100), text);
        assert_eq!(head(text, 8), "one line\nanother line");
        assert_eq!(head("abcdefghi", 2), "abcdef");
        assert_eq!(head("ééé", 2), "éé");
        assert_eq!(head("abc", 0), "");
        for most in 0..12 {
            assert!(estimate(head(text, most)) <= most);
        }
    }
}
