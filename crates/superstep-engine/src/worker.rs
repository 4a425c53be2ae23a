//! Workers: they claim runs from the queue of a saver and run them.
//!
//! Any number of workers in any number of processes may share a queue; runs of one thread go one after
//! the other. What a worker leaves behind when it is killed, another one continues. The queue itself is
//! [`superstep_core::saver::RunQueue`].

use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
    time::Duration,
};

use superstep_core::{
    checkpoint::Loaded,
    error::{Category, Error, ErrorKind, SaverError},
    event::Ending,
    id::{GraphPath, IdSource as _, RunId, ThreadId},
    run::{Drain, RunInput},
    runs::{
        ClaimGraph, ClaimRuns, Queued, QueuedInput, Release, RunQuery, RunRecord, RunStatus, noted,
    },
    saver::{At, Claimed, Saver},
};
use tokio::{
    task::{self, JoinSet},
    time::MissedTickBehavior,
};

use crate::{
    graph::{Backends, DynGraph},
    input,
    options::{DynOutcome, RunOptions},
    schedule::firing_of,
    take_back::{TakenBack, take_back},
};

/// How often a worker looks for schedules that are due.
const TICK: Duration = Duration::from_secs(1);

/// How long a run waits whose turn it is not after all.
const BUSY: Duration = Duration::from_millis(50);

/// How long a run waits for a worker of its version before it is looked at again.
const OTHER_VERSION: Duration = Duration::from_secs(5);

