//! A client of the protocol over a WebSocket: text frames one way and the other.

use serde_json::Value as Json;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};

use crate::client::Running;

/// A WebSocket of a thread.
pub(crate) struct Socket(TcpStream);

impl Socket {
    pub(crate) async fn open(server: &Running, token: &str, path: &str) -> Self {
        let mut stream = TcpStream::connect(&server.address).await.unwrap();
        let head = format!(
            "GET {path} HTTP/1.1\r\nhost: {}\r\nx-api-key: {token}\r\nconnection: upgrade\r\nupgrade: websocket\r\n\
             sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
            server.address
        );
        stream.write_all(head.as_bytes()).await.unwrap();
        let mut answer = Vec::new();
        while !answer.ends_with(b"\r\n\r\n") {
            answer.push(stream.read_u8().await.unwrap());
        }
        assert!(answer.starts_with(b"HTTP/1.1 101"), "{answer:?}");
        Self(stream)
    }

    /// Sends a text; its mask is zero, which changes nothing.
    pub(crate) async fn send(&mut self, said: &Json) {
        let said = said.to_string();
        let length = u16::try_from(said.len()).unwrap();
        let mut frame = vec![0x81, 0x80 | 126];
        frame.extend(length.to_be_bytes());
        frame.extend([0; 4]);
        frame.extend(said.as_bytes());
        self.0.write_all(&frame).await.unwrap();
    }

    /// The next text.
    pub(crate) async fn next(&mut self) -> Json {
        assert_eq!(self.0.read_u8().await.unwrap(), 0x81, "a whole text");
        let length = match self.0.read_u8().await.unwrap() {
            126 => u64::from(self.0.read_u16().await.unwrap()),
            127 => self.0.read_u64().await.unwrap(),
            short => u64::from(short),
        };
        let mut text = vec![0; usize::try_from(length).unwrap()];
        self.0.read_exact(&mut text).await.unwrap();
        serde_json::from_slice(&text).unwrap()
    }
}
