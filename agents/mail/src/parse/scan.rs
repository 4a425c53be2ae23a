//! Structure scan: the parts of a mail, found in one pass before anything is decoded.
//!
//! A stranger decides how deep parts nest and how many there are, so nothing here recurses, no
//! byte is looked at more than a few times, and what exceeds a limit is refused. Attached mails
//! are walked through for the limits, and otherwise stay closed: they are attachments. An encoded
//! one is not decoded, so nothing can hide in it.

use std::collections::HashMap;

use super::{
    frame::{Frame, PartNumbers},
    mime::{Block, Encoding, Head, Media, Reader},
    refused,
};
use crate::MailError;

/// How deep parts may nest, attached mails included.
pub(super) const MAX_NESTING: usize = 50;

/// The most parts of a mail, those of attached mails included.
pub(super) const MAX_PARTS: usize = 10_000;

/// A part that is text of the mail or an attachment.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Part<'a> {
    pub(super) head: Head,
    pub(super) media: Media,
    pub(super) body: &'a [u8],
    /// Whether it is listed as an attachment.
    pub(super) is_listed: bool,
}

/// What a mail is made of.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Parts<'a> {
    pub(super) all: Vec<Part<'a>>,
    /// The parts that are its text, in their order.
    pub(super) text: Vec<usize>,
    /// Whether it ends before its parts do.
    pub(super) is_cut: bool,
}

/// Finds the parts of a mail, or says which limit it exceeds.
pub(super) fn scan(bytes: &[u8]) -> Result<Parts<'_>, MailError> {
    let mut walk = Walk {
        bytes,
        at: 0,
        reader: Reader::new(),
        frames: vec![Frame::root()],
        boundaries: HashMap::new(),
        count: 0,
        messages: 0,
        place: PartNumbers::default(),
        parts: Vec::new(),
    };
    let is_cut = walk.run()?;
    Ok(Parts {
        all: walk.parts,
        text: walk.place.text,
        is_cut,
    })
}

struct Walk<'a> {
    bytes: &'a [u8],
    at: usize,
    reader: Reader,
    /// What is open, the innermost last.
    frames: Vec<Frame>,
    /// The innermost frame of each open boundary.
    boundaries: HashMap<Vec<u8>, usize>,
    count: usize,
    /// How many attached mails are open.
    messages: usize,
    place: PartNumbers,
    parts: Vec<Part<'a>>,
}

/// A line that ends a part.
struct Delimiter {
    frame: usize,
    is_last: bool,
}

impl<'a> Walk<'a> {
    /// Walks through all parts; gives whether the mail ends before they do.
    fn run(&mut self) -> Result<bool, MailError> {
        loop {
            let head = self.head()?;
            self.count += 1;
            if self.count > MAX_PARTS {
                return Err(refused(format!("it has more than {MAX_PARTS} parts")));
            }
            let Some(top) = self.frames.last_mut() else {
                return Ok(true);
            };
            top.parts += 1;
            let media = head.media(top.container);
            let begin = self.at;
            let leaf = match media {
                Media::Multipart(container) if head.boundary.is_some() => {
                    let frame = Frame::multipart(top, container, head, begin);
                    self.open(frame)?;
                    None
                }
                Media::Message if head.encoding == Encoding::Plain => {
                    let part = self.attached(head);
                    self.open(Frame::attached(part, begin))?;
                    self.messages += 1;
                    continue;
                }
                _ => Some(head),
            };
            let (mut end, mut next) = self.delimiter(begin);
            if let Some(head) = leaf {
                self.leaf(head, media, self.bytes.get(begin..end).unwrap_or_default());
            }
            // What follows the end of a multipart is nobody's until a line ends what is around it.
            while let Some(Delimiter { frame, is_last }) = next {
                self.close_to(frame + 1, end);
                if !is_last {
                    break;
                }
                self.close_to(frame, end);
                if self.boundaries.is_empty() {
                    self.close_to(1, self.bytes.len());
                    return Ok(false);
                }
                (end, next) = self.delimiter(self.at);
            }
            if next.is_none() {
                let is_cut = !self.boundaries.is_empty();
                self.close_to(1, self.bytes.len());
                return Ok(is_cut);
            }
        }
    }

