//! Text from bytes of an unknown encoding.
//!
//! A mark at the beginning decides. Without one, valid UTF-8 is UTF-8; bytes with zeros in them are
//! UTF-16 if they make plain text in one of its two orders; other bytes are one of the Latin
//! encodings, unless they hold control characters, which no text does.

use crate::entry::Encoding;

/// A text and what it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Decoded {
    pub(super) text: String,
    pub(super) encoding: Encoding,
}

/// The text of some bytes; nothing if they are no text. Lines end with a line feed.
pub(super) fn text(bytes: &[u8]) -> Option<Decoded> {
    let (text, encoding) = decode(bytes)?;
    let text = if text.contains('\r') {
        text.replace("\r\n", "\n").replace('\r', "\n")
    } else {
        text
    };
    Some(Decoded { text, encoding })
}

fn decode(bytes: &[u8]) -> Option<(String, Encoding)> {
    if let Some(rest) = bytes.strip_prefix(b"\xEF\xBB\xBF") {
        let (text, encoding) = utf8(rest)?;
        let is_whole = encoding == Encoding::Utf8;
        return Some((
            text,
            if is_whole {
                Encoding::Utf8Bom
            } else {
                encoding
            },
        ));
    }
    if bytes.starts_with(b"\xFF\xFE\0\0") || bytes.starts_with(b"\0\0\xFE\xFF") {
        return None;
    }
    if let Some(rest) = bytes.strip_prefix(b"\xFF\xFE") {
        return Some((utf16(rest, u16::from_le_bytes)?, Encoding::Utf16Le));
    }
    if let Some(rest) = bytes.strip_prefix(b"\xFE\xFF") {
        return Some((utf16(rest, u16::from_be_bytes)?, Encoding::Utf16Be));
    }
    if bytes.contains(&0) {
        return unmarked_utf16(bytes);
    }
    utf8(bytes).or_else(|| latin(bytes))
}

/// UTF-8, also if a few places of it are broken.
fn utf8(bytes: &[u8]) -> Option<(String, Encoding)> {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return is_plain(text).then(|| (text.to_owned(), Encoding::Utf8));
    }
    let mut good = 0;
    let mut broken = 0;
    for chunk in bytes.utf8_chunks() {
        good += chunk.valid().chars().filter(|c| !c.is_ascii()).count();
        broken += usize::from(!chunk.invalid().is_empty());
    }
    if good < broken.saturating_mul(4) {
        return None;
    }
    let text = String::from_utf8_lossy(bytes).into_owned();
    is_plain(&text).then_some((text, Encoding::Utf8Damaged))
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Option<String> {
    let (pairs, rest) = bytes.as_chunks::<2>();
    if !rest.is_empty() {
        return None;
    }
    let units = pairs.iter().map(|pair| unit(*pair));
    let text: Result<String, _> = char::decode_utf16(units).collect();
    text.ok().filter(|text| is_plain(text))
}

/// Plain text in one order is nearly never plain in the other; where it is, the order with more
/// blanks and letters of English is meant.
fn unmarked_utf16(bytes: &[u8]) -> Option<(String, Encoding)> {
    let little = utf16(bytes, u16::from_le_bytes).map(|text| (text, Encoding::Utf16Le));
    let big = utf16(bytes, u16::from_be_bytes).map(|text| (text, Encoding::Utf16Be));
    let ascii = |text: &str| text.chars().filter(char::is_ascii).count();
    let found = match (little, big) {
        (Some(little), Some(big)) if ascii(&big.0) > ascii(&little.0) => Some(big),
        (Some(little), _) => Some(little),
        (None, big) => big,
    };
    found.filter(|(text, _)| ascii(text) > 0)
}

fn latin(bytes: &[u8]) -> Option<(String, Encoding)> {
    let text: Option<String> = bytes.iter().map(|byte| windows_1252(*byte)).collect();
    let text = text.filter(|text| is_plain(text))?;
    let is_windows = bytes.iter().any(|byte| (0x80..0xA0).contains(byte));
    Some((
        text,
        if is_windows {
            Encoding::Windows1252
        } else {
            Encoding::Latin1
        },
    ))
}

