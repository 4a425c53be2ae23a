//! Deadlines that cannot overflow.

use std::time::Duration;

use tokio::time::Instant;

/// Far enough to mean never, and near enough for every clock.
const NEVER: Duration = Duration::from_secs(30 * 365 * 86_400);

/// That much later. Settings may say any time, so what is too far is never.
pub(super) fn after(from: Instant, time: Duration) -> Instant {
    from + time.min(NEVER)
}
