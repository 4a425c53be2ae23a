//! The runs of threads, and who waits for them to be cancelled.

use std::{
    collections::{BTreeSet, HashMap},
    ops::Bound,
    sync::{Arc, Mutex},
};

use superstep_core::{
    checkpoint::Loaded,
    clock::UnixMillis,
    error::SaverError,
    future::MaybeReady,
    id::{CheckpointId, GraphPath, RunId, ThreadId},
    runs::{BeginRun, CancelRequest, EndRun, FairShares, RunQuery, RunRecord},
    saver::Runs,
};

use super::{MemorySaver, Thread, bells::Bells, lock};

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

    /// Notes which run is under way.
    pub(super) fn open(&mut self, run: RunId) {
        self.open = Some(run);
    }

    /// The run that is under way, or was cut short.
    pub(super) fn open_one(&self) -> Option<RunId> {
        self.open
    }

    /// Notes that none is.
    pub(super) fn close(&mut self) {
        self.open = None;
    }

    /// The newest run that lists show.
    pub(super) fn newest(&self) -> Option<&RunRecord> {
        self.all.iter().rfind(|run| !run.is_alarm())
    }

    pub(super) fn find(&mut self, run: RunId) -> Option<&mut RunRecord> {
        let mut newest_first = self.all.iter_mut().rev();
        newest_first.find(|record| record.id == run)
    }

    /// Drops runs that ended before the oldest checkpoint that is left, and returns them.
    pub(super) fn prune(&mut self, oldest: Option<CheckpointId>) -> Vec<RunRecord> {
        let is_old = |record: &mut RunRecord| {
            record.ending.is_some()
                && record.after.is_none()
                && record.checkpoint.is_some()
                && record.checkpoint < oldest
        };
        self.all.extract_if(.., is_old).collect()
    }
}

impl Thread {
    /// Ends the run that was cut short.
    pub(super) fn end_lost_run(&mut self, now: UnixMillis) {
        let live = self.epoch.filter(|_| self.taken);
        self.end_run_but(now, |record| record.epoch == live);
    }

    /// Puts a run from the queue back there that was cut short, and returns it.
    pub(super) fn requeue(&mut self, now: UnixMillis) -> Option<&RunRecord> {
        let open = self.runs.open?;
        self.runs.find(open)?.queued.as_ref()?;
        self.end_lost_run(now);
        self.runs.find(open).map(|record| &*record)
    }

    /// Ends the run that is open, by what it left behind.
    fn end_run_but(&mut self, now: UnixMillis, is_kept: impl Fn(&RunRecord) -> bool) {
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
#[derive(Default)]
pub(super) struct RunIndex {
    pub(super) places: Mutex<RunPlaces>,
    /// Who waits for a run to change.
    changes: Bells<RunId>,
    /// Who waits for runs to claim.
    pub(super) queue: Bells<()>,
}

/// Who a run is for; nothing for the local user.
pub(super) type Owner = Option<Arc<str>>;

/// Where runs are, and in which order they came.
#[derive(Default)]
pub(super) struct RunPlaces {
    places: HashMap<RunId, (ThreadId, i64)>,
    count: i64,
    /// Runs that wait, by owner; some of them may not wait any more.
    waiting: HashMap<Owner, BTreeSet<WaitingRun>>,
    /// How many claimed runs each owner has.
    pub(super) running: FairShares<Owner>,
}

/// A run in the queue, in the order in which those of an owner are claimed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct WaitingRun {
    pub(super) due: UnixMillis,
    /// Its number among all runs, in the order they came.
    n: i64,
    pub(super) run: RunId,
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

    pub(super) fn thread(&self, run: RunId) -> Option<&ThreadId> {
        self.places.get(&run).map(|(thread, _)| thread)
    }

    /// Notes that a run waits, if it does.
    pub(super) fn wait(&mut self, record: &RunRecord) {
        let place = self.places.get(&record.id);
        if let (Some(queued), Some((_, n))) = (record.waiting(), place) {
            let waiting = WaitingRun {
                due: queued.due,
                n: *n,
                run: record.id,
            };
            let owner = record.caller().owner().map(Arc::from);
            self.waiting.entry(owner).or_default().insert(waiting);
        }
    }

    /// Notes that a run does not wait there any more.
    pub(super) fn leave(&mut self, owner: &Owner, run: WaitingRun) {
        if let Some(waiting) = self.waiting.get_mut(owner) {
            waiting.remove(&run);
            if waiting.is_empty() {
                self.waiting.remove(owner);
            }
        }
    }

    /// The run that is claimed next, and its owner; of each owner one that comes after the one that was
    /// seen last.
    pub(super) fn next_due(
        &self,
        now: UnixMillis,
        seen: &HashMap<Owner, WaitingRun>,
    ) -> Option<(Owner, WaitingRun)> {
        let firsts = self.waiting.iter().filter_map(|(owner, waiting)| {
            let after = match seen.get(owner) {
                Some(last) => (Bound::Excluded(*last), Bound::Unbounded),
                None => (Bound::Unbounded, Bound::Unbounded),
            };
            let first = waiting.range(after).next()?;
            (first.due <= now).then_some((owner, *first))
        });
        let rank = |(owner, it): &(&Owner, WaitingRun)| self.running.rank(owner, it.due, it.n);
        let (owner, first) = firsts.min_by_key(rank)?;
        Some((owner.clone(), first))
    }
}

impl RunIndex {
    /// Wakes those who wait for a run.
    pub(super) fn changed(&self, run: RunId) {
        self.changes.ring(&run);
    }

