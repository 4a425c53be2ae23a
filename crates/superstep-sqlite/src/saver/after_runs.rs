//! `AfterRuns` over a database.

use std::time::Duration;

use superstep_core::{
    clock::UnixMillis,
    error::SaverError,
    future::MaybeReady,
    id::RunId,
    runs::{AfterClaim, AfterRun, ReadAlong, RunRecord},
    saver::AfterRuns,
};

use super::SqliteSaver;
use crate::{clock::wall_millis, queue::Urgency, runs, sync_level::SyncLevel, writer::Writer};

fn claim(
    writer: &mut Writer,
    limit: usize,
    lease: Duration,
) -> Result<Vec<AfterClaim>, SaverError> {
    let now = wall_millis();
    let mut claims = Vec::new();
    for seq in runs::due_after(writer.db()?, now, limit)? {
        let found = runs::by_seq(writer.db()?, &writer.seal, seq);
        let Some(mut row) = runs::unless_damaged(found)? else {
            continue;
        };
        if let Some(claim) = row.record.claim_after(lease, now) {
            row.update(writer)?;
            claims.push(claim);
        }
    }
    Ok(claims)
}

impl SqliteSaver {
    /// Changes a run, if there is one and the change is one.
    fn change_after<T: Send + 'static>(
        &self,
        run: RunId,
        level: SyncLevel,
        change: impl FnOnce(&mut RunRecord, UnixMillis) -> T + Send + 'static,
    ) -> MaybeReady<'static, Option<T>> {
        let queue = &self.0.0.queue;
        queue.submit(level, Urgency::Immediate, move |writer| {
            let Some(mut row) = runs::find(writer.db()?, &writer.seal, run)? else {
                return Ok(None);
            };
            let before = row.record.after.clone();
            let changed = change(&mut row.record, wall_millis());
            if row.record.after != before {
                row.update(writer)?;
            }
            Ok(Some(changed))
        })
    }

    /// Changes a run whose work is claimed.
    fn with_after(
        &self,
        claim: &AfterClaim,
        change: impl FnOnce(&mut RunRecord, UnixMillis) -> bool + Send + 'static,
    ) -> MaybeReady<'_, ()> {
        let changed = self.change_after(claim.record.id, SyncLevel::Full, change);
        let thread = claim.record.thread.clone();
        MaybeReady::Later(Box::pin(async move {
            let holds = changed.await?.unwrap_or(false);
            holds.then_some(()).ok_or(SaverError::Conflict { thread })
        }))
    }
}

impl AfterRuns for SqliteSaver {
    fn claim_after(&self, limit: usize, lease: Duration) -> MaybeReady<'_, Vec<AfterClaim>> {
        let inner = &self.0.0;
        // Most looks find nothing, and write nothing.
        let look = |db: &_| runs::due_after(db, wall_millis(), 1);
        match inner.readers.read(look) {
            Ok(due) if due.is_empty() => return MaybeReady::now(Ok(Vec::new())),
            Ok(_) => {}
            Err(error) => return MaybeReady::now(Err(error)),
        }
        let queue = &inner.queue;
        queue.submit(SyncLevel::Full, Urgency::Immediate, move |writer| {
            writer.in_savepoint(|writer| claim(writer, limit, lease))
        })
    }

    fn renew_after(&self, claim: &AfterClaim, lease: Duration) -> MaybeReady<'_, ()> {
        let token = claim.token;
        self.with_after(claim, move |record, now| {
            record.renew_after(token, lease, now)
        })
    }

    fn settle_after(
        &self,
        claim: &AfterClaim,
        left: AfterRun,
        wait: Duration,
    ) -> MaybeReady<'_, ()> {
        let token = claim.token;
        self.with_after(claim, move |record, now| {
            record.settle_after(token, left, wait, now)
        })
    }

    fn read_along(&self, run: RunId, along: ReadAlong) -> MaybeReady<'_, bool> {
        // A mark that a power cut takes had readers that it took too.
        let change = move |record: &mut RunRecord, now| record.read_along(along, now);
        let held = self.change_after(run, SyncLevel::Normal, change);
        MaybeReady::Later(Box::pin(async move { Ok(held.await?.unwrap_or(false)) }))
    }

    fn leave(
        &self,
        run: RunId,
        reader: u64,
        lease: Duration,
    ) -> MaybeReady<'_, Option<AfterClaim>> {
        let change = move |record: &mut RunRecord, now| {
            record.leave(reader);
            record.claim_after(lease, now)
        };
        // A claim that a power cut takes is made again.
        let claimed = self.change_after(run, SyncLevel::Normal, change);
        MaybeReady::Later(Box::pin(async move { Ok(claimed.await?.flatten()) }))
    }
}
