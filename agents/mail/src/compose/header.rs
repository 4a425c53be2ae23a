//! Encoding and folding of header values.

use base64::{Engine as _, engine::general_purpose::STANDARD};

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
        .map(|word| format!("=?utf-8?B?{}?=", STANDARD.encode(word)))
        .collect();
    words.join("\r\n ")
}

/// Bytes in base64, in lines.
pub(super) fn base64_lines(bytes: &[u8]) -> String {
    let lines = bytes
        .chunks(57)
        .map(|chunk| STANDARD.encode(chunk) + "\r\n");
    lines.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_words_are_cut_into_lines_that_fit() {
        let header = text_header(&"ü".repeat(300));
        assert!(header.lines().all(|line| line.len() <= 76));
        let header = text_header(&"word ".repeat(60));
        assert!(header.lines().all(|line| line.len() <= 78));
    }
}
