//! The name at the end of a text, before a separator, a type or a call.

/// Names are looked back for no further than this.
pub(super) const LONGEST: usize = 64;

/// The name that a text ends with.
pub(super) fn word(text: &str) -> Option<&str> {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    let length = text.bytes().rev().take_while(is_part).take(LONGEST).count();
    let (head, name) = text.split_at_checked(text.len() - length)?;
    // The end of a line that is written with an escape is no part of a name.
    let name = match head.ends_with('\\') {
        true => name.strip_prefix(['n', 'r', 't']).unwrap_or(name),
        false => name,
    };
    (!name.is_empty()).then_some(name)
}
