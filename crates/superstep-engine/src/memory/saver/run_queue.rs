//! The queue of runs: the records of threads that wait for a worker.

use std::time::Duration;

use superstep_core::{
    clock::UnixMillis,
    error::SaverError,
    event::Ending,
    future::MaybeReady,
    runs::{CancelRequest, Claim, ClaimRuns, EnqueueRun, OnBusy, RunRecord},
    saver::RunQueue,
};

use super::{MemorySaver, Thread, lock};

/// How often a worker looks by itself.
const POLL_INTERVAL: Duration = Duration::from_millis(200);

impl Thread {
    /// The run of this thread that a worker may claim now.
    fn next_run(&mut self, claim: &ClaimRuns, now: UnixMillis) -> Option<&mut RunRecord> {
        if self.taken {
            return None;
        }
        self.end_lost_runs(now);
        let mut runs = self.runs.all().iter();
        if runs.any(|run| run.is_open() || run.is_claimed(now)) {
            return None;
        }
        let is_due = |run: &&mut RunRecord| run.waiting().is_some_and(|it| it.due <= now);
        let first = self.runs.all_mut().iter_mut().find(is_due)?;
        first.is_claimable(claim, now).then_some(first)
    }
}

impl MemorySaver {
    pub(super) fn put(&self, new: EnqueueRun) -> Result<RunRecord, SaverError> {
        let (id, run, now) = (new.thread.clone(), new.run, self.0.clock.now());
        let record = RunRecord::enqueued(new.clone(), now);
        self.enter(&id, |_, inner| {
            let mut index = lock(&self.0.runs.places);
            if index.knows(run) {
                return Err(SaverError::RunEnded { run });
            }
            inner.end_lost_runs(now);
            let is_busy = inner.taken || inner.runs.all().iter().any(RunRecord::is_busy);
            if is_busy && new.on_busy == OnBusy::Reject {
                return Err(SaverError::Busy { thread: id.clone() });
            }
            for other in inner.runs.all_mut() {
                if let Some(how) = new.on_busy.cancel() {
                    other.request_cancel(CancelRequest::by_run(run, how, now));
                }
            }
            inner.used = now;
            inner.runs.all_mut().push(record.clone());
            index.add(run, id.clone());
            Ok(record.clone())
        })
    }

    fn take_next(&self, claim: &ClaimRuns) -> Option<Claim> {
        let now = self.0.clock.now();
        let mut first = None;
        for (_, thread) in self.0.all() {
            let mut inner = lock(&thread);
            let Some(next) = inner.next_run(claim, now) else {
                continue;
            };
            let due = next.waiting().map(|queued| queued.due);
            // Of those that are due at the same time, the one that came first.
            let key = (due, lock(&self.0.runs.places).number(next.id));
            drop(inner);
            if first.as_ref().is_none_or(|(known, _)| key < *known) {
                first = Some((key, thread));
            }
        }
        // It may be claimed by another meanwhile, who then leaves the next one to the next call.
        let (_, thread) = first?;
        let mut inner = lock(&thread);
        let next = inner.next_run(claim, now)?;
        next.claim(claim.lease, now)
    }

    /// Changes a run that is claimed.
    fn with_claim(
        &self,
        claim: &Claim,
        change: impl FnOnce(&mut RunRecord, UnixMillis),
    ) -> MaybeReady<'_, ()> {
        let now = self.0.clock.now();
        let changed = self.with_run(claim.record.id, |record| {
            let holds = record.claimed(claim.token).is_some();
            if holds {
                change(record, now);
            }
            holds
        });
        let thread = claim.record.thread.clone();
        let lost = || SaverError::Conflict { thread };
        let done = changed.filter(|holds| *holds).map(drop).ok_or_else(lost);
        self.0.runs.changed();
        MaybeReady::now(done)
    }
}

impl RunQueue for MemorySaver {
    fn enqueue(&self, run: EnqueueRun) -> MaybeReady<'_, RunRecord> {
        if !run.fits() {
            return MaybeReady::now(Err(SaverError::too_deep()));
        }
        let put = self.put(run);
        self.0.runs.changed();
        MaybeReady::now(put)
    }

    fn claim(&self, claim: &ClaimRuns) -> MaybeReady<'_, Option<Claim>> {
        MaybeReady::now(Ok(self.take_next(claim)))
    }

    fn renew(&self, claim: &Claim, lease: Duration) -> MaybeReady<'_, ()> {
        let token = claim.token;
        self.with_claim(claim, |record, now| record.renew(token, lease, now))
    }

    fn release(&self, claim: &Claim, after: Duration) -> MaybeReady<'_, ()> {
        let token = claim.token;
        self.with_claim(claim, |record, now| record.release(token, after, now))
    }

    fn refuse(&self, claim: &Claim, ending: Ending) -> MaybeReady<'_, ()> {
        self.with_claim(claim, |record, now| record.end(ending, None, now))
    }

    fn queue_changed(&self) -> MaybeReady<'_, ()> {
        let mut changes = self.0.runs.listen();
        MaybeReady::Later(Box::pin(async move {
            tokio::select! {
                Ok(()) = changes.changed() => {}
                () = tokio::time::sleep(POLL_INTERVAL) => {}
            }
            Ok(())
        }))
    }
}