/// What Windows-1252 has in place of Latin-1's second row of control characters.
const WINDOWS: [Option<char>; 32] = [
    Some('€'),
    None,
    Some('‚'),
    Some('ƒ'),
    Some('„'),
    Some('…'),
    Some('†'),
    Some('‡'),
    Some('ˆ'),
    Some('‰'),
    Some('Š'),
    Some('‹'),
    Some('Œ'),
    None,
    Some('Ž'),
    None,
    None,
    Some('‘'),
    Some('’'),
    Some('“'),
    Some('”'),
    Some('•'),
    Some('–'),
    Some('—'),
    Some('˜'),
    Some('™'),
    Some('š'),
    Some('›'),
    Some('œ'),
    None,
    Some('ž'),
    Some('Ÿ'),
];

fn windows_1252(byte: u8) -> Option<char> {
    match byte {
        0x80..0xA0 => *WINDOWS.get(usize::from(byte - 0x80))?,
        _ => Some(char::from(byte)),
    }
}

/// Whether a text has no characters but those that texts have. Escape is among them: logs have
/// colors.
fn is_plain(text: &str) -> bool {
    if text.is_ascii()
        && text
            .bytes()
            .all(|byte| byte >= 0x20 && byte != 0x7f || byte == b'\n')
    {
        return true;
    }
    let allowed = |c: char| matches!(c, '\n' | '\r' | '\t' | '\x0c' | '\x1b' | '\x08' | '\u{85}');
    text.chars().all(|c| {
        let code = u32::from(c);
        let is_no_character = code & 0xFFFE == 0xFFFE || (0xFDD0..=0xFDEF).contains(&code);
        !is_no_character && (!c.is_control() || allowed(c))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "Grüße: the café is open\nsecond line";

    fn found(bytes: &[u8]) -> Option<(String, Encoding)> {
        text(bytes).map(|decoded| (decoded.text, decoded.encoding))
    }

    type Unit = fn(u16) -> [u8; 2];

    fn bytes16(text: &str, unit: Unit) -> Vec<u8> {
        text.encode_utf16().flat_map(unit).collect()
    }

    #[test]
    fn utf_8_is_read_with_and_without_a_mark() {
        assert_eq!(found(TEXT.as_bytes()), Some((TEXT.into(), Encoding::Utf8)));
        let marked = [b"\xEF\xBB\xBF", TEXT.as_bytes()].concat();
        assert_eq!(found(&marked), Some((TEXT.into(), Encoding::Utf8Bom)));
    }

    #[test]
    fn utf_16_is_read_in_both_orders_with_and_without_a_mark() {
        let orders: [(Unit, Encoding); 2] = [
            (u16::to_le_bytes, Encoding::Utf16Le),
            (u16::to_be_bytes, Encoding::Utf16Be),
        ];
        for text in [TEXT, "漢字 かな\n", "hi"] {
            for (order, encoding) in orders {
                let plain = bytes16(text, order);
                assert_eq!(found(&plain), Some((text.into(), encoding)));
                let marked = bytes16(&format!("\u{feff}{text}"), order);
                assert_eq!(found(&marked), Some((text.into(), encoding)));
            }
        }
    }

    #[test]
    fn latin_letters_are_read() {
        let latin = b"Gr\xFC\xDFe aus M\xFCnchen";
        assert_eq!(
            found(latin),
            Some(("Grüße aus München".into(), Encoding::Latin1))
        );
        let windows = b"\x84so\x93 \x96 10 \x80";
        assert_eq!(
            found(windows),
            Some(("„so“ – 10 €".into(), Encoding::Windows1252))
        );
    }

    #[test]
    fn a_broken_place_does_not_change_the_rest() {
        let damaged = ["äöüäöüäöü ".as_bytes(), b"\xFF", " ß".as_bytes()].concat();
        let expected = ("äöüäöüäöü � ß".to_owned(), Encoding::Utf8Damaged);
        assert_eq!(found(&damaged), Some(expected));
    }

    #[test]
    fn what_is_no_text_has_none() {
        let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01";
        let zeros = [0_u8; 64];
        let elf = b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x03\0>\0";
        let wide = b"\xFF\xFE\0\0h\0\0\0";
        for bytes in [&png[..], &zeros, elf, wide, b"\x01\x02\x03", b"a\0b"] {
            assert_eq!(found(bytes), None, "{bytes:?}");
        }
    }

    #[test]
    fn lines_end_alike() {
        let decoded = found(b"a\r\nb\rc\n");
        assert_eq!(decoded, Some(("a\nb\nc\n".into(), Encoding::Utf8)));
    }
}
