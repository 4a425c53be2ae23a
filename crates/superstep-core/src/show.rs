//! Text of others, made fit to be shown.
//!
//! What models, tools and services say may hold sequences that a terminal obeys: move the cursor, set
//! the title, write the clipboard, hide a link. [`Shown`] takes them out, piece by piece as text
//! streams in, whatever the cuts. What is left is text, line ends and tabs.

/// A text without anything a terminal would obey.
pub fn clean(text: &str) -> String {
    Shown::default().push(text)
}

/// A text on one line, without anything a terminal would obey.
pub fn line(text: &str) -> String {
    let clean = clean(text);
    let words: Vec<&str> = clean.split_whitespace().collect();
    words.join(" ")
}

/// A text that streams in. A sequence may begin in one piece and end in another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shown {
    place: Place,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Place {
    #[default]
    Text,
    /// Behind ESC.
    Escape,
    /// Behind ESC and bytes that go before its last one.
    Between,
    /// In a control sequence: parameters, then one last letter.
    Control,
    /// In a string for the terminal: a title, a link, the clipboard.
    Words,
    /// Behind ESC in such a string; a backslash would end it.
    WordsEscape,
}

impl Shown {
    /// What of the next piece may be shown.
    pub fn push(&mut self, piece: &str) -> String {
        let mut shown = String::with_capacity(piece.len());
        for c in piece.chars() {
            if self.take(c) {
                shown.push(c);
            }
        }
        shown
    }

    /// Whether a character may be shown; moves on.
    fn take(&mut self, c: char) -> bool {
        // Whatever is open ends with its line: a sequence without an end must not hide the rest.
        if c == '\n' {
            self.place = Place::Text;
            return true;
        }
        self.place = match (self.place, c) {
            (Place::Words, '\x1b') => Place::WordsEscape,
            (Place::Words, '\x07' | '\u{9c}') => Place::Text,
            (Place::Words, _) => Place::Words,
            (Place::WordsEscape, '\\') => Place::Text,
            (Place::Text, _) => return self.take_text(c),
            (_, '\x1b') => Place::Escape,
            (Place::Escape | Place::WordsEscape, '[') => Place::Control,
            (Place::Escape | Place::WordsEscape, ']' | 'P' | '_' | '^' | 'X') => Place::Words,
            (Place::Escape | Place::WordsEscape | Place::Between, ' '..='/') => Place::Between,
            (Place::Escape | Place::WordsEscape | Place::Between, '0'..='~') => Place::Text,
            (Place::Control, ' '..='?') => Place::Control,
            (Place::Control, '@'..='~') => Place::Text,
            // No sequence has this: it is text again.
            _ => {
                self.place = Place::Text;
                return self.take_text(c);
            }
        };
        false
    }

    fn take_text(&mut self, c: char) -> bool {
        self.place = match c {
            '\x1b' => Place::Escape,
            '\u{9b}' => Place::Control,
            '\u{90}' | '\u{98}' | '\u{9d}'..='\u{9f}' => Place::Words,
            _ => Place::Text,
        };
        !is_hidden(c)
    }
}

/// Characters that act instead of being seen: controls, those that turn the direction of text around,
/// blanks without a width, and tags, which spell letters that nobody sees.
fn is_hidden(c: char) -> bool {
    let is_control = c.is_control() && !matches!(c, '\n' | '\t');
    let turns = matches!(
        c,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}'
    );
    let blanks = matches!(c, '\u{200b}' | '\u{2060}'..='\u{206f}' | '\u{feff}');
    let breaks = matches!(c, '\u{2028}' | '\u{2029}' | '\u{fff9}'..='\u{fffb}');
    let tags = matches!(c, '\u{e0000}'..='\u{e007f}');
    is_control || turns || blanks || breaks || tags
}

#[cfg(test)]
mod tests {
    use super::*;

    const CASES: [(&str, &str); 22] = [
        ("plain\ttext\n", "plain\ttext\n"),
        ("grüße 🦀 e\u{301} \u{200d}", "grüße 🦀 e\u{301} \u{200d}"),
        ("a\x1b[31mred\x1b[0m", "ared"),
        ("a\x1b[2J\x1b[H\x1b[?25l\x1b[1 qb", "ab"),
        ("a\x1b]0;title\x07b", "ab"),
        ("a\x1b]52;c;ZXZpbA==\x1b\\b", "ab"),
        ("a\x1b]8;;http://evil\x1b\\link\x1b]8;;\x1b\\b", "alinkb"),
        ("a\x1bPdevice\x1b\\b", "ab"),
        ("a\x1b_app\x1b\\\x1b^pm\x1b\\\x1bXsos\x1b\\b", "ab"),
        ("a\u{9b}31mb\u{9d}0;t\u{9c}c\u{85}", "abc"),
        ("a\x1b(Bb\x1b7c\x1b=d", "abcd"),
        ("a\x00\x07\x08\x0b\x0c\x7fb\rc", "abc"),
        (
            "safe\u{202e}txt.exe\u{202c}\u{2066}x\u{2069}",
            "safetxt.exex",
        ),
        ("a\x1b]0;never ends\nb", "a\nb"),
        ("a\x1b[12", "a"),
        ("a\x1b\x1b[1mb", "ab"),
        ("a\x1b]t\x1b[1mb", "ab"),
        ("a\x1bñb", "añb"),
        ("a\x1b[1éb", "aéb"),
        ("x\u{e0041}\u{e007f}y\u{2028}z", "xyz"),
        ("\x1b]0;t\x1b\x1b\\b", "b"),
        ("", ""),
    ];

    #[test]
    fn nothing_is_left_that_a_terminal_obeys() {
        for (text, shown) in CASES {
            assert_eq!(clean(text), shown, "{text:?}");
        }
    }

    #[test]
    fn cuts_between_pieces_change_nothing() {
        for (text, shown) in CASES {
            for cut in (0..=text.len()).filter(|at| text.is_char_boundary(*at)) {
                let (one, two) = text.split_at(cut);
                let mut state = Shown::default();
                let joined = state.push(one) + &state.push(two);
                assert_eq!(joined, shown, "{text:?} at {cut}");
            }
        }
    }

    #[test]
    fn what_was_cleaned_stays_as_it_is() {
        for (text, _) in CASES {
            let once = clean(text);
            assert_eq!(clean(&once), once);
        }
    }

    #[test]
    fn a_line_is_one_line() {
        assert_eq!(line(" a\n\tb\x1b[1m  c\r\n"), "a b c");
    }
}
