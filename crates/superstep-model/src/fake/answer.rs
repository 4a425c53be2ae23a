//! What a server does with a connection.

use std::fmt::Write as _;

use serde_json::Value as Json;

/// What happens on a connection, in order; then the server closes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer(pub Vec<Act>);

/// One thing a server does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Act {
    /// Sends bytes.
    Send(Vec<u8>),
    /// Sends the same bytes many times.
    Repeat(Vec<u8>, usize),
    /// Says nothing more, until the client has gone.
    Hang,
    /// Breaks the connection off, so that the client gets an error.
    Reset,
}

impl Answer {
    /// A stream of events, sent at once.
    pub fn events(text: &str) -> Self {
        Self::pieces([text.as_bytes()])
    }

    /// A stream of events, sent byte by byte.
    pub fn bytewise(text: &str) -> Self {
        Self::pieces(text.as_bytes().chunks(1))
    }

    /// A stream of events, each piece a chunk of its own.
    pub fn pieces<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> Self {
        let mut acts = vec![head("text/event-stream")];
        acts.extend(pieces.into_iter().map(chunk));
        acts.push(Act::Send(b"0\r\n\r\n".to_vec()));
        Self(acts)
    }

    /// The beginning of a stream of events, and then something else.
    pub fn then<'a>(pieces: impl IntoIterator<Item = &'a [u8]>, act: Act) -> Self {
        let mut acts = vec![head("text/event-stream")];
        acts.extend(pieces.into_iter().map(chunk));
        acts.push(act);
        Self(acts)
    }

    /// A body of JSON.
    pub fn json(status: u16, body: &Json) -> Self {
        Self::status(
            status,
            &[("content-type", "application/json")],
            &body.to_string(),
        )
    }

    /// Any status, headers and body.
    pub fn status(status: u16, headers: &[(&str, &str)], body: &str) -> Self {
        let mut text = format!("HTTP/1.1 {status} Told\r\nconnection: close\r\n");
        for (name, value) in headers {
            // Writing to a string cannot fail.
            let _ = write!(text, "{name}: {value}\r\n");
        }
        let _ = write!(text, "content-length: {}\r\n\r\n{body}", body.len());
        Self::raw(text)
    }

    /// Bytes as they are.
    pub fn raw(bytes: impl Into<Vec<u8>>) -> Self {
        Self(vec![Act::Send(bytes.into())])
    }

    /// No word, ever.
    pub fn hang() -> Self {
        Self(vec![Act::Hang])
    }
}

fn head(media_type: &str) -> Act {
    let text = format!(
        "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-type: {media_type}\r\n\
         transfer-encoding: chunked\r\n\r\n"
    );
    Act::Send(text.into_bytes())
}

fn chunk(bytes: &[u8]) -> Act {
    let mut chunk = format!("{:x}\r\n", bytes.len()).into_bytes();
    chunk.extend_from_slice(bytes);
    chunk.extend_from_slice(b"\r\n");
    Act::Send(chunk)
}
