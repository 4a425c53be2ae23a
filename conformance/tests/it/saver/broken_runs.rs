//! Faults in what is kept of runs, on top of those of [`Broken`].

use std::{
    collections::{BTreeSet, HashMap},
    sync::{Mutex, MutexGuard},
    time::Duration,
};

use superstep_core::{
    clock::UnixMillis,
    error::SaverError,
    event::Ending,
    future::MaybeReady,
    id::{CheckpointId, RunId, ThreadId},
    runs::{
        BeginRun, CancelRequest, ClaimGraph, ClaimRuns, EndRun, EnqueueRun, OnBusy, QueuedInput,
        Release, RunQuery, RunRecord,
    },
    saver::{
        AfterRuns, Claimed, Keep, Lease, RunQueue, Runs, Saver, SaverLayer, Schedules,
        ThreadCounts, ThreadPage, ThreadQuery, ThreadRecords,
    },
    schedules::{CronSchedule, FireSchedule},
    thread_record::ThreadRecord,
    value::Value,
};

use super::answer::{Answer, now};
use super::fault::Fault;
use super::wrapper::Broken;

pub(crate) struct BrokenRuns {
    pub(super) fault: Fault,
    pub(super) inner: Broken,
    memory: Mutex<Memory>,
}

/// What a fault needs to remember.
#[derive(Default)]
pub(super) struct Memory {
    /// Threads with runs.
    pub(super) threads: BTreeSet<ThreadId>,
    /// The newest lease of each thread.
    epochs: HashMap<ThreadId, u64>,
    /// Runs that should be gone.
    left: HashMap<ThreadId, Vec<RunRecord>>,
    copies: HashMap<ThreadId, ThreadId>,
    /// Records that should be gone.
    pub(super) records: HashMap<ThreadId, ThreadRecord>,
    deleted: BTreeSet<ThreadId>,
    /// Leases that do not end.
    held: Vec<Lease>,
}

impl BrokenRuns {
    pub(crate) fn new(fault: Fault) -> Self {
        Self {
            fault,
            inner: Broken::new(fault),
            memory: Mutex::default(),
        }
    }

    pub(super) fn is(&self, fault: Fault) -> bool {
        self.fault == fault
    }

    pub(super) fn memory(&self) -> MutexGuard<'_, Memory> {
        self.memory.lock().unwrap()
    }

    fn all(&self, thread: &ThreadId) -> Vec<RunRecord> {
        now(self.inner.runs().load_runs(thread, &RunQuery::default())).unwrap()
    }

    /// Keeps the runs of a thread that are about to go.
    fn leave(&self, thread: &ThreadId) {
        let all = self.all(thread);
        self.memory().left.insert(thread.clone(), all);
    }

    fn list(&self, thread: &ThreadId, query: &RunQuery) -> Answer<Vec<RunRecord>> {
        let (left, source, threads) = {
            let memory = self.memory();
            let left = memory.left.get(thread).cloned();
            (
                left,
                memory.copies.get(thread).cloned(),
                memory.threads.clone(),
            )
        };
        if let Some(left) = left {
            return Ok(left);
        }
        if self.is(Fault::OneListOfRuns) {
            return Ok(threads.iter().flat_map(|thread| self.all(thread)).collect());
        }
        let mut query = query.clone();
        if self.is(Fault::RunsOfAnyStatus) {
            query.status = None;
        }
        let thread = source.as_ref().unwrap_or(thread);
        let mut found = now(self.inner.runs().load_runs(thread, &query))?;
        if self.is(Fault::RunsInReverse) {
            found.reverse();
        }
        Ok(found)
    }

    fn epoch(&self, thread: &ThreadId, epoch: u64) -> u64 {
        match self.is(Fault::RunsIgnoreEpochs) {
            true => self.memory().epochs.get(thread).copied().unwrap_or(epoch),
            false => epoch,
        }
    }
}

impl SaverLayer for BrokenRuns {
    fn inner(&self) -> &dyn Saver {
        &self.inner
    }

