//! `/threads/{id}/runs` and `/runs`: runs that are accepted, and what their clients are told.
//!
//! A run continues by itself, whoever listens; what is here passes its events and its end to the client,
//! with a sign of life where there is nothing to pass.

pub(crate) mod after;
mod answer_rule;
mod answered;
pub(crate) mod batch;
pub(crate) mod end;
pub(crate) mod inbox_answer;
pub(crate) mod kwargs;
mod pages;
mod provenance;
pub(crate) mod records;
pub(crate) mod request;
pub(crate) mod search;
pub(crate) mod stream;
pub(crate) mod stream_mode;
pub(crate) mod submit;
mod thread;
pub(crate) mod view;
pub(crate) mod waiting;
mod webhook;
pub(crate) mod wire;

use std::sync::Arc;

use axum::{
    body::{Body, Bytes},
    extract::{Path, State},
    http::{
        HeaderName,
        header::{CACHE_CONTROL, CONTENT_LOCATION, CONTENT_TYPE, LOCATION},
    },
    response::{IntoResponse, Response},
};
use superstep::{Cancel, RunId};
use tokio::sync::mpsc;

use self::{
    stream::{Along, Over, Since},
    submit::Accepted,
    waiting::{AHEAD, Parts, waiting},
};
use crate::{
    app::App,
    forms::thread_name::public,
    owners::visitor::Visitor,
    refusal::{Refusal, answer},
    request::payload::Payload,
};

/// `POST /threads/{id}/runs`
pub(crate) async fn create(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    caller: Visitor,
    mut body: Payload,
) -> Result<Response, Refusal> {
    Ok(app.submit(&caller, Some(&id), &mut body).await?.created())
}

/// `POST /threads/{id}/runs/stream`
pub(crate) async fn stream(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    caller: Visitor,
    mut body: Payload,
) -> Result<Response, Refusal> {
    app.submit(&caller, Some(&id), &mut body).await?.stream()
}

/// `POST /threads/{id}/runs/wait`
pub(crate) async fn wait(
    State(app): State<Arc<App>>,
    Path(id): Path<String>,
    caller: Visitor,
    mut body: Payload,
) -> Result<Response, Refusal> {
    Ok(app.submit(&caller, Some(&id), &mut body).await?.wait())
}

/// `POST /runs`
pub(crate) async fn create_alone(
    State(app): State<Arc<App>>,
    caller: Visitor,
    mut body: Payload,
) -> Result<Response, Refusal> {
    let mut request = app.read_run(&caller, &mut body).await?;
    request.is_read = false;
    Ok(app.accept(None, request).await?.created())
}

/// `POST /runs/stream`
pub(crate) async fn stream_alone(
    State(app): State<Arc<App>>,
    caller: Visitor,
    mut body: Payload,
) -> Result<Response, Refusal> {
    app.submit(&caller, None, &mut body).await?.stream()
}

/// `POST /runs/wait`
pub(crate) async fn wait_alone(
    State(app): State<Arc<App>>,
    caller: Visitor,
    mut body: Payload,
) -> Result<Response, Refusal> {
    Ok(app.submit(&caller, None, &mut body).await?.wait())
}

impl Accepted {
    /// The client hears that the run was accepted.
    fn created(self) -> Response {
        let place = [(CONTENT_LOCATION, self.place())];
        (place, answer(&view::shown(&self.run))).into_response()
    }

    /// The client reads along.
    fn stream(self) -> Result<Response, Refusal> {
        let hosted = self.app.registry.graph(&self.kwargs.graph_id)?;
        let modes = self.kwargs.stream_mode.clone();
        let named = (&self.graph, hosted.name());
        let along = Along::new(named, &self.run, &self.kwargs, modes, Since::Start);
        let place = self.place();
        let places = [
            (LOCATION, format!("{place}/stream")),
            (CONTENT_LOCATION, place),
        ];
        let (out, frames) = mpsc::channel(AHEAD);
        tokio::spawn(async move {
            let over = along.pass(&self.app, &out).await;
            self.leave(over).await;
        });
        Ok((places, sse(frames)).into_response())
    }

    /// The client waits for the end.
    fn wait(self) -> Response {
        // A client that waits finds the run by its thread in either case.
        let place = format!("/threads/{}/runs/{}", public(&self.run.thread), self.run.id);
        let headers = [
            (CONTENT_TYPE, "application/json".to_owned()),
            (LOCATION, format!("{place}/join")),
            (CONTENT_LOCATION, place),
        ];
        let (app, run, cancels) = (
            self.app.clone(),
            self.run.id,
            self.is_cancelled_without_client,
        );
        let end = async move {
            let end = self.app.end_of(&self.graph, self.run.id).await;
            self.leave(Over::Run).await;
            end
        };
        let gone = move || {
            if cancels {
                tokio::spawn(async move { app.cancel_left(run).await });
            }
        };
        (headers, waiting(end, gone)).into_response()
    }

    /// Where the run is.
    fn place(&self) -> String {
        match self.is_stateless {
            true => format!("/runs/{}", self.run.id),
            false => format!("/threads/{}/runs/{}", public(&self.run.thread), self.run.id),
        }
    }

    /// The client is gone, or has all it wanted. A thread of the run's own goes before the client
    /// hears the last of it.
    pub(crate) async fn leave(self, over: Over) {
        let (app, run) = (self.app, self.run.id);
        if over == Over::Client && self.is_cancelled_without_client {
            app.cancel_left(run).await;
        }
        if let (Over::Run, Some(reader)) = (over, self.reader) {
            // What is left is done later.
            let _later = app.leave(reader).await;
        }
    }
}

impl App {
    /// Cancels a run whose client is gone.
    pub(crate) async fn cancel_left(self: &Arc<Self>, run: RunId) {
        if self.shutdown.has_begun() {
            // It is the server that leaves.
            return;
        }
        // It may have ended.
        let _ended = self
            .cancel_run(run, Cancel::Now, "the client is gone")
            .await;
    }
}

/// A stream of server-sent events.
pub(crate) fn sse(frames: mpsc::Receiver<Bytes>) -> Response {
    let headers = [
        (CONTENT_TYPE, "text/event-stream; charset=utf-8"),
        (CACHE_CONTROL, "no-store"),
        (HeaderName::from_static("x-accel-buffering"), "no"),
    ];
    (headers, Body::from_stream(Parts(frames))).into_response()
}
