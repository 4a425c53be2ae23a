//! How far the value of a name goes.

use std::ops::Range;

use super::{REDACTED, work};

/// The length of the line, which may end with an escape.
pub(super) fn line_end(text: &str) -> usize {
    let mut before = b' ';
    for (at, byte) in text.bytes().enumerate() {
        work::step();
        match (before, byte) {
            (_, b'\n' | b'\r') => return at,
            (b'\\', b'n') => return at - 1,
            _ => before = byte,
        }
    }
    text.len()
}

/// Whether nothing follows on the line.
pub(super) fn ends_line(text: &str) -> bool {
    text.is_empty() || text.starts_with(['\n', '\r']) || text.starts_with("\\n")
}

/// The length up to where a value ends. A mark of what was redacted before is one piece.
pub(super) fn run(text: &str, ends: impl Fn(&str) -> bool) -> usize {
    let mut past = 0;
    for (at, _) in text.char_indices() {
        work::step();
        let rest = text.get(at..).unwrap_or_default();
        if at < past {
            continue;
        }
        if rest.starts_with(REDACTED) {
            past = at + REDACTED.len();
        } else if ends(rest) {
            return at;
        }
    }
    text.len()
}

/// The length of a quoted text up to the quote that ends it, or to the end if none does.
pub(super) fn closing(text: &str, mark: &str) -> usize {
    let mut from = 0;
    while let Some(end) = text.get(from..).and_then(|rest| rest.find(mark)) {
        work::steps(end + 1);
        let end = from + end;
        let before = text.get(..end).unwrap_or_default();
        let slashes = before.len() - before.trim_end_matches('\\').len();
        let is_escaped = match mark.starts_with('\\') {
            false => slashes % 2 == 1,
            // Inside of a text, each backslash is two.
            true => (slashes / 2) % 2 == 1,
        };
        let after = text.get(end + mark.len()..).unwrap_or_default();
        let is_doubled = mark.len() == 1 && after.starts_with(mark);
        if !is_escaped && !is_doubled {
            return end;
        }
        let width = if is_doubled && !is_escaped { 2 } else { 1 };
        from = end + mark.len() * width;
    }
    work::steps(text.len() - from.min(text.len()));
    text.len()
}

/// The same on one line: where the quote is that ends the text, or else where the line ends.
pub(super) fn closing_on_line(text: &str, mark: &str) -> Result<usize, usize> {
    let (mut slashes, mut past) = (0_usize, 0);
    for (at, byte) in text.bytes().enumerate() {
        work::step();
        match byte {
            b'\n' | b'\r' => return Err(at),
            b'n' if slashes > 0 => return Err(at - 1),
            _ => {}
        }
        if at >= past && text.get(at..).is_some_and(|rest| rest.starts_with(mark)) {
            let is_escaped = match mark.starts_with('\\') {
                false => slashes % 2 == 1,
                true => (slashes / 2) % 2 == 1,
            };
            let after = text.get(at + mark.len()..).unwrap_or_default();
            let is_doubled = mark.len() == 1 && after.starts_with(mark);
            if !is_escaped && !is_doubled {
                return Ok(at);
            }
            let width = if is_doubled && !is_escaped { 2 } else { 1 };
            past = at + mark.len() * width;
        }
        slashes = if byte == b'\\' { slashes + 1 } else { 0 };
    }
    Err(text.len())
}

/// The length of what begins with a bracket up to the one that ends it, or to the end if none does.
pub(super) fn balanced(text: &str) -> usize {
    let (mut depth, mut slashes, mut last) = (0_usize, 0_usize, b' ');
    // The quote that is open, and the backslashes in front of it.
    let mut open: Option<(u8, usize)> = None;
    for (at, byte) in text.bytes().enumerate() {
        work::step();
        match (byte, open) {
            (b'\\', _) => {
                slashes += 1;
                continue;
            }
            (b'"' | b'\'', None) if b"[{,:(=".contains(&last) => open = Some((byte, slashes)),
            (b'"' | b'\'', Some((quote, 0))) if byte == quote && slashes % 2 == 0 => open = None,
            (b'"' | b'\'', Some((quote, 1))) if byte == quote && slashes % 4 == 1 => open = None,
            (b'"' | b'\'', Some((quote, n))) if byte == quote && slashes == n => open = None,
            (b'[' | b'{', None) => depth += 1,
            (b']' | b'}', None) => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at + 1;
        }
        slashes = 0;
        if !byte.is_ascii_whitespace() {
            last = byte;
        }
    }
    text.len()
}

/// The lines behind the first one that are indented further than this.
pub(super) fn block(text: &str, indent: usize) -> Option<Range<usize>> {
    let first = text.split_inclusive('\n').next()?;
    let is_marked = !first.trim().is_empty();
    let (mut at, mut range) = (first.len(), None);
    for line in text.get(at..)?.split_inclusive('\n') {
        work::steps(line.len());
        let content = line.trim_start_matches([' ', '\t']);
        let width = line.len() - content.len();
        let is_blank = content.trim().is_empty();
        if !is_blank && width <= indent || is_blank && !is_marked {
            break;
        }
        if !is_blank {
            let start = range.map_or(at + width, |range: (usize, usize)| range.0);
            range = Some((start, at + line.trim_end().len()));
        }
        at += line.len();
    }
    range.map(|(start, end)| start..end)
}
