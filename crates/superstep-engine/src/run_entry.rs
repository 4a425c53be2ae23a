//! A run's entry in the saver: written when it begins and when it ends, and where others ask to
//! cancel it.

use std::{
    sync::{Arc, OnceLock},
    time::Duration,
};

use superstep_core::{
    error::Error,
    event::Ending,
    id::{CheckpointId, IdSource, RunId, ThreadId},
    run::{Drain, Stop},
    runs::{Alarm, BeginRun, Cancel, CancelRequest, EndRun, RunCost, RunRecord},
    saver::{Lease, Saver},
};

use crate::{
    graph::DynGraph,
    take_back::{TakenBack, take_back},
};

/// A run that is not over by then is looked after: somebody may want to cancel it. Most are over, also those of a thousand
/// threads that run at once.
const SHORT: Duration = Duration::from_millis(100);

impl DynGraph {
    /// An id for a new run.
    pub(crate) fn new_run_id(&self) -> RunId {
        RunId(self.0.ids.next(None).0)
    }
}

/// A run's entry in the saver.
pub(crate) struct RunEntry {
    saver: Arc<dyn Saver>,
    lease: Lease,
    pub(crate) run: RunId,
    thread: ThreadId,
    /// From where on the thread has what the run stored.
    mark: CheckpointId,
    /// Who wanted it cancelled before it began. In a box, since few do.
    asked: Option<Box<CancelRequest>>,
    /// How it was cancelled.
    how: OnceLock<Cancel>,
}

impl RunEntry {
    /// Records that a run begins under a lease; a claimed run's record says so already. Others of its thread
    /// that sleep give way. The future is large: whoever awaits it has it in a box.
    pub(crate) async fn begin(
        saver: Arc<dyn Saver>,
        lease: Lease,
        begin: BeginRun,
        claimed: Option<RunRecord>,
    ) -> Result<Self, Error> {
        let (run, thread) = (begin.run, begin.thread.clone());
        let record = match claimed.filter(|record| record.is_begun_as(&begin)) {
            Some(record) => record,
            None => saver.runs().begin_run(begin).await?,
        };
        let mark = record.mark();
        Ok(Self {
            saver,
            lease,
            run,
            thread,
            mark,
            asked: record.cancel.map(Box::new),
            how: OnceLock::new(),
        })
    }

    /// Records how the run of a graph ended, after what it stored was undone if that is wanted and repeats
    /// no effects, and ends its lease. A failure of that is not the run's: what it did is stored, and shows
    /// how it ended; who takes the next run from the queue undoes it.
    pub(crate) async fn end(self, graph: &DynGraph, stop: &Stop, cost: RunCost, drain: &Drain) {
        let ending = Ending::from(stop);
        let how = self.how.get().copied().filter(|how| how.undoes());
        let keeps = match (&ending, how) {
            // Few runs are undone, and all would have room for it.
            (Ending::Cancelled { .. }, Some(how)) => Box::pin(self.undo(graph, how)).await,
            _ => false,
        };
        let hands_back = matches!(ending, Ending::Drained { .. }) && drain.is_from_above();
        let end = EndRun {
            thread: self.thread,
            epoch: self.lease.epoch,
            run: self.run,
            ending,
            cost,
            keeps,
            hands_back,
            alarm: alarm(graph, stop),
        };
        let runs = self.saver.runs();
        let _unsaid = runs.end_run_and_lease(end, self.lease).await;
    }

    /// Undoes what the run stored, unless that repeats effects and is not meant to. Returns whether it stays for that reason.
    async fn undo(&self, graph: &DynGraph, how: Cancel) -> bool {
        let (saver, epoch) = (&self.saver, self.lease.epoch);
        if how == Cancel::RollbackRepeating {
            let _undone = saver.runs().rewind(&self.thread, epoch, self.mark).await;
            return false;
        }
        let Ok(Some(record)) = saver.runs().load_run(self.run).await else {
            return false;
        };
        let taken = take_back(Some(graph), saver, &record, epoch, how).await;
        matches!(taken, Ok(TakenBack::Kept))
    }

    /// Why somebody wanted the run to end at once before it began.
    pub(crate) fn cancelled_before(&self, drain: &Drain) -> Option<String> {
        let request = self.asked.as_deref().cloned();
        request.and_then(|request| self.obey(request, drain))
    }

    /// Waits until somebody wants the run to end at once, and says why.
    #[expect(
        clippy::manual_async_fn,
        reason = "an async fn has room for its arguments twice, in every run"
    )]
    pub(crate) fn cancelled(&self, drain: &Drain) -> impl Future<Output = String> + Send {
        async move {
            tokio::time::sleep(SHORT).await;
            if let Ok(request) = self.saver.runs().cancelling(self.run).await
                && let Some(reason) = self.obey(request, drain)
            {
                return reason;
            }
            // A saver that cannot tell fails the run soon enough when it should store something.
            std::future::pending().await
        }
    }

    /// Why the run is to end at once. Who wants it to end after its step has it drained.
    fn obey(&self, request: CancelRequest, drain: &Drain) -> Option<String> {
        match request.how {
            Cancel::Drain => {
                drain.request(request.reason);
                None
            }
            how => {
                // The first request stays, so that a second look finds the same.
                let _same = self.how.set(how);
                Some(request.reason)
            }
        }
    }
}

/// The alarm of a run that stops with questions and a time: its tasks continue then without the answers.
fn alarm(graph: &DynGraph, stop: &Stop) -> Option<Alarm> {
    match stop {
        Stop::Suspended(it) if !it.asks.is_empty() => it.until.map(|at| Alarm {
            run: graph.new_run_id(),
            at,
        }),
        _ => None,
    }
}
