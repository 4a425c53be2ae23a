//! Encoding and folding of header values.

use crate::{address::Address, parse::one_line};

/// How many bytes of UTF-8 an encoded word may hold and still fit its line.
const WORD: usize = 42;

/// Words as they stand in a header.
pub(super) fn text_header(text: &str) -> String {
    let text = one_line(text, 998);
    let is_plain = text.bytes().all(|byte| (b' '..=b'~').contains(&byte)) && !text.contains("=?");
    match is_plain {
        true => folded(&text),
        false => encoded(&text),
    }
}

/// Addresses as they stand in a header, one a line.
pub(super) fn address_list<'a>(addresses: impl IntoIterator<Item = &'a Address>) -> String {
    let all: Vec<String> = addresses.into_iter().map(address).collect();
    all.join(",\r\n ")
}

fn address(address: &Address) -> String {
    let name = address.name.as_deref().map(|name| one_line(name, 200));
    match name.filter(|name| !name.is_empty()) {
        None => address.email.clone(),
        Some(name) => {
            let plain =
                |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b' ' | b'-' | b'_');
            match name.bytes().all(plain) && name.len() < 60 {
                true => format!("{name} <{}>", address.email),
                false => format!("{}\r\n <{}>", encoded(&name), address.email),
            }
        }
    }
}

fn folded(text: &str) -> String {
    let (mut lines, mut length) = (String::new(), 10);
    for word in text.split(' ') {
        if length + word.len() > 75 && length > 0 {
            lines.push_str("\r\n");
            length = 0;
        }
        if !lines.is_empty() {
            lines.push(' ');
        }
        lines.push_str(word);
        length += word.len() + 1;
    }
    lines
}

fn encoded(text: &str) -> String {
    let mut words: Vec<String> = Vec::new();
    let mut part = String::new();
    for c in text.chars() {
        if part.len() + c.len_utf8() > WORD {
            words.push(std::mem::take(&mut part));
        }
        part.push(c);
    }
    words.push(part);
    let words: Vec<String> = words
        .iter()
        .map(|word| format!("=?utf-8?B?{}?=", base64(word.as_bytes())))
        .collect();
    words.join("\r\n ")
}

/// Bytes in base64, in lines.
pub(super) fn base64_lines(bytes: &[u8]) -> String {
    let lines = bytes.chunks(57).map(|chunk| base64(chunk) + "\r\n");
    lines.collect()
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let digit = |bits: u32| char::from(DIGITS.get((bits & 63) as usize).copied().unwrap_or(b'A'));
    let mut text = String::with_capacity(bytes.len() / 3 * 4 + 4);
    for chunk in bytes.chunks(3) {
        let at = |n: usize| u32::from(chunk.get(n).copied().unwrap_or_default());
        let bits = (at(0) << 16) | (at(1) << 8) | at(2);
        text.push(digit(bits >> 18));
        text.push(digit(bits >> 12));
        text.push(if chunk.len() > 1 {
            digit(bits >> 6)
        } else {
            '='
        });
        text.push(if chunk.len() > 2 { digit(bits) } else { '=' });
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_what_everybody_reads() {
        for (bytes, text) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foobar", "Zm9vYmFy"),
        ] {
            assert_eq!(base64(bytes.as_bytes()), text);
        }
    }

    #[test]
    fn long_words_are_cut_into_lines_that_fit() {
        let header = text_header(&"ü".repeat(300));
        assert!(header.lines().all(|line| line.len() <= 76));
        let header = text_header(&"word ".repeat(60));
        assert!(header.lines().all(|line| line.len() <= 78));
    }
}
