//! The workers of a server: they take the runs of its graphs from the queue, those that an earlier process
//! left there included.

use std::{
    future::Future,
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use superstep::{
    Drain, ErrorKind, RunOptions,
    dynamic::{Worked, Worker},
};
use tokio::task::JoinHandle;

use crate::{app::App, error::ServerError, owners};

/// How often the server looks for what is to be done after runs that ended elsewhere.
const SWEEP: Duration = Duration::from_secs(30);

/// How long the worker rests when its queue cannot be read.
const REST: Duration = Duration::from_secs(1);

/// The work of a server beside its requests: the runs of its graphs, webhooks, schedules and what listeners hear.
///
/// Any number of processes may work on one storage. See [`Server::into_router`](crate::Server::into_router).
#[must_use = "runs wait in the queue until `run` is awaited"]
pub struct Workers {
    pub(super) app: Arc<App>,
}

impl Workers {
    /// Works until `stop` is ready. Runs that continue then are in the queue for the next server.
    pub async fn run(self, stop: impl Future<Output = ()>) -> Result<(), ServerError> {
        let tasks = Tasks::start(&self.app);
        let _tasks = tasks.map_err(|error| ServerError::Worker { error })?;
        stop.await;
        Ok(())
    }
}

/// The tasks of a server beside its requests; they end when this is dropped. Runs that are cut short by
/// that go back to the queue.
struct Tasks(Vec<JoinHandle<()>>);

impl Tasks {
    fn start(app: &Arc<App>) -> Result<Self, superstep::Error> {
        let graphs = owners::graphs::queued(app.registry.all(), app.login.tokens.owners());
        if graphs.is_empty() {
            return Ok(Self(Vec::new()));
        }
        let worker = Worker::named(graphs, RunOptions::default())?.at_once(app.runs_at_once);
        let counted = app.clone();
        let worker = worker.on_begin(move |_| {
            counted.counts.begun.fetch_add(1, Ordering::Relaxed);
        });
        let worker = worker.graph_of_run(|graph, run| {
            let own = owners::graphs::of_run(graph, run);
            own.map_err(|error| {
                let why = error.to_string();
                ErrorKind::BadArgument { why }.into()
            })
        });
        let worker = Arc::new(worker);
        let work = tokio::spawn({
            let app = app.clone();
            async move {
                let stop = Drain::default();
                loop {
                    let told = |worked| tell(&app, worked);
                    // A queue that cannot be read now may be read later.
                    let _unread = worker.run(&stop, told).await;
                    tokio::time::sleep(REST).await;
                }
            }
        });
        let sweep = tokio::spawn({
            let app = app.clone();
            async move {
                loop {
                    let _later = app.sweep().await;
                    tokio::time::sleep(SWEEP).await;
                }
            }
        });
        let keep_time = tokio::spawn({
            let app = app.clone();
            async move { app.keep_time().await }
        });
        let tell_listeners = tokio::spawn({
            let app = app.clone();
            async move { app.tell_listeners().await }
        });
        Ok(Self(vec![work, sweep, keep_time, tell_listeners]))
    }
}

fn tell(app: &Arc<App>, worked: Worked) {
    app.counts.worked.fetch_add(1, Ordering::Relaxed);
    app.endings.tell(worked.run);
    app.events.end(&worked.thread, worked.run);
    app.spawn_finish(worked.run);
}

impl Drop for Tasks {
    fn drop(&mut self) {
        for task in &self.0 {
            task.abort();
        }
    }
}
