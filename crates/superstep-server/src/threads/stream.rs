//! `GET /threads/{id}/stream`: what happens on a thread, run after run, for as long as the client listens.

use std::sync::Arc;

use axum::{
    body::Bytes,
    extract::{Path, State},
    http::HeaderMap,
    response::Response,
};
use serde_json::json;
use superstep::{
    Cursor, Ending, LogItem, Modes, RunRecord, ThreadId,
    dynamic::{DynFollow, DynGraph},
};
use tokio::{sync::mpsc, time};

use crate::{
    app::App,
    owners::visitor::Visitor,
    refusal::Refusal,
    request::query::Params,
    runs::{
        end::{failure, state_after},
        kwargs::RunKwargs,
        sse,
        stream::{EventId, HEARTBEAT},
        stream_mode::Mode,
        waiting::{AHEAD, BEAT},
        wire::{Frame, RunPlace, Wire},
    },
};

const KINDS: &[&str] = &["run_modes", "lifecycle", "state_update"];

/// `GET /threads/{id}/stream`
pub(crate) async fn join(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    caller: Visitor,
    params: Params,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let (id, record) = app.find_thread(&caller, &id).await?;
    let kinds = params.all("stream_modes");
    if let Some(wrong) = kinds.iter().find(|kind| !KINDS.contains(kind)) {
        let known = KINDS.join(", ");
        return Err(Refusal::invalid(format!(
            "`stream_modes` {wrong} is not one of {known}"
        )));
    }
    let has = |kind| kinds.contains(&kind);
    let last = headers.get("last-event-id").and_then(|id| id.to_str().ok());
    let last = match last.map(str::parse::<EventId>) {
        None => None,
        Some(Ok(id)) => Some(id),
        Some(Err(())) => {
            return Err(Refusal::invalid(
                "`Last-Event-ID` is not an id of this stream",
            ));
        }
    };
    let reader = ThreadReader {
        thread: record.thread(&id),
        id,
        caller,
        is_of_runs: kinds.is_empty() || has("run_modes"),
        is_of_states: has("state_update"),
        after: last,
    };
    let (out, frames) = mpsc::channel(AHEAD);
    tokio::spawn(async move {
        // A log that cannot be read ends the stream; its client comes back.
        let _unread = app.shutdown.until_drained(reader.pass(&app, &out)).await;
    });
    Ok(sse(frames))
}

/// A client that listens to a thread.
struct ThreadReader {
    thread: ThreadId,
    id: String,
    caller: Visitor,
    is_of_runs: bool,
    is_of_states: bool,
    after: Option<EventId>,
}

/// The client is gone, or the thread is not its own any more.
struct Gone;

impl ThreadReader {
    async fn pass(self, app: &App, out: &mpsc::Sender<Bytes>) -> Result<(), superstep::Error> {
        let Some(any) = app.registry.all().first() else {
            return Ok(());
        };
        let mut after = self.after.map(EventId::cursor);
        if self.after.is_none() {
            // From now on: what is there is read, and not sent.
            let mut reader = any.graph.follow(self.thread.clone(), None, Modes::NONE);
            while reader.next_stored().await?.is_some() {}
            after = reader.cursor();
        }
        loop {
            let mut reader = any.graph.follow(self.thread.clone(), after, Modes::NONE);
            let Ok(next) = beating(out, async { reader.next_ever().await }).await else {
                return Ok(());
            };
            let (cursor, item) = next?;
            after = Some(cursor);
            // One that listens from the middle of a run gets the rest of it.
            let Some(run) = app.run_of_lease(&self.thread, cursor.epoch).await? else {
                continue;
            };
            if matches!(item, LogItem::Ended(Ending::Drained { .. })) && run.cancel.is_none() {
                // It was handed back to the queue, and continues.
                continue;
            }
            if matches!(item, LogItem::Ended(_)) {
                if self.end(app, &run, cursor, out).await?.is_err() {
                    return Ok(());
                }
                continue;
            }
            match self.pass_run(app, &run, cursor, out).await? {
                Ok(cursor) => after = Some(cursor),
                Err(Gone) => return Ok(()),
            }
        }
    }

