//! A saver that never answers at once passes the kit too, and behaves the same under graphs.

use std::sync::Arc;

use superstep_conformance::saver_kit::check;
use superstep_core::{
    archive::Archive,
    checkpoint::{Loaded, NextRecord},
    clock::UnixMillis,
    error::SaverError,
    event::{Cursor, Logged},
    future::MaybeReady,
    id::{CheckpointId, GraphPath, RunId, ThreadId},
    runs::{BeginRun, CancelRequest, EndRun, RunQuery, RunRecord},
    saver::{
        AfterRuns, At, Commit, Events, HistoryQuery, Keep, Lease, Notes, Retained, Retention,
        RunQueue, Runs, Saver, Schedules, ThreadCounts, ThreadPage, ThreadQuery, ThreadRecords,
    },
};
use superstep_engine::memory::MemorySaver;
use tokio::task::yield_now;

/// The memory saver, with pauses before and after all it does; what it stores is ordered by the
/// calls and not by who awaits them first.
#[derive(Default)]
struct Later(MemorySaver);

fn later<'a, T: Send + 'a>(
    work: impl Future<Output = Result<T, SaverError>> + Send + 'a,
) -> MaybeReady<'a, T> {
    MaybeReady::Later(Box::pin(async move {
        yield_now().await;
        let answer = work.await;
        yield_now().await;
        answer
    }))
}

impl Saver for Later {
    fn lease(&self, thread: &ThreadId) -> MaybeReady<'_, Lease> {
        let thread = thread.clone();
        later(async move { self.0.lease(&thread).await })
    }

    fn load(
        &self,
        thread: &ThreadId,
        namespace: &GraphPath,
        at: At,
    ) -> MaybeReady<'_, Option<Loaded>> {
        let (thread, namespace) = (thread.clone(), namespace.clone());
        later(async move { self.0.load(&thread, &namespace, at).await })
    }

    fn history(
        &self,
        thread: &ThreadId,
        namespace: &GraphPath,
        query: &HistoryQuery,
    ) -> MaybeReady<'_, Vec<Loaded>> {
        let (thread, namespace, query) = (thread.clone(), namespace.clone(), query.clone());
        later(async move { self.0.history(&thread, &namespace, &query).await })
    }

    fn commit(&self, commit: Commit) -> MaybeReady<'_, NextRecord> {
        later(self.0.commit(commit))
    }

    fn note(&self, notes: Notes) -> MaybeReady<'_, ()> {
        later(self.0.note(notes))
    }

    fn log(&self, events: Events) -> MaybeReady<'_, ()> {
        later(self.0.log(events))
    }

    fn events(
        &self,
        thread: &ThreadId,
        after: Option<Cursor>,
        limit: usize,
    ) -> MaybeReady<'_, Vec<Logged>> {
        let thread = thread.clone();
        later(async move { self.0.events(&thread, after, limit).await })
    }

    fn changed(&self, thread: &ThreadId) -> MaybeReady<'_, ()> {
        later(self.0.changed(thread))
    }

    fn threads(&self) -> MaybeReady<'_, Vec<ThreadId>> {
        later(async move { self.0.threads().await })
    }

    fn find_threads(&self, query: &ThreadQuery) -> MaybeReady<'_, ThreadPage> {
        let query = query.clone();
        later(async move { self.0.find_threads(&query).await })
    }

    fn count_threads(&self, query: &ThreadQuery) -> MaybeReady<'_, ThreadCounts> {
        let query = query.clone();
        later(async move { self.0.count_threads(&query).await })
    }

    fn delete(&self, thread: &ThreadId) -> MaybeReady<'_, ()> {
        let thread = thread.clone();
        later(async move { self.0.delete(&thread).await })
    }

    fn copy(&self, from: &ThreadId, to: &ThreadId) -> MaybeReady<'_, ()> {
        let (from, to) = (from.clone(), to.clone());
        later(async move { self.0.copy(&from, &to).await })
    }

    fn prune(&self, thread: &ThreadId, keep: Keep) -> MaybeReady<'_, ()> {
        let thread = thread.clone();
        later(async move { self.0.prune(&thread, keep).await })
    }

    fn export(&self, thread: &ThreadId) -> MaybeReady<'_, Archive> {
        let thread = thread.clone();
        later(async move { self.0.export(&thread).await })
    }

    fn import(&self, thread: &ThreadId, archive: Archive) -> MaybeReady<'_, ()> {
        let thread = thread.clone();
        later(async move { self.0.import(&thread, archive).await })
    }

    fn retain(&self, retention: &Retention, now: UnixMillis) -> MaybeReady<'_, Retained> {
        let retention = *retention;
        later(async move { self.0.retain(&retention, now).await })
    }

    fn now(&self) -> MaybeReady<'_, UnixMillis> {
        later(async move { self.0.now().await })
    }

    fn runs(&self) -> &dyn Runs {
        self
    }

    fn run_queue(&self) -> &dyn RunQueue {
        self.0.run_queue()
    }

    fn schedules(&self) -> &dyn Schedules {
        self.0.schedules()
    }

    fn thread_records(&self) -> &dyn ThreadRecords {
        self.0.thread_records()
    }

    fn after_runs(&self) -> &dyn AfterRuns {
        self.0.after_runs()
    }
}

impl Runs for Later {
    fn begin_run(&self, begin: BeginRun) -> MaybeReady<'_, RunRecord> {
        later(self.0.begin_run(begin))
    }

    fn end_run(&self, end: EndRun) -> MaybeReady<'_, ()> {
        later(self.0.end_run(end))
    }

    fn load_run(&self, run: RunId) -> MaybeReady<'_, Option<RunRecord>> {
        later(async move { self.0.load_run(run).await })
    }

    fn load_runs(&self, thread: &ThreadId, query: &RunQuery) -> MaybeReady<'_, Vec<RunRecord>> {
        let (thread, query) = (thread.clone(), query.clone());
        later(async move { self.0.load_runs(&thread, &query).await })
    }

    fn interrupted(&self, thread: Option<&ThreadId>) -> MaybeReady<'_, Vec<RunRecord>> {
        let thread = thread.cloned();
        later(async move { self.0.interrupted(thread.as_ref()).await })
    }

    fn request_cancel(&self, run: RunId, request: CancelRequest) -> MaybeReady<'_, bool> {
        later(self.0.request_cancel(run, request))
    }

    fn cancel_requested(&self, run: RunId) -> MaybeReady<'_, Option<CancelRequest>> {
        later(async move { self.0.cancel_requested(run).await })
    }

    fn rewind(&self, thread: &ThreadId, epoch: u64, to: CheckpointId) -> MaybeReady<'_, ()> {
        let thread = thread.clone();
        later(async move { self.0.rewind(&thread, epoch, to).await })
    }

    fn cancelling(&self, run: RunId) -> MaybeReady<'_, CancelRequest> {
        later(self.0.cancelling(run))
    }

    fn ended(&self, run: RunId) -> MaybeReady<'_, RunRecord> {
        later(self.0.ended(run))
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_saver_that_answers_later_passes_the_kit() {
    let report =
        check(|| Box::pin(async { Ok(Arc::new(Later::default()) as Arc<dyn Saver>) })).await;
    assert!(report.passed(), "{report}");
}
