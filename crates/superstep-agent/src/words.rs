//! Numbers and names in sentences.

use std::fmt;

use superstep::text::reveal_name;

/// A number of things: `1 thread`, `2 threads`.
pub fn count(number: usize, what: &str) -> String {
    match number {
        1 => format!("1 {what}"),
        _ => format!("{number} {what}s"),
    }
}

/// A name of any origin on one line, without control characters. No two names look alike because of characters that
/// are not visible.
pub fn shown(name: impl fmt::Display) -> String {
    match reveal_name(&name.to_string()) {
        empty if empty.is_empty() => "?".to_owned(),
        name => name,
    }
}
