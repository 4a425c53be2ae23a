//! Simulator of one history: events in order of virtual time, and what each of them leads to.
//!
//! `session` is a worker that has leased the thread and drives its loops, `task` is what the tasks
//! of those do, `fault` is what goes wrong, and `people` are those who start, answer and look.

mod fault;
mod job;
mod people;
mod session;
mod task;

use std::{
    collections::{BTreeMap, VecDeque},
    sync::Arc,
};

use superstep_core::{
    error::SaverError,
    id::{CheckpointId, GraphPath},
    plan::BuildErrors,
    policy::Durability,
    record::TaskKey,
};

use crate::{
    clock::{Floor, Ids, Wall},
    external_effects::ExternalEffects,
    graphs::{Graph, catalogue},
    mutation::Mutation,
    oracle::Oracle,
    reference::Reference,
    report::{Broken, Counts, Promise, Violation, broken},
    rng::Rng,
    store::{Answer, Request, Store},
};
use people::Intent;
use session::Session;

/// How many workers share the thread.
const WORKERS: usize = 3;

/// How many events may follow the last fault, and how many runs.
const CALM_EVENTS: u64 = 20_000;
const CALM_RUNS: u64 = 60;

/// How many events a trace shows.
const TRACE: usize = 80;

/// Whether faults are injected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultMode {
    /// No faults; only the order of events is random.
    Quiet,
    /// Everything can fail for a while.
    Faults,
}

/// Which history, and how.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// The seed.
    pub seed: u64,
    /// Whether faults are injected.
    pub fault_mode: FaultMode,
    /// A mistake that the checks should find.
    pub mutation: Option<Mutation>,
}

/// The graphs, each with its history without faults.
pub struct Simulator(Vec<(Graph, Reference)>);

impl Simulator {
    /// Runs every graph once without faults.
    pub fn new() -> Result<Self, SimulatorError> {
        let mut all = Vec::new();
        for graph in catalogue()? {
            let settings = Settings {
                seed: 0,
                fault_mode: FaultMode::Quiet,
                mutation: None,
            };
            let mut sim = Sim::new(&graph, None, settings);
            (sim.durability, sim.tracing) = (Durability::Sync, Tracing::On);
            let played = sim.play().and_then(|()| {
                Reference::of(&graph, &sim.store, &sim.oracle.above, &sim.external_effects)
            });
            let reference =
                played.map_err(|broken| SimulatorError::Broken(sim.violation(broken)))?;
            all.push((graph, reference));
        }
        Ok(Self(all))
    }

    /// Runs one history. One that breaks a promise is run again with a trace.
    pub fn run(&self, settings: Settings) -> Result<Counts, Box<Violation>> {
        match self.attempt(settings, Tracing::Off) {
            Ok((counts, _)) => Ok(counts),
            Err(first) => Err(self.attempt(settings, Tracing::On).err().unwrap_or(first)),
        }
    }

    /// Runs one history and returns its trace.
    pub fn trace(&self, settings: Settings) -> Result<Vec<String>, Box<Violation>> {
        let (_, trace) = self.attempt(settings, Tracing::All)?;
        Ok(trace)
    }

    fn attempt(
        &self,
        settings: Settings,
        tracing: Tracing,
    ) -> Result<(Counts, Vec<String>), Box<Violation>> {
        let mut rng = Rng::new(settings.seed ^ 0x5eed);
        let Some((graph, reference)) = self.0.get(rng.place(self.0.len())) else {
            return Ok(Default::default());
        };
        let mut sim = Sim::new(graph, Some(reference), settings);
        sim.tracing = tracing;
        match sim.play() {
            Ok(()) => {
                sim.counts.add("histories");
                sim.counts.add(graph.name);
                Ok((sim.counts, sim.trace.into()))
            }
            Err(broken) => Err(Box::new(sim.violation(broken))),
        }
    }
}

/// Why there are no quiet histories to compare with.
#[derive(Debug)]
#[non_exhaustive]
pub enum SimulatorError {
    /// A graph does not compile.
    Build(BuildErrors),
    /// A quiet history breaks a promise.
    Broken(Violation),
}

impl std::fmt::Display for SimulatorError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Build(errors) => errors.fmt(f),
            Self::Broken(violation) => violation.fmt(f),
        }
    }
}

impl std::error::Error for SimulatorError {}

