//! Work after runs.

use std::time::Duration;

use superstep_core::{
    clock::UnixMillis,
    error::SaverError,
    future::MaybeReady,
    id::RunId,
    runs::{AfterClaim, AfterRun, ReadAlong, RunRecord},
    saver::AfterRuns,
};

use super::{MemorySaver, lock};

impl MemorySaver {
    /// The runs with work that is due, the longest due first.
    fn due_after(&self, now: UnixMillis) -> Vec<RunId> {
        let mut due = Vec::new();
        for (_, thread) in self.0.all() {
            let mut inner = lock(&thread);
            inner.end_lost_run(now);
            let runs = inner.runs.all().iter();
            due.extend(runs.filter_map(|run| Some((run.after_due()?, run.id))));
        }
        due.retain(|(at, _)| *at <= now);
        due.sort_unstable();
        due.into_iter().map(|(_, run)| run).collect()
    }

    fn with_after(
        &self,
        claim: &AfterClaim,
        change: impl FnOnce(&mut RunRecord, UnixMillis) -> bool,
    ) -> MaybeReady<'_, ()> {
        let now = self.0.clock.now();
        let changed = self.with_run(claim.record.id, |record| change(record, now));
        let thread = claim.record.thread.clone();
        let lost = || SaverError::Conflict { thread };
        MaybeReady::now(changed.filter(|holds| *holds).map(drop).ok_or_else(lost))
    }
}

impl AfterRuns for MemorySaver {
    fn claim_after(&self, limit: usize, lease: Duration) -> MaybeReady<'_, Vec<AfterClaim>> {
        let now = self.0.clock.now();
        let due = self.due_after(now).into_iter();
        let claims =
            due.filter_map(|run| self.with_run(run, |record| record.claim_after(lease, now))?);
        MaybeReady::now(Ok(claims.take(limit).collect()))
    }

    fn renew_after(&self, claim: &AfterClaim, lease: Duration) -> MaybeReady<'_, ()> {
        self.with_after(claim, |record, now| {
            record.renew_after(claim.token, lease, now)
        })
    }

    fn settle_after(
        &self,
        claim: &AfterClaim,
        left: AfterRun,
        wait: Duration,
    ) -> MaybeReady<'_, ()> {
        self.with_after(claim, |record, now| {
            record.settle_after(claim.token, left, wait, now)
        })
    }

    fn read_along(&self, run: RunId, along: ReadAlong) -> MaybeReady<'_, bool> {
        let now = self.0.clock.now();
        let held = self.with_run(run, |record| record.read_along(along, now));
        MaybeReady::now(Ok(held.unwrap_or(false)))
    }

    fn leave(
        &self,
        run: RunId,
        reader: u64,
        lease: Duration,
    ) -> MaybeReady<'_, Option<AfterClaim>> {
        let now = self.0.clock.now();
        let claimed = self.with_run(run, |record| {
            record.leave(reader);
            record.claim_after(lease, now)
        });
        MaybeReady::now(Ok(claimed.flatten()))
    }
}
