//! The runs of threads, and who waits for them to be cancelled.

use std::{collections::HashMap, sync::Mutex};

use superstep_core::{
    checkpoint::Loaded,
    clock::UnixMillis,
    error::SaverError,
    future::MaybeReady,
    id::{CheckpointId, GraphPath, RunId, ThreadId},
    runs::{BeginRun, CancelRequest, EndRun, RunQuery, RunRecord},
    saver::Runs,
};
use tokio::sync::watch;

use super::{MemorySaver, Thread, lock};

/// The runs of one thread, in the order they were recorded.
#[derive(Default)]
pub(super) struct ThreadRuns {
    all: Vec<RunRecord>,
    /// The one that began and has no ending: one that begins ends all others.
    open: Option<RunId>,
}

impl ThreadRuns {
    pub(super) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    pub(super) fn all(&self) -> &[RunRecord] {
        &self.all
    }

    pub(super) fn all_mut(&mut self) -> &mut Vec<RunRecord> {
        &mut self.all
    }

    /// The newest run that lists show.
    pub(super) fn newest(&self) -> Option<&RunRecord> {
        self.all.iter().rfind(|run| !run.is_alarm())
    }

    fn find(&mut self, run: RunId) -> Option<&mut RunRecord> {
        let mut newest_first = self.all.iter_mut().rev();
        newest_first.find(|record| record.id == run)
    }

    /// Drops runs that ended before the oldest checkpoint that is left, and returns them.
    pub(super) fn prune(&mut self, oldest: Option<CheckpointId>) -> Vec<RunRecord> {
        let is_old = |record: &mut RunRecord| {
            record.ending.is_some() && record.checkpoint.is_some() && record.checkpoint < oldest
        };
        self.all.extract_if(.., is_old).collect()
    }
}

impl Thread {
    /// Ends the runs that were cut short.
    pub(super) fn end_lost_runs(&mut self, now: UnixMillis) {
        let live = self.epoch.filter(|_| self.taken);
        self.end_runs_but(now, |record| record.epoch == live);
    }

    /// Ends the run that is open, by what it left behind.
    fn end_runs_but(&mut self, now: UnixMillis, is_kept: impl Fn(&RunRecord) -> bool) {
        let Some(open) = self.runs.open else {
            return;
        };
        if self.runs.find(open).is_some_and(|record| is_kept(record)) {
            return;
        }
        let newest = self.newest();
        let newest = newest.as_ref().and_then(Loaded::head);
        if let Some(record) = self.runs.find(open) {
            record.end_lost(newest.map(|record| &**record), now);
        }
        self.runs.open = None;
    }

    /// The id of the newest checkpoint of the thread's own graph.
    fn head(&self) -> Option<CheckpointId> {
        self.logs.get(&GraphPath::default())?.newest(1)
    }
}

/// The threads that runs belong to.
pub(super) struct RunIndex {
    pub(super) places: Mutex<RunPlaces>,
    /// Changes with every request to cancel a run, and with the queue.
    changes: watch::Sender<()>,
}

/// Where runs are, and in which order they came.
#[derive(Default)]
pub(super) struct RunPlaces {
    places: HashMap<RunId, (ThreadId, u64)>,
    count: u64,
}

impl RunPlaces {
    pub(super) fn knows(&self, run: RunId) -> bool {
        self.places.contains_key(&run)
    }

    pub(super) fn add(&mut self, run: RunId, thread: ThreadId) {
        self.count += 1;
        self.places.insert(run, (thread, self.count));
    }

    fn remove(&mut self, run: RunId) {
        self.places.remove(&run);
    }

    fn thread(&self, run: RunId) -> Option<&ThreadId> {
        self.places.get(&run).map(|(thread, _)| thread)
    }

    /// Its number among all runs, in the order they came.
    pub(super) fn number(&self, run: RunId) -> Option<u64> {
        self.places.get(&run).map(|(_, n)| *n)
    }
}

