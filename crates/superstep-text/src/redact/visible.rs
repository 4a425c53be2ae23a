//! A text as it is seen: a character that nobody sees must not keep a secret from being found.

use std::ops::Range;

use crate::sanitize::is_hidden;

/// A text without its hidden characters.
pub(super) struct Visible {
    pub(super) text: String,
    /// Where characters were left out of it, and how many bytes up to there.
    left_out: Vec<(usize, usize)>,
}

/// Whether a character is left out. Ends of lines and tabs are none of those.
pub(super) fn is_left_out(letter: char) -> bool {
    !letter.is_ascii() && is_hidden(letter)
}

impl Visible {
    /// The text as it is seen, if that is another one.
    pub(super) fn of(text: &str) -> Option<Self> {
        if text.is_ascii() || !text.contains(is_left_out) {
            return None;
        }
        let (mut visible, mut left_out, mut bytes) = (String::new(), Vec::new(), 0);
        for letter in text.chars() {
            if is_left_out(letter) {
                bytes += letter.len_utf8();
                left_out.push((visible.len(), bytes));
            } else {
                visible.push(letter);
            }
        }
        Some(Self {
            text: visible,
            left_out,
        })
    }

    /// Where a part of it stands in the text it was made of.
    pub(super) fn original(&self, part: Range<usize>) -> Range<usize> {
        let place = |at: usize| {
            let before = self.left_out.partition_point(|(seen, _)| *seen <= at);
            let last = before
                .checked_sub(1)
                .and_then(|last| self.left_out.get(last));
            at + last.map_or(0, |(_, bytes)| *bytes)
        };
        match part.is_empty() {
            true => place(part.start)..place(part.start),
            false => place(part.start)..place(part.end - 1) + 1,
        }
    }
}
