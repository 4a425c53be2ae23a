//! Session of a worker that has leased the thread and drives its loops: it takes their acts, sends what
//! is to be stored, waits as the durability demands, and ends.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::Arc,
};

use superstep_core::{
    Error, ErrorKind,
    checkpoint::{Loaded, NextRecord},
    error::SaverError,
    event::Modes,
    graph_state::GraphState,
    id::GraphPath,
    plan::Pauses,
    policy::Durability,
    record::Effect,
    run::{
        Act, Begin, Buffers, Drain, Fidelity, Loop, ParentContext, RunConfig, RunInput,
        StartingPoint, Stop, Suspension,
    },
};

use super::{
    Event, Sim, TaskSlot,
    job::{Job, Scratch},
};
use crate::{
    graphs::Graph,
    mutation::Mutation,
    report::{Broken, Promise, broken},
    store::{Answer, Op, Request},
};

/// A run of the thread by one worker.
pub(super) struct Session {
    pub(super) id: u64,
    pub(super) worker: usize,
    pub(super) epoch: u64,
    /// The root first; graphs that tasks run behind it.
    pub(super) graphs: Vec<Running>,
    /// How many acts its worker has left to live.
    pub(super) acts_left: Option<u32>,
    /// The store failed it before.
    pub(super) troubled: bool,
    pub(super) strict: bool,
    /// Somebody cancelled it: its tasks are gone.
    pub(super) cancelled: bool,
    pub(super) ended: Option<Ended>,
}

/// How a session ended.
pub(super) enum Ended {
    Crashed,
    Stopped(Stop),
}

/// One loop of a session.
pub(super) struct Running {
    pub(super) run: Box<Loop>,
    /// The graph and the task that run it.
    pub(super) caller: Option<(usize, usize)>,
    pub(super) jobs: BTreeMap<usize, Job>,
    pub(super) scratches: BTreeMap<usize, Scratch>,
    pub(super) outbox: VecDeque<Letter>,
    in_flight: Option<u64>,
    step: i64,
    stop: Option<Stop>,
    pub(super) over: bool,
    /// A store that went on behind failed; nobody knows yet.
    failed_behind: Option<SaverError>,
}

/// Something to store.
pub(super) struct Letter {
    pub(super) op: Op,
    pub(super) urgency: Urgency,
    /// Tasks that wait until it is stored, each with its graph.
    pub(super) waiters: Vec<(usize, usize)>,
}

/// Whether a letter waits for the durability of the run.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Urgency {
    AsTheRun,
    AtOnce,
}

impl Letter {
    fn is_urgent(&self) -> bool {
        self.urgency == Urgency::AtOnce || !self.waiters.is_empty()
    }
}

impl Running {
    pub(super) fn new(run: Box<Loop>, caller: Option<(usize, usize)>) -> Self {
        Self {
            step: run.window().step,
            run,
            caller,
            jobs: BTreeMap::new(),
            scratches: BTreeMap::new(),
            outbox: VecDeque::new(),
            in_flight: None,
            stop: None,
            over: false,
            failed_behind: None,
        }
    }

    pub(super) fn namespace(&self) -> GraphPath {
        self.run.config().parent.namespace.clone()
    }

    /// What went on behind and failed, if nobody has heard of it.
    pub(super) fn failed_behind(&mut self) -> Option<SaverError> {
        self.failed_behind.take()
    }

    fn has_journal(&self) -> bool {
        self.outbox.iter().any(Letter::is_urgent)
    }
}

