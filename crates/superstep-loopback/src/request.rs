//! A request as it came over the wire.

use std::io;

use serde_json::Value as Json;
use tokio::{io::AsyncReadExt, net::TcpStream};

/// The most bytes a request may have.
const MAX_REQUEST: usize = 96 << 20;

/// A request.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// The method.
    pub method: String,
    /// The path, with its query, as it came.
    pub path: String,
    /// The headers, their names in lower case, in the order they came.
    pub headers: Vec<(String, String)>,
    /// The body as it came.
    pub bytes: Vec<u8>,
    /// The body; null if it is not JSON.
    pub body: Json,
}

impl Request {
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
    pub fn query_value(&self, name: &str) -> Option<String> {
        let mut query = self.query().into_iter();
        Some(query.find(|(known, _)| known == name)?.1)
    }

    /// The body as the fields of a form.
    pub fn form(&self) -> Vec<(String, String)> {
        fields(&String::from_utf8_lossy(&self.bytes))
    }

    /// The segments of the path, decoded.
    pub fn segments(&self) -> Vec<String> {
        let path = self.path.split('?').next().unwrap_or_default();
        path.split('/')
            .filter(|segment| !segment.is_empty())
            .map(|segment| decoded(segment, Plus::Stays))
            .collect()
    }

    pub(crate) async fn read(stream: &mut TcpStream) -> io::Result<Self> {
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
        let mut request = Self {
            method,
            path,
            headers,
            bytes: Vec::new(),
            body: Json::Null,
        };
        let length = request.header("content-length");
        let length: usize = length.and_then(|text| text.parse().ok()).unwrap_or(0);
        while body.len() < length.min(MAX_REQUEST) {
            more(stream, &mut body).await?;
        }
        request.body = serde_json::from_slice(&body).unwrap_or_default();
        request.bytes = body;
        Ok(request)
    }
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
