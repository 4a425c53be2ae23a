//! Runs in a saver: who runs what on which thread, how it ended, and who wants it cancelled.
//!
//! What a record of a run holds, and the rules for it, is in [`crate::runs`].

use super::{Lease, MaybeReady};
use crate::{
    id::{CheckpointId, RunId, ThreadId},
    runs::{BeginRun, CancelRequest, EndRun, RunQuery, RunRecord},
};

/// Keeps records of runs. [`super::Saver::runs`] gives it.
///
/// Records belong to their thread: they go when it is deleted, and when all that they stored is
/// pruned; a copy or an archive of a thread has none. They alone do not make a thread that is listed.
///
/// A run whose lease is gone and that has no ending was cut short. Every method shows it with the
/// ending that [`RunRecord::end_lost`] gives it; [`Runs::begin_run`] and [`Runs::interrupted`] write it.
pub trait Runs: Send + Sync {
    /// Records that a run begins under a lease, and ends what runs of the thread before it left open.
    /// A run that began before and did not end begins again: it keeps its base, and counts an attempt.
    ///
    /// An epoch that is not the newest lease's is [`super::SaverError::Conflict`], a run that has
    /// ended or that belongs to another thread [`super::SaverError::RunEnded`]. As durable as the next
    /// thing that is stored.
    fn begin_run(&self, begin: BeginRun) -> MaybeReady<'_, RunRecord>;

    /// Records how a run ended. As durable as the next thing that is stored: a run whose ending is
    /// lost in a power cut has the ending that its checkpoints show.
    ///
    /// A run that does not run under this lease is [`super::SaverError::Conflict`], an unknown one
    /// [`super::SaverError::NoRun`].
    fn end_run(&self, end: EndRun) -> MaybeReady<'_, ()>;

    /// Records how a run ended, then ends the lease it ran under, which ends in any case. A storage that can
    /// do both in one write does.
    fn end_run_and_lease(&self, end: EndRun, lease: Lease) -> MaybeReady<'_, ()> {
        MaybeReady::Later(Box::pin(async move {
            let ended = self.end_run(end).await;
            lease.end().await;
            ended
        }))
    }

    /// A run, if there is one of this id.
    fn load_run(&self, run: RunId) -> MaybeReady<'_, Option<RunRecord>>;

    /// The runs of a thread, newest first.
    fn load_runs(&self, thread: &ThreadId, query: &RunQuery) -> MaybeReady<'_, Vec<RunRecord>>;

    /// The runs that were cut short and that no later run followed, of a thread or of all: what a
    /// recovery continues. Writes their endings, unless the storage is read-only.
    fn interrupted(&self, thread: Option<&ThreadId>) -> MaybeReady<'_, Vec<RunRecord>>;

    /// Asks to cancel a run, from whatever process; durable when the reply comes. Returns whether the
    /// run has not ended yet. The first request stays. An unknown run is [`super::SaverError::NoRun`].
    fn request_cancel(&self, run: RunId, request: CancelRequest) -> MaybeReady<'_, bool>;

    /// The request to cancel a run, if there is one. An unknown run is [`super::SaverError::NoRun`].
    fn cancel_requested(&self, run: RunId) -> MaybeReady<'_, Option<CancelRequest>>;

    /// Undoes what was stored on a leased thread after an id: checkpoints of all its graphs with a greater
    /// one are gone, and what they noted of tasks before them. A thread that has none left is listed no
    /// more. Records of runs and the log of events stay. All of it or nothing, durable when the reply
    /// comes.
    ///
    /// An epoch that is not the newest lease's is [`super::SaverError::Conflict`].
    fn rewind(&self, thread: &ThreadId, epoch: u64, to: CheckpointId) -> MaybeReady<'_, ()>;

    /// Answers with the record once the run has ended, in whatever process it is. A run that was cut short
    /// and is not in the queue again has ended. An unknown run is [`super::SaverError::NoRun`], and so is
    /// one that is deleted meanwhile.
    fn ended(&self, run: RunId) -> MaybeReady<'_, RunRecord>;

    /// Answers once there is a request to cancel the run, which may be never; at once if there is one.
    /// An unknown run is [`super::SaverError::NoRun`].
    fn cancelling(&self, run: RunId) -> MaybeReady<'_, CancelRequest>;
}
