//! MIME headers of one part: media type, encoding, name.
//!
//! The header block of a part is measured line by line before a header of it is parsed, and only the
//! three headers that matter reach the parser, each of bounded length: parsing a `Content-Type` with
//! very many parameters takes time quadratic in their number.

use mail_parser::{MessageParser, MimeHeaders};

use super::{one_line, refused};
use crate::MailError;

/// The most bytes of one header block.
const MAX_BLOCK: usize = 512 << 10;

/// The most headers of one block.
const MAX_HEADERS: usize = 2_000;

/// The most bytes of a header that describes a part.
const MAX_FIELD: usize = 16 << 10;

/// The most bytes of all such headers of a mail.
const MAX_FIELDS: usize = 4 << 20;

/// The most bytes of a boundary: RFC 2046 allows 70.
const MAX_BOUNDARY: usize = 200;

/// How the bytes of a part are encoded for transport.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Encoding {
    #[default]
    Plain,
    Base64,
    QuotedPrintable,
}

/// What a part is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Media {
    Multipart(Container),
    Message,
    Plain,
    Html,
    OtherText,
    /// A picture, a sound or a film.
    Inline,
    Other,
}

/// What holds other parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Container {
    Message,
    Alternative,
    Related,
    Digest,
    Other,
}

/// What the headers of a part say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Head {
    kind: Option<(String, Option<String>)>,
    pub(super) boundary: Option<Vec<u8>>,
    pub(super) charset: Option<String>,
    /// The name of the file, from either header.
    pub(super) name: Option<String>,
    /// Whether `Content-Type` itself has a name.
    pub(super) is_named: bool,
    pub(super) is_attachment: bool,
    pub(super) encoding: Encoding,
}

impl Head {
    /// What a part of a container is; without a `Content-Type` that is up to the container.
    pub(super) fn media(&self, container: Container) -> Media {
        let Some((kind, sub)) = &self.kind else {
            return match container {
                Container::Digest => Media::Message,
                _ => Media::Plain,
            };
        };
        match (kind.as_str(), sub.as_deref().unwrap_or_default()) {
            ("multipart", "alternative") => Media::Multipart(Container::Alternative),
            ("multipart", "related") => Media::Multipart(Container::Related),
            ("multipart", "digest") => Media::Multipart(Container::Digest),
            ("multipart", _) => Media::Multipart(Container::Other),
            ("message", "rfc822" | "global") => Media::Message,
            ("text", "plain") => Media::Plain,
            ("text", "html") => Media::Html,
            ("text", _) => Media::OtherText,
            ("image" | "audio" | "video", _) => Media::Inline,
            _ => Media::Other,
        }
    }

    /// The media type as it is shown.
    pub(super) fn media_type(&self, media: Media) -> String {
        let text = match (&self.kind, media) {
            (Some((kind, Some(sub))), _) => format!("{kind}/{sub}"),
            (Some((kind, None)), _) => kind.clone(),
            (None, Media::Message) => "message/rfc822".into(),
            (None, _) => "text/plain".into(),
        };
        one_line(&text, 100).to_ascii_lowercase()
    }
}

/// Measures header blocks and reads the headers that describe a part.
pub(super) struct Reader {
    parser: MessageParser,
    /// How many bytes were parsed so far.
    parsed: usize,
}

/// The lines of a header block, as they are met.
#[derive(Default)]
pub(super) struct Block {
    bytes: usize,
    headers: usize,
    field: usize,
    /// The header that the last line belongs to, if it is one that matters.
    open: Option<usize>,
    fields: [Vec<u8>; 3],
}

const FIELDS: [&str; 3] = [
    "content-type", "content-disposition", "content-transfer-encoding",
];

impl Block {
    /// Takes a line with its end.
    pub(super) fn line(&mut self, line: &[u8]) -> Result<(), MailError> {
        self.bytes += line.len();
        if self.bytes > MAX_BLOCK {
            let why = format!("the headers of a part have more than {MAX_BLOCK} bytes");
            return Err(refused(why));
        }
        if !line.starts_with(b" ") && !line.starts_with(b"\t") {
            self.headers += 1;
            if self.headers > MAX_HEADERS {
                return Err(refused(format!(
                    "a part has more than {MAX_HEADERS} headers"
                )));
            }
            self.field = 0;
            self.open = matters(line);
            // Of several with one name the last one counts, as everywhere.
            if let Some(field) = self.open.and_then(|at| self.fields.get_mut(at)) {
                field.clear();
            }
        }
        self.field += line.len();
        if let Some(field) = self.open.and_then(|at| self.fields.get_mut(at)) {
            if self.field > MAX_FIELD {
                let why = format!("a header that describes a part has more than {MAX_FIELD} bytes");
                return Err(refused(why));
            }
            field.extend_from_slice(line);
        }
        Ok(())
    }
}

