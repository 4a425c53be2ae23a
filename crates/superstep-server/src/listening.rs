//! Connections of clients: what is written to one goes out at once.
//!
//! An answer has its headers before its body is there. By default the second part would wait until the client has
//! confirmed the first, which clients put off for 40 ms.

use std::{io, net::SocketAddr};

use axum::serve::Listener;
use tokio::net::{TcpListener, TcpStream};

/// A listener whose connections send at once.
pub(crate) struct Listening(pub(crate) TcpListener);

impl Listener for Listening {
    type Io = TcpStream;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (TcpStream, SocketAddr) {
        // What cannot be accepted is tried again there.
        let (stream, there) = Listener::accept(&mut self.0).await;
        // A connection that cannot is slower, and works.
        let _slower = stream.set_nodelay(true);
        (stream, there)
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.0.local_addr()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_is_written_to_a_client_goes_out_at_once() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let place = listener.local_addr().unwrap();
        let mut listening = Listening(listener);
        let (client, (stream, _)) = tokio::join!(TcpStream::connect(place), listening.accept());
        client.unwrap();
        assert!(stream.nodelay().unwrap());
    }
}
