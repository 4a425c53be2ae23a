//! Connections of clients: each is accepted, checked (`caller`), and served until it ends or the server stops.
//!
//! What is written to one goes out at once: an answer has its headers before its body is there, and by default the second part would
//! wait until the client has confirmed the first, which clients put off for 40 ms. The server closes connections that do not
//! finish the head of a request in time, and those on which nothing is asked for as long. How many there may be is in `slots`.

mod caller;
pub(super) mod slots;

use std::{
    future::Future,
    net::SocketAddr,
    pin::{Pin, pin},
    task::{Context, Poll},
    time::Duration,
};

use axum::{Router, extract::ConnectInfo, http::StatusCode, serve::Listener};
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use serde_json::json;
use tokio::{
    io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, ReadBuf},
    net::{TcpListener, TcpStream},
    sync::watch,
};
use tower_service::Service as _;

use self::{
    caller::Caller,
    slots::{Slot, Slots},
};

use crate::app::shutdown::Shutdown;

/// How long a client that is refused may take to read why.
const REFUSED: Duration = Duration::from_secs(1);

/// When a connection ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stop {
    None,
    /// When its requests are answered.
    Answered,
    Now,
}

/// How connections are served.
pub(super) struct Connections {
    pub(super) router: Router,
    /// Whether only the server's own user is answered, as there is no token.
    pub(super) is_private: bool,
    /// How long the head of a request may take to come.
    pub(super) head_limit: Duration,
    pub(super) slots: Slots,
}

impl Connections {
    /// Serves them until the workers of the server have stopped and requests that have begun are answered, or the time for
    /// that is over.
    pub(super) async fn serve(self, mut listener: TcpListener, shutdown: &Shutdown) {
        // Each connection has an end of it: it hears when to stop, and is gone when its end is.
        let (stopping, stopped) = watch::channel(Stop::None);
        let mut stop = pin!(shutdown.wait_drained());
        loop {
            tokio::select! {
                (stream, there) = accept(&mut listener) => {
                    if let Some(held) = self.admit(stream, there) {
                        tokio::spawn(self.connection(held, there, stopped.clone()));
                    }
                }
                _deadline = &mut stop => break,
            }
        }
        drop((listener, stopped));
        stopping.send_replace(Stop::Answered);
        tokio::select! {
            () = stopping.closed() => {}
            () = shutdown.over() => {
                stopping.send_replace(Stop::Now);
            }
        }
    }

    /// Gives a connection a slot, or refuses it.
    fn admit(&self, stream: TcpStream, there: SocketAddr) -> Option<Held> {
        let caller = match there.ip().is_loopback() {
            true => Caller::of(&stream, there),
            false => Caller::Other,
        };
        if self.is_private && caller == Caller::Other {
            let why = "the server answers its own user only, as it has no token: other users of the \
                       machine need one";
            self.refuse(stream, StatusCode::FORBIDDEN, why);
            return None;
        }
        let Some(slot) = self.slots.take(caller) else {
            let why = "the server has as many connections as it may have: try again later";
            self.refuse(stream, StatusCode::SERVICE_UNAVAILABLE, why);
            return None;
        };
        Some(Held {
            stream,
            _slot: slot,
        })
    }

    /// Answers a connection that has no slot, and closes it when its client has taken the answer, within a second. Of many
    /// at once some are closed without an answer.
    fn refuse(&self, mut stream: TcpStream, status: StatusCode, why: &str) {
        let Some(refusal) = self.slots.refusal() else {
            return;
        };
        let body = json!({ "detail": why }).to_string();
        let answer = format!(
            "HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
            body.len()
        );
        tokio::spawn(async move {
            let told = async {
                stream.write_all(answer.as_bytes()).await?;
                stream.shutdown().await?;
                // A connection with unread bytes would be reset, and its client would lose the answer.
                let mut unread = [0; 1024];
                while stream.read(&mut unread).await? > 0 {}
                Ok::<_, std::io::Error>(())
            };
            // A client that is gone needs no answer.
            let _told = tokio::time::timeout(REFUSED, told).await;
            drop(refusal);
        });
    }

    fn connection(
        &self,
        stream: Held,
        there: SocketAddr,
        mut stopped: watch::Receiver<Stop>,
    ) -> impl Future<Output = ()> + Send + 'static {
        let router = self.router.clone();
        let service = service_fn(move |mut request: hyper::Request<Incoming>| {
            request.extensions_mut().insert(ConnectInfo(there));
            router.clone().call(request)
        });
        let served = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(self.head_limit)
            .serve_connection(TokioIo::new(stream), service)
            .with_upgrades();
        async move {
            let mut served = pin!(served);
            tokio::select! {
                // One that breaks is its client's to notice.
                _ended = served.as_mut() => return,
                _stopped = stopped.wait_for(|stop| *stop != Stop::None) => {}
            }
            served.as_mut().graceful_shutdown();
            tokio::select! {
                _ended = served => {}
                _over = stopped.wait_for(|stop| *stop == Stop::Now) => {}
            }
        }
    }
}

/// A connection with its slot, which it has until it is closed, also as a WebSocket.
struct Held {
    stream: TcpStream,
    _slot: Slot,
}

impl AsyncRead for Held {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, into)
    }
}

impl AsyncWrite for Held {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<std::io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        parts: &[std::io::IoSlice<'_>],
    ) -> Poll<std::io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(cx, parts)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}

async fn accept(listener: &mut TcpListener) -> (TcpStream, SocketAddr) {
    // What cannot be accepted is tried again there.
    let (stream, there) = Listener::accept(listener).await;
    // One that cannot is slower, and works.
    let _slower = stream.set_nodelay(true);
    (stream, there)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_is_written_to_a_client_goes_out_at_once() {
        let mut listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let place = listener.local_addr().unwrap();
        let (client, (stream, _)) = tokio::join!(TcpStream::connect(place), accept(&mut listener));
        client.unwrap();
        assert!(stream.nodelay().unwrap());
    }

    #[tokio::test]
    async fn idle_connections_leave_room_and_one_that_closes_gives_its_slot_back() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let place = listener.local_addr().unwrap();
        let connections = Connections {
            router: Router::new(),
            is_private: true,
            head_limit: Duration::from_secs(3600),
            slots: Slots::of(2, 0),
        };
        tokio::spawn(async move { connections.serve(listener, &Shutdown::default()).await });
        let status = || async move {
            let mut client = TcpStream::connect(place).await.unwrap();
            // The server may have closed it already.
            let _closed = client
                .write_all(b"GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n")
                .await;
            let mut said = Vec::new();
            let _closed = client.read_to_end(&mut said).await;
            String::from_utf8(said).unwrap()
        };
        let idle = [
            TcpStream::connect(place).await.unwrap(),
            TcpStream::connect(place).await.unwrap(),
        ];
        let full = status().await;
        assert!(full.starts_with("HTTP/1.1 503"), "{full}");
        drop(idle);
        // The server hears of the end of a connection when it reads from it.
        while status().await.starts_with("HTTP/1.1 503") {}
        let answer = status().await;
        assert!(answer.starts_with("HTTP/1.1 404"), "{answer}");
    }
}