    fn lease(&self, thread: &ThreadId) -> MaybeReady<'_, Lease> {
        let reply = self.inner.lease(thread);
        if let MaybeReady::Now(Some(Ok(lease))) = &reply {
            self.memory().epochs.insert(thread.clone(), lease.epoch);
        }
        reply
    }

    fn threads(&self) -> MaybeReady<'_, Vec<ThreadId>> {
        let mut names = match now(self.inner.threads()) {
            Ok(names) => names,
            error => return MaybeReady::now(error),
        };
        if matches!(
            self.fault,
            Fault::RunsMakeThreads | Fault::RecordsMakeThreads
        ) {
            names.extend(self.memory().threads.iter().cloned());
        }
        MaybeReady::now(Ok(names))
    }

    fn find_threads(&self, query: &ThreadQuery) -> MaybeReady<'_, ThreadPage> {
        MaybeReady::now(self.found(query))
    }

    fn count_threads(&self, query: &ThreadQuery) -> MaybeReady<'_, ThreadCounts> {
        MaybeReady::now(self.counted(query))
    }

    fn delete(&self, thread: &ThreadId) -> MaybeReady<'_, ()> {
        if self.is(Fault::DeleteLeavesRuns) {
            self.leave(thread);
        }
        self.memory().deleted.insert(thread.clone());
        self.inner.delete(thread)
    }

    fn copy(&self, from: &ThreadId, to: &ThreadId) -> MaybeReady<'_, ()> {
        if self.is(Fault::CopyCopiesRuns) {
            self.memory().copies.insert(to.clone(), from.clone());
        }
        self.inner.copy(from, to)
    }

    fn prune(&self, thread: &ThreadId, keep: Keep) -> MaybeReady<'_, ()> {
        if self.is(Fault::PruneLeavesRuns) {
            self.leave(thread);
        }
        self.inner.prune(thread, keep)
    }

    fn now(&self) -> MaybeReady<'_, UnixMillis> {
        let ahead = match self.fault {
            Fault::RunsHaveAnotherClock => 3_600_000,
            _ => 0,
        };
        MaybeReady::now(now(self.inner.now()).map(|now| now + ahead))
    }

    fn runs(&self) -> &dyn Runs {
        self
    }

    fn run_queue(&self) -> &dyn RunQueue {
        self
    }

    fn schedules(&self) -> &dyn Schedules {
        self
    }

    fn thread_records(&self) -> &dyn ThreadRecords {
        self
    }

    fn after_runs(&self) -> &dyn AfterRuns {
        self
    }
}

impl Schedules for BrokenRuns {
    fn put_schedule(&self, mut schedule: CronSchedule) -> MaybeReady<'_, ()> {
        let inner = self.inner.schedules();
        match self.fault {
            Fault::SchedulesForgetInputs if schedule.fits() => {
                schedule.input = QueuedInput::Nothing;
            }
            Fault::SchedulesAreNotReplaced => {
                if let Ok(Some(_)) = now(inner.load_schedule(&schedule.id)) {
                    return MaybeReady::now(Ok(()));
                }
            }
            _ => {}
        }
        inner.put_schedule(schedule)
    }

    fn load_schedule(&self, id: &str) -> MaybeReady<'_, Option<CronSchedule>> {
        self.inner.schedules().load_schedule(id)
    }

    fn list_schedules(&self) -> MaybeReady<'_, Vec<CronSchedule>> {
        self.inner.schedules().list_schedules()
    }

    fn delete_schedule(&self, id: &str) -> MaybeReady<'_, bool> {
        self.inner.schedules().delete_schedule(id)
    }

    fn due_schedules(&self, at: UnixMillis) -> MaybeReady<'_, Vec<CronSchedule>> {
        let mut due = now(self.inner.schedules().due_schedules(at)).unwrap();
        if self.is(Fault::DueInReverse) {
            due.reverse();
        }
        if self.is(Fault::SchedulesGoWithThreads) && !self.memory().deleted.is_empty() {
            due.clear();
        }
        MaybeReady::now(Ok(due))
    }

    fn fire_schedule(&self, mut fire: FireSchedule) -> MaybeReady<'_, bool> {
        let inner = self.inner.schedules();
        match self.fault {
            Fault::SchedulesFireAgain => {
                if let Ok(Some(known)) = now(inner.load_schedule(&fire.id)) {
                    fire.due = known.next.unwrap_or(fire.due);
                }
                let run = fire.run.clone();
                return match now(inner.fire_schedule(fire)) {
                    Ok(false) => {
                        run.map(|run| now(self.inner.run_queue().enqueue(run)));
                        MaybeReady::now(Ok(true))
                    }
                    answer => MaybeReady::now(answer),
                };
            }
            Fault::BusyThreadsQueueUp => {
                if let Some(run) = &mut fire.run {
                    run.on_busy = OnBusy::Enqueue;
                }
            }
            _ => {}
        }
        inner.fire_schedule(fire)
    }
}

