//! `/threads/{id}/runs` and `/runs`: runs whose client waits for the end, or reads along.
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
use serde_json::{Value as Json, json};
use superstep::{
    ThreadId,
    dynamic::{DynGraph, DynRunning, state::Depth},
};
use tokio::{sync::mpsc, time};

use crate::{
    app::App,
    payload::Payload,
    refusal::Refusal,
    run_events::{RunPlace, failure, frame, shown, with_interrupts},
    run_records::to_end,
    run_request::RunRequest,
    thread_record::Record,
    threads::thread_id,
    waiting::{AHEAD, BEAT, Parts, waiting},
};

/// `POST /threads/{id}/runs/stream`
pub(crate) async fn stream(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    body: Payload,
) -> Result<Response, Refusal> {
    Ok(Begun::new(&app, Some(&id), body).await?.stream())
}

/// `POST /threads/{id}/runs/wait`
pub(crate) async fn wait(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    body: Payload,
) -> Result<Response, Refusal> {
    Ok(Begun::new(&app, Some(&id), body).await?.wait())
}

/// `POST /runs/stream`
pub(crate) async fn stream_alone(
    State(app): State<Arc<App>>,
    body: Payload,
) -> Result<Response, Refusal> {
    Ok(Begun::new(&app, None, body).await?.stream())
}

/// `POST /runs/wait`
pub(crate) async fn wait_alone(
    State(app): State<Arc<App>>,
    body: Payload,
) -> Result<Response, Refusal> {
    Ok(Begun::new(&app, None, body).await?.wait())
}

/// A run that has begun, and whose client is to be told of it.
struct Begun {
    running: DynRunning,
    graph: DynGraph,
    place: RunPlace,
    is_cancelled_without_client: bool,
    /// Whose thread goes with it.
    temporary: Option<Arc<App>>,
}

impl Begun {
    /// Begins a run on a thread, or on one of its own, which goes with it unless the client wants to
    /// keep it.
    async fn new(app: &Arc<App>, id: Option<&str>, mut body: Payload) -> Result<Self, Refusal> {
        let is_stateless = id.is_none();
        let keeps = body.word("on_completion", &["delete", "keep"])? == Some("keep");
        let request = RunRequest::read(app, &mut body)?;
        let (id, record) = match id {
            None => (app.new_thread_id(), None),
            Some(id) => match app.find_thread(id).await {
                Ok((id, record)) => (id, Some(record)),
                Err(missing) if request.makes_thread && missing.is_missing() => {
                    (thread_id(id)?, None)
                }
                Err(missing) => return Err(missing),
            },
        };
        let (record, is_new) = match record {
            Some(record) => (record, false),
            None => {
                let record = Record::new(request.stamps());
                // Somebody else may have made it meanwhile; then it is not ours to remove.
                let is_new = app.records.make(&id, &record).await?;
                (record, is_new)
            }
        };
        let begun = Self::on(app, id.clone(), &record, request).await;
        if begun.is_err() && is_new {
            app.delete_thread(&id).await?;
        }
        let mut begun = begun?;
        begun.temporary = (is_stateless && !keeps).then(|| app.clone());
        Ok(begun)
    }

    async fn on(
        app: &App,
        id: String,
        record: &Record,
        mut request: RunRequest<'_>,
    ) -> Result<Self, Refusal> {
        request.on(app, &ThreadId::from(&*id)).await?;
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
            place,
            is_cancelled_without_client: request.is_cancelled_without_client,
            temporary: None,
        })
    }

    fn stream(self) -> Response {
        let place = [(CONTENT_LOCATION, self.location())];
        let (out, frames) = mpsc::channel(AHEAD);
        tokio::spawn(self.pass_events(out));
        let headers = [
            (CONTENT_TYPE, "text/event-stream; charset=utf-8"),
            (CACHE_CONTROL, "no-store"),
        ];
        let body = Body::from_stream(Parts(frames));
        (headers, [("x-accel-buffering", "no")], place, body).into_response()
    }

    fn wait(self) -> Response {
        let place = [(CONTENT_LOCATION, self.location())];
        let headers = [(CONTENT_TYPE, "application/json")];
        let leave = self.leaving();
        (headers, place, waiting(self.end(), leave)).into_response()
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
        let outcome = self.running.outcome.await;
        clean(self.temporary.as_deref(), &self.place.thread).await;
        if let Err(error) = outcome {
            let _gone = out.send(frame("error", &failure(&error))).await;
        }
    }

    /// The values at the end of the run, or why it failed.
    async fn end(self) -> Json {
        // Nobody reads them, so none is kept.
        drop(self.running.events);
        let end = match self.running.outcome.await {
            Ok(outcome) => match outcome.output {
                Some(output) => Ok(with_interrupts(output.to_json(), &outcome.asks)),
                None => {
                    let thread = ThreadId::from(&*self.place.thread);
                    let state = self.graph.state(&thread, None, Depth::Here).await;
                    state.map(|state| with_interrupts(state.values.to_json(), &outcome.asks))
                }
            },
            Err(error) => Err(error),
        };
        clean(self.temporary.as_deref(), &self.place.thread).await;
        end.unwrap_or_else(|error| json!({ "__error__": failure(&error) }))
    }

    /// What happens when the client is gone: the run goes on, unless the client wanted otherwise.
    fn leaving(&self) -> impl FnOnce() + Send + use<> {
        let canceller = self.running.canceller();
        let is_cancelled = self.is_cancelled_without_client;
        let (run, graph) = (self.running.id, self.graph.clone());
        let (temporary, thread) = (self.temporary.clone(), self.place.thread.clone());
        move || {
            if is_cancelled {
                canceller.cancel("the client is gone");
            }
            if temporary.is_some() {
                tokio::spawn(async move {
                    let _unread = to_end(&graph, run).await;
                    clean(temporary.as_deref(), &thread).await;
                });
            }
        }
    }
}

/// Removes the thread of a run that had one of its own. One that cannot be removed stays in the list of
/// threads, where a client can delete it.
async fn clean(temporary: Option<&App>, thread: &str) {
    if let Some(app) = temporary {
        let _listed = app.delete_thread(thread).await;
    }
}
