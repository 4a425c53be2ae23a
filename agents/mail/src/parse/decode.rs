//! Decoding of a part: its text and size, within a memory limit.

use mail_parser::{
    decoders::{charsets::map::charset_decoder, html::html_to_text},
    parsers::MessageStream,
};

use super::{
    html::{self, DisguisedLink},
    mime::{Encoding, Media},
    scan::Part,
};

/// How much of a text part is decoded, in the form it has on the wire. Markup can be many times as
/// long as its text.
const MAX_ENCODED: usize = 8 << 20;

/// The text of a part.
pub(super) struct Text {
    pub(super) text: String,
    /// The links that lead elsewhere than they show.
    pub(super) links: Vec<DisguisedLink>,
    /// Whether the part is longer than this text.
    pub(super) is_cut: bool,
    /// Whether it is not encoded as it says.
    pub(super) is_broken: bool,
}

pub(super) fn text(part: &Part<'_>) -> Option<Text> {
    if !matches!(part.media, Media::Plain | Media::Html) {
        return None;
    }
    let raw = beginning(part.body);
    let (decoded, is_broken) = decoded(raw, part.head.encoding);
    let charset = part.head.charset.as_deref();
    let text = characters(&decoded, charset);
    let (text, links) = match part.media {
        Media::Html => {
            let seen = html::seen(&text);
            (html_to_text(&seen.markup), seen.disguised)
        }
        _ => (text, Vec::new()),
    };
    Some(Text {
        text,
        links,
        is_cut: raw.len() < part.body.len(),
        is_broken,
    })
}

/// The text of bytes that were decoded, at most [`MAX_ENCODED`] of them.
pub(super) fn readable(bytes: &[u8], media: Media, charset: Option<&str>) -> String {
    let text = characters(beginning(bytes), charset);
    match media {
        Media::Html => html_to_text(&html::seen(&text).markup),
        _ => text,
    }
}

fn characters(bytes: &[u8], charset: Option<&str>) -> String {
    match charset.and_then(|name| charset_decoder(name.as_bytes())) {
        Some(decode) => decode(bytes),
        None => String::from_utf8_lossy(bytes).into_owned(),
    }
}

/// All bytes of a part, and whether it is not encoded as it says.
pub(super) fn whole(part: &Part<'_>) -> (Vec<u8>, bool) {
    let (bytes, is_broken) = decoded(part.body, part.head.encoding);
    (bytes.into_owned(), is_broken)
}

/// Whole lines at the beginning of a body.
fn beginning(body: &[u8]) -> &[u8] {
    let Some(first) = body.get(..MAX_ENCODED).filter(|it| it.len() < body.len()) else {
        return body;
    };
    let line = first.iter().rposition(|byte| *byte == b'\n');
    first
        .get(..line.map_or(first.len(), |at| at + 1))
        .unwrap_or(first)
}

fn decoded(raw: &[u8], encoding: Encoding) -> (std::borrow::Cow<'_, [u8]>, bool) {
    let (end, bytes) = match encoding {
        Encoding::Plain => return (raw.into(), false),
        Encoding::Base64 => MessageStream::new(raw).decode_base64_mime(b""),
        Encoding::QuotedPrintable => MessageStream::new(raw).decode_quoted_printable_mime(b""),
    };
    match end == usize::MAX {
        true => (raw.into(), true),
        false => (bytes, false),
    }
}

/// How many bytes a part has when it is decoded.
pub(super) fn size(part: &Part<'_>) -> u64 {
    let bytes = match part.head.encoding {
        Encoding::Plain => part.body.len(),
        Encoding::Base64 => {
            let is_digit = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
            part.body.iter().filter(is_digit).count() * 3 / 4
        }
        Encoding::QuotedPrintable => {
            // `=` and two digits are one byte; at the end of a line it is none.
            let escapes = part.body.iter().filter(|byte| **byte == b'=').count();
            part.body.len().saturating_sub(escapes.saturating_mul(2))
        }
    };
    bytes as u64
}