impl RunQueue for BrokenRuns {
    fn enqueue(&self, mut run: EnqueueRun) -> MaybeReady<'_, RunRecord> {
        match self.fault {
            Fault::QueueLosesInputs if run.input.fits() => run.input = QueuedInput::Nothing,
            Fault::QueueLosesOptions if run.fits() => run.options = Default::default(),
            Fault::QueueIgnoresTime => run.after = Duration::ZERO,
            Fault::OwnersAreAlike => run.options.caller = None,
            Fault::WorkersTakeAnything => run.graph = "chat".into(),
            Fault::OneAttempt => run.attempts = 1,
            Fault::NobodyIsRejected if run.on_busy == OnBusy::Reject => {
                run.on_busy = OnBusy::Enqueue;
            }
            Fault::NobodyIsReplaced => run.on_busy = OnBusy::Enqueue,
            Fault::AfterRunsAreForgotten => run.after_run = Default::default(),
            Fault::StampsComeFirst => {
                if let Some(stamp) = run.stamp.take() {
                    let stamped = now(ThreadRecords::stamp(self, &run.thread, stamp));
                    if let Err(error) = stamped {
                        return MaybeReady::now(Err(error));
                    }
                }
            }
            _ => {}
        }
        self.inner.run_queue().enqueue(run)
    }

    fn claim(&self, claim: &ClaimRuns) -> MaybeReady<'_, Vec<Claimed>> {
        let mut claim = claim.clone();
        match self.fault {
            Fault::ClaimsKnowNoLimit => {
                claim.limit = usize::MAX;
                let graphs = claim.graphs.values_mut();
                graphs.for_each(|graph| graph.limit = usize::MAX);
            }
            Fault::WorkersTakeAnything => {
                let (limit, mark) = (usize::MAX, CheckpointId(0));
                claim.graphs = [("chat".into(), ClaimGraph { limit, mark })].into();
            }
            _ => {}
        }
        let mut claimed = now(self.inner.run_queue().claim(&claim)).unwrap();
        if self.is(Fault::DroppedRunsKeepTheirThread) {
            let begun = &self.memory().threads;
            claimed.retain(|claimed| !begun.contains(&claimed.record.thread));
        }
        for claimed in &mut claimed {
            let epoch = claimed.lease.epoch;
            match self.fault {
                Fault::ClaimsAreForAll => claimed.lease = Lease::new(epoch, || ()),
                Fault::ClaimsLastForEver => {
                    let lease = std::mem::replace(&mut claimed.lease, Lease::new(epoch, || ()));
                    self.memory().held.push(lease);
                }
                Fault::ClaimsBringNothing => claimed.loaded = Ok(None),
                _ => {}
            }
        }
        MaybeReady::now(Ok(claimed))
    }

    fn release(&self, run: RunId, lease: Lease, release: Release) -> MaybeReady<'_, ()> {
        let release = match (self.fault, release) {
            (Fault::ReleasedRunsAreLost, Release::Later(_)) => {
                Release::Later(Duration::from_secs(1 << 30))
            }
            (Fault::RefusedRunsWait, Release::Refused(_)) => Release::Later(Duration::ZERO),
            (_, release) => release,
        };
        let released = now(self.inner.run_queue().release(run, lease, release));
        match (self.fault, released) {
            (Fault::OldClaimsHold, Err(SaverError::Conflict { .. })) => MaybeReady::now(Ok(())),
            (_, answer) => MaybeReady::now(answer),
        }
    }

    fn stale_runs(&self, graph: &str) -> MaybeReady<'_, Vec<RunRecord>> {
        self.inner.run_queue().stale_runs(graph)
    }

    fn queue_changed(&self) -> MaybeReady<'_, ()> {
        match self.fault {
            Fault::WorkersSleep => MaybeReady::Later(Box::pin(std::future::pending())),
            _ => self.inner.run_queue().queue_changed(),
        }
    }
}