    /// The headers of the part that begins here; its body begins behind them.
    fn head(&mut self) -> Result<Head, MailError> {
        let mut block = Block::default();
        while let Some(line) = self.line() {
            if matches!(line, b"\n" | b"\r\n") {
                self.at += line.len();
                break;
            }
            // Headers that no empty line ends.
            if self.delimits(line).is_some() {
                break;
            }
            block.line(line)?;
            self.at += line.len();
        }
        self.reader.read(&block)
    }

    /// The line that begins here, with its end.
    fn line(&self) -> Option<&'a [u8]> {
        let rest = self.bytes.get(self.at..).filter(|rest| !rest.is_empty())?;
        let end = rest.iter().position(|byte| *byte == b'\n');
        rest.get(..end.map_or(rest.len(), |end| end + 1))
    }

    /// Goes behind the next line that ends a part; gives where the part ends that began at `begin`.
    fn delimiter(&mut self, begin: usize) -> (usize, Option<Delimiter>) {
        if self.boundaries.is_empty() {
            self.at = self.bytes.len();
        }
        while let Some(line) = self.line() {
            let start = self.at;
            self.at += line.len();
            if let Some(found) = self.delimits(line) {
                let before = self.bytes.get(begin..start).unwrap_or_default();
                let before = before.strip_suffix(b"\n").unwrap_or(before);
                let before = before.strip_suffix(b"\r").unwrap_or(before);
                return (begin + before.len(), Some(found));
            }
        }
        (self.bytes.len(), None)
    }

    fn delimits(&self, line: &[u8]) -> Option<Delimiter> {
        let name = line.strip_prefix(b"--")?.trim_ascii_end();
        if let Some(frame) = self.boundaries.get(name) {
            return Some(Delimiter {
                frame: *frame,
                is_last: false,
            });
        }
        let frame = self.boundaries.get(name.strip_suffix(b"--")?)?;
        Some(Delimiter {
            frame: *frame,
            is_last: true,
        })
    }

    fn open(&mut self, mut frame: Frame) -> Result<(), MailError> {
        let at = self.frames.len();
        if at > MAX_NESTING {
            return Err(refused(format!(
                "its parts nest more than {MAX_NESTING} levels deep"
            )));
        }
        if let Some(boundary) = frame.boundary() {
            frame.shadowed = self.boundaries.insert(boundary.to_vec(), at);
        }
        self.place.begin(&mut frame);
        self.frames.push(frame);
        Ok(())
    }

    /// Closes what is open above so many frames; all of it ends here.
    fn close_to(&mut self, count: usize, end: usize) {
        while self.frames.len() > count.max(1) {
            let Some(frame) = self.frames.pop() else {
                return;
            };
            if let Some(boundary) = frame.boundary() {
                match frame.shadowed {
                    Some(outer) => self.boundaries.insert(boundary.to_vec(), outer),
                    None => self.boundaries.remove(boundary),
                };
            }
            let body = self.bytes.get(frame.begin..end).unwrap_or_default();
            match frame.message() {
                Some(part) => {
                    self.messages = self.messages.saturating_sub(1);
                    if let Some(part) = part.and_then(|part| self.parts.get_mut(part)) {
                        part.body = body;
                    }
                }
                None if self.messages > 0 => {}
                None => {
                    self.place.end(&frame);
                    // A boundary that never came: all that is there is one part.
                    if let Some(head) = frame.into_empty() {
                        self.parts.push(Part {
                            head,
                            media: Media::OtherText,
                            body,
                            is_listed: true,
                        });
                    }
                }
            }
        }
    }

    /// An attached mail; nothing if it is within another one.
    fn attached(&mut self, head: Head) -> Option<usize> {
        if self.messages > 0 {
            return None;
        }
        self.parts.push(Part {
            head,
            media: Media::Message,
            body: &[],
            is_listed: true,
        });
        Some(self.parts.len() - 1)
    }

    fn leaf(&mut self, head: Head, media: Media, body: &'a [u8]) {
        if self.messages > 0 {
            return;
        }
        let id = self.parts.len();
        let Some(frame) = self.frames.last_mut() else {
            return;
        };
        let is_listed = self.place.leaf(frame, &head, media, id);
        self.parts.push(Part {
            head,
            media,
            body,
            is_listed,
        });
    }
}
