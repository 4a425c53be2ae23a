//! Workers: they claim runs from the queue of a saver and run them.
//!
//! Any number of workers in any number of processes may share a queue; runs of one thread go one after
//! the other. What a worker leaves behind when it is killed, another one continues. The queue itself is
//! [`superstep_core::saver::RunQueue`].

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use superstep_core::{
    checkpoint::Loaded,
    clock::Clock as _,
    error::{Error, ErrorKind, SaverError},
    event::Ending,
    id::{RunId, ThreadId},
    run::{Drain, RunInput},
    runs::{Claim, ClaimRuns, InputKind, RunQuery, RunRecord, RunStatus, noted},
    saver::{At, Saver},
};
use tokio::task::JoinSet;

use crate::{
    graph::{Backends, DynGraph},
    input,
    options::{DynOutcome, RunOptions},
    schedule::firing,
    take_back::take_back,
};

/// How long a claim holds, if nothing else is said.
const CLAIM: Duration = Duration::from_secs(15);

/// How long a run waits whose thread was busy after all.
const BUSY: Duration = Duration::from_millis(50);

/// How long a run waits for a worker of its version before it is looked at again.
const OTHER_VERSION: Duration = Duration::from_secs(5);

/// How long a run waits for disk space before it is looked at again.
const FULL: Duration = Duration::from_secs(5);

/// Takes runs of some graphs from the queue of their saver.
///
/// ```
/// # use serde_json::json;
/// # use superstep_engine::{Backends, DynCtx, DynGraphBuilder, RunOptions, Worker, memory::MemorySaver};
/// # use superstep_core::{run::Halt, runs::QueuedInput};
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let graph = DynGraphBuilder::new().last_value("x").name("count")
/// #     .node("work", |_: DynCtx| async { Ok::<_, Halt>(json!({ "x": 1 })) })
/// #     .edge("__start__", "work").backends(Backends::on(MemorySaver::new())).build()?;
/// let input = QueuedInput::Value(json!({ "x": 0 }).into());
/// graph.enqueue(graph.queued("thread 1", input)).await?;
/// let worker = Worker::new([graph], RunOptions::default())?;
/// let worked = worker.work_once().await?.expect("a run waits");
/// assert_eq!(worked.thread.as_str(), "thread 1");
/// assert!(worker.work_once().await?.is_none());
/// # Ok(()) }
/// ```
pub struct Worker {
    saver: Arc<dyn Saver>,
    graphs: BTreeMap<Arc<str>, DynGraph>,
    options: RunOptions,
    at_once: usize,
    claim: Duration,
    on_begin: Option<Box<OnBegin>>,
    graph_of_run: Option<Box<GraphOfRun>>,
}

/// Is told of runs that a worker begins.
type OnBegin = dyn Fn(&RunRecord) + Send + Sync;

/// Fits the graph of a worker to one of its runs.
type GraphOfRun = dyn Fn(&DynGraph, &RunRecord) -> Result<DynGraph, Error> + Send + Sync;

/// A run that a worker had.
#[derive(Debug)]
#[non_exhaustive]
pub struct Worked {
    /// The run.
    pub run: RunId,
    /// Its thread.
    pub thread: ThreadId,
    /// How it ended. An error of a busy thread means that the run went back to the queue.
    pub outcome: Result<DynOutcome, Error>,
}

impl Worker {
    /// A worker for these graphs, on the saver of the first. Each run gets these options, except for what
    /// it brought along to the queue ([`DynGraph::to_queue`]).
    pub fn new(
        graphs: impl IntoIterator<Item = DynGraph>,
        options: RunOptions,
    ) -> Result<Self, Error> {
        let named = |graph: DynGraph| (graph.plan().name.clone(), graph);
        Self::named(graphs.into_iter().map(named), options)
    }

    /// A worker for these graphs, each of which has the runs that were put into the queue under the name
    /// that is given here; see [`Worker::new`].
    pub fn named(
        graphs: impl IntoIterator<Item = (Arc<str>, DynGraph)>,
        options: RunOptions,
    ) -> Result<Self, Error> {
        let (mut first, mut by_name) = (None, BTreeMap::new());
        for (name, graph) in graphs {
            let saver = match &first {
                Some(saver) => Arc::clone(saver),
                None => graph.saver()?.clone(),
            };
            first = Some(saver.clone());
            let graph = graph.with_backends(Backends {
                saver: Some(saver),
                ..graph.backends().clone()
            });
            if by_name.insert(name.clone(), graph).is_some() {
                let why = format!("two graphs of a worker have the name `{name}`");
                return Err(ErrorKind::BadArgument { why }.into());
            }
        }
        let Some(saver) = first else {
            let why = "a worker needs a graph".to_owned();
            return Err(ErrorKind::BadArgument { why }.into());
        };
        Ok(Self {
            saver,
            graphs: by_name,
            options,
            at_once: 16,
            claim: CLAIM,
            on_begin: None,
            graph_of_run: None,
        })
    }

