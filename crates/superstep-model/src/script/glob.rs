//! Globs over text: `*` is any text, `?` one character, all else itself.

/// Whether the pattern fits the whole text.
pub(super) fn fits(pattern: &str, text: &str) -> bool {
    let pattern: Vec<char> = pattern.chars().collect();
    let text: Vec<char> = text.chars().collect();
    let (mut at, mut seen) = (0, 0);
    // Where to continue if what follows the last star does not fit: the star may take one more.
    let mut star: Option<(usize, usize)> = None;
    while let Some(have) = text.get(seen) {
        match pattern.get(at) {
            Some('*') => {
                star = Some((at, seen));
                at += 1;
            }
            Some(want) if *want == '?' || want == have => {
                at += 1;
                seen += 1;
            }
            _ => {
                let Some((place, taken)) = star else {
                    return false;
                };
                star = Some((place, taken + 1));
                at = place + 1;
                seen = taken + 1;
            }
        }
    }
    pattern.iter().skip(at).all(|rest| *rest == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_take_as_much_as_they_need() {
        for (pattern, text, fit) in [
            ("", "", true),
            ("", "a", false),
            ("*", "", true),
            ("*", "any\nthing", true),
            ("a?c", "abc", true),
            ("a?c", "ac", false),
            ("*ab", "aab", true),
            ("*a*b", "xaxb", true),
            ("*a*b", "xbxa", false),
            ("book *", "book a room", true),
            ("book *", "Book a room", false),
            ("ü?", "üß", true),
        ] {
            assert_eq!(fits(pattern, text), fit, "{pattern} {text}");
        }
    }
}
