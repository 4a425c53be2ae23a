//! Incremental parser of server-sent events (SSE).
//!
//! The parser follows the standard's grammar (line ends CR, LF and CRLF, a byte order mark,
//! comments, data of several lines) and is stricter in two ways: text that is not UTF-8 is an
//! error, and so is a line or an event that is larger than a reply's piece can be.

use crate::error::{ErrorKind, ModelError};

/// The most bytes one line may have.
pub const MAX_LINE: usize = 1 << 20;

/// The most bytes the data of one event may have.
pub const MAX_EVENT: usize = 8 << 20;

const BOM: &[u8] = b"\xef\xbb\xbf";

/// One event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Event {
    /// What kind it is; empty if it does not say.
    pub name: String,
    /// Its data, the lines joined by line feeds.
    pub data: String,
}

/// Turns bytes into events.
#[derive(Clone, Debug, Default)]
pub struct Parser {
    line: Vec<u8>,
    event: Event,
    has_data: bool,
    /// The last byte was a CR: a LF that follows belongs to it.
    after_cr: bool,
    /// The first line is over, and with it the place for a byte order mark.
    begun: bool,
}

impl Parser {
    /// A parser at the beginning of a stream.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes bytes and gives the events that they complete. An event that the stream's end cuts
    /// off is never given, as the standard says.
    pub fn push(&mut self, bytes: &[u8], events: &mut Vec<Event>) -> Result<(), ModelError> {
        let mut rest = bytes;
        if self.after_cr && !rest.is_empty() {
            self.after_cr = false;
            rest = rest.strip_prefix(b"\n").unwrap_or(rest);
        }
        while let Some(at) = rest.iter().position(|byte| matches!(byte, b'\r' | b'\n')) {
            let (head, tail) = rest.split_at(at);
            self.grow(head)?;
            rest = match tail {
                [b'\r', b'\n', after @ ..] => after,
                [b'\r'] => {
                    self.after_cr = true;
                    &[]
                }
                [_, after @ ..] => after,
                [] => &[],
            };
            events.extend(self.end_of_line()?);
        }
        self.grow(rest)
    }

    fn grow(&mut self, bytes: &[u8]) -> Result<(), ModelError> {
        if self.line.len().saturating_add(bytes.len()) > MAX_LINE {
            return Err(too_large(format!("a line of more than {MAX_LINE} bytes")));
        }
        self.line.extend_from_slice(bytes);
        Ok(())
    }

    fn end_of_line(&mut self) -> Result<Option<Event>, ModelError> {
        let line = std::mem::take(&mut self.line);
        let mut line = line.as_slice();
        if !std::mem::replace(&mut self.begun, true) {
            line = line.strip_prefix(BOM).unwrap_or(line);
        }
        if line.is_empty() {
            return Ok(self.end_of_event());
        }
        let Ok(line) = std::str::from_utf8(line) else {
            let what = "an event that is not UTF-8".into();
            return Err(ErrorKind::Malformed { what }.into());
        };
        let (name, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match name {
            "data" => self.add_data(value)?,
            "event" => self.event.name = value.to_owned(),
            // A comment has an empty name; ids and retries are for readers that reconnect.
            _ => {}
        }
        Ok(None)
    }

    fn add_data(&mut self, value: &str) -> Result<(), ModelError> {
        if std::mem::replace(&mut self.has_data, true) {
            self.event.data.push('\n');
        }
        if self.event.data.len().saturating_add(value.len()) > MAX_EVENT {
            return Err(too_large(format!(
                "an event of more than {MAX_EVENT} bytes"
            )));
        }
        self.event.data.push_str(value);
        Ok(())
    }

    fn end_of_event(&mut self) -> Option<Event> {
        let event = std::mem::take(&mut self.event);
        std::mem::take(&mut self.has_data).then_some(event)
    }
}

fn too_large(what: String) -> ModelError {
    ErrorKind::TooLarge { what }.into()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;

    fn parse<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> Result<Vec<Event>, ModelError> {
        let mut parser = Parser::new();
        let mut events = Vec::new();
        for part in parts {
            parser.push(part, &mut events)?;
        }
        Ok(events)
    }

    fn data(text: &str) -> Vec<String> {
        let events = parse([text.as_bytes()]).unwrap();
        events.into_iter().map(|event| event.data).collect()
    }

    #[test]
    fn all_line_ends_mean_the_same() {
        for end in ["\n", "\r", "\r\n"] {
            let text = ["data: a", "data: b", "", "data:c", "", ""].join(end);
            assert_eq!(data(&text), ["a\nb", "c"], "{end:?}");
        }
    }

    #[test]
    fn cut_anywhere_the_events_are_the_same() {
        let text = "\u{feff}: hello\r\nevent: x\rdata: gr\u{fc}\u{df} \u{1f980}\ndata\r\n\r\ndata: end\n\n";
        let bytes = text.as_bytes();
        let whole = parse([bytes]).unwrap();
        let first = Event {
            name: "x".into(),
            data: "gr\u{fc}\u{df} \u{1f980}\n".into(),
        };
        assert_eq!(whole.first(), Some(&first));
        assert_eq!(whole.len(), 2);
        for at in 0..=bytes.len() {
            let (head, tail) = bytes.split_at(at);
            assert_eq!(parse([head, tail]).unwrap(), whole, "cut at {at}");
        }
        assert_eq!(parse(bytes.chunks(1)).unwrap(), whole);
    }

    #[test]
    fn what_carries_no_data_is_no_event() {
        assert!(data("\n\n: ping\n\nevent: x\n\nid: 1\nretry: 5\n\n").is_empty());
        assert_eq!(data("data\n\n"), [""]);
        assert_eq!(data("data:  two spaces\n\n"), [" two spaces"]);
        assert!(data("data: never ended\n").is_empty());
    }

    #[test]
    fn a_mark_counts_at_the_very_beginning_only() {
        assert_eq!(data("\u{feff}data: a\n\n\u{feff}data: b\n\n"), ["a"]);
    }

    #[test]
    fn bytes_that_are_no_text_are_refused() {
        let error = parse([b"data: \xff\n\n".as_slice()]).unwrap_err();
        assert_eq!(error.code(), "SS5010");
    }

    #[test]
    fn lines_and_events_have_a_limit() {
        let endless = vec![b'x'; MAX_LINE / 2 + 1];
        let error = parse([endless.as_slice(), endless.as_slice()]).unwrap_err();
        assert_eq!(error.code(), "SS5011");
        let mut line = b"data: ".to_vec();
        line.resize(MAX_LINE, b'x');
        line.push(b'\n');
        let error = parse(std::iter::repeat_n(line.as_slice(), 9)).unwrap_err();
        assert_eq!(error.code(), "SS5011");
        assert!(parse(std::iter::repeat_n(line.as_slice(), 8)).is_ok());
    }
}
