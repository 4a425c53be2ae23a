//! The runs of threads: how they are, cancelling them from anywhere, and continuing those that were
//! cut short.

use superstep_core::{
    checkpoint::Loaded,
    error::{Error, ErrorKind, SaverError},
    id::{CheckpointId, GraphPath, RunId, ThreadId},
    record::Source,
    run::RunInput,
    runs::{Cancel, CancelRequest, RunQuery, RunRecord, RunStatus},
    saver::At,
};

use crate::{
    graph::DynGraph, options::RunOptions, running::DynRunning, state::Depth, take_back::take_back,
};

/// What [`DynGraph::resume_interrupted`] did.
#[derive(Debug)]
#[non_exhaustive]
pub struct Recovery<R = DynRunning> {
    /// The runs that continue what was cut short.
    pub started: Vec<R>,
    /// The threads that could not be continued, and why. They stay as they are. SS1101 says that the
    /// run had stored nothing yet, so that its input is lost; nobody learnt that it had begun.
    pub failed: Vec<(ThreadId, Error)>,
}

impl<R> Default for Recovery<R> {
    fn default() -> Self {
        Self {
            started: Vec::new(),
            failed: Vec::new(),
        }
    }
}

impl DynGraph {
    /// A run, if there is one of this id on the graph's saver. One whose process is gone is shown as
    /// interrupted.
    pub async fn find_run(&self, run: RunId) -> Result<Option<RunRecord>, Error> {
        Ok(self.saver()?.runs().load_run(run).await?)
    }

    /// The runs of a thread, newest first.
    pub async fn runs(
        &self,
        thread: impl Into<ThreadId>,
        query: &RunQuery,
    ) -> Result<Vec<RunRecord>, Error> {
        let thread = thread.into();
        Ok(self.saver()?.runs().load_runs(&thread, query).await?)
    }

    /// The run that made a checkpoint of the thread's own graph, with its metadata; nothing if none did
    /// (an edit), or if an earlier version stored it.
    pub async fn run_of(
        &self,
        thread: impl Into<ThreadId>,
        checkpoint: CheckpointId,
    ) -> Result<Option<RunRecord>, Error> {
        let runs = self.runs(thread, &RunQuery::default()).await?;
        // Newest first: what was made later has greater ids.
        let mut began = runs.into_iter().filter(|run| run.started.is_some());
        Ok(began.find(|run| run.made(checkpoint)))
    }

    /// What is going on with a thread, by its newest run. A thread of an earlier version
    /// has no runs on record; what it holds decides.
    pub async fn status(&self, thread: impl Into<ThreadId>) -> Result<RunStatus, Error> {
        let thread = thread.into();
        let newest = RunQuery {
            limit: Some(1),
            ..RunQuery::default()
        };
        let runs = self.saver()?.runs().load_runs(&thread, &newest).await?;
        if let Some(run) = runs.first() {
            return Ok(run.thread_status());
        }
        let state = self.state(&thread, None, Depth::Here).await?;
        if state.checkpoint.is_none() {
            return Err(SaverError::NoThread { thread }.into());
        }
        let failed = state.tasks.iter().any(|task| task.error.is_some());
        let asks = state.asks().next().is_some();
        let by_run = matches!(state.origin, Some((Source::Input | Source::Loop, _)));
        Ok(match (state.next.is_empty(), asks, failed) {
            (true, ..) => RunStatus::Idle,
            (false, true, _) => RunStatus::Waiting,
            (false, false, true) => RunStatus::Failed,
            (false, false, false) if by_run => RunStatus::Interrupted,
            // Somebody edited or forked it, and it waits to be continued.
            (false, false, false) => RunStatus::Paused,
        })
    }

    /// Asks to cancel a run of this or any other process; durable when it returns. Returns whether
    /// the run had not ended yet. The run notices within a second, and then ends as
    /// [`DynRunning::cancel`] says; [`DynGraph::follow_run`] shows when it has.
    pub async fn cancel(&self, run: RunId, reason: impl Into<String>) -> Result<bool, Error> {
        self.cancel_with(run, Cancel::Now, reason).await
    }

    /// [`DynGraph::cancel`], in another way.
    pub async fn cancel_with(
        &self,
        run: RunId,
        how: Cancel,
        reason: impl Into<String>,
    ) -> Result<bool, Error> {
        let saver = self.saver()?;
        let request = CancelRequest {
            how,
            reason: reason.into(),
            at: saver.now().await?,
        };
        let is_open = saver.runs().request_cancel(run, request).await?;
        if is_open && how.undoes() {
            self.undo_slept(run, how).await?;
        }
        Ok(is_open)
    }

    /// Undoes what a run stored that slept when it was cancelled: no process has it that would. If another run has
    /// the thread already, the thread keeps it.
    async fn undo_slept(&self, run: RunId, how: Cancel) -> Result<(), Error> {
        let saver = self.saver()?;
        let record = saver.runs().load_run(run).await?;
        let slept = |it: &RunRecord| it.sleep.is_some() && it.status() == RunStatus::Cancelled;
        let Some(record) = record.filter(slept) else {
            return Ok(());
        };
        let lease = match saver.lease(&record.thread).await {
            Err(SaverError::Busy { .. }) => return Ok(()),
            lease => lease?,
        };
        let root = GraphPath::default();
        let loaded = saver.load(&record.thread, &root, At::Latest).await?;
        let head = loaded.as_ref().and_then(Loaded::head).map(|head| head.id);
        if record.is_to_be_undone(head) {
            let own = Some(self).filter(|_| record.graph == self.0.plan.name);
            take_back(own, saver, &record, lease.epoch, how).await?;
        }
        lease.end().await;
        Ok(())
    }

    /// The runs of this graph that were cut short and that nobody has continued: their process was
    /// killed, or they were dropped. Their endings are written, if nobody has yet.
    pub async fn interrupted_runs(&self) -> Result<Vec<RunRecord>, Error> {
        let mut found = self.saver()?.runs().interrupted(None).await?;
        found.retain(|run| run.graph == self.0.plan.name);
        Ok(found)
    }

    /// The threads of this graph whose newest run was cut short.
    pub async fn interrupted_threads(&self) -> Result<Vec<ThreadId>, Error> {
        let runs = self.interrupted_runs().await?;
        Ok(runs.into_iter().map(|run| run.thread).collect())
    }

    /// Continues all threads of this graph whose newest run was cut short, each in a run of its own.
    /// A service calls this when it starts. One that another process continues meanwhile is left
    /// to it; so several may call it at once.
    ///
    /// Each runs with the context, the caller and the options it was started with; `options` say what this
    /// process wants to see of it. A run of a context that could not be stored is not continued (SS1123).
    pub async fn resume_interrupted(&self, options: &RunOptions) -> Result<Recovery, Error> {
        let mut recovery = Recovery::default();
        for run in self.interrupted_runs().await? {
            let options = options.for_interrupted(&run);
            match self.start(RunInput::Nothing, &options).await {
                Ok(started) => recovery.started.push(started),
                Err(error) if is_busy(&error) => {}
                Err(error) => recovery.failed.push((run.thread, error)),
            }
        }
        Ok(recovery)
    }
}

fn is_busy(error: &Error) -> bool {
    matches!(&*error.kind, ErrorKind::Saver(SaverError::Busy { .. }))
}