impl Sim<'_> {
    /// Starts a loop on what is stored.
    pub(super) fn open(
        &self,
        session: &Session,
        graph: &Graph,
        parent: ParentContext,
        input: RunInput,
        loaded: Option<Loaded>,
    ) -> Result<Result<Box<Loop>, Error>, Broken> {
        let head = match loaded {
            None => None,
            Some(loaded) => Some(self.head(graph, loaded)?),
        };
        let Some(worker) = self.workers.get(session.worker) else {
            return Ok(Err(ErrorKind::NoSaver.into()));
        };
        Ok(Loop::begin(Begin {
            plan: graph.plan.clone(),
            config: RunConfig {
                thread: Some("t".into()),
                limit: 1_000,
                durability: self.durability,
                saves: true,
                modes: Modes::NONE,
                log: Modes::NONE,
                findable: true,
                output: None,
                shown: None,
                pause_before: Pauses::None,
                pause_after: Pauses::None,
                strict_resume: session.strict && !parent.nested,
                strict_input: false,
                keep_asks: false,
                fidelity: Fidelity::default(),
                ids: worker.ids.clone(),
                drain: Drain::default(),
                parent,
            },
            head: head.map(Box::new),
            addressed: false,
            own_address: false,
            superseded: false,
            input,
            buffers: Buffers::default(),
        }))
    }

    fn head(&self, graph: &Graph, mut loaded: Loaded) -> Result<StartingPoint, Broken> {
        for note in &mut loaded.notes {
            match self.settings.mutation {
                Some(Mutation::RerunsFinished) => note.output = None,
                Some(Mutation::RepeatsStarted) => {
                    note.extras
                        .effects
                        .retain(|_, effect| *effect != Effect::Started);
                }
                Some(Mutation::RepeatsDone) => note.extras.effects.clear(),
                _ => {}
            }
        }
        let Some(record) = loaded.head() else {
            return broken(Promise::Loads, "a checkpoint without a record");
        };
        match GraphState::restore(&graph.plan, &loaded, None) {
            Ok(restored) => Ok(StartingPoint {
                id: record.id,
                parent: record.parent,
                source: record.source,
                step: record.step,
                restored,
            }),
            Err(kind) => broken(Promise::Loads, kind.to_string()),
        }
    }

    /// Takes a loop's acts until it has to wait.
    pub(super) fn pump(&mut self, session: &mut Session, at: usize) -> Result<(), Broken> {
        while !self.is_blocked(session, at) {
            let Some(running) = session.graphs.get_mut(at) else {
                return Ok(());
            };
            if running.over || running.stop.is_some() {
                break;
            }
            let Some(act) = running.run.next_act() else {
                break;
            };
            self.act(session, at, act);
            if self.dies(session) {
                session.ended = Some(Ended::Crashed);
                return Ok(());
            }
        }
        self.post(session, at);
        let hurries = self.settings.mutation == Some(Mutation::HurriesStop);
        let Some(running) = session.graphs.get_mut(at) else {
            return Ok(());
        };
        if !running.over
            && (running.outbox.is_empty() || hurries)
            && let Some(stop) = running.stop.take()
        {
            return self.stopped(session, at, stop);
        }
        Ok(())
    }

    /// Somebody cancels a session: its tasks are dropped where they are, graphs that they run with
    /// them, and the thread's own graph stores how far it is.
    pub(super) fn cancel(&mut self, session: &mut Session) -> Result<(), Broken> {
        self.tell(|| format!("worker {} is told to cancel its run", session.worker));
        session.cancelled = true;
        for (at, running) in session.graphs.iter_mut().enumerate() {
            match at {
                0 => {
                    let reason = "somebody said so".to_owned();
                    running.run.halt(ErrorKind::Cancelled { reason }.into());
                }
                _ => running.over = true,
            }
        }
        self.pump(session, 0)
    }

    /// Whether a loop waits for the store.
    pub(super) fn is_blocked(&self, session: &Session, at: usize) -> bool {
        let Some(running) = session.graphs.get(at) else {
            return true;
        };
        let waits = match self.settings.mutation {
            Some(Mutation::HurriesTasks) => false,
            _ => self.durability != Durability::Async,
        };
        running.has_journal() || waits && !running.outbox.is_empty()
    }

    fn act(&mut self, session: &mut Session, at: usize, act: Act) {
        let (worker, id) = (session.worker, session.id);
        let Some(running) = session.graphs.get_mut(at) else {
            return;
        };
        let mut start = |sim: &mut Self, task: usize, delay: u64| {
            let step = running.run.window().step;
            if running.step != step {
                running.step = step;
                running.scratches.clear();
            }
            running.jobs.insert(task, Job::default());
            let place = TaskSlot {
                worker,
                session: id,
                graph: at,
                task,
            };
            sim.after(delay, Event::Task(place));
        };
        let op = match act {
            Act::Run(task) => {
                let delay = self.task_delay();
                return start(self, task, delay);
            }
            Act::Wait(wait) => {
                self.counts.add("retries");
                let jitter = self.rng.below(wait.jitter.as_millis() as u64 + 1);
                return start(self, wait.task, wait.delay.as_millis() as u64 + jitter);
            }
            Act::Stop(stop) => {
                running.stop = Some(stop);
                return;
            }
            Act::Keep(..) | Act::Emit(_) | Act::Log(..) => return,
            Act::Commit(record) => Op::Commit(record),
            Act::Note(checkpoint, notes) => Op::Note(checkpoint, notes),
        };
        // The chain of stores behind a run ends with its first failure.
        if running.failed_behind.is_none() {
            running.outbox.push_back(Letter {
                op,
                urgency: Urgency::AsTheRun,
                waiters: Vec::new(),
            });
        }
    }

    /// Sends the next letter, one at a time.
    pub(super) fn post(&mut self, session: &mut Session, at: usize) {
        let Some(running) = session.graphs.get_mut(at) else {
            return;
        };
        let Some(letter) = running
            .outbox
            .front()
            .filter(|_| running.in_flight.is_none())
        else {
            return;
        };
        self.serial += 1;
        let request = Request {
            ticket: self.serial,
            session: session.id,
            epoch: session.epoch,
            namespace: running.namespace(),
            op: letter.op.clone(),
        };
        running.in_flight = Some(self.serial);
        self.send(session, request);
    }

    /// The store has answered.
    pub(super) fn replied(
        &mut self,
        session: &mut Session,
        ticket: u64,
        answer: Answer,
    ) -> Result<(), Broken> {
        let waits = |running: &Running| running.in_flight == Some(ticket);
        let Some(at) = session.graphs.iter().position(waits) else {
            return Ok(());
        };
        let Some(running) = session.graphs.get_mut(at) else {
            return Ok(());
        };
        running.in_flight = None;
        let letter = running.outbox.pop_front();
        match answer {
            Ok(next) => {
                if let Some((request, ..)) = self.sent.get(&ticket) {
                    self.oracle.acknowledged(request);
                }
                let Some(letter) = letter else {
                    return Ok(());
                };
                if next == NextRecord::Everything && letter.urgency == Urgency::AsTheRun {
                    running.run.snapshot_next();
                }
                for (graph, task) in letter.waiters {
                    self.journaled(session, graph, task);
                }
            }
            Err(error) => {
                self.check_refusal(session, &error)?;
                session.troubled = true;
                self.failed_to_store(session, at, letter, error)?;
            }
        }
        match session.ended {
            None => self.pump(session, at),
            Some(_) => Ok(()),
        }
    }

    fn check_refusal(&mut self, session: &Session, error: &SaverError) -> Result<(), Broken> {
        self.tell(|| format!("worker {}: {error}", session.worker));
        match error {
            SaverError::Io(_) => {
                self.counts.add("I/O errors");
                Ok(())
            }
            SaverError::Conflict { .. } if session.epoch < self.store.epoch() => {
                self.counts.add("fenced writes");
                Ok(())
            }
            // What it follows was not stored, which it was told.
            SaverError::Corrupt(_) if session.troubled => Ok(()),
            other => broken(Promise::NeverDamaged, other.to_string()),
        }
    }

    fn failed_to_store(
        &mut self,
        session: &mut Session,
        at: usize,
        letter: Option<Letter>,
        error: SaverError,
    ) -> Result<(), Broken> {
        let Some(running) = session.graphs.get_mut(at) else {
            return Ok(());
        };
        // What is on its way may still arrive, and only another lease keeps it out: the run is
        // over, unless it continues in front of what is stored behind it and nobody waits for that.
        let rest = std::mem::take(&mut running.outbox);
        let awaited = |letter: &Letter| letter.is_urgent();
        if self.durability != Durability::Async || letter.iter().chain(&rest).any(awaited) {
            return self.stopped(session, at, Stop::Failed(error.into()));
        }
        running.failed_behind = Some(error);
        Ok(())
    }

    /// A loop is over; the task that ran it, or the caller of the run, hears how.
    pub(super) fn stopped(
        &mut self,
        session: &mut Session,
        at: usize,
        stop: Stop,
    ) -> Result<(), Broken> {
        let Some(running) = session.graphs.get_mut(at) else {
            return Ok(());
        };
        running.over = true;
        let stop = match running.failed_behind.take() {
            Some(error) => Stop::Failed(error.into()),
            None => stop,
        };
        let output = running.run.output();
        match running.caller {
            Some((graph, task)) => self.child_stopped(session, graph, task, stop, output),
            None => {
                session.ended = Some(Ended::Stopped(stop));
                Ok(())
            }
        }
    }

    /// A session is over: what it says must be stored.
    pub(super) fn ended(
        &mut self,
        worker: usize,
        session: &Session,
        ended: Ended,
    ) -> Result<(), Broken> {
        let stop = match ended {
            Ended::Crashed => {
                self.crash(worker);
                self.crashed(worker);
                return Ok(());
            }
            Ended::Stopped(stop) => stop,
        };
        self.tell(|| format!("worker {worker} stops: {stop:?}"));
        self.check_stop(session, &stop)?;
        if self.bad_luck(6) {
            self.counts.add("leases that were not given back");
        } else {
            self.store.release(session.epoch);
        }
        let delay = match &stop {
            // Storage has it in the queue until then.
            Stop::Suspended(it) if it.asks.is_empty() => {
                let until = it.until.and_then(|until| u64::try_from(until).ok());
                until.unwrap_or_default().saturating_sub(self.now)
            }
            _ => 0,
        };
        let delay = delay + self.rng.between(1, 500);
        self.after(delay, Event::Wake(worker));
        Ok(())
    }

    fn check_stop(&mut self, session: &Session, stop: &Stop) -> Result<(), Broken> {
        let Some(root) = session.graphs.first() else {
            return Ok(());
        };
        let loaded = self.store.load(&GraphPath::default());
        let notes = loaded.as_ref().map(|loaded| loaded.notes.as_slice());
        let head = loaded.as_ref().and_then(Loaded::head).map(|head| head.id);
        // Who was overtaken has been told all the same what was true before.
        let alone = session.epoch == self.store.epoch();
        let unstored = |what: &str| broken(Promise::Reported, what);
        match stop {
            Stop::Done if alone && head != Some(root.run.checkpoint()) => {
                unstored("the end of the run is not stored")
            }
            Stop::Suspended(Suspension { asks, .. }) if alone => {
                let open = |ask: &superstep_core::ask::Ask| {
                    let mut notes = notes.into_iter().flatten();
                    notes.any(|note| note.open_asks().any(|open| open == ask))
                };
                match asks.iter().all(open) && head == Some(root.run.checkpoint()) {
                    true => Ok(()),
                    false => unstored("a question is not stored"),
                }
            }
            Stop::Done | Stop::Suspended(_) => Ok(()),
            Stop::Failed(error) => match &*error.kind {
                ErrorKind::Saver(_) => Ok(()),
                ErrorKind::Cancelled { .. } if session.cancelled => Ok(()),
                _ if error.class() == "Flaky" => Ok(()),
                _ => broken(Promise::Explained, error.to_string()),
            },
            Stop::Parent(_) => broken(Promise::Explained, "a command for no graph"),
        }
    }

    /// A graph of the catalogue: the root's, or the one its tasks run.
    pub(super) fn graph_of(&self, running: &Running) -> &Graph {
        match (&running.caller, &self.graph.child) {
            (Some(_), Some(child)) => child,
            _ => self.graph,
        }
    }

    /// Where a graph is that a task runs.
    pub(super) fn child_context(
        &mut self,
        running: &Running,
        task: usize,
        n: u32,
    ) -> ParentContext {
        let run = &running.run;
        let parent = &run.config().parent;
        let mut parents = parent.parents.clone();
        Arc::make_mut(&mut parents).insert(parent.namespace.clone(), run.checkpoint());
        let step = run.window().step;
        self.oracle.above.insert(run.checkpoint(), step);
        let (resuming, replay) = run.child_flags();
        ParentContext {
            namespace: run.task_namespace(task).call(n),
            nested: true,
            resuming,
            replay: replay.cloned(),
            parents,
            answers: parent.answers.clone(),
        }
    }
}
