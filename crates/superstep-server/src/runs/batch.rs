//! `POST /runs/batch`: many runs with one request.
//!
//! All are read before the first is accepted, so what is wrong with one of them refuses all. Runs on threads of their own are
//! accepted side by side, and the storage commits many of them at once; runs on threads that the client names come in their place.

use std::sync::Arc;

use axum::{extract::State, http::StatusCode, response::Response};
use serde_json::Value as Json;
use tokio::task::JoinSet;

use super::{request::RunRequest, view};
use crate::{
    app::App,
    owners::visitor::Visitor,
    refusal::{Refusal, answer},
    request::payload::Payloads,
};

/// The most runs of one batch.
const MOST: usize = 1000;

/// How many are accepted side by side.
const AT_ONCE: usize = 64;

/// `POST /runs/batch`: all of them. If one is refused only when it is accepted (its thread is in use), those before it stay, and
/// none is accepted after it but those that are under way.
pub(crate) async fn create(
    State(app): State<Arc<App>>,
    caller: Visitor,
    Payloads(bodies): Payloads,
) -> Result<Response, Refusal> {
    if bodies.len() > MOST {
        let why = format!(
            "a batch has at most {MOST} runs, not {}: send several batches",
            bodies.len()
        );
        return Err(Refusal::invalid(why));
    }
    let mut requests = Vec::with_capacity(bodies.len());
    for mut body in bodies {
        let thread: Option<String> = body.field("thread_id")?;
        if let Some(thread) = &thread {
            app.check_owner(&caller, thread).await?;
        }
        let mut request = app.read_run(&caller, &mut body).await?;
        // They are in the order of the list, whichever is accepted first.
        request.run = Some(app.new_run_id());
        request.is_read = false;
        requests.push((thread, request));
    }
    let mut batch = Batch::default();
    for (at, (thread, request)) in requests.into_iter().enumerate() {
        let is_alone = thread.is_some();
        batch.wait(if is_alone { 0 } else { AT_ONCE - 1 }).await?;
        batch.add(&app, at, thread, request);
        if is_alone {
            batch.wait(0).await?;
        }
    }
    batch.wait(0).await?;
    Ok(answer(&batch.rows()))
}

/// Runs that are being accepted.
#[derive(Default)]
struct Batch {
    accepting: JoinSet<(usize, Result<Json, Refusal>)>,
    accepted: Vec<(usize, Json)>,
}

impl Batch {
    fn add(&mut self, app: &Arc<App>, at: usize, thread: Option<String>, request: RunRequest) {
        let app = app.clone();
        self.accepting.spawn(async move {
            let accepted = app.accept(thread.as_deref(), request).await;
            let row = accepted.map(|accepted| view::shown(&accepted.run));
            (at, row)
        });
    }

    /// Waits until no more than so many are under way. The first one that is refused refuses the rest.
    async fn wait(&mut self, most: usize) -> Result<(), Refusal> {
        while self.accepting.len() > most
            && let Some(done) = self.accepting.join_next().await
        {
            let stopped = |_| {
                let why = "a run of the batch was not accepted: the server stopped it";
                Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, why)
            };
            let (at, row) = done.map_err(stopped)?;
            self.accepted.push((at, row?));
        }
        Ok(())
    }

    /// What was accepted, in the order of the list.
    fn rows(&mut self) -> Json {
        self.accepted.sort_by_key(|(at, _)| *at);
        self.accepted.drain(..).map(|(_, row)| row).collect()
    }
}

impl Drop for Batch {
    /// A run is accepted or it is not, also if the client goes away meanwhile.
    fn drop(&mut self) {
        self.accepting.detach_all();
    }
}
