//! `Runs` over a database.

use rusqlite::Connection;
use superstep_core::{
    error::SaverError,
    future::MaybeReady,
    id::{CheckpointId, RunId, ThreadId},
    runs::{BeginRun, CancelRequest, EndRun, RunQuery, RunRecord, RunStatus},
    saver::{Lease, Runs},
};

use super::SqliteSaver;
use crate::{
    database::Inner,
    graphs,
    queue::Urgency,
    runs::{self, RunRow},
    sync_level::SyncLevel,
    threads,
    watch::Topic,
    worker,
    writer::Writer,
};
use superstep_core::sync::lock;

impl Inner {
    /// Whether a run that has no ending was cut short: the lease it runs under is gone.
    fn is_lost(&self, db: &Connection, record: &RunRecord) -> Result<bool, SaverError> {
        if !record.is_open() {
            return Ok(false);
        }
        let Some(row) = graphs::thread(db, &record.thread)? else {
            return Ok(true);
        };
        let held_by = row.worker.filter(|_| is_epoch(row.epoch, record.epoch));
        Ok(match held_by {
            None => true,
            Some(own) if own == self.worker_id() => {
                !lock(&self.leased).contains_key(&record.thread)
            }
            Some(other) => !worker::is_alive(db, &self.path, other)?,
        })
    }

    /// The run as it is now: one that was cut short has its ending.
    pub(super) fn shown(&self, db: &Connection, mut row: RunRow) -> Result<RunRecord, SaverError> {
        if self.is_lost(db, &row.record)? {
            runs::show_lost(db, &self.seal, &mut row)?;
        }
        Ok(row.record)
    }

    fn cancel_of(&self, run: RunId) -> Result<Option<CancelRequest>, SaverError> {
        let found = self.readers.read(|db| runs::find(db, &self.seal, run))?;
        let row = found.ok_or(SaverError::NoRun { run })?;
        Ok(row.record.cancel)
    }

    /// The runs that were cut short and that nobody has written the ending of.
    fn lost(&self, db: &Connection, thread: Option<i64>) -> Result<Vec<RunRecord>, SaverError> {
        let mut lost = Vec::new();
        for row in runs::of_state(db, &self.seal, RunStatus::Running, thread)? {
            if self.is_lost(db, &row.record)? {
                lost.push(row.record);
            }
        }
        Ok(lost)
    }
}

fn is_epoch(stored: i64, epoch: Option<u64>) -> bool {
    u64::try_from(stored).ok() == epoch
}

/// Writes the ending of a run, unless its thread was leased or the run began again meanwhile.
pub(super) fn end_lost(
    writer: &mut Writer,
    lost: &RunRecord,
    worker: i64,
) -> Result<(), SaverError> {
    let Some(mut row) = runs::find(writer.db()?, &writer.seal, lost.id)? else {
        return Ok(());
    };
    let held_by = graphs::thread(writer.db()?, &lost.thread)?
        .filter(|thread| is_epoch(thread.epoch, lost.epoch))
        .and_then(|thread| thread.worker);
    let is_held = match held_by {
        None => false,
        Some(own) if own == worker => writer
            .leased
            .get(&lost.thread)
            .is_some_and(|leased| is_epoch(leased.epoch, lost.epoch)),
        Some(other) => worker::is_alive(writer.db()?, &writer.path, other)?,
    };
    if !is_held && row.record.is_open() && row.record.epoch == lost.epoch {
        runs::end_lost(writer, &mut row)?;
    }
    Ok(())
}

/// The number of a thread to look at, or all; nothing if there is no such thread.
fn only(db: &Connection, thread: Option<&ThreadId>) -> Result<Option<Option<i64>>, SaverError> {
    let Some(name) = thread else {
        return Ok(Some(None));
    };
    let row = graphs::thread(db, name)?;
    Ok(row.map(|row| Some(row.thread)))
}