    /// Passes a run to its end; returns where its log ends.
    async fn pass_run(
        &self,
        app: &App,
        run: &RunRecord,
        first: Cursor,
        out: &mpsc::Sender<Bytes>,
    ) -> Result<Result<Cursor, Gone>, superstep::Error> {
        let kwargs = RunKwargs::of(run);
        let Some(hosted) = app.registry.of_run(run) else {
            return Ok(Ok(Cursor::end_of(first.epoch)));
        };
        let mut modes = match self.is_of_runs {
            true => kwargs.stream_mode.clone(),
            false => Vec::new(),
        };
        if self.is_of_states {
            modes.push(Mode::Values);
        }
        let place = RunPlace::new(run, &kwargs, hosted.name());
        let engine = Mode::engine(&modes);
        let mut wire = Wire::new(place, modes, kwargs.stream_subgraphs);
        let begin = wire.begin(&json!(null));
        if self.is_of_runs && self.send(app, out, begin, first).await.is_err() {
            return Ok(Err(Gone));
        }
        let mut reader = follow(&hosted.graph, &self.thread, first, engine);
        loop {
            let next = beating(out, async { reader.next_ever().await }).await;
            let (cursor, item) = match next {
                Ok(next) => next?,
                Err(Gone) => return Ok(Err(Gone)),
            };
            match item {
                LogItem::Event(event) => {
                    let frames = wire.frames(&event, reader.at());
                    if self.send(app, out, frames, cursor).await.is_err() {
                        return Ok(Err(Gone));
                    }
                }
                LogItem::Ended(Ending::Drained { .. }) if run.cancel.is_none() => {
                    return Ok(Ok(cursor));
                }
                LogItem::Ended(_) => {
                    let ended = self.end(app, run, cursor, out).await?;
                    return Ok(ended.map(|()| cursor));
                }
                // Another attempt, or a run after one that was cut short.
                LogItem::Started { .. } => return Ok(Ok(cursor.before())),
            }
        }
    }

    async fn end(
        &self,
        app: &App,
        run: &RunRecord,
        cursor: Cursor,
        out: &mpsc::Sender<Bytes>,
    ) -> Result<Result<(), Gone>, superstep::Error> {
        let ended = app.to_end(run.id).await?;
        let mut frames = Vec::new();
        if let Some(hosted) = app.registry.of_run(run) {
            let state = state_after(&hosted.graph, &ended).await?;
            frames.extend(failure(&ended, &state).map(|why| Frame::new("error", why)));
        }
        let done = json!({ "status": "run_done", "run_id": run.id.to_string() });
        frames.push(Frame::new("metadata", done));
        match self.is_of_runs {
            true => Ok(self.send(app, out, frames, cursor).await),
            false => Ok(Ok(())),
        }
    }

    async fn send(
        &self,
        app: &App,
        out: &mpsc::Sender<Bytes>,
        frames: Vec<Frame>,
        at: Cursor,
    ) -> Result<(), Gone> {
        let checked = app.check_reader(&self.caller, &self.id).await;
        checked.map_err(|_| Gone)?;
        for (part, frame) in frames.iter().enumerate() {
            let id = EventId::new(at, part).to_string();
            out.send(frame.bytes(Some(&id))).await.map_err(|_| Gone)?;
        }
        Ok(())
    }
}

fn follow(graph: &DynGraph, thread: &ThreadId, after: Cursor, modes: Modes) -> DynFollow {
    let reader = graph.follow(thread.clone(), Some(after), modes);
    reader.with_subgraphs()
}

/// Waits for something, with signs of life for the client meanwhile.
async fn beating<T>(out: &mpsc::Sender<Bytes>, work: impl Future<Output = T>) -> Result<T, Gone> {
    let mut work = std::pin::pin!(work);
    let mut beat = time::interval_at(time::Instant::now() + BEAT, BEAT);
    loop {
        tokio::select! {
            done = &mut work => return Ok(done),
            () = out.closed() => return Err(Gone),
            _ = beat.tick() => {
                let beat = Bytes::from_static(HEARTBEAT);
                out.send(beat).await.map_err(|_| Gone)?;
            }
        }
    }
}
