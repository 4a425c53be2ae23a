//! `RunQueue` over a database.

use std::{
    collections::HashMap,
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use superstep_core::{
    clock::UnixMillis,
    error::SaverError,
    future::MaybeReady,
    id::{GraphPath, RunId, ThreadId},
    runs::{CancelRequest, ClaimRuns, EnqueueRun, OnBusy, Release, RunRecord, RunStatus},
    saver::{At, Claimed, Lease, RunQueue, Saver as _},
    sync::lock,
};

use super::{LeaseGuard, SqliteSaver, runs::end_lost};
use crate::{
    clock::wall_millis,
    database::ThreadContents,
    graphs::{self, ThreadRow, digest},
    lease,
    queue::Urgency,
    records, runs,
    sync_level::SyncLevel,
    waiting::{self, Group},
    watch::Topic,
    worker,
    writer::Writer,
};

/// How often a worker looks by itself: the end of another process's lease frees a thread unheard.
const LOOK: Duration = Duration::from_secs(1);

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
        Some(other) => worker::is_alive(writer.db()?, &writer.path, other),
    }
}

pub(super) fn enqueue(
    writer: &mut Writer,
    mut new: EnqueueRun,
    worker: i64,
) -> Result<RunRecord, SaverError> {
    writer.require_room()?;
    let (name, run, now) = (new.thread.clone(), new.run, wall_millis());
    if runs::find(writer.db()?, &writer.seal, run)?.is_some() {
        return Err(SaverError::RunEnded { run });
    }
    let found = graphs::thread(writer.db()?, &name)?;
    let thread = match (&found, new.stamp.take()) {
        (_, Some(stamp)) => records::stamp(writer, &name, stamp)?.0,
        (Some(row), None) => row.thread,
        (None, None) => graphs::add(writer.change()?, &name, 0, None, now)?,
    };
    for row in runs::of_state(writer.db()?, &writer.seal, RunStatus::Running, Some(thread))? {
        end_lost(writer, &row.record, worker)?;
    }
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
    Ok(record)
}

/// Ends or requeues all runs that were cut short, if there may be any: before the first claim of this
/// process, and when another process is gone. Within a process the end of a lease does so.
fn recover_all(writer: &mut Writer, worker: i64) -> Result<(), SaverError> {
    let gone = lease::dead_workers(writer, worker)?;
    if writer.has_recovered && gone.is_empty() {
        return Ok(());
    }
    for row in runs::readable(writer.db()?, &writer.seal, RunStatus::Running)? {
        end_lost(writer, &row.record, worker)?;
    }
    for worker in gone {
        lease::deregister(writer.change()?, worker)?;
    }
    writer.has_recovered = true;
    Ok(())
}

/// A run that was claimed, and the lease of its thread.
struct ClaimedRow {
    record: RunRecord,
    guard: LeaseGuard,
    epoch: u64,
    others_wait: bool,
}

/// Claims runs, in one transaction.
fn claim(
    writer: &mut Writer,
    saver: &SqliteSaver,
    mut wanted: ClaimRuns,
) -> Result<Vec<ClaimedRow>, SaverError> {
    let mut claimed = Vec::new();
    match writer.require_room() {
        // They were accepted, and wait until there is space again.
        Err(SaverError::Full { .. }) => return Ok(claimed),
        room => room?,
    }
    let inner = &saver.0.0;
    recover_all(writer, inner.worker_id())?;
    // After it: what goes back to the queue is due at once.
    let now = wall_millis();
    let ours: HashMap<i64, Arc<str>> = wanted
        .graphs
        .keys()
        .map(|name| (digest(name), name.clone()))
        .collect();
    // The graphs of runs of earlier versions are in their bodies.
    let is_wanted = |group: Group, wanted: &ClaimRuns| {
        group.graph == 0
            || ours
                .get(&group.graph)
                .is_some_and(|name| wanted.takes(name))
    };
    waiting::wake(writer, now)?;
    let mut shares = waiting::shares(writer.db()?)?;
    let mut due = Vec::new();
    for graph in ours.keys().copied().chain([0]) {
        for group in waiting::groups(writer.db()?, graph)? {
            due.extend(waiting::next(writer.db()?, group, None, now)?);
        }
    }
    while wanted.limit > 0 {
        let ranks = due.iter().enumerate();
        let first = ranks.min_by_key(|(_, it)| shares.rank(&it.group.owner, it.due, it.seq));
        let Some(at) = first.map(|(at, _)| at) else {
            break;
        };
        let next = due.swap_remove(at);
        if !is_wanted(next.group, &wanted) {
            continue;
        }
        if let Some(row) = claim_run(writer, saver, next.seq, &wanted, now)? {
            shares.begin(next.group.owner);
            wanted.count(&row.record.graph);
            claimed.push(row);
        }
        due.extend(waiting::next(writer.db()?, next.group, Some(next), now)?);
    }
    Ok(claimed)
}

