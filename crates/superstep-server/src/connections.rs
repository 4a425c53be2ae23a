//! Connections of clients: each is accepted, looked at (`caller`), and served until it ends or the server stops.
//!
//! What is written to one goes out at once: an answer has its headers before its body is there, and by default the second part would
//! wait until the client has confirmed the first, which clients put off for 40 ms. Who does not finish the head of a request,
//! or has nothing to ask for, is let go after a while.

use std::{future::Future, net::SocketAddr, pin::pin, time::Duration};

use axum::{Router, serve::Listener};
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::watch,
};
use tower_service::Service as _;

use crate::caller::Caller;

/// How connections are served.
pub(crate) struct Connections {
    pub(crate) router: Router,
    /// Whether the user at the other end is looked at, as there is no token.
    pub(crate) asks_caller: bool,
    /// How long the head of a request may take to come.
    pub(crate) head_limit: Duration,
}

impl Connections {
    /// Serves them until `stop` is ready and requests that have begun are answered.
    pub(crate) async fn serve(self, mut listener: TcpListener, stop: impl Future<Output = ()>) {
        // Each connection has an end of it: it hears when to stop, and is gone when its end is.
        let (stopping, stopped) = watch::channel(false);
        let mut stop = pin!(stop);
        loop {
            tokio::select! {
                (stream, there) = accept(&mut listener) => {
                    let caller = self.asks_caller.then(|| Caller::of(&stream, there));
                    let served = self.connection(stream, caller, stopped.clone());
                    tokio::spawn(served);
                }
                () = &mut stop => break,
            }
        }
        drop((listener, stopped));
        stopping.send_replace(true);
        stopping.closed().await;
    }

    fn connection(
        &self,
        stream: TcpStream,
        caller: Option<Caller>,
        mut stopped: watch::Receiver<bool>,
    ) -> impl Future<Output = ()> + Send + 'static {
        let router = self.router.clone();
        let service = service_fn(move |mut request: hyper::Request<Incoming>| {
            if let Some(caller) = caller {
                request.extensions_mut().insert(caller);
            }
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
                _stopped = stopped.wait_for(|is_stopped| *is_stopped) => {}
            }
            served.as_mut().graceful_shutdown();
            let _ended = served.await;
        }
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
}
