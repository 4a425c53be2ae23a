//! The queue of runs: the records of threads that wait for a worker.

use std::{collections::HashMap, time::Duration};

use superstep_core::{
    checkpoint::Loaded,
    clock::UnixMillis,
    error::SaverError,
    future::MaybeReady,
    id::RunId,
    runs::{CancelRequest, ClaimRuns, EnqueueRun, OnBusy, Release, RunRecord, Start},
    saver::{Claimed, Lease, RunQueue},
};

use super::{
    MemorySaver, Thread, lock,
    runs::{Owner, WaitingRun},
};

/// How often a worker looks by itself.
const POLL_INTERVAL: Duration = Duration::from_millis(200);

impl Thread {
    /// A run of this thread, if a worker may claim it now.
    fn claimable(
        &mut self,
        run: RunId,
        claim: &ClaimRuns,
        now: UnixMillis,
    ) -> Option<&mut RunRecord> {
        if self.taken {
            return None;
        }
        self.end_lost_run(now);
        let is_due = |run: &&mut RunRecord| run.waiting().is_some_and(|it| it.due <= now);
        let first = self.runs.all_mut().iter_mut().find(is_due)?;
        (first.id == run && first.is_claimable(claim, now)).then_some(first)
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
            inner.end_lost_run(now);
            let is_busy = inner.taken || inner.runs.all().iter().any(RunRecord::is_busy);
            if is_busy && new.on_busy == OnBusy::Reject {
                return Err(SaverError::Busy { thread: id.clone() });
            }
            if let Some(stamp) = &new.stamp {
                inner.stamp(&id, stamp.clone())?;
            }
            for other in inner.runs.all_mut() {
                if let Some(how) = new.on_busy.cancel() {
                    other.request_cancel(CancelRequest::by_run(run, how, now));
                    self.0.runs.changed(other.id);
                }
            }
            inner.used = now;
            inner.runs.all_mut().push(record.clone());
            index.add(run, id.clone());
            index.wait(&record);
            Ok(record.clone())
        })
    }

    fn take(&self, claim: &ClaimRuns) -> Vec<Claimed> {
        let (mut wanted, mut claimed, mut seen) = (claim.clone(), Vec::new(), HashMap::new());
        let now = self.0.clock.now();
        while wanted.limit > 0 {
            let next = lock(&self.0.runs.places).next_due(now, &seen);
            let Some((owner, next)) = next else {
                break;
            };
            seen.insert(owner.clone(), next);
            if let Some(taken) = self.claim_run(&owner, next, &wanted, now) {
                wanted.count(&taken.record.graph);
                claimed.push(taken);
            }
        }
        claimed
    }

    fn claim_run(
        &self,
        owner: &Owner,
        next: WaitingRun,
        claim: &ClaimRuns,
        now: UnixMillis,
    ) -> Option<Claimed> {
        let id = lock(&self.0.runs.places).thread(next.run).cloned();
        let found = id.and_then(|id| Some((self.thread(&id)?, id)));
        let Some((thread, id)) = found else {
            lock(&self.0.runs.places).leave(owner, next);
            return None;
        };
        let mut inner = lock(&thread);
        let known = inner.runs.find(next.run);
        let waits = known.and_then(|record| record.waiting().map(|it| it.due));
        if waits != Some(next.due) {
            // It was cancelled, or waits at another place.
            lock(&self.0.runs.places).leave(owner, next);
            return None;
        }
        let graph = inner.claimable(next.run, claim, now)?.graph.clone();
        let mark = claim.graphs.get(&graph)?.mark;
        let loaded = inner.newest();
        let lease = self.grant(&id, &thread, &mut inner, Some(owner.clone()));
        let start = Start {
            epoch: lease.epoch,
            head: loaded.as_ref().and_then(Loaded::head).map(|head| head.id),
            notes: loaded.as_ref().map_or(&[], |loaded| &*loaded.notes),
            mark,
        };
        let record = inner.runs.find(next.run).map(|record| {
            record.claim(start, now);
            record.clone()
        });
        inner.runs.open(next.run);
        let others_wait = inner.runs.all().iter().any(|run| run.waiting().is_some());
        drop(inner);
        let mut places = lock(&self.0.runs.places);
        places.leave(owner, next);
        places.running.begin(owner.clone());
        drop(places);
        Some(Claimed {
            record: record?,
            lease,
            loaded: Ok(loaded),
            others_wait,
        })
    }

    fn give_back(&self, run: RunId, epoch: u64, release: Release) -> Result<(), SaverError> {
        let now = self.0.clock.now();
        let id = lock(&self.0.runs.places).thread(run).cloned();
        let id = id.ok_or(SaverError::NoRun { run })?;
        let conflict = || SaverError::Conflict { thread: id.clone() };
        let thread = self.thread(&id).ok_or_else(conflict)?;
        let mut inner = lock(&thread);
        let is_leased = inner.is_leased(epoch);
        let record = inner
            .runs
            .find(run)
            .filter(|record| is_leased && record.is_open() && record.epoch == Some(epoch));
        let record = record.ok_or_else(conflict)?;
        record.release(release, now);
        lock(&self.0.runs.places).wait(record);
        inner.runs.close();
        Ok(())
    }
}

impl RunQueue for MemorySaver {
    fn enqueue(&self, run: EnqueueRun) -> MaybeReady<'_, RunRecord> {
        if !run.fits() {
            return MaybeReady::now(Err(SaverError::too_deep()));
        }
        let put = self.put(run);
        self.0.runs.queue.ring(&());
        MaybeReady::now(put)
    }

    fn claim(&self, claim: &ClaimRuns) -> MaybeReady<'_, Vec<Claimed>> {
        MaybeReady::now(Ok(self.take(claim)))
    }

    fn release(&self, run: RunId, lease: Lease, release: Release) -> MaybeReady<'_, ()> {
        let given_back = self.give_back(run, lease.epoch, release);
        drop(lease);
        self.0.runs.changed(run);
        self.0.runs.queue.ring(&());
        MaybeReady::now(given_back)
    }

    fn stale_runs(&self, graph: &str) -> MaybeReady<'_, Vec<RunRecord>> {
        let mut stale = Vec::new();
        for (_, thread) in self.0.all() {
            let inner = lock(&thread);
            let runs = inner.runs.all().iter();
            stale.extend(
                runs.filter(|run| run.is_stale() && *run.graph == *graph)
                    .cloned(),
            );
        }
        MaybeReady::now(Ok(stale))
    }

    fn queue_changed(&self) -> MaybeReady<'_, ()> {
        let changed = self.0.runs.queue.listen(());
        MaybeReady::Later(Box::pin(async move {
            tokio::select! {
                () = changed => {}
                () = tokio::time::sleep(POLL_INTERVAL) => {}
            }
            Ok(())
        }))
    }
}
