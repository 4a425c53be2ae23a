//! `/threads/{id}/runs`: runs whose client waits for the end, or reads along.
//!
//! A run goes on by itself; what is here passes its events and its end to the client, with a sign of
//! life where there is nothing to pass.

use std::sync::Arc;

use axum::{
    body::{Body, Bytes},
    extract::{Path, State},
    http::header::{CACHE_CONTROL, CONTENT_LOCATION, CONTENT_TYPE},
    response::{IntoResponse, Response},
};
use serde_json::{Map, Value as Json, json};
use superstep::{
    ThreadId,
    dynamic::{Graph, Running, state::Depth},
};
use tokio::{sync::mpsc, time};

use crate::{
    app::App,
    payload::Payload,
    refusal::Refusal,
    run_events::{RunPlace, failure, frame, shown, with_interrupts},
    run_request::RunRequest,
    thread_record::Record,
    waiting::{AHEAD, BEAT, Parts, waiting},
};

/// `POST /threads/{id}/runs/stream`
pub(crate) async fn stream(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    body: Payload,
) -> Result<Response, Refusal> {
    let begun = Begun::new(&app, &id, body).await?;
    let location = begun.location();
    let (out, frames) = mpsc::channel(AHEAD);
    tokio::spawn(begun.pass_events(out));
    let headers = [
        (CONTENT_TYPE, "text/event-stream; charset=utf-8"),
        (CACHE_CONTROL, "no-store"),
    ];
    let body = Body::from_stream(Parts(frames));
    let place = [(CONTENT_LOCATION, location)];
    Ok((headers, [("x-accel-buffering", "no")], place, body).into_response())
}

/// `POST /threads/{id}/runs/wait`
pub(crate) async fn wait(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    body: Payload,
) -> Result<Response, Refusal> {
    let begun = Begun::new(&app, &id, body).await?;
    let place = [(CONTENT_LOCATION, begun.location())];
    let headers = [(CONTENT_TYPE, "application/json")];
    let leave = begun.leaving();
    Ok((headers, place, waiting(begun.end(), leave)).into_response())
}

/// A run that has begun, and whose client is to be told of it.
struct Begun {
    running: Running,
    graph: Graph,
    thread: ThreadId,
    place: RunPlace,
    is_cancelled_without_client: bool,
}

impl Begun {
    async fn new(app: &App, id: &str, mut body: Payload) -> Result<Self, Refusal> {
        let mut request = RunRequest::read(app, &mut body)?;
        let (id, record) = match app.find_thread(id).await {
            Ok(found) => found,
            Err(missing) if !(request.makes_thread && missing.is_missing()) => return Err(missing),
            Err(_) => {
                let id = crate::threads::thread_id(id)?;
                let record = Record::new(Map::new());
                app.records.make(&id, &record).await?;
                (id, record)
            }
        };
        let thread = ThreadId::from(&*id);
        request.on(app, &thread).await?;
        let (stamps, graph) = (request.stamps(), request.hosted.graph.clone());
        // A thread knows its graph before it has a state, and keeps it if another one does not fit.
        if record.graph().is_none() {
            app.records.merge(&id, &stamps).await?;
        }
        let running = graph.start(request.input, &request.options).await?;
        let has_all = |(name, id): (&String, &Json)| record.metadata.get(name) == Some(id);
        if record.graph().is_some() && !stamps.iter().all(has_all) {
            app.records.merge(&id, &stamps).await?;
        }
        let place = RunPlace {
            run: running.id.to_string(),
            thread: id,
            graph: request.hosted.id.clone(),
            assistant: request.hosted.assistant.to_string(),
        };
        Ok(Self {
            running,
            graph,
            thread,
            place,
            is_cancelled_without_client: request.is_cancelled_without_client,
        })
    }

    /// Where the run is.
    fn location(&self) -> String {
        format!("/threads/{}/runs/{}", self.place.thread, self.place.run)
    }

    /// Passes the events of the run to its client.
    async fn pass_events(mut self, out: mpsc::Sender<Bytes>) {
        let leave = self.leaving();
        let first = json!({ "run_id": self.place.run, "attempt": 1 });
        let mut next = Some(frame("metadata", &first));
        let mut beat = time::interval_at(time::Instant::now() + BEAT, BEAT);
        loop {
            if let Some(frame) = next.take() {
                beat.reset();
                if out.send(frame).await.is_err() {
                    return leave();
                }
            }
            tokio::select! {
                event = self.running.events.next() => match event {
                    Some(event) => next = shown(event, &self.place),
                    None => break,
                },
                () = out.closed() => return leave(),
                _ = beat.tick() => next = Some(Bytes::from_static(b": heartbeat\r\n\r\n")),
            }
        }
        if let Err(error) = self.running.outcome.await {
            let _gone = out.send(frame("error", &failure(&error))).await;
        }
    }

    /// The values at the end of the run, or why it failed.
    async fn end(self) -> Json {
        let end = match self.running.outcome.await {
            Ok(outcome) => match outcome.output {
                Some(output) => Ok(with_interrupts(output.to_json(), &outcome.asks)),
                None => {
                    let state = self.graph.state(&self.thread, None, Depth::Here).await;
                    state.map(|state| with_interrupts(state.values.to_json(), &outcome.asks))
                }
            },
            Err(error) => Err(error),
        };
        end.unwrap_or_else(|error| json!({ "__error__": failure(&error) }))
    }

    /// What happens when the client is gone: the run goes on, unless the client wanted otherwise.
    fn leaving(&self) -> impl FnOnce() + Send + use<> {
        let canceller = self.running.canceller();
        let is_cancelled = self.is_cancelled_without_client;
        move || {
            if is_cancelled {
                canceller.cancel("the client is gone");
            }
        }
    }
}
