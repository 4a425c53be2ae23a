//! A file as a part of a mail.

use super::header::{HeaderBlock, base64_lines};
use crate::parse::AttachedFile;

/// The media type of a file of which nothing better is known.
const BYTES: &str = "application/octet-stream";

/// The file behind its headers.
pub(super) fn part(file: &AttachedFile) -> Result<String, String> {
    let mut head = HeaderBlock::default();
    head.add_line("Content-Type", media_type(&file.media_type))?;
    let name = file.name.as_deref().unwrap_or("attachment");
    let disposition = format!("attachment; filename*=UTF-8''{}", percent(name));
    head.add_line("Content-Disposition", &disposition)?;
    head.add_line("Content-Transfer-Encoding", "base64")?;
    Ok(head.ended() + &base64_lines(&file.bytes))
}

/// The media type, if it can stand in a header and may be encoded.
fn media_type(text: &str) -> &str {
    let is_token = |text: &str| {
        let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$&^_.+-".contains(&byte);
        !text.is_empty() && text.len() <= 80 && text.bytes().all(fits)
    };
    match text.split_once('/') {
        Some((kind, sub)) if is_token(kind) && is_token(sub) => match kind {
            "message" | "multipart" => BYTES,
            _ => text,
        },
        _ => BYTES,
    }
}

/// A name as RFC 2231 writes it.
fn percent(name: &str) -> String {
    let mut text = String::new();
    for byte in name.bytes().take(255) {
        match byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            true => text.push(char::from(byte)),
            false => text.push_str(&format!("%{byte:02X}")),
        }
    }
    text
}
