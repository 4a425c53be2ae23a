//! Text for a terminal: what a model or a tool said must not move the cursor, change colours or
//! reorder what is read.

/// The text without escape sequences, control characters and marks that change its direction or
/// hide it. Breaks become spaces.
pub fn clean(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\u{1b}' => skip_sequence(&mut letters),
            '\u{9b}' => skip_parameters(&mut letters),
            '\n' | '\r' | '\t' | '\u{2028}' | '\u{2029}' => clean.push(' '),
            letter if is_hidden(letter) => {}
            letter => clean.push(letter),
        }
    }
    clean
}

type Letters<'a> = std::iter::Peekable<std::str::Chars<'a>>;

fn skip_sequence(letters: &mut Letters<'_>) {
    match letters.peek() {
        Some('[') => {
            letters.next();
            skip_parameters(letters);
        }
        // A string that the terminal keeps: a title, a link, the clipboard.
        Some(']' | 'P' | 'X' | '^' | '_') => {
            letters.next();
            while let Some(letter) = letters.next() {
                match letter {
                    '\u{7}' | '\u{9c}' => return,
                    '\u{1b}' => {
                        letters.next_if_eq(&'\\');
                        return;
                    }
                    _ => {}
                }
            }
        }
        Some(' '..='~') => {
            letters.next();
        }
        _ => {}
    }
}

/// Up to the letter that ends it.
fn skip_parameters(letters: &mut Letters<'_>) {
    while letters
        .next_if(|letter| (' '..='?').contains(letter))
        .is_some()
    {}
    letters.next_if(|letter| ('@'..='~').contains(letter));
}

fn is_hidden(letter: char) -> bool {
    letter.is_control()
        || matches!(letter,
            '\u{61c}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::clean;

    #[test]
    fn escape_sequences_are_gone_with_their_parameters() {
        assert_eq!(clean("a\u{1b}[31;1mred\u{1b}[0m b"), "ared b");
        assert_eq!(
            clean("\u{1b}]0;title\u{7}x\u{1b}]8;;http://a\u{1b}\\y"),
            "xy"
        );
        assert_eq!(clean("\u{9b}2Jx\u{1b}cy\u{1b}"), "xy");
        assert_eq!(clean("\u{1b}]52;c;never ends"), "");
    }

    #[test]
    fn control_characters_and_marks_of_direction_are_gone() {
        assert_eq!(clean("a\u{8}\u{7f}\u{0}b\u{85}c"), "abc");
        assert_eq!(clean("safe\u{202e}exe.txt\u{2066}\u{200f}"), "safeexe.txt");
        assert_eq!(clean("hidden\u{e0041}\u{e0042}\u{200b}\u{feff}"), "hidden");
    }

    #[test]
    fn breaks_are_spaces_and_other_letters_stay() {
        assert_eq!(clean("a\nb\r\nc\td"), "a b  c d");
        assert_eq!(clean("Grüße, 世界 👩‍👩‍👧"), "Grüße, 世界 👩‍👩‍👧");
    }
}
