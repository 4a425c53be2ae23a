//! The head of a mail: encoding and folding of header values, and the one place where they are written.

use base64::{Engine as _, engine::general_purpose::STANDARD};

use crate::{address::Address, parse::one_line};

/// How many bytes of UTF-8 an encoded word may hold and still fit its line.
const WORD: usize = 42;

/// The headers of a mail. A value that could end its header is refused, whoever gave it and however it was checked
/// before.
#[derive(Default)]
pub(super) struct HeaderBlock {
    text: String,
}

impl HeaderBlock {
    /// Adds a header whose value has these lines; none if there are none. What is wrong with it is the error.
    pub(super) fn add(&mut self, name: &str, lines: &[String]) -> Result<(), String> {
        let fits = |line: &String| {
            !line.trim().is_empty() && line.bytes().all(|byte| (b' '..=b'~').contains(&byte))
        };
        if let Some(strange) = lines.iter().find(|line| !fits(line)) {
            return Err(format!(
                "its header `{name}` would hold characters that no header may: `{}`",
                one_line(strange, 80)
            ));
        }
        if !lines.is_empty() {
            let value = lines.join("\r\n ");
            self.text.push_str(&format!("{name}: {value}\r\n"));
        }
        Ok(())
    }

    /// The same of one line; none if it is empty.
    pub(super) fn add_line(&mut self, name: &str, line: &str) -> Result<(), String> {
        match line.is_empty() {
            true => Ok(()),
            false => self.add(name, &[line.to_owned()]),
        }
    }

    /// The head with the empty line behind it.
    pub(super) fn ended(self) -> String {
        self.text + "\r\n"
    }
}

/// Words as they stand in a header.
pub(super) fn text_header(text: &str) -> Vec<String> {
    let text = one_line(text, 998);
    let is_plain = text.bytes().all(|byte| (b' '..=b'~').contains(&byte)) && !text.contains("=?");
    match is_plain {
        true => folded(&text),
        false => encoded(&text),
    }
}

/// Addresses as they stand in a header, one a line.
pub(super) fn address_list<'a>(addresses: impl IntoIterator<Item = &'a Address>) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for one in addresses {
        if let Some(before) = lines.last_mut() {
            before.push(',');
        }
        lines.extend(address(one));
    }
    lines
}

fn address(address: &Address) -> Vec<String> {
    let name = address.name.as_deref().map(|name| one_line(name, 200));
    match name.filter(|name| !name.is_empty()) {
        None => vec![address.email.clone()],
        Some(name) => {
            let plain =
                |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b' ' | b'-' | b'_');
            match name.bytes().all(plain) && name.len() < 60 {
                true => vec![format!("{name} <{}>", address.email)],
                false => {
                    let mut lines = encoded(&name);
                    lines.push(format!("<{}>", address.email));
                    lines
                }
            }
        }
    }
}

fn folded(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut length = 10;
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        match lines.last_mut() {
            Some(line) if length + word.len() <= 75 => {
                line.push(' ');
                line.push_str(word);
            }
            None if length + word.len() <= 75 => lines.push(word.to_owned()),
            _ => {
                lines.push(word.to_owned());
                length = 0;
            }
        }
        length += word.len() + 1;
    }
    lines
}

fn encoded(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut part = String::new();
    for c in text.chars() {
        if part.len() + c.len_utf8() > WORD {
            words.push(std::mem::take(&mut part));
        }
        part.push(c);
    }
    words.push(part);
    words
        .iter()
        .map(|word| format!("=?utf-8?B?{}?=", STANDARD.encode(word)))
        .collect()
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
        assert!(header.iter().all(|line| line.len() <= 76));
        let header = text_header(&"word ".repeat(60));
        assert!(header.len() > 1 && header.iter().all(|line| line.len() <= 77));
        assert_eq!(header.join(" "), "word ".repeat(60).trim_end());
    }

    #[test]
    fn a_value_that_would_end_its_header_is_not_written() {
        for value in [
            "a\r\nBcc: eve@evil.example", "a\nb", "a\rb", "a\r\n\r\nbody", "a\0", "\u{85}", "ü",
            " ",
        ] {
            let mut head = HeaderBlock::default();
            assert!(head.add_line("In-Reply-To", value).is_err(), "{value:?}");
            assert_eq!(head.ended(), "\r\n");
        }
    }
}