/// Claims a run, if its thread is free.
fn claim_run(
    writer: &mut Writer,
    saver: &SqliteSaver,
    seq: i64,
    wanted: &ClaimRuns,
    now: UnixMillis,
) -> Result<Option<ClaimedRow>, SaverError> {
    let inner = &saver.0.0;
    // A damaged one waits for whoever restores the file, and holds up its own thread alone.
    let found = runs::unless_damaged(runs::by_seq(writer.db()?, &writer.seal, seq))?;
    let Some(mut row) = found.filter(|row| row.record.is_claimable(wanted, now)) else {
        return Ok(None);
    };
    let Some(share) = wanted.graphs.get(&row.record.graph) else {
        return Ok(None);
    };
    let Some(guard) = LeaseGuard::reserve(saver, &row.record.thread) else {
        return Ok(None);
    };
    let (worker, length) = (inner.worker_id(), inner.options.lease);
    let leased = match lease::claim(writer, &row.record.thread, worker, length) {
        Err(SaverError::Busy { .. }) => {
            guard.refuse();
            return Ok(None);
        }
        leased => leased?,
    };
    let has_records = runs::claim(writer, &mut row, leased.epoch, share.mark)?;
    if !has_records {
        let mut leased = lock(&inner.leased);
        leased.insert(row.record.thread.clone(), ThreadContents::Empty);
    }
    Ok(Some(ClaimedRow {
        others_wait: waiting::has(writer.db()?, row.thread)?,
        record: row.record,
        guard,
        epoch: leased.epoch,
    }))
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

    fn claim(&self, wanted: &ClaimRuns) -> MaybeReady<'_, Vec<Claimed>> {
        let (saver, wanted) = (self.clone(), wanted.clone());
        let inner = &self.0.0;
        // The first lease skips lost epochs, which must be durable; a claim that is lost in a power cut
        // leaves the run in the queue.
        let level = match inner.epochs_skipped.load(Ordering::Acquire) {
            true => SyncLevel::Normal,
            false => SyncLevel::Full,
        };
        let rows = inner
            .queue
            .submit(level, Urgency::Immediate, move |writer| {
                writer.in_savepoint(|writer| claim(writer, &saver, wanted))
            });
        MaybeReady::Later(Box::pin(async move {
            let mut claimed = Vec::new();
            for ClaimedRow {
                record,
                guard,
                epoch,
                others_wait,
            } in rows.await?
            {
                let lease = guard.lease(epoch);
                let loaded = self.load(&record.thread, &GraphPath::default(), At::Latest);
                claimed.push(Claimed {
                    loaded: loaded.await,
                    record,
                    lease,
                    others_wait,
                });
            }
            Ok(claimed)
        }))
    }

    fn release(&self, run: RunId, lease: Lease, release: Release) -> MaybeReady<'_, ()> {
        let (queue, epoch) = (&self.0.0.queue, lease.epoch);
        let released = queue.submit(SyncLevel::Full, Urgency::WithNext, move |writer| {
            runs::release(writer, run, epoch, release)
        });
        MaybeReady::Later(Box::pin(async move {
            lease.end().await;
            released.await
        }))
    }

    fn stale_runs(&self, graph: &str) -> MaybeReady<'_, Vec<RunRecord>> {
        let inner = &self.0.0;
        let stale = inner.readers.read(|db| {
            let mut waiting = runs::readable(db, &inner.seal, RunStatus::Queued)?;
            waiting.retain(|row| row.record.is_stale() && *row.record.graph == *graph);
            Ok(waiting.into_iter().map(|row| row.record).collect())
        });
        MaybeReady::now(stale)
    }

    fn queue_changed(&self) -> MaybeReady<'_, ()> {
        let inner = &self.0.0;
        let changed = inner.watcher.listen(Topic::Queue);
        let now = wall_millis();
        let due = changed.and_then(|changed| {
            let next = inner.readers.peek(|db| waiting::next_due(db, now))?;
            Ok((changed, next))
        });
        let (changed, next) = match due {
            Ok(due) => due,
            Err(error) => return MaybeReady::now(Err(error)),
        };
        let until_due = next.and_then(|next| u64::try_from(next - now).ok());
        let wait = until_due.map_or(LOOK, |millis| LOOK.min(Duration::from_millis(millis)));
        MaybeReady::Later(Box::pin(async move {
            tokio::select! {
                () = changed => {}
                () = tokio::time::sleep(wait) => {}
            }
            Ok(())
        }))
    }
}
