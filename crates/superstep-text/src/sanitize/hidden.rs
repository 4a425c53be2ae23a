//! Characters that nobody sees, distinguished from those that are part of what is seen.
//!
//! A character is hidden if it is not drawn (`tables` has the categories), with these exceptions:
//!
//! - one variation selector U+FE0E or U+FE0F directly behind an emoji, or between a digit, `#` or `*`
//!   and the keycap U+20E3;
//! - one Mongolian selector (U+180B–D, U+180F) directly behind a Mongolian letter, and U+180E between
//!   two of them;
//! - one ZWJ between two emoji;
//! - one ZWJ or ZWNJ between two letters of a script that joins letters, or behind a virama;
//! - a carriage return directly before a line feed.
//!
//! All other selectors are hidden, also those of ideographs (U+E0100–1EF), since a run of them spells
//! any bytes; and so are tags, also those of flags.

use std::{borrow::Cow, collections::BTreeMap, fmt};

use serde_json::Value as Json;

use super::tables::{is_hidden, is_mongolian, is_pictograph, is_skin_tone, is_virama, joins};

const ZWNJ: char = '\u{200c}';
const ZWJ: char = '\u{200d}';
const KEYCAP: char = '\u{20e3}';

/// How many kinds of hidden characters are named.
const MOST_NAMED: usize = 6;

/// How many characters of a hidden text are quoted.
const MOST_QUOTED: usize = 200;

/// Decides character by character what is seen. Whether some are is known only with the next one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Sight {
    /// The last character that was seen, if nothing hidden came since.
    base: Option<char>,
    /// Whether a selector has followed it.
    is_selected: bool,
    /// A character that waits for the next one.
    held: Option<char>,
}

enum Judgement {
    Seen,
    Hidden,
    /// It depends on the next character.
    Depends,
}

impl Sight {
    /// Takes the next character. `tell` gets those that are decided, in order, and whether they are
    /// seen.
    pub(super) fn push(&mut self, c: char, tell: &mut dyn FnMut(char, bool)) {
        if let Some(held) = self.held.take() {
            let is_seen = self.needs(held, c);
            self.decide(held, is_seen, tell);
        }
        match self.judge(c) {
            Judgement::Seen => self.decide(c, true, tell),
            Judgement::Hidden => self.decide(c, false, tell),
            Judgement::Depends => self.held = Some(c),
        }
    }

    /// Nothing follows: what waited is hidden.
    pub(super) fn end(&mut self, tell: &mut dyn FnMut(char, bool)) {
        if let Some(held) = self.held.take() {
            self.decide(held, false, tell);
        }
        *self = Self::default();
    }

    fn judge(&self, c: char) -> Judgement {
        if !is_hidden(c) {
            return Judgement::Seen;
        }
        let Some(base) = self.base else {
            return match c {
                '\r' => Judgement::Depends,
                _ => Judgement::Hidden,
            };
        };
        let is_free = !self.is_selected;
        match c {
            '\r' => Judgement::Depends,
            '\u{fe0e}' | '\u{fe0f}' if is_free && is_pictograph(base) => Judgement::Seen,
            '\u{fe0e}' | '\u{fe0f}' if is_free && takes_keycap(base) => Judgement::Depends,
            '\u{180b}'..='\u{180d}' | '\u{180f}' if is_free && is_mongolian(base) => {
                Judgement::Seen
            }
            '\u{180e}' if is_mongolian(base) => Judgement::Depends,
            ZWJ | ZWNJ if is_virama(base) => Judgement::Seen,
            ZWJ | ZWNJ if joins(base) => Judgement::Depends,
            ZWJ if is_pictograph(base) || is_skin_tone(base) => Judgement::Depends,
            _ => Judgement::Hidden,
        }
    }

