//! Text of others, sanitized.
//!
//! What models, tools and services say may hold sequences that a terminal obeys: move the cursor, set
//! the title, write the clipboard, hide a link. It may also hold characters that nobody sees and that
//! models and other programs read. `hidden` decides which those are, for everything that shows or
//! checks text of others.
//!
//! - [`Sanitizer`], [`sanitize()`] and [`single_line`] leave sequences and hidden characters out, piece by piece as
//!   text streams in, whatever the cuts. What is left is text, line ends and tabs.
//! - [`reveal`] writes hidden characters as `<U+200B>`, and [`Hidden`] warns of them: for whoever
//!   approves a text. [`reveal_name`] does so for names, which must not look alike.

mod hidden;
mod tables;

use hidden::Sight;
pub use hidden::{Hidden, reveal, reveal_name};

/// Whether a character is hidden when it is alone.
///
/// ```
/// assert!(superstep_text::is_hidden('\u{200B}'));
/// assert!(!superstep_text::is_hidden('é'));
/// ```
pub fn is_hidden(c: char) -> bool {
    tables::is_hidden(c)
}

/// Whether a text shows nothing: white space and hidden characters alone.
///
/// ```
/// assert!(superstep_text::is_blank(" \u{200B}\n"));
/// assert!(!superstep_text::is_blank("\u{200B}go"));
/// ```
pub fn is_blank(text: &str) -> bool {
    text.chars().all(|c| c.is_whitespace() || is_hidden(c))
}

/// A text without anything a terminal would obey.
///
/// ```
/// use superstep_text::sanitize;
///
/// assert_eq!(sanitize("\u{1b}[31mred\u{1b}[0m"), "red");
/// assert_eq!(sanitize("two\nlines"), "two\nlines");
/// ```
pub fn sanitize(text: &str) -> String {
    Sanitizer::default().push(text)
}

/// A text on one line, without anything a terminal would obey.
///
/// ```
/// assert_eq!(superstep_text::single_line("two\n  lines"), "two lines");
/// ```
pub fn single_line(text: &str) -> String {
    let clean = sanitize(text);
    let words: Vec<&str> = clean.split_whitespace().collect();
    words.join(" ")
}

/// JSON in which every hidden character is escaped. Its value stays the same.
///
/// ```
/// assert_eq!(superstep_text::escaped_json("\"a\u{202e}b\""), r#""a\u202eb""#);
/// ```
pub fn escaped_json(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    for c in json.chars() {
        if is_hidden(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                text.push_str(&format!("\\u{unit:04x}"));
            }
        } else {
            text.push(c);
        }
    }
    text
}