impl Default for RunIndex {
    fn default() -> Self {
        Self {
            places: Mutex::default(),
            changes: watch::Sender::new(()),
        }
    }
}

impl RunIndex {
    /// Wakes those who wait for requests to cancel runs, or for runs in the queue.
    pub(super) fn changed(&self) {
        self.changes.send_replace(());
    }

    pub(super) fn listen(&self) -> watch::Receiver<()> {
        self.changes.subscribe()
    }

    /// Forgets runs that are gone.
    pub(super) fn remove(&self, runs: &[RunRecord]) {
        let mut index = lock(&self.places);
        for run in runs {
            index.remove(run.id);
        }
    }
}

impl MemorySaver {
    /// Works on a run, after the runs of its thread that were cut short got their endings.
    pub(super) fn with_run<T>(
        &self,
        run: RunId,
        work: impl FnOnce(&mut RunRecord) -> T,
    ) -> Option<T> {
        let id = lock(&self.0.runs.places).thread(run).cloned()?;
        let thread = self.thread(&id)?;
        let mut inner = lock(&thread);
        inner.end_lost_runs(self.0.clock.now());
        inner.runs.find(run).map(work)
    }

    fn begin(&self, begin: BeginRun) -> Result<RunRecord, SaverError> {
        let (id, run) = (begin.thread.clone(), begin.run);
        let conflict = || SaverError::Conflict { thread: id.clone() };
        let thread = self.thread(&id).ok_or_else(conflict)?;
        let mut inner = lock(&thread);
        if !inner.is_leased(begin.epoch) {
            return Err(conflict());
        }
        // Two threads that begin the same run are told apart under the lock of the index.
        let mut index = lock(&self.0.runs.places);
        if index.thread(run).is_some_and(|known| *known != id) {
            return Err(SaverError::RunEnded { run });
        }
        let now = self.0.clock.now();
        inner.end_runs_but(now, |record| record.id == run);
        let gone = inner.runs.all.extract_if(.., |it| it.give_way(run, now));
        gone.for_each(|it| index.remove(it.id));
        let head = inner.head();
        if index.knows(run)
            && let Some(known) = inner.runs.find(run)
        {
            known.begin_again(begin, head, now)?;
            let record = known.clone();
            inner.runs.open = Some(run);
            return Ok(record);
        }
        let record = RunRecord::begun(begin, head, now);
        if inner.runs.is_empty() {
            // Many threads have one run; a list that grows by itself has room for four.
            inner.runs.all.reserve_exact(1);
        }
        inner.runs.all.push(record.clone());
        inner.runs.open = Some(run);
        index.add(run, id);
        Ok(record)
    }

    fn finish(&self, end: EndRun) -> Result<(), SaverError> {
        let missing = SaverError::NoRun { run: end.run };
        let Some(thread) = self.thread(&end.thread) else {
            return Err(missing);
        };
        let mut inner = lock(&thread);
        let is_leased = inner.is_leased(end.epoch);
        let head = inner.head();
        let Some(record) = inner.runs.find(end.run) else {
            return Err(missing);
        };
        if !is_leased || !record.is_open() || record.epoch != Some(end.epoch) {
            return Err(SaverError::Conflict { thread: end.thread });
        }
        let alarm = record.finish(&end, head, self.0.clock.now());
        let is_queued = record.waiting().is_some() || alarm.is_some();
        inner.runs.open = None;
        if let Some(alarm) = alarm {
            lock(&self.0.runs.places).add(alarm.id, end.thread.clone());
            inner.runs.all.push(alarm);
        }
        drop(inner);
        if is_queued {
            self.0.runs.changed();
        }
        Ok(())
    }

