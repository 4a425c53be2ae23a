//! Names and labels as they can be shown: printable, measured in terminal columns, cut to fit.
//!
//! Every form of a drawing passes its words through [`printable`] first, so nothing a node is
//! called can break a line, move a cursor or turn the direction of the text around it.

use superstep_text::is_hidden;

/// The text with everything that does not print written as an escape, and blank text quoted.
pub(super) fn printable(text: &str) -> String {
    if text.trim().is_empty() {
        return format!("{text:?}");
    }
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            c if c.is_control() => shown.extend(c.escape_default()),
            // What joins and colors emoji is harmless in a name, and part of it.
            '\u{200c}' | '\u{200d}' | '\u{fe0e}' | '\u{fe0f}' => shown.push(c),
            c if is_hidden(c) => shown.extend(c.escape_unicode()),
            c => shown.push(c),
        }
    }
    shown
}

/// How many terminal columns the text takes.
pub(super) fn columns(text: &str) -> usize {
    text.chars().map(width).sum()
}

/// How many terminal columns one character takes, by its block alone.
pub(super) fn width(c: char) -> usize {
    match c {
        '\u{0300}'..='\u{036f}' | '\u{0483}'..='\u{0489}' | '\u{0591}'..='\u{05bd}' => 0,
        '\u{064b}'..='\u{065f}' | '\u{200b}'..='\u{200d}' | '\u{20d0}'..='\u{20ff}' => 0,
        '\u{fe00}'..='\u{fe0f}' | '\u{fe20}'..='\u{fe2f}' => 0,
        '\u{1100}'..='\u{115f}' | '\u{2e80}'..='\u{303e}' | '\u{3041}'..='\u{a4cf}' => 2,
        '\u{ac00}'..='\u{d7a3}' | '\u{f900}'..='\u{faff}' | '\u{fe30}'..='\u{fe6f}' => 2,
        '\u{ff00}'..='\u{ff60}' | '\u{ffe0}'..='\u{ffe6}' | '\u{1f300}'..='\u{1f64f}' => 2,
        '\u{1f680}'..='\u{1f6ff}' | '\u{1f900}'..='\u{1f9ff}' | '\u{20000}'..='\u{3fffd}' => 2,
        _ => 1,
    }
}

/// The text cut to so many columns, with an ellipsis where something was cut.
pub(super) fn shorten(text: &str, limit: usize) -> String {
    if columns(text) <= limit {
        return text.to_owned();
    }
    let mut room = limit.saturating_sub(1);
    let mut short = String::new();
    for c in text.chars() {
        let Some(rest) = room.checked_sub(width(c)) else {
            break;
        };
        room = rest;
        short.push(c);
    }
    short.push('…');
    short
}