/// Which of [`FIELDS`] a line begins.
fn matters(line: &[u8]) -> Option<usize> {
    let colon = line.iter().take(64).position(|byte| *byte == b':')?;
    let name = line.get(..colon)?.trim_ascii();
    FIELDS
        .iter()
        .position(|field| name.eq_ignore_ascii_case(field.as_bytes()))
}

impl Reader {
    pub(super) fn new() -> Self {
        let parser = MessageParser::new().with_mime_headers();
        Self {
            parser: parser.default_header_ignore(),
            parsed: 0,
        }
    }

    pub(super) fn read(&mut self, block: &Block) -> Result<Head, MailError> {
        let fields = block.fields.concat();
        self.parsed += fields.len();
        if self.parsed > MAX_FIELDS {
            let why =
                format!("the headers that describe its parts have more than {MAX_FIELDS} bytes");
            return Err(refused(why));
        }
        let Some(message) = self.parser.parse_headers(&fields) else {
            return Ok(Head::default());
        };
        let kind = message.content_type();
        let disposition = message.content_disposition();
        let encoding = message.content_transfer_encoding().unwrap_or_default();
        let attribute = |name: &str| kind.and_then(|kind| kind.attribute(name));
        let boundary = attribute("boundary").map(|it| it.as_bytes().trim_ascii_end());
        let fits = |it: &&[u8]| !it.is_empty() && it.len() <= MAX_BOUNDARY;
        Ok(Head {
            kind: kind.map(|kind| (lower(kind.ctype()), kind.subtype().map(lower))),
            boundary: boundary.filter(fits).map(<[u8]>::to_vec),
            charset: attribute("charset").map(str::to_owned),
            name: message.attachment_name().map(|name| one_line(name, 255)),
            is_named: attribute("name").is_some(),
            is_attachment: disposition.is_some_and(mail_parser::ContentType::is_attachment),
            encoding: match encoding.trim() {
                it if it.eq_ignore_ascii_case("base64") => Encoding::Base64,
                it if it.eq_ignore_ascii_case("quoted-printable") => Encoding::QuotedPrintable,
                _ => Encoding::Plain,
            },
        })
    }
}

fn lower(text: &str) -> String {
    text.to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(text: &str) -> Head {
        let mut block = Block::default();
        for line in text.as_bytes().split_inclusive(|byte| *byte == b'\n') {
            assert!(block.line(line).is_ok());
        }
        Reader::new().read(&block).unwrap_or_default()
    }

    #[test]
    fn folded_headers_are_read_whole_and_the_last_of_a_name_counts() {
        let found = head(
            "Content-Type: text/plain\r\nCONTENT-TYPE : Multipart/Digest;\r\n boundary=\"b =c \"\r\n\
             Content-Disposition: attachment;\r\n\tfilename=a.txt\r\n",
        );
        assert_eq!(found.boundary.as_deref(), Some(&b"b =c"[..]));
        let digest = Media::Multipart(Container::Digest);
        assert_eq!(found.media(Container::Message), digest);
        assert_eq!(found.name.as_deref(), Some("a.txt"));
        assert!(found.is_attachment && !found.is_named);
    }

    #[test]
    fn a_part_without_a_type_is_what_its_container_says() {
        let found = head("Subject: Content-Type: text/html\r\n");
        assert_eq!(found.media(Container::Digest), Media::Message);
        assert_eq!(found.media(Container::Other), Media::Plain);
    }

    #[test]
    fn headers_without_end_are_refused() {
        let mut block = Block::default();
        let mut lines = 0;
        while block.line(b"X: y\r\n").is_ok() {
            lines += 1;
            assert!(lines <= MAX_HEADERS);
        }
        let mut block = Block::default();
        assert!(block.line(b"Content-Type: a/b\r\n").is_ok());
        let folded = b"\t; x=".repeat(MAX_FIELD / 6);
        assert!(block.line(&folded).is_ok());
        assert!(block.line(&folded).is_err());
        assert!(Block::default().line(&vec![b'x'; MAX_BLOCK + 1]).is_err());
    }
}