impl From<BuildErrors> for SimulatorError {
    fn from(errors: BuildErrors) -> Self {
        Self::Build(errors)
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Tracing {
    Off,
    On,
    All,
}

/// Something that happens at a time.
enum Event {
    /// A worker looks for work.
    Wake(usize),
    /// A worker wants the thread.
    Take(usize, Intent),
    /// A task continues.
    Task(TaskSlot),
    /// The time has come that a suspended task waits for.
    Due(TaskSlot),
    /// A request reaches the store.
    Arrive(Request),
    /// The store makes durable what reached it so far.
    Sync,
    /// The store's answer reaches a worker.
    Reply {
        worker: usize,
        session: u64,
        ticket: u64,
        answer: Answer,
    },
    /// A worker tells the store that it is alive.
    Renew(usize, u64),
    /// Somebody looks.
    Look,
    /// Something goes wrong that no worker does.
    Mishap,
}

/// A task of a graph of a session of a worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct TaskSlot {
    worker: usize,
    session: u64,
    graph: usize,
    task: usize,
}

/// What the store's answer to a request will say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    /// The truth.
    Answered,
    /// That the medium failed, whatever became of the request.
    Lost,
}

struct Worker {
    session: Option<Session>,
    /// It does nothing until then, and does not know.
    frozen: u64,
    ids: Arc<Ids>,
}

struct Sim<'a> {
    graph: &'a Graph,
    reference: Option<&'a Reference>,
    settings: Settings,
    durability: Durability,
    rng: Rng,
    now: u64,
    /// How far the wall clock is ahead; it starts far from zero so that it can go back.
    ahead: u64,
    wall: Wall,
    queue: BTreeMap<(u64, u64), Event>,
    serial: u64,
    store: Store,
    /// Requests on their way, for the oracle.
    sent: BTreeMap<u64, (Request, Fate, usize)>,
    workers: Vec<Worker>,
    oracle: Oracle,
    external_effects: ExternalEffects,
    /// The timers that tasks have set and know to be stored.
    timers: BTreeMap<(GraphPath, CheckpointId, TaskKey), i64>,
    counts: Counts,
    trace: VecDeque<String>,
    tracing: Tracing,
    events: u64,
    /// Events until faults stop.
    faulty: u64,
    calm_events: u64,
    calm_runs: u64,
    over: bool,
}

impl<'a> Sim<'a> {
    fn new(graph: &'a Graph, reference: Option<&'a Reference>, settings: Settings) -> Self {
        let mut rng = Rng::new(settings.seed);
        let durability = match rng.below(4) {
            0 | 1 => Durability::Sync,
            2 => Durability::Async,
            _ => Durability::Exit,
        };
        let faulty = match settings.fault_mode {
            FaultMode::Quiet => 0,
            FaultMode::Faults => rng.between(20, 700),
        };
        let wall = Wall::default();
        let mut sim = Self {
            graph,
            reference,
            settings,
            durability,
            now: 0,
            ahead: 10_000_000,
            store: Store::new(settings.mutation, Rng::new(settings.seed ^ 0xd15c)),
            sent: BTreeMap::new(),
            workers: Vec::new(),
            wall,
            queue: BTreeMap::new(),
            serial: 0,
            oracle: Oracle::default(),
            external_effects: ExternalEffects::default(),
            timers: BTreeMap::new(),
            counts: Counts::default(),
            trace: VecDeque::new(),
            tracing: Tracing::Off,
            events: 0,
            faulty,
            calm_events: 0,
            calm_runs: 0,
            over: false,
            rng,
        };
        sim.workers = (0..WORKERS)
            .map(|_| Worker {
                session: None,
                frozen: 0,
                ids: sim.new_ids(),
            })
            .collect();
        sim
    }

    fn play(&mut self) -> Result<(), Broken> {
        for worker in 0..WORKERS {
            let delay = self.rng.below(50);
            self.after(delay, Event::Wake(worker));
        }
        self.after(1, Event::Look);
        self.after(1, Event::Mishap);
        while let Some(((at, _), event)) = self.queue.pop_first() {
            self.now = at;
            self.wall.set(self.now + self.ahead);
            self.events += 1;
            if !self.is_faulty() {
                self.calm_events += 1;
            }
            self.step(event)?;
            if self.over {
                return self.check_end();
            }
            if self.calm_events > CALM_EVENTS || self.calm_runs > CALM_RUNS {
                let (events, runs) = (self.calm_events, self.calm_runs);
                return broken(
                    Promise::Ends,
                    format!("not after {events} events, {runs} runs"),
                );
            }
        }
        broken(Promise::Ends, "nobody does anything any more")
    }