    /// Whether a character that depends on the next one is seen before this one.
    fn needs(&self, held: char, next: char) -> bool {
        match (held, self.base) {
            ('\r', _) => next == '\n',
            ('\u{fe0e}' | '\u{fe0f}', _) => next == KEYCAP,
            ('\u{180e}', _) => is_mongolian(next),
            (ZWJ | ZWNJ, Some(base)) if joins(base) => joins(next) && !is_hidden(next),
            _ => is_pictograph(next),
        }
    }

    fn decide(&mut self, c: char, is_seen: bool, tell: &mut dyn FnMut(char, bool)) {
        match (is_seen, is_hidden(c)) {
            (true, false) => (self.base, self.is_selected) = (Some(c), false),
            // A selector belongs to its letter, and a joiner may still follow both.
            (true, true) if !matches!(c, ZWJ | ZWNJ) => self.is_selected = true,
            _ => (self.base, self.is_selected) = (None, false),
        }
        tell(c, is_seen);
    }
}

fn takes_keycap(c: char) -> bool {
    c.is_ascii_digit() || matches!(c, '#' | '*')
}

/// The text with every hidden character written as `<U+200B>`.
///
/// For whoever approves a text: nothing in it is left out, and nothing acts.
///
/// ```
/// assert_eq!(superstep_text::reveal("pay\u{200B}pal"), "pay<U+200B>pal");
/// ```
pub fn reveal(text: &str) -> Cow<'_, str> {
    if Hidden::of(text).is_empty() {
        return Cow::Borrowed(text);
    }
    let mut revealed = String::with_capacity(text.len() + 16);
    each(text, &mut |c, is_seen| match is_seen {
        true => revealed.push(c),
        false => revealed.push_str(&name(c)),
    });
    Cow::Owned(revealed)
}

fn name(c: char) -> String {
    format!("<U+{:04X}>", u32::from(c))
}

/// A name on one line, such that two names that differ are shown differently: besides hidden characters,
/// blanks that cannot be counted and marks that combine with a letter are written as `<U+0301>`.
///
/// Letters of different scripts that look alike are shown as they are.
///
/// ```
/// use superstep_text::reveal_name;
///
/// assert_ne!(reveal_name("e\u{301}va"), reveal_name("\u{e9}va"));
/// ```
pub fn reveal_name(name: &str) -> String {
    let mut revealed = String::with_capacity(name.len());
    let mut before = ' ';
    let mut letters = Vec::with_capacity(name.len());
    each(name, &mut |c, is_seen| letters.push((c, is_seen)));
    for (at, (c, is_seen)) in letters.iter().enumerate() {
        let rest = letters.get(at + 1..).unwrap_or_default();
        let next = |n: usize| rest.get(n).map(|(c, _)| *c);
        let is_clear = match c {
            // A blank between two words is seen.
            ' ' => before != ' ' && next(0).is_some(),
            // What is written as a hidden character is not one.
            '<' => !(next(0) == Some('U') && next(1) == Some('+')),
            c => *is_seen && !c.is_whitespace() && !combines(*c),
        };
        match is_clear {
            true => revealed.push(*c),
            false => revealed.push_str(&self::name(*c)),
        }
        before = *c;
    }
    revealed
}

/// Whether a character is drawn with the one before it, which exists as a character of its own too.
fn combines(c: char) -> bool {
    matches!(c,
        '\u{300}'..='\u{36f}' | '\u{1ab0}'..='\u{1aff}' | '\u{1dc0}'..='\u{1dff}'
        | '\u{20d0}'..='\u{20ff}' | '\u{fe20}'..='\u{fe2f}' | '\u{3099}' | '\u{309a}'
        | '\u{1100}'..='\u{11ff}' | '\u{a960}'..='\u{a97f}' | '\u{d7b0}'..='\u{d7ff}')
}

fn each(text: &str, tell: &mut dyn FnMut(char, bool)) {
    let mut sight = Sight::default();
    for c in text.chars() {
        sight.push(c, tell);
    }
    sight.end(tell);
}

/// The hidden characters of a text. Shows itself as a warning for people.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hidden(Vec<char>);