/// A text that streams in. A sequence may begin in one piece and end in another.
///
/// ```
/// use superstep_text::Sanitizer;
///
/// let mut sanitizer = Sanitizer::default();
/// let shown = [sanitizer.push("a\u{1b}["), sanitizer.push("31mb")];
/// assert_eq!(shown.concat(), "ab");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sanitizer {
    place: EscapeState,
    sight: Sight,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum EscapeState {
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

impl Sanitizer {
    /// What of the next piece may be shown.
    pub fn push(&mut self, piece: &str) -> String {
        let mut shown = String::with_capacity(piece.len());
        let mut tell = |c: char, is_seen: bool| {
            // Without its line feed a carriage return would write over the line.
            if is_seen && c != '\r' {
                shown.push(c);
            }
        };
        for c in piece.chars() {
            match self.is_text(c) {
                true => self.sight.push(c, &mut tell),
                false => self.sight.end(&mut tell),
            }
        }
        shown
    }

    /// Whether a character is text and not part of a sequence; moves on.
    fn is_text(&mut self, c: char) -> bool {
        // Whatever is open ends with its line: a sequence without an end must not hide the rest.
        if c == '\n' {
            self.place = EscapeState::Text;
            return true;
        }
        self.place = match (self.place, c) {
            (EscapeState::Words, '\x1b') => EscapeState::WordsEscape,
            (EscapeState::Words, '\x07' | '\u{9c}') => EscapeState::Text,
            (EscapeState::Words, _) => EscapeState::Words,
            (EscapeState::WordsEscape, '\\') => EscapeState::Text,
            (EscapeState::Text, _) => return self.begins_text(c),
            (_, '\x1b') => EscapeState::Escape,
            (EscapeState::Escape | EscapeState::WordsEscape, '[') => EscapeState::Control,
            (EscapeState::Escape | EscapeState::WordsEscape, ']' | 'P' | '_' | '^' | 'X') => {
                EscapeState::Words
            }
            (EscapeState::Escape | EscapeState::WordsEscape | EscapeState::Between, ' '..='/') => {
                EscapeState::Between
            }
            (EscapeState::Escape | EscapeState::WordsEscape | EscapeState::Between, '0'..='~') => {
                EscapeState::Text
            }
            (EscapeState::Control, ' '..='?') => EscapeState::Control,
            (EscapeState::Control, '@'..='~') => EscapeState::Text,
            // No sequence has this: it is text again.
            _ => {
                self.place = EscapeState::Text;
                return self.begins_text(c);
            }
        };
        false
    }

    fn begins_text(&mut self, c: char) -> bool {
        self.place = match c {
            '\x1b' => EscapeState::Escape,
            '\u{9b}' => EscapeState::Control,
            '\u{90}' | '\u{98}' | '\u{9d}'..='\u{9f}' => EscapeState::Words,
            _ => EscapeState::Text,
        };
        self.place == EscapeState::Text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CASES: [(&str, &str); 25] = [
        ("plain\ttext\n", "plain\ttext\n"),
        ("grüße 🦀 e\u{301} \u{200d}", "grüße 🦀 e\u{301} "),
        (
            "👩\u{200d}🚀 ❤\u{fe0f} 1\u{fe0f}\u{20e3}",
            "👩\u{200d}🚀 ❤\u{fe0f} 1\u{fe0f}\u{20e3}",
        ),
        ("👩\u{200d}\x1b[1m🚀1\u{fe0f}", "👩🚀1"),
        ("a\u{e0101}\u{ad}\u{3164}\u{34f}b\r\n\rc", "ab\nc"),
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
            assert_eq!(sanitize(text), shown, "{text:?}");
        }
    }

    #[test]
    fn cuts_between_pieces_change_nothing() {
        for (text, shown) in CASES {
            for cut in (0..=text.len()).filter(|at| text.is_char_boundary(*at)) {
                let (one, two) = text.split_at(cut);
                let mut state = Sanitizer::default();
                let joined = state.push(one) + &state.push(two);
                assert_eq!(joined, shown, "{text:?} at {cut}");
            }
        }
    }

    #[test]
    fn what_was_cleaned_stays_as_it_is() {
        for (text, _) in CASES {
            let once = sanitize(text);
            assert_eq!(sanitize(&once), once);
        }
    }

    #[test]
    fn pieces_cleaning_and_revealing_agree_on_any_text() {
        let pool: Vec<char> = "a1#❤👩\u{1f3fd}🚀\u{200d}\u{200c}\u{fe0f}\u{20e3}م\u{94d}क\u{180b}\
            \u{180e}ᠠ\u{e0101}\r\n\t\x1b[]m;\u{9b}\u{202e} "
            .chars()
            .collect();
        let mut seed = 7_u64;
        for _ in 0..20_000 {
            let mut random = || {
                seed = seed.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
                let at = (seed >> 33) as usize % pool.len();
                pool.get(at).copied().unwrap_or_default()
            };
            let text: String = (0..8).map(|_| random()).collect();
            let whole = sanitize(&text);
            assert_eq!(sanitize(&whole), whole, "{text:?}");
            assert!(Hidden::of(&whole).is_empty(), "{text:?}");
            assert!(Hidden::of(&reveal(&text)).is_empty(), "{text:?}");
            let mut state = Sanitizer::default();
            let pieces = text.chars().map(|c| state.push(c.encode_utf8(&mut [0; 4])));
            assert_eq!(pieces.collect::<String>(), whole, "{text:?}");
        }
    }

    #[test]
    fn a_line_is_one_line() {
        assert_eq!(single_line(" a\n\tb\x1b[1m  c\r\n"), "a b c");
    }

    #[test]
    fn the_tables_are_those_of_unicode() {
        use icu_properties::{
            CodePointMapData, CodePointSetData,
            props::{
                DefaultIgnorableCodePoint, Emoji, ExtendedPictographic, GeneralCategory,
                VariationSelector,
            },
        };
        let category = CodePointMapData::<GeneralCategory>::new();
        let ignorable = CodePointSetData::new::<DefaultIgnorableCodePoint>();
        let selector = CodePointSetData::new::<VariationSelector>();
        let emoji = CodePointSetData::new::<Emoji>();
        let pictograph = CodePointSetData::new::<ExtendedPictographic>();
        for c in '\0'..=char::MAX {
            let is_of_category = match category.get(c) {
                GeneralCategory::Control => !matches!(c, '\n' | '\t'),
                GeneralCategory::Format
                | GeneralCategory::LineSeparator
                | GeneralCategory::ParagraphSeparator => true,
                GeneralCategory::Unassigned => {
                    u32::from(c) & 0xfffe == 0xfffe || ('\u{fdd0}'..='\u{fdef}').contains(&c)
                }
                _ => matches!(c, '\u{2800}' | '\u{16fe4}' | '\u{1d159}'),
            };
            let is_hidden_there = is_of_category || ignorable.contains(c) || selector.contains(c);
            assert_eq!(is_hidden(c), is_hidden_there, "{:x}", u32::from(c));
            assert_eq!(
                tables::is_pictograph(c),
                emoji.contains(c) && pictograph.contains(c),
                "{:x}",
                u32::from(c)
            );
            let text = format!("x{c}y");
            assert_eq!(
                Hidden::of(&text).is_empty(),
                !is_hidden_there,
                "{:x}",
                u32::from(c)
            );
            assert_eq!(
                sanitize(&reveal(&text)),
                reveal(&text),
                "{:x}",
                u32::from(c)
            );
        }
    }
}