    fn step(&mut self, event: Event) -> Result<(), Broken> {
        let Some(event) = self.postponed(event) else {
            return Ok(());
        };
        match event {
            Event::Wake(worker) => self.wake(worker),
            Event::Take(worker, intent) => self.take(worker, intent),
            Event::Task(place) => self.with(place.worker, place.session, |sim, session| {
                sim.go_on(session, place)
            }),
            Event::Due(place) => self.with(place.worker, place.session, |sim, session| {
                sim.wake_task(session, place);
                Ok(())
            }),
            Event::Arrive(request) => {
                self.arrive(request);
                Ok(())
            }
            Event::Sync => {
                let synced = self.store.sync(usize::MAX);
                self.answer(synced)
            }
            Event::Reply {
                worker,
                session,
                ticket,
                answer,
            } => self.with(worker, session, |sim, session| {
                sim.replied(session, ticket, answer)
            }),
            Event::Renew(worker, session) => self.with(worker, session, |sim, session| {
                if sim.store.renew(session.epoch, sim.wall.now()) {
                    sim.after(3_000, Event::Renew(worker, session.id));
                }
                Ok(())
            }),
            Event::Look => self.look(),
            Event::Mishap => self.mishap(),
        }
    }

    /// Lets a session do something, unless it is gone.
    fn with(
        &mut self,
        worker: usize,
        session: u64,
        act: impl FnOnce(&mut Self, &mut Session) -> Result<(), Broken>,
    ) -> Result<(), Broken> {
        let Some(slot) = self.workers.get_mut(worker) else {
            return Ok(());
        };
        let Some(mut taken) = slot.session.take_if(|taken| taken.id == session) else {
            return Ok(());
        };
        act(self, &mut taken)?;
        match taken.ended.take() {
            Some(ended) => self.ended(worker, &taken, ended),
            None => {
                if let Some(slot) = self.workers.get_mut(worker) {
                    slot.session = Some(taken);
                }
                Ok(())
            }
        }
    }

    /// The store has dealt with requests: the checks see it at once, the workers later.
    fn answer(&mut self, synced: Vec<(Request, Answer)>) -> Result<(), Broken> {
        for (request, answer) in synced {
            if answer.is_ok() {
                self.oracle.landed(&request)?;
            }
            self.reply(&request, answer);
        }
        Ok(())
    }

    fn reply(&mut self, request: &Request, answer: Answer) {
        let Some((_, fate, worker)) = self.sent.get(&request.ticket) else {
            return;
        };
        let (fate, worker) = (*fate, *worker);
        let answer = match fate {
            Fate::Answered => answer,
            Fate::Lost => Err(SaverError::Io("the connection broke".into())),
        };
        let delay = self.rng.between(0, 3);
        let (session, ticket) = (request.session, request.ticket);
        self.after(
            delay,
            Event::Reply {
                worker,
                session,
                ticket,
                answer,
            },
        );
    }

    fn after(&mut self, delay: u64, event: Event) {
        self.serial += 1;
        self.queue.insert((self.now + delay, self.serial), event);
    }

    fn is_faulty(&self) -> bool {
        self.events < self.faulty
    }

    /// True once in so many times, as long as things go wrong.
    fn bad_luck(&mut self, times: u64) -> bool {
        self.is_faulty() && self.rng.one_in(times)
    }

    fn new_ids(&mut self) -> Arc<Ids> {
        let floor = match self.settings.mutation {
            Some(Mutation::RepeatsIds) => Floor::Ignored,
            _ => Floor::Kept,
        };
        self.serial += 1;
        Ids::new(&self.wall, floor, self.serial)
    }

    fn tell(&mut self, line: impl FnOnce() -> String) {
        if self.tracing == Tracing::Off {
            return;
        }
        if self.tracing == Tracing::On && self.trace.len() >= TRACE {
            self.trace.pop_front();
        }
        let line = format!("{:>8} {}", self.now, line());
        self.trace.push_back(line);
    }

    fn violation(&mut self, broken: Broken) -> Violation {
        Violation {
            seed: self.settings.seed,
            graph: self.graph.name,
            promise: broken.promise,
            detail: broken.detail,
            trace: std::mem::take(&mut self.trace).into(),
        }
    }
}
