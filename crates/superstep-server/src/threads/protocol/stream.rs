//! `POST /threads/{id}/stream/events`: the events of a thread as server-sent events.

use std::sync::Arc;

use axum::{
    body::Bytes,
    extract::{Path, State},
    http::HeaderMap,
    response::Response,
};
use tokio::{sync::mpsc, time};

use super::{
    filter::Filter,
    reader::{Subscriber, ThreadLog},
};
use crate::{
    app::App,
    forms::thread_name::thread_id,
    owners::visitor::Visitor,
    refusal::Refusal,
    request::payload::Payload,
    runs::{
        sse,
        stream::HEARTBEAT,
        waiting::{AHEAD, BEAT},
    },
};

/// `POST /threads/{id}/stream/events`. The thread need not exist yet; the stream ends if another owner makes it.
pub(crate) async fn events(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    caller: Visitor,
    headers: HeaderMap,
    body: Payload,
) -> Result<Response, Refusal> {
    let id = thread_id(&id)?;
    let mut filter: Filter = body.whole()?;
    filter.check()?;
    let last = headers.get("last-event-id").and_then(|id| id.to_str().ok());
    let last = last.and_then(|id| id.parse().ok());
    filter.since = last.or(filter.since);
    let reader = Subscriber::new(&app, caller, id).await?;
    let (out, frames) = mpsc::channel(AHEAD);
    tokio::spawn(async move {
        // A log that cannot be read ends the stream; its client comes back.
        let passed = pass(&app, reader, &filter, &out);
        let _unread = app.shutdown.until_drained(passed).await;
    });
    Ok(sse(frames))
}

async fn pass(
    app: &App,
    reader: Subscriber,
    filter: &Filter,
    out: &mpsc::Sender<Bytes>,
) -> Result<(), Refusal> {
    let mut log = ThreadLog::new(app, reader, filter);
    let mut beat = time::interval_at(time::Instant::now() + BEAT, BEAT);
    // A client knows by this that it is connected.
    let mut next = vec![Bytes::from_static(HEARTBEAT)];
    loop {
        for frame in next.drain(..) {
            if out.send(frame).await.is_err() {
                return Ok(());
            }
        }
        let mut reading = std::pin::pin!(log.next());
        let events = loop {
            tokio::select! {
                events = &mut reading => break events?,
                () = out.closed() => return Ok(()),
                _ = beat.tick() => {
                    if out.send(Bytes::from_static(HEARTBEAT)).await.is_err() {
                        return Ok(());
                    }
                }
            }
        };
        for event in events {
            if filter.wants(event.emitted.method, &event.emitted.namespace) {
                let (method, seq, data) = (event.emitted.method, event.seq, event.shown());
                let frame = format!("event: {method}\r\ndata: {data}\r\nid: {seq}\r\n\r\n");
                next.push(frame.into());
                beat.reset();
            }
        }
    }
}
