//! Bytes as text.

use std::fmt::Write as _;

/// Bytes in lower-case hexadecimal digits, as hashes are shown.
///
/// ```
/// assert_eq!(superstep_text::hex(&[0, 171]), "00ab");
/// ```
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}
