//! Work after runs in a saver: claimed by one process at a time.
//!
//! What there is to do, and the rules for it, is in [`crate::runs`].

use std::time::Duration;

use super::MaybeReady;
use crate::{
    id::RunId,
    runs::{AfterClaim, AfterRun, ReadAlong},
};

/// Keeps what is to be done after runs. [`super::Saver::after_runs`] returns it.
///
/// It comes with a run into the queue ([`crate::runs::EnqueueRun`]) and goes with the record of the run. A record that has work
/// left is not pruned.
pub trait AfterRuns: Send + Sync {
    /// Claims work that is due after runs that have ended, at most `limit`, the longest due first; durable when the reply comes.
    fn claim_after(&self, limit: usize, lease: Duration) -> MaybeReady<'_, Vec<AfterClaim>>;

    /// Makes a claim last longer from now. One that does not hold any more is [`super::SaverError::Conflict`].
    fn renew_after(&self, claim: &AfterClaim, lease: Duration) -> MaybeReady<'_, ()>;

    /// Gives a claim back with what is left to do, due after a while; durable when the reply comes. One that does not hold any
    /// more is [`super::SaverError::Conflict`].
    fn settle_after(
        &self,
        claim: &AfterClaim,
        left: AfterRun,
        wait: Duration,
    ) -> MaybeReady<'_, ()>;

    /// Marks a reader of a run, or renews its mark. Returns whether the thread of the run goes with it and is held up by that.
    fn read_along(&self, run: RunId, along: ReadAlong) -> MaybeReady<'_, bool>;

    /// Removes the mark of a reader, and claims the work after the run if that is due then.
    fn leave(&self, run: RunId, reader: u64, lease: Duration)
    -> MaybeReady<'_, Option<AfterClaim>>;
}
