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
use tokio::task::JoinSet;

use crate::{
    app::{App, role::Role},
    error::ServerError,
    owners,
    registry::Hosted,
    runs::kwargs::RunKwargs,
};

/// How long the worker rests when its queue cannot be read.
const REST: Duration = Duration::from_secs(1);

/// The work of a server beside its requests: the runs of its graphs, webhooks, schedules and what listeners hear.
///
/// Any number of processes may work on one storage. See [`Server::into_router`](crate::Server::into_router).
#[must_use = "runs wait in the queue until `run` is awaited"]
pub struct Workers {
    pub(super) app: Arc<App>,
    pub(super) grace: Duration,
    /// The graphs whose runs are taken.
    pub(super) graphs: WorkOn,
}

/// The graphs whose runs a process takes from the queue.
pub(super) enum WorkOn {
    All,
    Only(Vec<String>),
}

impl Workers {
    /// Takes only runs of these graphs from the queue, by their ids. Other processes must take the rest.
    pub fn only(mut self, graphs: impl IntoIterator<Item = String>) -> Result<Self, ServerError> {
        // An alias means its graph.
        let known = |id: String| match self.app.registry.graph(&id) {
            Ok(hosted) => Ok(hosted.id.clone()),
            Err(_) => Err(ServerError::GraphId {
                id,
                why: "no graph has it",
            }),
        };
        let graphs = graphs.into_iter().map(known).collect::<Result<_, _>>()?;
        self.graphs = WorkOn::Only(graphs);
        Ok(self)
    }

    /// Works until `stop` is ready, then drains within [`Server::grace`](crate::Server::grace).
    ///
    /// `/ok` answers 503 from then on, and no run is claimed. Steps under way finish, and runs with more to do go back to the
    /// queue, which counts no attempt. A step that takes longer than the grace is cut: its run goes back too, and the attempt counts.
    /// Streams and answers that would wait for those runs then end with SS9013.
    pub async fn run(self, stop: impl Future<Output = ()>) -> Result<(), ServerError> {
        let Self { app, grace, graphs } = self;
        // However this ends, nobody waits for workers that are gone.
        let _drained = Drained(&app);
        let mut tasks = JoinSet::new();
        let drain = Drain::default();
        let (works, listens) = (app.role != Role::Api, app.role != Role::Worker);
        if works
            && let Some(worker) =
                worker(&app, &graphs).map_err(|error| ServerError::Worker { error })?
        {
            let (app, drain) = (app.clone(), drain.clone());
            tasks.spawn(async move { work(&app, &worker, &drain).await });
        }
        // Without them uploads of earlier versions are not found; the next start tries again.
        let _moved = app.files.move_earlier().await;
        // It keeps the marks of readers until the last answer has ended.
        tokio::spawn(app.clone().keep_finishing());
        // They end with this.
        let mut beside = JoinSet::new();
        if works {
            let clock = app.clone();
            beside.spawn(async move { clock.keep_time().await });
        }
        if listens {
            let events = app.clone();
            beside.spawn(async move { events.tell_listeners().await });
        }
        stop.await;
        let until = app.shutdown.begin(grace);
        drain.request("the server is stopping");
        let drained = async {
            while tasks.join_next().await.is_some() {}
            app.finished().await;
        };
        let _cut = tokio::time::timeout_at(until, drained).await;
        Ok(())
    }
}

/// The workers of a server have stopped when this is dropped.
struct Drained<'a>(&'a App);

impl Drop for Drained<'_> {
    fn drop(&mut self) {
        self.0.shutdown.drained();
    }
}

/// The worker for the graphs of a server; none if it has no graphs.
fn worker(app: &Arc<App>, graphs: &WorkOn) -> Result<Option<Arc<Worker>>, superstep::Error> {
    let is_taken = |hosted: &&Hosted| match graphs {
        WorkOn::All => true,
        WorkOn::Only(ids) => ids.contains(&hosted.id),
    };
    let hosted = app.registry.all().iter().filter(is_taken);
    let graphs = owners::graphs::queued(hosted, app.login.tokens.owners());
    if graphs.is_empty() {
        return Ok(None);
    }
    let counted = app.clone();
    let worker = Worker::named(graphs, RunOptions::default())?
        .at_once(app.runs_at_once)
        .on_begin(move |_| {
            counted.counts.begun.fetch_add(1, Ordering::Relaxed);
        })
        .graph_of_run(|graph, run| {
            // An earlier version accepted it under a name of its owner's.
            let earlier = || run.graph.split_once('@').map(|(_, owner)| owner.to_owned());
            let owner = RunKwargs::of(run).owner.or_else(earlier);
            let own = owners::graphs::of_owner(graph, owner.as_deref());
            own.map_err(|error| {
                let why = error.to_string();
                ErrorKind::BadArgument { why }.into()
            })
        });
    Ok(Some(Arc::new(worker)))
}

/// Runs what is in the queue until it is asked to stop.
async fn work(app: &Arc<App>, worker: &Arc<Worker>, drain: &Drain) {
    while drain.reason().is_none() {
        let told = |worked| tell(app, worked);
        // A queue that cannot be read now may be read later.
        if worker.run(drain, told).await.is_err() {
            tokio::time::sleep(REST).await;
        }
    }
}

fn tell(app: &Arc<App>, worked: Worked) {
    app.counts.worked.fetch_add(1, Ordering::Relaxed);
    app.events.end(&worked.thread, worked.run);
    app.readers.wake.notify_one();
}