    /// Forgets runs that are gone.
    pub(super) fn remove(&self, runs: &[RunRecord]) {
        let mut index = lock(&self.places);
        for run in runs {
            index.remove(run.id);
            self.changed(run.id);
        }
    }
}

impl MemorySaver {
    /// Works on a run, after the run of its thread that was cut short got its ending.
    pub(super) fn with_run<T>(
        &self,
        run: RunId,
        work: impl FnOnce(&mut RunRecord) -> T,
    ) -> Option<T> {
        let id = lock(&self.0.runs.places).thread(run).cloned()?;
        let thread = self.thread(&id)?;
        let mut inner = lock(&thread);
        inner.end_lost_run(self.0.clock.now());
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
        inner.end_run_but(now, |record| record.id == run);
        for it in inner.runs.all.iter().filter(|it| it.sleeping().is_some()) {
            self.0.runs.changed(it.id);
        }
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
        let mut places = lock(&self.0.runs.places);
        places.wait(record);
        if let Some(alarm) = alarm {
            places.add(alarm.id, end.thread.clone());
            places.wait(&alarm);
            inner.runs.all.push(alarm);
        }
        drop(places);
        inner.runs.open = None;
        let is_queued = inner.runs.all().iter().any(|run| run.waiting().is_some());
        drop(inner);
        self.0.runs.changed(end.run);
        if is_queued {
            self.0.runs.queue.ring(&());
        }
        Ok(())
    }

    fn list(&self, id: &ThreadId, query: &RunQuery) -> Vec<RunRecord> {
        let Some(thread) = self.thread(id) else {
            return Vec::new();
        };
        let mut inner = lock(&thread);
        inner.end_lost_run(self.0.clock.now());
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
            inner.end_lost_run(self.0.clock.now());
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
        self.0.runs.changed(run);
        MaybeReady::now(asked.ok_or(SaverError::NoRun { run }))
    }

    fn cancel_requested(&self, run: RunId) -> MaybeReady<'_, Option<CancelRequest>> {
        MaybeReady::now(self.cancel_of(run))
    }

    fn rewind(&self, thread: &ThreadId, epoch: u64, to: CheckpointId) -> MaybeReady<'_, ()> {
        MaybeReady::now(self.undo(thread, epoch, to))
    }

    fn cancelling(&self, run: RunId) -> MaybeReady<'_, CancelRequest> {
        MaybeReady::Later(Box::pin(async move {
            loop {
                let changed = self.0.runs.changes.listen(run);
                if let Some(request) = self.cancel_of(run)? {
                    return Ok(request);
                }
                changed.await;
            }
        }))
    }

    fn ended(&self, run: RunId) -> MaybeReady<'_, RunRecord> {
        MaybeReady::Later(Box::pin(async move {
            loop {
                let changed = self.0.runs.changes.listen(run);
                let record = self.with_run(run, |record| record.clone());
                let record = record.ok_or(SaverError::NoRun { run })?;
                if record.ending.is_some() {
                    return Ok(record);
                }
                changed.await;
            }
        }))
    }
}
