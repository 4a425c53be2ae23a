//! A text as it is read: another way to write a character must not keep a secret from being found.
//!
//! Characters that nobody sees are left out, fullwidth letters are plain ones, and what is written as
//! `%3D`, `&quot;` or `&#61;` is what it stands for. The parts remember where they come from.

use std::ops::Range;

use crate::sanitize::is_hidden;

/// A text as it is read.
pub(super) struct Visible {
    pub(super) text: String,
    parts: Vec<Part>,
}

/// A part of it, and where that is in the text it was made of.
#[derive(Clone, Copy)]
struct Part {
    at: usize,
    original: usize,
    /// How long it was; nothing for a part that is as it was.
    replaces: Option<usize>,
}

/// Whether a character is left out. Ends of lines and tabs are none of those.
pub(super) fn is_left_out(letter: char) -> bool {
    !letter.is_ascii() && is_hidden(letter)
}

/// A fullwidth letter as the plain one.
pub(super) fn folded(letter: char) -> char {
    match letter {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(letter) - 0xfee0).unwrap_or(letter),
        '\u{3000}' => ' ',
        other => other,
    }
}

impl Visible {
    /// The text as it is read, if that is another one.
    pub(super) fn of(text: &str) -> Option<Self> {
        let mut visible = Self {
            text: String::new(),
            parts: Vec::new(),
        };
        let (mut at, mut kept) = (0, 0);
        while let Some(letter) = text.get(at..).and_then(|rest| rest.chars().next()) {
            let (length, read) = match letter {
                '%' => escaped(text, at),
                '&' => entity(text, at),
                letter if letter.is_ascii() => None,
                letter if is_left_out(letter) => Some((letter.len_utf8(), None)),
                letter if folded(letter) != letter => {
                    Some((letter.len_utf8(), Some(folded(letter))))
                }
                _ => None,
            }
            .map_or((letter.len_utf8(), Err(())), |(length, read)| {
                (length, Ok(read))
            });
            if let Ok(read) = read {
                visible.keep(text, kept..at);
                if let Some(read) = read {
                    visible.parts.push(Part {
                        at: visible.text.len(),
                        original: at,
                        replaces: Some(length),
                    });
                    visible.text.push(read);
                }
                kept = at + length;
            }
            at += length;
        }
        if kept == 0 {
            return None;
        }
        visible.keep(text, kept..text.len());
        Some(visible)
    }

    fn keep(&mut self, text: &str, part: Range<usize>) {
        if part.is_empty() {
            return;
        }
        self.parts.push(Part {
            at: self.text.len(),
            original: part.start,
            replaces: None,
        });
        self.text.push_str(text.get(part).unwrap_or_default());
    }

    /// Where a part of it is in the text it was made of.
    pub(super) fn original(&self, part: Range<usize>) -> Range<usize> {
        let place = |at: usize| {
            let after = self.parts.partition_point(|part| part.at <= at);
            let part = after.checked_sub(1).and_then(|last| self.parts.get(last));
            part.map_or(at..at + 1, |part| match part.replaces {
                Some(length) => part.original..part.original + length,
                None => part.original + (at - part.at)..part.original + (at - part.at) + 1,
            })
        };
        match part.is_empty() {
            true => place(part.start).start..place(part.start).start,
            false => place(part.start).start..place(part.end - 1).end,
        }
    }
}

/// What is read in place of so many bytes; nothing if they are left out.
type Read = (usize, Option<char>);

/// `%3D`, as in addresses and forms.
fn escaped(text: &str, at: usize) -> Option<Read> {
    let byte = u8::from_str_radix(text.get(at + 1..at + 3)?, 16).ok()?;
    text.get(at + 1..at + 3)?
        .bytes()
        .all(|digit| digit.is_ascii_hexdigit())
        .then_some(())?;
    Some((3, Some(readable(byte.into())?)))
}

/// `&quot;` and `&#61;`, as in markup.
fn entity(text: &str, at: usize) -> Option<Read> {
    const NAMED: [(&str, char); 5] = [
        ("quot;", '"'),
        ("apos;", '\''),
        ("amp;", '&'),
        ("lt;", '<'),
        ("gt;", '>'),
    ];
    let rest = text.get(at + 1..)?;
    if let Some((name, read)) = NAMED.iter().find(|(name, _)| rest.starts_with(name)) {
        return Some((1 + name.len(), Some(*read)));
    }
    let number = rest.strip_prefix('#')?;
    let (digits, radix, sign) = match number.strip_prefix(['x', 'X']) {
        Some(digits) => (digits, 16, 1),
        None => (number, 10, 0),
    };
    let count = digits
        .bytes()
        .take(7)
        .take_while(u8::is_ascii_hexdigit)
        .count();
    digits.get(count..)?.starts_with(';').then_some(())?;
    let code = u32::from_str_radix(digits.get(..count)?, radix).ok()?;
    // `&`, `#`, the sign of the base, the digits, `;`
    Some((3 + sign + count, Some(readable(code)?)))
}

/// A character that names, separators and secrets are written with.
fn readable(code: u32) -> Option<char> {
    let letter = char::from_u32(code).filter(char::is_ascii)?;
    (!letter.is_ascii_control() || matches!(letter, '\n' | '\r' | '\t')).then_some(letter)
}
