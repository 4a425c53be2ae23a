//! HTTP as far as the server needs it: one request on a connection, one answer.

use std::{fmt::Write as _, io};

use serde_json::{Value as Json, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

/// The most bytes a request may have.
const MAX_REQUEST: usize = 96 << 20;

/// What was asked.
#[derive(Clone, Debug, PartialEq)]
pub struct Seen {
    /// The method.
    pub method: String,
    /// The path, with its query, as it came.
    pub path: String,
    /// The headers, their names in lower case, in the order they came.
    pub headers: Vec<(String, String)>,
    /// The body as text.
    pub text: String,
    /// The body; null if it is not JSON.
    pub body: Json,
}

impl Seen {
    /// The value of a header.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut headers = self.headers.iter();
        let found = headers.find(|(known, _)| known == name)?;
        Some(found.1.as_str())
    }

    /// The fields of the query, decoded, in their order.
    pub fn query(&self) -> Vec<(String, String)> {
        let query = self.path.split_once('?').map(|(_, query)| query);
        fields(query.unwrap_or_default())
    }

    /// One field of the query.
    pub fn asks(&self, name: &str) -> Option<String> {
        let mut query = self.query().into_iter();
        Some(query.find(|(known, _)| known == name)?.1)
    }

    /// The body as the fields of a form.
    pub(super) fn form(&self) -> Vec<(String, String)> {
        fields(&self.text)
    }

    pub(super) fn segments(&self) -> Vec<String> {
        let path = self.path.split('?').next().unwrap_or_default();
        path.split('/')
            .filter(|segment| !segment.is_empty())
            .map(|segment| decoded(segment, Plus::Stays))
            .collect()
    }
}

/// What is answered.
pub(super) struct Answer {
    status: u16,
    headers: Vec<(&'static str, String)>,
    body: String,
}

impl Answer {
    pub(super) fn ok(body: &Json) -> Self {
        Self {
            status: 200,
            headers: vec![("content-type", "application/json; charset=UTF-8".into())],
            body: body.to_string(),
        }
    }

    pub(super) fn status(status: u16, body: &Json) -> Self {
        Self {
            status,
            ..Self::ok(body)
        }
    }

    pub(super) fn empty() -> Self {
        Self {
            status: 204,
            headers: Vec::new(),
            body: String::new(),
        }
    }

    pub(super) fn garbage() -> Self {
        Self {
            body: "<html>".into(),
            ..Self::ok(&Json::Null)
        }
    }

    pub(super) fn redirect(to: String) -> Self {
        Self {
            status: 302,
            ..Self::empty()
        }
        .with("location", to)
    }

    /// A failure in the envelope that all of Google's services share.
    pub(super) fn refused(status: u16, reason: &str, message: &str) -> Self {
        let name = match status {
            400 => "INVALID_ARGUMENT",
            401 => "UNAUTHENTICATED",
            403 => "PERMISSION_DENIED",
            404 => "NOT_FOUND",
            409 => "ALREADY_EXISTS",
            429 => "RESOURCE_EXHAUSTED",
            _ => "INTERNAL",
        };
        Self::status(
            status,
            &json!({"error": {
                "code": status, "message": message, "status": name,
                "errors": [{"domain": "global", "reason": reason, "message": message}],
            }}),
        )
    }

    /// How many bytes its body has.
    pub(super) fn len(&self) -> usize {
        self.body.len()
    }

    pub(super) fn with(mut self, name: &'static str, value: String) -> Self {
        self.headers.push((name, value));
        self
    }
}

pub(super) async fn read(stream: &mut TcpStream) -> io::Result<Seen> {
    let mut bytes = Vec::new();
    let head_ends = loop {
        if let Some(at) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            break at;
        }
        more(stream, &mut bytes).await?;
    };
    let (head, rest) = bytes.split_at(head_ends);
    let head = String::from_utf8_lossy(head).into_owned();
    let mut body = rest.get(4..).unwrap_or_default().to_vec();
    let mut lines = head.split("\r\n");
    let mut words = lines.next().unwrap_or_default().split(' ');
    let mut word = || words.next().unwrap_or_default().to_owned();
    let (method, path) = (word(), word());
    let headers: Vec<(String, String)> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
        .collect();
    let mut seen = Seen {
        method,
        path,
        headers,
        text: String::new(),
        body: Json::Null,
    };
    let length = seen.header("content-length");
    let length: usize = length.and_then(|text| text.parse().ok()).unwrap_or(0);
    while body.len() < length.min(MAX_REQUEST) {
        more(stream, &mut body).await?;
    }
    seen.body = serde_json::from_slice(&body).unwrap_or_default();
    seen.text = String::from_utf8_lossy(&body).into_owned();
    Ok(seen)
}

pub(super) async fn write(stream: &mut TcpStream, answer: &Answer) -> io::Result<()> {
    let mut head = format!("HTTP/1.1 {} Told\r\nconnection: close\r\n", answer.status);
    for (name, value) in &answer.headers {
        // Writing to a string cannot fail.
        let _ = write!(head, "{name}: {value}\r\n");
    }
    let _ = write!(head, "content-length: {}\r\n\r\n", answer.body.len());
    stream.write_all(head.as_bytes()).await?;
    stream.write_all(answer.body.as_bytes()).await?;
    stream.shutdown().await
}

pub(super) async fn until_left(stream: &mut TcpStream) {
    // Nothing more is asked on this connection: what ends the read is the client.
    let mut rest = [0; 1024];
    while stream.read(&mut rest).await.is_ok_and(|read| read > 0) {}
}

async fn more(stream: &mut TcpStream, bytes: &mut Vec<u8>) -> io::Result<()> {
    if bytes.len() > MAX_REQUEST {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    match stream.read_buf(bytes).await? {
        0 => Err(io::ErrorKind::UnexpectedEof.into()),
        _ => Ok(()),
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Plus {
    IsSpace,
    Stays,
}

fn fields(text: &str) -> Vec<(String, String)> {
    text.split('&')
        .filter(|field| !field.is_empty())
        .map(|field| field.split_once('=').unwrap_or((field, "")))
        .map(|(name, value)| (decoded(name, Plus::IsSpace), decoded(value, Plus::IsSpace)))
        .collect()
}

fn decoded(text: &str, plus: Plus) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        match byte {
            b'+' if plus == Plus::IsSpace => bytes.push(b' '),
            b'%' => {
                let digit = |byte: Option<u8>| char::from(byte.unwrap_or(b'0')).to_digit(16);
                let (high, low) = (digit(rest.next()), digit(rest.next()));
                let code = high.unwrap_or(0) * 16 + low.unwrap_or(0);
                bytes.push(u8::try_from(code).unwrap_or(b'?'));
            }
            byte => bytes.push(byte),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