impl Runs for SqliteSaver {
    fn begin_run(&self, begin: BeginRun) -> MaybeReady<'_, RunRecord> {
        if !begin.fits() {
            return MaybeReady::now(Err(SaverError::too_deep()));
        }
        let queue = &self.0.0.queue;
        queue.submit(SyncLevel::Normal, Urgency::Immediate, move |writer| {
            runs::begin(writer, begin)
        })
    }

    fn end_run(&self, end: EndRun) -> MaybeReady<'_, ()> {
        let queue = &self.0.0.queue;
        queue.submit(SyncLevel::Normal, Urgency::Immediate, move |writer| {
            runs::end(writer, &end)
        })
    }

    fn end_run_and_lease(&self, end: EndRun, lease: Lease) -> MaybeReady<'_, ()> {
        let queue = &self.0.0.queue;
        let ended = queue.submit(SyncLevel::Normal, Urgency::WithNext, move |writer| {
            runs::end(writer, &end)
        });
        MaybeReady::Later(Box::pin(async move {
            lease.end().await;
            ended.await
        }))
    }

    fn load_run(&self, run: RunId) -> MaybeReady<'_, Option<RunRecord>> {
        let inner = &self.0.0;
        let read = |db: &Connection| {
            let found = runs::find(db, &inner.seal, run)?;
            found.map(|row| inner.shown(db, row)).transpose()
        };
        MaybeReady::now(inner.readers.read(read))
    }

    fn load_runs(&self, thread: &ThreadId, query: &RunQuery) -> MaybeReady<'_, Vec<RunRecord>> {
        let inner = &self.0.0;
        let read = |db: &Connection| {
            let Some(row) = graphs::thread(db, thread)? else {
                return Ok(Vec::new());
            };
            let show = |row| inner.shown(db, row);
            runs::list(db, &inner.seal, row.thread, query, show)
        };
        MaybeReady::now(inner.readers.read(read))
    }

    fn interrupted(&self, thread: Option<&ThreadId>) -> MaybeReady<'_, Vec<RunRecord>> {
        let (saver, thread) = (self.clone(), thread.cloned());
        MaybeReady::Later(Box::pin(async move {
            let inner = &saver.0.0;
            let lost = inner.readers.read(|db| match only(db, thread.as_ref())? {
                Some(thread) => inner.lost(db, thread),
                None => Ok(Vec::new()),
            })?;
            if !lost.is_empty() && !inner.queue.is_closed() {
                let (level, worker) = (SyncLevel::Full, inner.worker_id());
                let ended = inner
                    .queue
                    .submit(level, Urgency::Immediate, move |writer| {
                        lost.iter()
                            .try_for_each(|lost| end_lost(writer, lost, worker))
                    });
                ended.await?;
            }
            inner.readers.read(|db| {
                let Some(thread) = only(db, thread.as_ref())? else {
                    return Ok(Vec::new());
                };
                let mut found = runs::cut_short(db, &inner.seal, thread)?;
                // What could not be written is shown all the same.
                for row in runs::of_state(db, &inner.seal, RunStatus::Running, thread)? {
                    if inner.queue.is_closed() && inner.is_lost(db, &row.record)? {
                        found.push(row);
                    }
                }
                let shown = found.into_iter().map(|row| inner.shown(db, row));
                let mut shown: Vec<RunRecord> = shown.collect::<Result<_, SaverError>>()?;
                shown.retain(RunRecord::was_cut_short);
                Ok(shown)
            })
        }))
    }

    fn request_cancel(&self, run: RunId, request: CancelRequest) -> MaybeReady<'_, bool> {
        let inner = &self.0.0;
        // A run that was cut short needs no request, and its ending is left to those who write it.
        let is_lost = inner.readers.read(|db| {
            let found = runs::find(db, &inner.seal, run)?;
            let row = found.ok_or(SaverError::NoRun { run })?;
            inner.is_lost(db, &row.record)
        });
        match is_lost {
            Ok(false) => {}
            Ok(true) => return MaybeReady::now(Ok(false)),
            Err(error) => return MaybeReady::now(Err(error)),
        }
        let (level, urgency) = (SyncLevel::Full, Urgency::Immediate);
        inner.queue.submit(level, urgency, move |writer| {
            let found = runs::find(writer.db()?, &writer.seal, run)?;
            let row = found.ok_or(SaverError::NoRun { run })?;
            runs::request_cancel(writer, row, request)
        })
    }

    fn cancel_requested(&self, run: RunId) -> MaybeReady<'_, Option<CancelRequest>> {
        MaybeReady::now(self.0.0.cancel_of(run))
    }

    fn rewind(&self, thread: &ThreadId, epoch: u64, to: CheckpointId) -> MaybeReady<'_, ()> {
        let (queue, thread) = (&self.0.0.queue, thread.clone());
        queue.submit(SyncLevel::Full, Urgency::Immediate, move |writer| {
            writer.in_savepoint(|writer| threads::rewind(writer, &thread, epoch, to))
        })
    }

    fn cancelling(&self, run: RunId) -> MaybeReady<'_, CancelRequest> {
        let inner = &self.0.0;
        MaybeReady::Later(Box::pin(async move {
            loop {
                let changed = inner.watcher.listen(Topic::Run(run))?;
                if let Some(request) = inner.cancel_of(run)? {
                    return Ok(request);
                }
                changed.await;
            }
        }))
    }

    fn ended(&self, run: RunId) -> MaybeReady<'_, RunRecord> {
        let inner = &self.0.0;
        MaybeReady::Later(Box::pin(async move {
            loop {
                let changed = inner.watcher.listen(Topic::Run(run))?;
                let record = self.load_run(run).await?;
                let record = record.ok_or(SaverError::NoRun { run })?;
                if record.ending.is_some() {
                    return Ok(record);
                }
                changed.await;
            }
        }))
    }
}
