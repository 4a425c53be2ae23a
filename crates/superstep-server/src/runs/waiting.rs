//! The body of an answer that takes long: line breaks until it is there, so that nobody on the way
//! takes the connection for dead.

use std::{
    convert::Infallible,
    future::Future,
    pin::Pin,
    pin::pin,
    task::{Context, Poll},
    time::Duration,
};

use axum::body::{Body, Bytes};
use futures_core::Stream;
use serde_json::Value as Json;
use tokio::{sync::mpsc, time};

/// How often a client that has nothing to read gets a sign of life.
pub(crate) const BEAT: Duration = Duration::from_secs(5);

/// How many parts wait for a slow client.
pub(crate) const AHEAD: usize = 16;

/// A body that is JSON once that is there. If the client goes away before, the work is dropped, and
/// `gone` is called.
pub(crate) fn waiting(
    work: impl Future<Output = Json> + Send + 'static,
    gone: impl FnOnce() + Send + 'static,
) -> Body {
    let (out, parts) = mpsc::channel(AHEAD);
    tokio::spawn(async move {
        let mut work = pin!(work);
        let mut beat = time::interval_at(time::Instant::now() + BEAT, BEAT);
        let end = loop {
            tokio::select! {
                end = &mut work => break end,
                () = out.closed() => return gone(),
                _ = beat.tick() => {
                    let _gone = out.send(Bytes::from_static(b"\n")).await;
                }
            }
        };
        let _gone = out.send(end.to_string().into()).await;
    });
    Body::from_stream(Parts(parts))
}

/// The parts of a body, as they come.
pub(crate) struct Parts(pub(crate) mpsc::Receiver<Bytes>);

impl Stream for Parts {
    type Item = Result<Bytes, Infallible>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.poll_recv(cx).map(|part| part.map(Ok))
    }
}
