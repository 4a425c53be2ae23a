//! What a server counts.

use std::sync::atomic::AtomicU64;

/// What is counted, since the server started.
#[derive(Default)]
pub(crate) struct Counts {
    /// Runs that clients and schedules were told are accepted.
    pub(crate) accepted: AtomicU64,
    /// Runs that the worker began, those it began again included.
    pub(crate) begun: AtomicU64,
    /// Runs that the worker had to their end.
    pub(crate) worked: AtomicU64,
    /// Schedules whose next time was too far away, as a clock that was ahead had recorded it.
    pub(crate) corrected: AtomicU64,
}
