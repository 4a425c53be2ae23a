//! `GET /events`: what happens on all threads of a caller, as server-sent events.

mod changes;

use std::sync::Arc;

use axum::{body::Bytes, extract::State, http::HeaderMap, response::Response};
use serde_json::json;
use tokio::{
    sync::{
        broadcast::{Receiver, error::RecvError},
        mpsc,
    },
    time,
};

use crate::{
    app::{App, events::ServerEvent},
    owners::visitor::Visitor,
    runs::{
        sse,
        stream::HEARTBEAT,
        waiting::{AHEAD, BEAT},
        wire::Frame,
    },
};

/// `GET /events`
pub(crate) async fn get(
    State(app): State<Arc<App>>,
    caller: Visitor,
    headers: HeaderMap,
) -> Response {
    let last = headers.get("last-event-id").and_then(|id| id.to_str().ok());
    let after = last.and_then(|id| {
        let (origin, number) = id.split_once('-')?;
        let is_own = origin.parse() == Ok(app.events.origin);
        is_own.then(|| number.parse().ok()).flatten()
    });
    let (missed, events) = app.events.listen(after);
    let listener = Listener {
        caller,
        origin: app.events.origin,
    };
    let (out, frames) = mpsc::channel(AHEAD);
    tokio::spawn(async move {
        // A client that is gone hears nothing more.
        let _gone = app
            .shutdown
            .until_drained(listener.pass(missed, events, &out))
            .await;
    });
    sse(frames)
}

struct Listener {
    caller: Visitor,
    origin: i64,
}

/// The client is gone, or the server ends.
struct ListenerGone;

impl Listener {
    async fn pass(
        self,
        missed: Option<Vec<Arc<ServerEvent>>>,
        mut events: Receiver<Arc<ServerEvent>>,
        out: &mpsc::Sender<Bytes>,
    ) -> Result<(), ListenerGone> {
        match missed {
            Some(missed) => {
                for event in missed {
                    self.send(&event, out).await?;
                }
            }
            None => reset(out).await?,
        }
        let mut beat = time::interval_at(time::Instant::now() + BEAT, BEAT);
        loop {
            tokio::select! {
                event = events.recv() => match event {
                    Ok(event) => self.send(&event, out).await?,
                    Err(RecvError::Lagged(_)) => reset(out).await?,
                    Err(RecvError::Closed) => return Err(ListenerGone),
                },
                () = out.closed() => return Err(ListenerGone),
                _ = beat.tick() => put(out, Bytes::from_static(HEARTBEAT)).await?,
            }
        }
    }

    async fn send(
        &self,
        event: &ServerEvent,
        out: &mpsc::Sender<Bytes>,
    ) -> Result<(), ListenerGone> {
        if event.name != "reset" && !self.caller.sees(event.owner.as_deref()) {
            return Ok(());
        }
        let id = format!("{}-{}", self.origin, event.number);
        let frame = Frame::new(event.name, event.data.clone());
        put(out, frame.bytes(Some(&id))).await
    }
}

/// Tells the client to look at everything: what happened before is not known here.
async fn reset(out: &mpsc::Sender<Bytes>) -> Result<(), ListenerGone> {
    put(out, Frame::new("reset", json!({})).bytes(None)).await
}

async fn put(out: &mpsc::Sender<Bytes>, bytes: Bytes) -> Result<(), ListenerGone> {
    out.send(bytes).await.map_err(|_| ListenerGone)
}
