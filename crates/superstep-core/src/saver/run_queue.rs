//! The queue of runs in a saver: runs that wait for a worker of whatever process.
//!
//! What a queued run holds, and the rules for it, is in [`crate::runs`].

use std::time::Duration;

use super::MaybeReady;
use crate::{
    event::Ending,
    runs::{Claim, ClaimRuns, EnqueueRun, RunRecord},
};

/// Keeps runs until a worker takes them. [`super::Saver::run_queue`] gives it.
///
/// The queue needs no recovery of its own: a claim ends with its time, and a run that was cut short is
/// in the queue again as soon as the lease of its thread is gone, until its attempts are used up.
pub trait RunQueue: Send + Sync {
    /// Puts a run into the queue; durable when the reply comes. If the thread has a run that has not
    /// ended, [`crate::runs::OnBusy`] decides: refused with [`super::SaverError::Busy`], or the others
    /// are asked to cancel. A run of this id is [`super::SaverError::RunEnded`]. A stamp that is refused
    /// ([`StampThread::apply`](crate::thread_record::StampThread::apply)) refuses the run.
    fn enqueue(&self, run: EnqueueRun) -> MaybeReady<'_, RunRecord>;

    /// Claims the run that is due longest and whose thread is free: nobody has leased it, and no other
    /// run of it is claimed. Runs of one thread are claimed in the order they came. Durable when the
    /// reply comes.
    fn claim(&self, claim: &ClaimRuns) -> MaybeReady<'_, Option<Claim>>;

    /// Makes a claim last longer from now. One that does not hold any more is
    /// [`super::SaverError::Conflict`], also for the methods below.
    fn renew(&self, claim: &Claim, lease: Duration) -> MaybeReady<'_, ()>;

    /// Gives a run back to the queue, due after a while. It keeps its base.
    fn release(&self, claim: &Claim, after: Duration) -> MaybeReady<'_, ()>;

    /// Ends a run that cannot begin.
    fn refuse(&self, claim: &Claim, ending: Ending) -> MaybeReady<'_, ()>;

    /// Answers once there may be something new to claim, and now and then; runs that come due later
    /// are for the caller to look for.
    fn queue_changed(&self) -> MaybeReady<'_, ()>;
}
