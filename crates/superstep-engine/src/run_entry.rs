//! A run's entry in the saver: written when it begins and when it ends, and where others ask to
//! cancel it.

use std::{
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use superstep_core::{
    error::Error,
    event::Ending,
    id::{CheckpointId, IdSource, RunId, ThreadId},
    run::Drain,
    runs::{BeginRun, Cancel, CancelRequest, EndRun, RunCost},
    saver::Saver,
};

use crate::clock::ClockIds;

/// A run that is not over by then is looked after: somebody may want to cancel it. Most are over.
const SHORT: Duration = Duration::from_millis(20);

/// An id for a new run.
pub(crate) fn new_run_id() -> RunId {
    static IDS: OnceLock<ClockIds> = OnceLock::new();
    RunId(IDS.get_or_init(ClockIds::default).next(None).0)
}

/// A run's entry in the saver.
pub(crate) struct RunEntry {
    saver: Arc<dyn Saver>,
    thread: ThreadId,
    epoch: u64,
    pub(crate) run: RunId,
    /// Somebody asked before it began.
    cancel: Option<CancelRequest>,
    /// The id after which all that it stores comes.
    mark: CheckpointId,
    /// Whether who cancelled it wants it undone.
    is_undone: AtomicBool,
}

impl RunEntry {
    /// Records that a run begins.
    pub(crate) async fn begin(saver: Arc<dyn Saver>, begin: BeginRun) -> Result<Self, Error> {
        let (thread, epoch, run) = (begin.thread.clone(), begin.epoch, begin.run);
        let record = saver.runs().begin_run(begin).await?;
        Ok(Self {
            saver,
            thread,
            epoch,
            run,
            mark: record.mark(),
            cancel: record.cancel,
            is_undone: AtomicBool::new(false),
        })
    }

    /// Records how the run ended, after what it stored was undone if that is wanted. A failure of that
    /// is not the run's: what it did is stored, and shows how it ended; who takes the next run from the
    /// queue undoes it.
    pub(crate) async fn end(self, ending: Ending, cost: RunCost) {
        if matches!(ending, Ending::Cancelled { .. }) && self.is_undone.load(Ordering::Relaxed) {
            let runs = self.saver.runs();
            let _left = runs.rewind(&self.thread, self.epoch, self.mark).await;
        }
        let end = EndRun {
            thread: self.thread,
            epoch: self.epoch,
            run: self.run,
            ending,
            cost,
        };
        let _unsaid = self.saver.runs().end_run(end).await;
    }

    /// Why somebody wanted the run to end at once before it began.
    pub(crate) fn cancelled_before(&self, drain: &Drain) -> Option<String> {
        self.cancel
            .clone()
            .and_then(|request| self.obey(request, drain))
    }

    /// Waits until somebody wants the run to end at once, and says why.
    pub(crate) async fn cancelled(&self, drain: &Drain) -> String {
        tokio::time::sleep(SHORT).await;
        if let Ok(request) = self.saver.runs().cancelling(self.run).await
            && let Some(reason) = self.obey(request, drain)
        {
            return reason;
        }
        // A saver that cannot tell fails the run soon enough when it should store something.
        std::future::pending().await
    }

    /// Why the run is to end at once. Who wants it to end after its step has it drained.
    fn obey(&self, request: CancelRequest, drain: &Drain) -> Option<String> {
        match request.how {
            Cancel::Drain => {
                drain.request(request.reason);
                None
            }
            how => {
                let is_undone = how == Cancel::Rollback;
                self.is_undone.store(is_undone, Ordering::Relaxed);
                Some(request.reason)
            }
        }
    }
}