impl Hidden {
    /// Those of a text, in order.
    pub fn of(text: &str) -> Self {
        let mut found = Self::default();
        found.add(text);
        found
    }

    /// Those of all texts and keys in data. Text that JSON would escape counts as what it means.
    pub fn of_json(json: &Json) -> Self {
        let mut found = Self::default();
        let mut left = vec![json];
        while let Some(json) = left.pop() {
            match json {
                Json::String(text) => found.add(text),
                Json::Array(items) => left.extend(items.iter().rev()),
                Json::Object(map) => {
                    map.keys().for_each(|key| found.add(key));
                    left.extend(map.values().rev());
                }
                Json::Null | Json::Bool(_) | Json::Number(_) => {}
            }
        }
        found
    }

    fn add(&mut self, text: &str) {
        each(text, &mut |c, is_seen| {
            if !is_seen {
                self.0.push(c);
            }
        });
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// What tags or variation selectors spell: each stands for a letter or a byte.
    pub fn spelled(&self) -> Option<String> {
        let byte = |c: &char| {
            let code = u32::from(*c);
            let byte = match code {
                0xe0020..=0xe007e => code - 0xe0000,
                0xfe00..=0xfe0f => code - 0xfe00,
                0xe0100..=0xe01ef => code - 0xe0100 + 16,
                _ => return None,
            };
            u8::try_from(byte).ok()
        };
        let bytes: Vec<u8> = self.0.iter().filter_map(byte).collect();
        let text = super::single_line(&String::from_utf8_lossy(&bytes));
        let is_text = |c: char| !c.is_control() && c != char::REPLACEMENT_CHARACTER;
        let words = text.chars().filter(|c| is_text(*c)).take(MOST_QUOTED);
        let words: String = words.collect();
        (words.chars().filter(|c| c.is_alphanumeric()).count() > 1).then_some(words)
    }
}

impl fmt::Display for Hidden {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut counts: BTreeMap<char, usize> = BTreeMap::new();
        for c in &self.0 {
            *counts.entry(*c).or_default() += 1;
        }
        let named = counts.iter().take(MOST_NAMED).map(|(c, count)| {
            let code = u32::from(*c);
            match count {
                1 => format!("U+{code:04X}"),
                count => format!("U+{code:04X} ×{count}"),
            }
        });
        let named: Vec<String> = named.collect();
        let noun = if self.0.len() == 1 {
            "character"
        } else {
            "characters"
        };
        write!(f, "{} hidden {noun} ({}", self.0.len(), named.join(", "))?;
        match counts.len().saturating_sub(MOST_NAMED) {
            0 => f.write_str(")")?,
            more => write!(f, " and {more} more)")?,
        }
        match self.spelled() {
            Some(words) => write!(f, " that spell \"{words}\""),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_belongs_to_what_is_seen_is_not_hidden() {
        for text in [
            "plain text\n\twith lines\r\n",
            "☺️ ❤︎ 🏳️‍🌈 👩🏽‍🚀 👨‍👩‍👧‍👦 🏴‍☠️ 🇩🇪 1️⃣ #️⃣ ⛓️‍💥",
            "می‌خواهم نوشته‌ها",
            "क्‍ष ക്‍ ന്‍ ශ්‍රී",
            "ᠮᠣᠩᠭᠣᠯ\u{180b} ᠪᠠ\u{180e}ᠭ",
            "e\u{301} ﷽ 漢字 ｆｕｌｌ \u{a0}\u{3000}",
        ] {
            assert_eq!(Hidden::of(text), Hidden::default(), "{text:?}");
            assert_eq!(reveal(text), text);
        }
    }

    #[test]
    fn what_is_hidden_is_revealed_wherever_it_stands() {
        for (text, revealed) in [
            ("a\u{200b}b", "a<U+200B>b"),
            ("a\u{e0101}", "a<U+E0101>"),
            ("a\u{fe0f}", "a<U+FE0F>"),
            ("❤\u{fe0f}\u{fe0f}", "❤\u{fe0f}<U+FE0F>"),
            ("❤\u{fe01}", "❤<U+FE01>"),
            ("1\u{fe0f}", "1<U+FE0F>"),
            ("1\u{fe0f}2", "1<U+FE0F>2"),
            ("漢\u{e0100}", "漢<U+E0100>"),
            ("👩\u{200d}a", "👩<U+200D>a"),
            ("👩\u{200d}\u{200d}👩", "👩<U+200D><U+200D>👩"),
            ("👩\u{200d}", "👩<U+200D>"),
            ("a\u{200d}b\u{200c}c", "a<U+200D>b<U+200C>c"),
            ("م\u{200c}\u{200c}خ", "م<U+200C><U+200C>خ"),
            ("م\u{200c} ", "م<U+200C> "),
            ("م\u{200c}\u{6dd}", "م<U+200C><U+06DD>"),
            ("\x1b[31mred", "<U+001B>[31mred"),
            ("\u{9b}31m\r", "<U+009B>31m<U+000D>"),
            ("\u{ad}\u{34f}\u{3164}", "<U+00AD><U+034F><U+3164>"),
            ("🏴\u{e0067}\u{e007f}", "🏴<U+E0067><U+E007F>"),
            ("\u{180e}ᠭ", "<U+180E>ᠭ"),
            ("\u{2028}\u{2800}\u{fffe}", "<U+2028><U+2800><U+FFFE>"),
        ] {
            assert_eq!(reveal(text), revealed, "{text:?}");
            assert!(!Hidden::of(text).is_empty());
        }
    }

    #[test]
    fn names_that_differ_are_shown_differently() {
        let names = [
            "mail-a", "mail-\u{200b}a", "mail-a\u{200b}", "mail-a<U+200B>", "mail-a ", " mail-a",
            "mail- a", "mail-  a", "mail-\ta", "mail-\na", "mail-\u{a0}a", "mail-\u{e4}",
            "mail-a\u{308}", "mail-a\u{e0101}", "mail-\u{202e}a", "mail-a\r", "mail-\u{ac00}",
            "mail-\u{1100}\u{1161}", "",
        ];
        let shown: std::collections::BTreeSet<String> =
            names.iter().map(|name| reveal_name(name)).collect();
        assert_eq!(shown.len(), names.len(), "{shown:?}");
        for (name, wanted) in [
            ("mail-größe 2", "mail-größe 2"),
            ("a\u{200b}b", "a<U+200B>b"),
            ("a<U+200B>b", "a<U+003C>U+200B>b"),
            ("a  b ", "a <U+0020>b<U+0020>"),
            ("👩\u{200d}🚀", "👩\u{200d}🚀"),
        ] {
            assert_eq!(reveal_name(name), wanted);
        }
    }

    #[test]
    fn data_is_searched_to_its_ends() {
        let nested = json!({"a": [{"b\u{200b}": ["\u{1b}[31m", 1, null]}], "c": "\u{e0101}"});
        assert_eq!(Hidden::of_json(&nested).len(), 3);
        assert!(Hidden::of_json(&json!({"a": "\\u001b is a name"})).is_empty());
    }

    #[test]
    fn what_selectors_and_tags_spell_is_said() {
        let bytes = "surgery on monday".bytes();
        let text: String = bytes
            .filter_map(|byte| char::from_u32(0xe0100 + u32::from(byte) - 16))
            .collect();
        let description = Hidden::of(&format!("Hi{text}")).to_string();
        assert!(
            description.starts_with("17 hidden characters (U+E0110"),
            "{description}"
        );
        assert!(
            description.ends_with("that spell \"surgery on monday\""),
            "{description}"
        );
        let tags: String = "obey"
            .bytes()
            .filter_map(|byte| char::from_u32(0xe0000 + u32::from(byte)))
            .collect();
        assert_eq!(Hidden::of(&tags).spelled().as_deref(), Some("obey"));
        assert_eq!(
            Hidden::of("\u{200b}").to_string(),
            "1 hidden character (U+200B)"
        );
    }
}
