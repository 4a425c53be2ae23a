//! The queue of runs in a saver: runs that wait for a worker of whatever process.
//!
//! What a queued run holds, and the rules for it, is in [`crate::runs`].

use super::{Lease, Loaded, MaybeReady};
use crate::{
    error::SaverError,
    id::RunId,
    runs::{ClaimRuns, EnqueueRun, Release, RunRecord},
};

/// A run that a worker has claimed.
#[derive(Debug)]
pub struct Claimed {
    /// The run, which has begun.
    pub record: RunRecord,
    /// The lease of its thread.
    pub lease: Lease,
    /// The newest checkpoint of the thread's own graph. A thread that cannot be read fails its own run alone.
    pub loaded: Result<Option<Loaded>, SaverError>,
    /// Whether other runs of the thread wait. Those that sleep give way to this one once it begins, which
    /// [`super::Runs::begin_run`] records.
    pub others_wait: bool,
}

impl Claimed {
    /// The newest checkpoint of the thread's own graph, if it can be read.
    pub fn newest(&self) -> Option<&Loaded> {
        self.loaded.as_ref().ok()?.as_ref()
    }
}

/// Keeps runs until a worker takes them. [`super::Saver::run_queue`] gives it.
///
/// The queue needs no recovery of its own: a run that was cut short is in the queue again as soon as the
/// lease of its thread is gone, until its attempts are used up.
pub trait RunQueue: Send + Sync {
    /// Puts a run into the queue; durable when the reply comes. If the thread has a run that has not
    /// ended, [`crate::runs::OnBusy`] decides: refused with [`super::SaverError::Busy`], or the others
    /// are asked to cancel. A run of this id is [`super::SaverError::RunEnded`]. A stamp that is refused
    /// ([`StampThread::apply`](crate::thread_record::StampThread::apply)) refuses the run.
    fn enqueue(&self, run: EnqueueRun) -> MaybeReady<'_, RunRecord>;

    /// Claims runs that are due and whose threads are free: not leased, and no run of them is under way.
    /// Each has begun under the lease of its thread when the reply comes, in one write for all of them
    /// if the storage can do that. As durable as the next thing that is stored.
    ///
    /// Runs of the owner with the fewest runs under way come first ([`crate::runs::FairShares`]), of one
    /// owner those that are due longest, of one thread those that came first.
    fn claim(&self, claim: &ClaimRuns) -> MaybeReady<'_, Vec<Claimed>>;

    /// Gives back a claimed run that does not begin after all, without counting the attempt, and ends its
    /// lease, which ends in any case. Durable when the reply comes. A run that does not run under this
    /// lease is [`super::SaverError::Conflict`].
    fn release(&self, run: RunId, lease: Lease, release: Release) -> MaybeReady<'_, ()>;

    /// The runs of a graph that wait for a worker of another version
    /// ([`RunRecord::is_stale`]), in no particular order.
    fn stale_runs(&self, graph: &str) -> MaybeReady<'_, Vec<RunRecord>>;

    /// Answers once there may be something new to claim, and now and then; runs that come due later
    /// are for the caller to look for.
    fn queue_changed(&self) -> MaybeReady<'_, ()>;
}