    fn list(&self, id: &ThreadId, query: &RunQuery) -> Vec<RunRecord> {
        let Some(thread) = self.thread(id) else {
            return Vec::new();
        };
        let mut inner = lock(&thread);
        inner.end_lost_runs(self.0.clock.now());
        let all = inner.runs.all();
        let end = match query.before {
            Some(before) => all.iter().position(|record| record.id == before),
            None => Some(all.len()),
        };
        all.iter()
            .take(end.unwrap_or(0))
            .rev()
            .filter(|record| !record.is_alarm())
            .filter(|record| query.status.is_none_or(|status| record.status() == status))
            .take(query.limit.unwrap_or(usize::MAX))
            .cloned()
            .collect()
    }

    fn cut_short(&self, only: Option<&ThreadId>) -> Vec<RunRecord> {
        let mut found = Vec::new();
        for (id, thread) in self.0.all() {
            if only.is_some_and(|only| *only != id) {
                continue;
            }
            let mut inner = lock(&thread);
            inner.end_lost_runs(self.0.clock.now());
            let newest = inner.runs.newest();
            found.extend(newest.filter(|run| run.was_cut_short()).cloned());
        }
        found
    }

    fn cancel_of(&self, run: RunId) -> Result<Option<CancelRequest>, SaverError> {
        let found = self.with_run(run, |record| record.cancel.clone());
        found.ok_or(SaverError::NoRun { run })
    }
}

impl MemorySaver {
    fn undo(&self, id: &ThreadId, epoch: u64, to: CheckpointId) -> Result<(), SaverError> {
        let conflict = || SaverError::Conflict { thread: id.clone() };
        let thread = self.thread(id).ok_or_else(conflict)?;
        let mut inner = lock(&thread);
        if !inner.is_leased(epoch) {
            return Err(conflict());
        }
        for (_, log) in inner.logs.iter_mut() {
            log.rewind(to);
        }
        inner.logs.retain(|_, log| log.len() > 0);
        Ok(())
    }
}

impl Runs for MemorySaver {
    fn begin_run(&self, begin: BeginRun) -> MaybeReady<'_, RunRecord> {
        if !begin.fits() {
            return MaybeReady::now(Err(SaverError::too_deep()));
        }
        MaybeReady::now(self.begin(begin))
    }

    fn end_run(&self, end: EndRun) -> MaybeReady<'_, ()> {
        MaybeReady::now(self.finish(end))
    }

    fn load_run(&self, run: RunId) -> MaybeReady<'_, Option<RunRecord>> {
        MaybeReady::now(Ok(self.with_run(run, |record| record.clone())))
    }

    fn load_runs(&self, thread: &ThreadId, query: &RunQuery) -> MaybeReady<'_, Vec<RunRecord>> {
        MaybeReady::now(Ok(self.list(thread, query)))
    }

    fn interrupted(&self, thread: Option<&ThreadId>) -> MaybeReady<'_, Vec<RunRecord>> {
        MaybeReady::now(Ok(self.cut_short(thread)))
    }

    fn request_cancel(&self, run: RunId, request: CancelRequest) -> MaybeReady<'_, bool> {
        let asked = self.with_run(run, |record| record.request_cancel(request));
        self.0.runs.changed();
        MaybeReady::now(asked.ok_or(SaverError::NoRun { run }))
    }

    fn cancel_requested(&self, run: RunId) -> MaybeReady<'_, Option<CancelRequest>> {
        MaybeReady::now(self.cancel_of(run))
    }

    fn rewind(&self, thread: &ThreadId, epoch: u64, to: CheckpointId) -> MaybeReady<'_, ()> {
        MaybeReady::now(self.undo(thread, epoch, to))
    }

    fn cancelling(&self, run: RunId) -> MaybeReady<'_, CancelRequest> {
        let mut changes = self.0.runs.listen();
        MaybeReady::Later(Box::pin(async move {
            loop {
                if let Some(request) = self.cancel_of(run)? {
                    return Ok(request);
                }
                // The sender lives as long as the saver.
                let _gone = changes.changed().await;
            }
        }))
    }
}
