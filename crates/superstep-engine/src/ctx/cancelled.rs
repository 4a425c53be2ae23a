//! What a task sees of the end of its run before its time, and how it gets time for it.

use superstep_core::error::ErrorKind;

use super::DynCtx;
use superstep_core::sync::lock;

impl DynCtx {
    /// Ready once the run was cancelled or its deadline has passed; never otherwise.
    ///
    /// Then a task is dropped where it waits, and with it the requests and child processes that it
    /// holds. One that waits for this as well is notified instead, and has
    /// [`RunOptions::grace`](crate::RunOptions::grace) to clean up and return. What it returns then is
    /// kept if it is a result; an error is not recorded, and the task runs again when the thread
    /// resumes.
    ///
    /// ```
    /// # use superstep_core::run::Halt;
    /// # use superstep_engine::DynCtx;
    /// # struct Job;
    /// # impl Job { async fn done(&mut self) -> u32 { 7 } async fn abandon(self) -> u32 { 0 } }
    /// # async fn node(ctx: DynCtx, mut job: Job) -> Result<u32, Halt> {
    /// tokio::select! {
    ///     result = job.done() => return Ok(result),
    ///     () = ctx.cancelled() => {}
    /// }
    /// Ok(job.abandon().await)
    /// # }
    /// ```
    pub async fn cancelled(&self) {
        let waiting = self.unfinished();
        self.hidden(self.0.step.env.stop.sent()).await;
        // Once notified, it stays so until it returns.
        lock(&self.0.progress).notified = true;
        drop(waiting);
    }

    /// Whether the run was cancelled or its deadline has passed. For loops that do not wait for
    /// anything, such as those on the blocking pool, which nobody can drop.
    pub fn is_cancelled(&self) -> bool {
        let stopped = self.0.step.env.stop.why().is_some();
        if stopped {
            lock(&self.0.progress).notified = true;
        }
        stopped
    }

    /// Why the run is to end, if the task does not know that yet.
    pub(super) fn unnotified_end(&self) -> Option<ErrorKind> {
        let why = self.0.step.env.stop.why()?;
        (!lock(&self.0.progress).notified).then(|| why.clone())
    }

    /// Gives the task time to end when its run is ended before its time, while this lives.
    pub(crate) fn unfinished(&self) -> Unfinished<'_> {
        lock(&self.0.progress).unfinished += 1;
        Unfinished(self)
    }

    /// Whether the task is given time to end.
    pub(crate) fn has_grace(&self) -> bool {
        let progress = lock(&self.0.progress);
        progress.notified || progress.unfinished > 0 || progress.inside > 0
    }

    /// Says that a graph runs inside the task, which ends its own tasks.
    pub(crate) fn runs_inside(&self) -> RunsInside<'_> {
        lock(&self.0.progress).inside += 1;
        RunsInside(self)
    }

    /// Whether a graph runs inside the task.
    pub(crate) fn has_inside(&self) -> bool {
        lock(&self.0.progress).inside > 0
    }
}

/// Something that a task should not be dropped in the middle of.
pub(crate) struct Unfinished<'a>(&'a DynCtx);

impl Drop for Unfinished<'_> {
    fn drop(&mut self) {
        let mut progress = lock(&self.0.0.progress);
        progress.unfinished = progress.unfinished.saturating_sub(1);
    }
}

/// A graph that runs inside a task.
pub(crate) struct RunsInside<'a>(&'a DynCtx);

impl Drop for RunsInside<'_> {
    fn drop(&mut self) {
        let mut progress = lock(&self.0.0.progress);
        progress.inside = progress.inside.saturating_sub(1);
    }
}
