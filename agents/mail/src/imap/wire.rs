//! The TLS connection for SMTP, encrypted before the protocol begins.
//!
//! `STARTTLS` is spoken here and not later: whatever a stranger on the way puts behind the server's
//! last word in plain text must not be taken for the first word of the encrypted connection, so
//! the connection is given up if there is anything.

use std::{
    io,
    net::SocketAddr,
    pin::Pin,
    task::{Context, Poll},
};

use lettre::transport::smtp::client::AsyncTokioStream;
use tokio::{
    io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, ReadBuf},
    net::TcpStream,
};

use super::{
    fault::clean,
    settings::{Account, Security},
    tls::{self, Wire},
};
use crate::MailError;

/// The most bytes of an answer before the encryption.
const MAX_ANSWER: usize = 16 << 10;

/// What stands for the greeting, which came before the encryption.
const GREETING: &[u8] = b"220 encrypted\r\n";

/// A connection, with what is read before its own bytes.
#[derive(Debug)]
pub(super) struct Line {
    first: &'static [u8],
    stream: Box<dyn Wire>,
    peer: SocketAddr,
}

/// Connects to the server that mail is handed to.
pub(super) async fn connect(account: &Account) -> Result<Line, MailError> {
    let server = &account.smtp;
    let host = server.host.as_str();
    let unreachable = |error: io::Error| MailError::Unreachable {
        place: host.to_owned(),
        why: error.to_string(),
    };
    let stream = TcpStream::connect((host, server.port)).await;
    let mut stream = stream.map_err(unreachable)?;
    stream.set_nodelay(true).ok();
    let peer = stream.peer_addr().map_err(unreachable)?;
    let certificates = account.certificates.as_deref();
    let (first, stream): (&'static [u8], Box<dyn Wire>) = match server.security {
        Security::Plain => (b"", Box::new(stream)),
        Security::Tls => (b"", tls::encrypted(host, certificates, stream).await?),
        Security::StartTls => {
            start(host, &mut stream).await?;
            (GREETING, tls::encrypted(host, certificates, stream).await?)
        }
    };
    Ok(Line {
        first,
        stream,
        peer,
    })
}

/// Asks the server to encrypt; one that cannot is given up.
async fn start(host: &str, stream: &mut TcpStream) -> Result<(), MailError> {
    answered(host, stream, "220").await?;
    said(host, stream, "EHLO [127.0.0.1]\r\n").await?;
    let offers = answered(host, stream, "250").await?;
    let is_offered = offers.lines().any(|line| {
        let offer = line.get(4..).unwrap_or_default().trim();
        offer.eq_ignore_ascii_case("STARTTLS")
    });
    if !is_offered {
        return Err(refused(host, "it does not encrypt"));
    }
    said(host, stream, "STARTTLS\r\n").await?;
    answered(host, stream, "220").await?;
    Ok(())
}

async fn said(host: &str, stream: &mut TcpStream, words: &str) -> Result<(), MailError> {
    let said = stream.write_all(words.as_bytes()).await;
    said.map_err(|error| MailError::Unreachable {
        place: host.to_owned(),
        why: error.to_string(),
    })
}

/// Reads one whole answer with this code, and nothing behind it.
async fn answered(host: &str, stream: &mut TcpStream, code: &str) -> Result<String, MailError> {
    let mut bytes = Vec::new();
    loop {
        let read = stream.read_buf(&mut bytes).await;
        if !matches!(read, Ok(1..)) || bytes.len() > MAX_ANSWER {
            return Err(MailError::Unreachable {
                place: host.to_owned(),
                why: "it broke off before the encryption".into(),
            });
        }
        if !bytes.ends_with(b"\n") {
            continue;
        }
        let text = String::from_utf8_lossy(&bytes).into_owned();
        // The last line of an answer has a space behind its code, the others have a hyphen.
        let is_last = |line: &&str| line.get(3..4) != Some("-");
        let ends = text.lines().filter(is_last).count();
        match ends {
            0 => {}
            1 if text.lines().last().is_some_and(|line| is_last(&line)) => {
                if text.starts_with(code) {
                    return Ok(text);
                }
                return Err(refused(host, &clean(&text)));
            }
            _ => return Err(refused(host, "it says more than it was asked for")),
        }
    }
}

fn refused(host: &str, why: &str) -> MailError {
    MailError::Refused {
        place: host.to_owned(),
        why: why.to_owned(),
    }
}

impl AsyncTokioStream for Line {
    fn peer_addr(&self) -> io::Result<SocketAddr> {
        Ok(self.peer)
    }
}

impl AsyncRead for Line {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.first.is_empty() {
            return Pin::new(&mut self.stream).poll_read(cx, buffer);
        }
        let fits = self.first.len().min(buffer.remaining());
        let (now, later) = self.first.split_at(fits);
        buffer.put_slice(now);
        self.first = later;
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Line {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