impl Runs for BrokenRuns {
    fn begin_run(&self, mut begin: BeginRun) -> MaybeReady<'_, RunRecord> {
        begin.epoch = self.epoch(&begin.thread, begin.epoch);
        if self.is(Fault::RunsLoseTheirMetadata) && begin.metadata.fits() {
            begin.metadata = Value::Null;
        }
        self.memory().threads.insert(begin.thread.clone());
        let run = begin.run;
        match now(self.inner.runs().begin_run(begin)) {
            Err(SaverError::RunEnded { .. }) if self.is(Fault::EndedRunsBeginAgain) => {
                let known = now(self.inner.runs().load_run(run));
                MaybeReady::now(known.map(|known| known.unwrap()))
            }
            answer => MaybeReady::now(answer),
        }
    }

    fn end_run(&self, mut end: EndRun) -> MaybeReady<'_, ()> {
        end.epoch = self.epoch(&end.thread, end.epoch);
        if self.is(Fault::EndingsAreLost) {
            return MaybeReady::now(Ok(()));
        }
        end.hands_back &= !self.is(Fault::NothingIsHandedBack);
        if self.is(Fault::LosesAlarms) {
            end.alarm = None;
        }
        if self.is(Fault::SleepIsAnEnd) && matches!(end.ending, Ending::Sleeping { .. }) {
            end.ending = Ending::Paused;
        }
        self.inner.runs().end_run(end)
    }

    fn load_run(&self, run: RunId) -> MaybeReady<'_, Option<RunRecord>> {
        let found = now(self.inner.runs().load_run(run)).map(|found| {
            found.map(|mut record| {
                match (self.fault, &record.ending) {
                    (Fault::LostRunsStillRun, Some(Ending::Interrupted)) => record.ending = None,
                    (Fault::LostRunsAreNeverDone, Some(Ending::Done)) => {
                        record.ending = Some(Ending::Interrupted);
                    }
                    (Fault::RunsForgetTheirBase, _) => record.base = None,
                    _ => {}
                }
                record
            })
        });
        MaybeReady::now(found)
    }

    fn load_runs(&self, thread: &ThreadId, query: &RunQuery) -> MaybeReady<'_, Vec<RunRecord>> {
        MaybeReady::now(self.list(thread, query))
    }

    fn interrupted(&self, thread: Option<&ThreadId>) -> MaybeReady<'_, Vec<RunRecord>> {
        match self.fault {
            Fault::NobodyIsCutShort => MaybeReady::now(Ok(Vec::new())),
            _ => self.inner.runs().interrupted(thread),
        }
    }

    fn request_cancel(&self, run: RunId, request: CancelRequest) -> MaybeReady<'_, bool> {
        let waits = || {
            now(self.inner.runs().load_run(run))
                .unwrap()
                .unwrap()
                .epoch
                .is_none()
        };
        if self.is(Fault::CancelsAreForgotten) || self.is(Fault::WaitingRunsStay) && waits() {
            return MaybeReady::now(Ok(true));
        }
        let answer = match (
            self.fault,
            now(self.inner.runs().request_cancel(run, request)),
        ) {
            (Fault::CancelsTheUnknown, Err(SaverError::NoRun { .. })) => Ok(true),
            (Fault::CancelsTheEnded, Ok(false)) => Ok(true),
            (_, answer) => answer,
        };
        MaybeReady::now(answer)
    }

    fn cancel_requested(&self, run: RunId) -> MaybeReady<'_, Option<CancelRequest>> {
        self.inner.runs().cancel_requested(run)
    }

    fn rewind(&self, thread: &ThreadId, epoch: u64, to: CheckpointId) -> MaybeReady<'_, ()> {
        let epoch = self.epoch(thread, epoch);
        match self.fault {
            Fault::RewindsNothing => MaybeReady::now(Ok(())),
            Fault::RewindsEverything => self.inner.runs().rewind(thread, epoch, CheckpointId(0)),
            Fault::RewindIgnoresEpochs => {
                let newest = self.memory().epochs.get(thread).copied();
                self.inner
                    .runs()
                    .rewind(thread, newest.unwrap_or(epoch), to)
            }
            _ => self.inner.runs().rewind(thread, epoch, to),
        }
    }

    fn cancelling(&self, run: RunId) -> MaybeReady<'_, CancelRequest> {
        match self.fault {
            Fault::NobodyIsToldOfCancels => MaybeReady::Later(Box::pin(std::future::pending())),
            _ => self.inner.runs().cancelling(run),
        }
    }

    fn ended(&self, run: RunId) -> MaybeReady<'_, RunRecord> {
        match self.fault {
            Fault::NobodyIsToldOfEndings => MaybeReady::Later(Box::pin(std::future::pending())),
            _ => self.inner.runs().ended(run),
        }
    }
}