    /// Is told of each run that it begins, before it does.
    #[must_use]
    pub fn on_begin(mut self, tell: impl Fn(&RunRecord) + Send + Sync + 'static) -> Self {
        self.on_begin = Some(Box::new(tell));
        self
    }

    /// Fits the graph to each run, such as with a store of the run's owner. The saver stays that of the worker.
    #[must_use]
    pub fn graph_of_run(
        mut self,
        fit: impl Fn(&DynGraph, &RunRecord) -> Result<DynGraph, Error> + Send + Sync + 'static,
    ) -> Self {
        self.graph_of_run = Some(Box::new(fit));
        self
    }

    /// How many runs it has at once; 16 by default.
    #[must_use]
    pub fn at_once(mut self, runs: usize) -> Self {
        self.at_once = runs.max(1);
        self
    }

    /// How long it may take from claiming a run to beginning it; 15 seconds by default. A run whose worker
    /// is killed in between waits that long for another.
    #[must_use]
    pub fn claim_lease(mut self, lease: Duration) -> Self {
        self.claim = lease;
        self
    }

    /// Claims a run and runs it to its end; nothing if none waits.
    pub async fn work_once(&self) -> Result<Option<Worked>, Error> {
        match self.claim().await? {
            Some(claim) => Ok(Some(self.work(claim).await)),
            None => Ok(None),
        }
    }

    /// Works until it is asked to stop, and then lets the steps that run come to their end. Runs with more to do go back
    /// to the queue, and the attempt does not count. `on_end` gets each run.
    pub async fn run(
        self: &Arc<Self>,
        stop: &Drain,
        mut on_end: impl FnMut(Worked),
    ) -> Result<(), Error> {
        let mut running = JoinSet::new();
        loop {
            let changed = self.saver.run_queue().queue_changed();
            while running.len() < self.at_once
                && stop.reason().is_none()
                && let Some(claim) = self.claim().await?
            {
                let worker = self.clone();
                running.spawn(async move { worker.work(claim).await });
            }
            if let Some(reason) = stop.reason() {
                self.options.drain.request(reason);
                while let Some(ended) = running.join_next().await {
                    ended.into_iter().for_each(&mut on_end);
                }
                self.options.drain.clear();
                return Ok(());
            }
            tokio::select! {
                Some(ended) = running.join_next() => ended.into_iter().for_each(&mut on_end),
                changed = changed => changed?,
                () = stop.requested() => {}
            }
        }
    }

    /// Puts the runs of schedules that are due into the queue, one for each schedule.
    async fn fire_schedules(&self) -> Result<(), Error> {
        let Some(graph) = self.graphs.values().next() else {
            return Ok(());
        };
        let (schedules, now) = (self.saver.schedules(), graph.0.clock.now());
        for schedule in schedules.due_schedules(now).await? {
            if self.graphs.contains_key(&schedule.graph) {
                // Another worker may be first, and then has done it.
                schedules.fire_schedule(firing(&schedule, now)).await?;
            }
        }
        Ok(())
    }

    async fn claim(&self) -> Result<Option<Claim>, Error> {
        self.fire_schedules().await?;
        let wanted = ClaimRuns {
            graphs: self.graphs.keys().cloned().collect(),
            lease: self.claim,
        };
        Ok(self.saver.run_queue().claim(&wanted).await?)
    }

    async fn work(&self, claim: Claim) -> Worked {
        let (run, thread) = (claim.record.id, claim.record.thread.clone());
        let outcome = self.begin(&claim).await;
        if let Err(error) = &outcome {
            // One that had begun is no longer claimed, and keeps the ending it got.
            let _begun = self.give_up(&claim, error).await;
        }
        Worked {
            run,
            thread,
            outcome,
        }
    }

    async fn begin(&self, claim: &Claim) -> Result<DynOutcome, Error> {
        let record = &claim.record;
        if let Some(tell) = &self.on_begin {
            tell(record);
        }
        let Some(graph) = self.graphs.get(&record.graph) else {
            let (what, name) = ("graph", record.graph.to_string());
            return Err(ErrorKind::Unknown { what, name }.into());
        };
        if let Some((of, own)) = self.other_version(record) {
            let why = format!(
                "the input of the queued run is of version {of}, and the graph has version {own}: the run waits for \
                 a worker of its version"
            );
            return Err(ErrorKind::Version { why }.into());
        }
        self.undo_before(record).await?;
        let root = Default::default();
        let loaded = self.saver.load(&record.thread, &root, At::Latest).await?;
        if record.sleep.is_some() {
            self.refuse_alarm(record, loaded.as_ref()).await?;
        }
        let is_fed = is_fed(record, loaded.as_ref());
        let mut options = self.options.for_queued(record);
        let input = record.queued.as_ref().map(|queued| queued.input.clone());
        let input = match input {
            // What an earlier attempt took in is not fed again, and where it began is behind it.
            _ if is_fed => RunInput::Nothing,
            Some(input) => input::queued(input),
            None => RunInput::Nothing,
        };
        if is_fed {
            options.at = None;
        }
        match &self.graph_of_run {
            Some(fit) => fit(graph, record)?.invoke(input, &options).await,
            None => graph.invoke(input, &options).await,
        }
    }

