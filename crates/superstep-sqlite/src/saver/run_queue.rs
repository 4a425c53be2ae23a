//! `RunQueue` over a database.

use std::time::Duration;

use superstep_core::{
    clock::UnixMillis,
    error::SaverError,
    event::Ending,
    future::MaybeReady,
    id::ThreadId,
    runs::{CancelRequest, Claim, ClaimRuns, EnqueueRun, OnBusy, RunRecord, RunStatus},
    saver::RunQueue,
};

use super::{SqliteSaver, runs::end_lost};
use crate::{
    clock::wall_millis,
    graphs::{self, ThreadRow},
    lease,
    queue::Urgency,
    runs::{self, RunRow},
    sync_level::SyncLevel,
    writer::Writer,
};

/// How often a worker looks by itself: another process cannot notify it.
const POLL_INTERVAL: Duration = Duration::from_millis(200);

/// Whether somebody has leased a thread.
fn is_leased(
    writer: &Writer,
    name: &ThreadId,
    row: &ThreadRow,
    worker: i64,
) -> Result<bool, SaverError> {
    match row.worker {
        None => Ok(false),
        Some(own) if own == worker => Ok(writer.leased.contains_key(name)),
        Some(other) => lease::is_alive(writer.db()?, &writer.path, other),
    }
}

/// Ends or requeues the runs that were cut short, of a thread or of all.
fn recover(writer: &mut Writer, thread: Option<i64>, worker: i64) -> Result<(), SaverError> {
    for row in runs::of_state(writer.db()?, &writer.seal, RunStatus::Running, thread)? {
        end_lost(writer, &row.record, worker)?;
    }
    Ok(())
}

pub(super) fn enqueue(
    writer: &mut Writer,
    new: EnqueueRun,
    worker: i64,
) -> Result<RunRecord, SaverError> {
    let (name, run, now) = (new.thread.clone(), new.run, wall_millis());
    if runs::find(writer.db()?, &writer.seal, run)?.is_some() {
        return Err(SaverError::RunEnded { run });
    }
    let found = graphs::thread(writer.db()?, &name)?;
    let thread = match &found {
        Some(row) => row.thread,
        None => lease::add(writer.change()?, &name, 0, None, now)?,
    };
    recover(writer, Some(thread), worker)?;
    let mut open = Vec::new();
    for status in [RunStatus::Running, RunStatus::Queued] {
        let rows = runs::of_state(writer.db()?, &writer.seal, status, Some(thread))?;
        open.extend(rows);
    }
    let is_taken = match &found {
        Some(row) => is_leased(writer, &name, row, worker)?,
        None => false,
    };
    if new.on_busy == OnBusy::Reject && (is_taken || open.iter().any(|row| row.record.is_busy())) {
        return Err(SaverError::Busy { thread: name });
    }
    if let Some(how) = new.on_busy.cancel() {
        for row in open {
            let request = CancelRequest::by_run(run, how, now);
            runs::request_cancel(writer, row, request)?;
        }
    }
    let record = RunRecord::enqueued(new, now);
    runs::insert(writer, thread, record.clone())?;
    runs::touch(writer.change()?, thread, now)?;
    writer.notifies_runs = true;
    Ok(record)
}

fn claim(writer: &mut Writer, claim: &ClaimRuns, worker: i64) -> Result<Option<Claim>, SaverError> {
    recover(writer, None, worker)?;
    // After it: what goes back to the queue is due at once.
    let now = wall_millis();
    for (seq, thread) in runs::due(writer.db()?, now)? {
        if !runs::is_free(writer.db()?, &writer.seal, thread, now)? {
            continue;
        }
        let Some(mut row) = runs::by_seq(writer.db()?, &writer.seal, seq)? else {
            continue;
        };
        if !row.record.is_claimable(claim, now) {
            continue;
        }
        let name = row.record.thread.clone();
        let Some(found) = graphs::thread(writer.db()?, &name)? else {
            continue;
        };
        if is_leased(writer, &name, &found, worker)? {
            continue;
        }
        let claimed = row.record.claim(claim.lease, now);
        row.update(writer)?;
        return Ok(claimed);
    }
    Ok(None)
}

impl SqliteSaver {
    /// Changes a run that is claimed.
    fn with_claim(
        &self,
        claim: &Claim,
        change: impl FnOnce(&mut RunRecord, UnixMillis) + Send + 'static,
    ) -> MaybeReady<'static, ()> {
        let (run, thread, token) = (claim.record.id, claim.record.thread.clone(), claim.token);
        let queue = &self.0.0.queue;
        queue.submit(SyncLevel::Full, Urgency::Immediate, move |writer| {
            let found = runs::find(writer.db()?, &writer.seal, run)?;
            let lost = SaverError::Conflict { thread };
            let Some(mut row) = found else {
                return Err(lost);
            };
            if row.record.claimed(token).is_none() {
                return Err(lost);
            }
            change(&mut row.record, wall_millis());
            writer.notifies_runs = true;
            RunRow::update(&row, writer).map(drop)
        })
    }
}

impl RunQueue for SqliteSaver {
    fn enqueue(&self, run: EnqueueRun) -> MaybeReady<'_, RunRecord> {
        if !run.fits() {
            return MaybeReady::now(Err(SaverError::too_deep()));
        }
        let inner = &self.0.0;
        let worker = inner.worker_id();
        inner
            .queue
            .submit(SyncLevel::Full, Urgency::Immediate, move |writer| {
                writer.in_savepoint(|writer| enqueue(writer, run, worker))
            })
    }

    fn claim(&self, wanted: &ClaimRuns) -> MaybeReady<'_, Option<Claim>> {
        let inner = &self.0.0;
        let (worker, wanted) = (inner.worker_id(), wanted.clone());
        inner
            .queue
            .submit(SyncLevel::Full, Urgency::Immediate, move |writer| {
                writer.in_savepoint(|writer| claim(writer, &wanted, worker))
            })
    }

    fn renew(&self, claim: &Claim, lease: Duration) -> MaybeReady<'_, ()> {
        let token = claim.token;
        self.with_claim(claim, move |record, now| record.renew(token, lease, now))
    }

    fn release(&self, claim: &Claim, after: Duration) -> MaybeReady<'_, ()> {
        let token = claim.token;
        self.with_claim(claim, move |record, now| record.release(token, after, now))
    }

    fn refuse(&self, claim: &Claim, ending: Ending) -> MaybeReady<'_, ()> {
        self.with_claim(claim, move |record, now| record.end(ending, None, now))
    }

    fn queue_changed(&self) -> MaybeReady<'_, ()> {
        let mut notifier = self.0.0.run_notifier.clone();
        notifier.mark_unchanged();
        MaybeReady::Later(Box::pin(async move {
            tokio::select! {
                Ok(()) = notifier.changed() => {}
                () = tokio::time::sleep(POLL_INTERVAL) => {}
            }
            Ok(())
        }))
    }
}
