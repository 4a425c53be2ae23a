//! What the server does on a connection.

use std::{fmt::Write as _, sync::Arc};

use serde_json::Value as Json;
use tokio::sync::Notify;

/// What happens on a connection, in order; then the server closes it.
#[derive(Clone, Debug)]
pub struct Answer(pub Vec<Act>);

/// One thing a server does.
#[derive(Clone, Debug)]
pub enum Act {
    /// Sends bytes.
    Send(Vec<u8>),
    /// Sends the same bytes many times.
    Repeat(Vec<u8>, usize),
    /// Waits until it is released.
    Hold(Arc<Notify>),
    /// Sends nothing more, until the client has gone.
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
        let mut acts = vec![events_head()];
        acts.extend(pieces.into_iter().map(|piece| Act::Send(chunk(piece))));
        acts.push(Act::Send(b"0\r\n\r\n".to_vec()));
        Self(acts)
    }

    /// The beginning of a stream of events, and then something else.
    pub fn then<'a>(pieces: impl IntoIterator<Item = &'a [u8]>, act: Act) -> Self {
        let mut acts = vec![events_head()];
        acts.extend(pieces.into_iter().map(|piece| Act::Send(chunk(piece))));
        acts.push(act);
        Self(acts)
    }

    /// A body of JSON.
    pub fn json(status: u16, body: &Json) -> Self {
        Self::status(
            status,
            &[("content-type", "application/json")],
            body.to_string(),
        )
    }

    /// Any status, headers and body.
    pub fn status(status: u16, headers: &[(&str, &str)], body: impl AsRef<[u8]>) -> Self {
        let body = body.as_ref();
        let length = body.len().to_string();
        let mut all = headers.to_vec();
        all.push(("content-length", &length));
        let mut bytes = head(status, &all);
        bytes.extend_from_slice(body);
        Self::raw(bytes)
    }

    /// Bytes as they are.
    pub fn raw(bytes: impl Into<Vec<u8>>) -> Self {
        Self(vec![Act::Send(bytes.into())])
    }

    /// Silence.
    pub fn hang() -> Self {
        Self(vec![Act::Hang])
    }

    /// A connection that breaks off.
    pub fn reset() -> Self {
        Self(vec![Act::Reset])
    }
}

/// A status line and headers, the blank line at their end included. The connection is closed after
/// the answer, so the end of the connection can be the end of a body.
pub fn head(status: u16, headers: &[(&str, &str)]) -> Vec<u8> {
    let mut text = format!("HTTP/1.1 {status} Scripted\r\nconnection: close\r\n");
    for (name, value) in headers {
        // Writing to a string cannot fail.
        let _ = write!(text, "{name}: {value}\r\n");
    }
    text.push_str("\r\n");
    text.into_bytes()
}

fn events_head() -> Act {
    Act::Send(head(
        200,
        &[
            ("content-type", "text/event-stream"),
            ("transfer-encoding", "chunked"),
        ],
    ))
}

/// Bytes as a chunk of a body that is sent in chunks.
pub fn chunk(bytes: &[u8]) -> Vec<u8> {
    let mut chunk = format!("{:x}\r\n", bytes.len()).into_bytes();
    chunk.extend_from_slice(bytes);
    chunk.extend_from_slice(b"\r\n");
    chunk
}