/// How long a run waits for storage that fails or has no room before it is looked at again.
const UNAVAILABLE: Duration = Duration::from_secs(5);

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
    at_once_of: BTreeMap<Arc<str>, usize>,
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
            at_once_of: BTreeMap::new(),
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

    /// How many runs of a graph it has at once, by the name that they are queued under; as many as it has
    /// at all by default.
    #[must_use]
    pub fn at_once_of(mut self, graph: impl Into<Arc<str>>, runs: usize) -> Self {
        self.at_once_of.insert(graph.into(), runs.max(1));
        self
    }

    /// Claims a run and runs it to its end; nothing if none waits.
    pub async fn work_once(&self) -> Result<Option<Worked>, Error> {
        self.fire_schedules().await?;
        let running = WorkerRuns::default();
        match self.claim(1, &running).await?.pop() {
            Some(claimed) => Ok(Some(self.work(claimed).await)),
            None => Ok(None),
        }
    }

    /// Works until it is asked to stop, and then lets the steps that run come to their end. Runs with more to do go back
    /// to the queue, and the attempt does not count. `on_end` gets each run. A queue that cannot be read ends it once no
    /// run is under way.
    pub async fn run(
        self: &Arc<Self>,
        stop: &Drain,
        mut on_end: impl FnMut(Worked),
    ) -> Result<(), Error> {
        let mut running = WorkerRuns::default();
        let mut tick = tokio::time::interval(TICK);
        tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            let changed = self.saver.run_queue().queue_changed();
            let free = self.at_once.saturating_sub(running.tasks.len());
            if free > 0 && stop.reason().is_none() {
                match self.claim(free, &running).await {
                    Ok(claimed) => claimed
                        .into_iter()
                        .for_each(|claimed| running.start(self.clone(), claimed)),
                    Err(error) => running.outlive(error)?,
                }
            }
            if let Some(reason) = stop.reason() {
                self.options.drain.request(reason);
                while let Some(worked) = running.next().await {
                    on_end(worked);
                }
                self.options.drain.clear();
                return Ok(());
            }
            tokio::select! {
                Some(worked) = running.next() => {
                    on_end(worked);
                    // What has ended meanwhile makes room for the same claim.
                    while let Some(worked) = running.next_ended() {
                        on_end(worked);
                    }
                }
                _ = tick.tick() => match self.fire_schedules().await {
                    Ok(()) => {}
                    Err(error) => running.outlive(error)?,
                },
                changed = changed => if let Err(error) = changed {
                    running.outlive(error.into())?;
                    tick.tick().await;
                },
                () = stop.requested() => {}
            }
        }
    }

    /// Puts the runs of schedules that are due into the queue, one for each schedule.
    async fn fire_schedules(&self) -> Result<(), Error> {
        let (schedules, now) = (self.saver.schedules(), self.saver.now().await?);
        for schedule in schedules.due_schedules(now).await? {
            let graph = self.graphs.get(&schedule.graph);
            if let Some(fire) = graph.and_then(|graph| firing_of(graph, schedule, now)) {
                // Another worker may be first, and then has done it.
                schedules.fire_schedule(fire).await?;
            }
        }
        Ok(())
    }

    async fn claim(&self, limit: usize, running: &WorkerRuns) -> Result<Vec<Claimed>, Error> {
        let graphs = self.graphs.iter().map(|(name, graph)| {
            let most = self.at_once_of.get(name);
            let share = ClaimGraph {
                limit: most.map_or(limit, |most| most.saturating_sub(running.of(name))),
                mark: graph.0.ids.next(None),
            };
            (name.clone(), share)
        });
        let wanted = ClaimRuns {
            graphs: graphs.collect(),
            limit,
        };
        Ok(self.saver.run_queue().claim(&wanted).await?)
    }

    async fn work(&self, claimed: Claimed) -> Worked {
        let record = claimed.record.clone();
        let mut claimed = Some(claimed);
        let outcome = self.begin(&record, &mut claimed).await;
        if let (Err(error), Some(Claimed { lease, .. })) = (&outcome, claimed) {
            let release = self.give_up(&record, error);
            // If that is not stored, the run goes back to the queue with its lease.
            let _unstored = self
                .saver
                .run_queue()
                .release(record.id, lease, release)
                .await;
        }
        Worked {
            run: record.id,
            thread: record.thread,
            outcome,
        }
    }

    /// Runs a claimed run. One that cannot begin stays in `claimed`.
    async fn begin(
        &self,
        record: &RunRecord,
        claimed: &mut Option<Claimed>,
    ) -> Result<DynOutcome, Error> {
        if let Some(tell) = &self.on_begin {
            tell(record);
        }
        let Some(graph) = self.graphs.get(&record.graph) else {
            let (what, name) = ("graph", record.graph.to_string());
            return Err(ErrorKind::Unknown { what, name }.into());
        };
        if let Some(claimed) = claimed.as_ref() {
            let loaded = claimed.loaded.as_ref().map_err(SaverError::clone)?;
            if record.sleep.is_some() {
                self.refuse_alarm(record, loaded.as_ref()).await?;
            }
        }
        let is_fed = claimed.as_ref().is_some_and(has_taken_input);
        if let Some(claimed) = claimed.as_mut().filter(|_| !is_fed) {
            self.undo_before(claimed).await?;
        }
        let mut options = self.options.for_queued(record);
        let input = match &record.queued {
            // What an earlier attempt took in is not fed again, and where it began is behind it.
            _ if is_fed => RunInput::Nothing,
            Some(queued) => {
                let loaded = claimed.as_ref().and_then(Claimed::newest);
                input::queued(migrated(graph, queued, loaded)?)
            }
            None => RunInput::Nothing,
        };
        if is_fed {
            options.at = None;
        }
        let graph = match &self.graph_of_run {
            Some(fit) => &fit(graph, record)?,
            None => graph,
        };
        graph.run_claimed(input, &options, claimed).await
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
        let due = record.queued.as_ref().map(|own| own.due);
        let is_first = |run: &RunRecord| run.waiting().map(|it| it.due) <= due;
        if others.iter().any(is_first) {
            return Err(SaverError::Busy { thread }.into());
        }
        let head = loaded.and_then(Loaded::head).map(|head| head.id);
        if record.was_alarm() && head != record.base {
            let why =
                "the thread was edited while it waited, and does not continue by itself".to_owned();
            return Err(ErrorKind::BadUpdate { why }.into());
        }
        Ok(())
    }

    /// Whether the input of a run is of another version of the state than its graph.
    fn is_of_other_version(&self, record: &RunRecord) -> bool {
        let of = record
            .queued
            .as_ref()
            .and_then(|it| it.options.state_version);
        let graph = self.graphs.get(&record.graph);
        let own = graph.and_then(|graph| graph.0.plan.state.as_ref());
        of.zip(own).is_some_and(|(of, own)| of != own.version)
    }

    /// Undoes what the run before stored, if it was cancelled so, its process did not get to it, and no
    /// effects would be repeated.
    async fn undo_before(&self, claimed: &mut Claimed) -> Result<(), Error> {
        let Some(last) = &self.begun_before(&claimed.record).await? else {
            return Ok(());
        };
        let head = claimed.newest().and_then(Loaded::head);
        // Somebody may have gone on from there, or undone it already.
        if !last.is_to_be_undone(head.map(|head| head.id)) {
            return Ok(());
        }
        let Some(how) = last.cancel.as_ref().map(|cancel| cancel.how) else {
            return Ok(());
        };
        let graph = self.graphs.get(&last.graph);
        let epoch = claimed.lease.epoch;
        if take_back(graph, &self.saver, last, epoch, how).await? == TakenBack::Undone {
            let (thread, root) = (&claimed.record.thread, GraphPath::default());
            claimed.loaded = Ok(self.saver.load(thread, &root, At::Latest).await?);
            // What it began from is gone: it begins once more, from what is left.
            claimed.record.started = None;
        }
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

    /// What becomes of a run that cannot begin: it waits if it can begin later.
    fn give_up(&self, record: &RunRecord, error: &Error) -> Release {
        match &*error.kind {
            ErrorKind::Saver(SaverError::Busy { .. }) => return Release::Later(BUSY),
            // It was accepted, and waits until the storage works again.
            ErrorKind::Saver(failed) if failed.category() == Category::Unavailable => {
                return Release::Later(UNAVAILABLE);
            }
            // A timer of a thread that another version left wakes it there.
            ErrorKind::Version { .. }
                if record.sleep.is_some() || self.is_of_other_version(record) =>
            {
                return Release::Stale {
                    after: OTHER_VERSION,
                    problem: error.to_string(),
                };
            }
            _ => {}
        }
        Release::Refused(Ending::Failed {
            code: error.code().to_owned(),
            message: error.to_string(),
        })
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

/// The runs that a worker has at once.
#[derive(Default)]
struct WorkerRuns {
    tasks: JoinSet<Worked>,
    /// The graph of each.
    graphs: HashMap<task::Id, Arc<str>>,
}

impl WorkerRuns {
    fn start(&mut self, worker: Arc<Worker>, claimed: Claimed) {
        let graph = claimed.record.graph.clone();
        let task = self.tasks.spawn(async move { worker.work(claimed).await });
        self.graphs.insert(task.id(), graph);
    }

    /// Fails with an error of the queue if no run is under way. Those that are do not end with it: the queue is read
    /// again at the next look.
    fn outlive(&self, error: Error) -> Result<(), Error> {
        match self.tasks.is_empty() {
            true => Err(error),
            false => Ok(()),
        }
    }

    /// How many runs of a graph there are.
    fn of(&self, graph: &str) -> usize {
        let graphs = self.graphs.values();
        graphs.filter(|name| &***name == graph).count()
    }

    /// The next run that ends; nothing if there is none.
    async fn next(&mut self) -> Option<Worked> {
        loop {
            let ended = self.tasks.join_next_with_id().await?;
            if let Some(worked) = self.end(ended) {
                return Some(worked);
            }
        }
    }

    /// A run that has ended already.
    fn next_ended(&mut self) -> Option<Worked> {
        loop {
            let ended = self.tasks.try_join_next_with_id()?;
            if let Some(worked) = self.end(ended) {
                return Some(worked);
            }
        }
    }

    /// Forgets a run; one that panicked has no outcome, and its lease is gone.
    fn end(&mut self, ended: Result<(task::Id, Worked), task::JoinError>) -> Option<Worked> {
        let id = match &ended {
            Ok((id, _)) => *id,
            Err(panicked) => panicked.id(),
        };
        self.graphs.remove(&id);
        ended.ok().map(|(_, worked)| worked)
    }
}

/// What a run is fed, in the version of its graph.
fn migrated(
    graph: &DynGraph,
    queued: &Queued,
    loaded: Option<&Loaded>,
) -> Result<QueuedInput, Error> {
    let migrated = graph.migrate_queued(queued.input.clone(), &queued.options, loaded);
    migrated.map_err(|why| {
        let of = queued.options.state_version.unwrap_or_default();
        let why = format!(
            "the input of the queued run is of version {of} of the state: {why}; the run waits for a worker of its \
             version, or of a program that declares it"
        );
        ErrorKind::Version { why }.into()
    })
}

/// Whether an earlier attempt of a claimed run took in what it is fed.
fn has_taken_input(claimed: &Claimed) -> bool {
    let loaded = claimed.newest();
    let head = loaded.and_then(Loaded::head).map(|head| head.id);
    let noted = noted(loaded.map_or(&[], |loaded| &*loaded.notes));
    claimed.record.has_taken_input(head, noted)
}