    /// Refuses to wake a thread (SS2001) whose turn another run has, such as one that brings an answer, or
    /// (SS1110) that was edited since its alarm was set.
    async fn refuse_alarm(&self, record: &RunRecord, loaded: Option<&Loaded>) -> Result<(), Error> {
        let thread = record.thread.clone();
        let queued = RunQuery {
            status: Some(RunStatus::Queued),
            ..RunQuery::default()
        };
        let others = self.saver.runs().load_runs(&thread, &queued).await?;
        let due = record.waiting().map(|own| own.due);
        let is_first = |run: &RunRecord| run.waiting().map(|it| it.due) <= due;
        if others.iter().any(is_first) {
            return Err(SaverError::Busy { thread }.into());
        }
        let head = loaded.and_then(Loaded::head).map(|head| head.id);
        if record.is_alarm() && head != record.base {
            let why =
                "the thread was edited while it waited, and does not continue by itself".to_owned();
            return Err(ErrorKind::BadUpdate { why }.into());
        }
        Ok(())
    }

    /// The version of the state that the input of a run is of, and that of its graph, if they differ.
    fn other_version(&self, record: &RunRecord) -> Option<(u32, u32)> {
        let of = record.queued.as_ref()?.options.state_version?;
        let own = self
            .graphs
            .get(&record.graph)?
            .0
            .plan
            .layout
            .state
            .as_ref()?;
        (of != own.version).then_some((of, own.version))
    }

    /// Undoes what the run before stored, if it was cancelled so, its process did not get to it, and no
    /// effects would be repeated.
    async fn undo_before(&self, record: &RunRecord) -> Result<(), Error> {
        if record.attempt > 0 {
            return Ok(());
        }
        let thread = &record.thread;
        let Some(last) = &self.begun_before(record).await? else {
            return Ok(());
        };
        let root = Default::default();
        let loaded = self.saver.load(thread, &root, At::Latest).await?;
        let head = loaded.and_then(|loaded| Some(loaded.head()?.id));
        // Somebody may have gone on from there, or undone it already.
        if !last.is_to_be_undone(head) {
            return Ok(());
        }
        let Some(how) = last.cancel.as_ref().map(|cancel| cancel.how) else {
            return Ok(());
        };
        let lease = self.saver.lease(thread).await?;
        let graph = self.graphs.get(&last.graph);
        take_back(graph, &self.saver, last, lease.epoch, how).await?;
        Ok(())
    }

    /// The last run of a thread that began before another. Those that waited and were cancelled have stored nothing.
    /// They are read one by one: a thread may have any number of runs.
    async fn begun_before(&self, record: &RunRecord) -> Result<Option<RunRecord>, Error> {
        let mut before = record.id;
        loop {
            let query = RunQuery {
                before: Some(before),
                limit: Some(1),
                ..RunQuery::default()
            };
            let runs = self.saver.runs().load_runs(&record.thread, &query).await?;
            let Some(run) = runs.into_iter().next() else {
                return Ok(None);
            };
            if run.started.is_some() {
                return Ok(Some(run));
            }
            before = run.id;
        }
    }

    /// Gives a run back that can begin later, and ends one that cannot.
    async fn give_up(&self, claim: &Claim, error: &Error) -> Result<(), SaverError> {
        let queue = self.saver.run_queue();
        match &*error.kind {
            ErrorKind::Saver(SaverError::Busy { .. }) => return queue.release(claim, BUSY).await,
            // It was accepted, and waits until there is space again.
            ErrorKind::Saver(SaverError::Full { .. }) => return queue.release(claim, FULL).await,
            _ => {}
        }
        if self.other_version(&claim.record).is_some() {
            return queue.release(claim, OTHER_VERSION).await;
        }
        let ending = Ending::Failed {
            code: error.code().to_owned(),
            message: error.to_string(),
        };
        queue.refuse(claim, ending).await
    }
}

impl DynGraph {
    /// Wakes the threads of this graph whose time has come, for programs without a [`Worker`]: runs that
    /// sleep, and questions whose deadline is over. What else is due in the queue for this graph runs too. Each
    /// runs to its end, one after the other; several processes may call this at once.
    pub async fn wake_due(&self, options: &RunOptions) -> Result<Vec<Worked>, Error> {
        let worker = Worker::new([self.clone()], options.clone())?;
        let mut all = Vec::new();
        while let Some(worked) = worker.work_once().await? {
            all.push(worked);
        }
        Ok(all)
    }
}

/// Whether an earlier attempt of a run took in what it is fed.
fn is_fed(record: &RunRecord, loaded: Option<&Loaded>) -> bool {
    let head = loaded.and_then(Loaded::head).map(|head| head.id);
    let is_noted = || noted(loaded.map_or(&[], |loaded| &*loaded.notes)) != record.noted;
    record.attempt > 0 && (head != record.base || record.input == InputKind::Command && is_noted())
}
