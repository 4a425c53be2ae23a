//! What all graphs of one run share.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use superstep_core::sync::lock;
use superstep_core::{
    caller::Caller,
    clock::Clock,
    event::{Event, Modes, TraceIds},
    future::BoxFuture,
    id::{IdSource, RunId, ThreadId},
    policy::Durability,
    run::{Drain, Fidelity},
    runs::{BudgetSpent, RunBudget, RunCost},
    saver::Saver,
    value::Value,
};
use superstep_text::Privacy;
use tokio::sync::mpsc;

use crate::{
    cache::Cache,
    event_log::EventLogWriter,
    metrics::{Measured, Recorder},
    options::Addresses,
    stop::StopSignal,
    store::Store,
};

/// What all graphs of one run share.
#[derive(Clone)]
pub(crate) struct Env {
    pub(crate) thread: Option<ThreadId>,
    /// The run, if it is recorded.
    pub(crate) run: Option<RunId>,
    pub(crate) saver: Option<Arc<dyn Saver>>,
    pub(crate) epoch: u64,
    pub(crate) store: Option<Arc<dyn Store>>,
    pub(crate) cache: Option<Arc<dyn Cache>>,
    pub(crate) context: Value,
    pub(crate) caller: Caller,
    pub(crate) durability: Durability,
    pub(crate) limit: u64,
    pub(crate) max_concurrency: Option<usize>,
    pub(crate) fidelity: Fidelity,
    pub(crate) ids: Arc<dyn IdSource>,
    pub(crate) drain: Drain,
    pub(crate) stop: StopSignal,
    pub(crate) grace: Duration,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) sink: Option<Sink>,
    pub(crate) log: Option<Arc<EventLogWriter>>,
    pub(crate) privacy: Privacy,
    /// Checkpoints the caller named, by namespace; few name any.
    pub(crate) addresses: Option<Arc<Addresses>>,
    /// Whether tasks that wait for a time end until then: others can continue with the run.
    pub(crate) parks: bool,
    /// What calls of models took so far.
    pub(crate) cost: Arc<Mutex<RunCost>>,
    /// What they may take, if that is limited.
    pub(crate) budget: Option<Arc<LimitedRun>>,
    /// Takes measurements, if there is one.
    pub(crate) recorder: Option<Arc<dyn Recorder>>,
    /// The ids of its spans, if somebody gets to know them.
    pub(crate) trace: Option<TraceIds>,
}

/// Where events go.
#[derive(Clone)]
pub(crate) struct Sink {
    sender: Sender,
    pub(crate) modes: Modes,
    pub(crate) subgraphs: bool,
}

/// To a reader whom the run waits for, or to one who must not hold it up.
#[derive(Clone)]
enum Sender {
    Waiting(mpsc::Sender<Event>),
    Keeping(mpsc::UnboundedSender<Option<Event>>),
}

impl Sink {
    /// To a reader whom the run waits for when there is no room left.
    pub(crate) fn new(modes: Modes, subgraphs: bool, room: usize) -> (Self, mpsc::Receiver<Event>) {
        let (sender, receiver) = mpsc::channel(room);
        (
            Self::to(Sender::Waiting(sender), modes, subgraphs),
            receiver,
        )
    }

    /// To a reader who may read when it likes. `None` is the end of the run: who outlives it may
    /// still hold a sender.
    pub(crate) fn keeping(
        modes: Modes,
        subgraphs: bool,
    ) -> (Self, mpsc::UnboundedReceiver<Option<Event>>) {
        let (sender, receiver) = mpsc::unbounded_channel();
        (
            Self::to(Sender::Keeping(sender), modes, subgraphs),
            receiver,
        )
    }

    fn to(sender: Sender, modes: Modes, subgraphs: bool) -> Self {
        Self {
            sender,
            modes,
            subgraphs,
        }
    }

    /// The run is over.
    pub(crate) fn end(&self) {
        if let Sender::Keeping(sender) = &self.sender {
            let _gone = sender.send(None);
        }
    }

    /// Passes an event on. A reader that is gone is no error; one that is slow is to be waited for. Few are,
    /// so that is in a box for which not every run has room.
    #[must_use = "a slow reader gets the event only if this is awaited"]
    fn send(&self, event: Event) -> Option<BoxFuture<'_, ()>> {
        match &self.sender {
            Sender::Keeping(sender) => {
                let _gone = sender.send(Some(event));
                None
            }
            Sender::Waiting(sender) => match sender.try_send(event) {
                Err(mpsc::error::TrySendError::Full(event)) => Some(Box::pin(async {
                    let _gone = sender.send(event).await;
                })),
                Ok(()) | Err(mpsc::error::TrySendError::Closed(_)) => None,
            },
        }
    }
}

/// A run whose calls of models are limited.
pub(crate) struct LimitedRun {
    pub(crate) budget: RunBudget,
    /// What the run spent before it began this time.
    pub(crate) run: RunCost,
    /// What all runs of its thread spent before.
    pub(crate) thread: RunCost,
}

impl Env {
    /// Whether another call of a model may be made.
    pub(crate) fn check_budget(&self) -> Result<(), BudgetSpent> {
        let Some(limited) = &self.budget else {
            return Ok(());
        };
        let now = *lock(&self.cost);
        let (run, thread) = (limited.run.and(now), limited.thread.and(now));
        limited.budget.check(run, thread)
    }

    /// Passes a measurement on, if somebody takes it.
    pub(crate) fn measure<'a>(&self, measured: impl FnOnce() -> Measured<'a>) {
        if let Some(recorder) = &self.recorder {
            recorder.record(&measured());
        }
    }

    /// Adds what a call of a model took.
    pub(crate) fn spend(&self, cost: RunCost) {
        let mut sum = lock(&self.cost);
        *sum = sum.and(cost);
    }

    /// The events a graph at that place should build.
    pub(crate) fn modes_at(&self, nested: bool) -> Modes {
        match &self.sink {
            Some(sink) if !nested || sink.subgraphs => sink.modes,
            _ => Modes::NONE,
        }
    }

    /// The events a graph should put into the log.
    pub(crate) fn logged_modes(&self) -> Modes {
        self.log.as_ref().map_or(Modes::NONE, |log| log.modes)
    }

    /// Passes an event on, if anybody reads it; gives what to await when the reader is slow.
    #[must_use = "a slow reader gets the event only if this is awaited"]
    pub(crate) fn emit(&self, event: Event) -> Option<BoxFuture<'_, ()>> {
        let sink = self.sink.as_ref()?;
        if !sink.modes.has(event.kind.mode()) {
            return None;
        }
        sink.send(event)
    }

    /// Whether anybody reads events of that mode from a graph at that place.
    pub(crate) fn reads(&self, nested: bool, mode: Modes) -> bool {
        self.modes_at(nested).has(mode)
    }

    /// Whether events of that mode are shown or logged.
    pub(crate) fn wants(&self, nested: bool, mode: Modes) -> bool {
        self.reads(nested, mode) || self.logged_modes().has(mode)
    }
}
