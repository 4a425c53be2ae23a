//! Time as savers and stores see it, injected so that tests and simulations own it.

use std::sync::{
    Arc,
    atomic::{AtomicI64, Ordering},
};
use std::time::Duration;

/// Milliseconds since the Unix epoch.
pub type UnixMillis = i64;

/// Microseconds since the Unix epoch.
pub type UnixMicros = i64;

/// A source of the current time.
pub trait Clock: Send + Sync {
    /// The current time.
    fn now(&self) -> UnixMillis;
}

impl<C: Clock + ?Sized> Clock for Arc<C> {
    fn now(&self) -> UnixMillis {
        (**self).now()
    }
}

/// A clock that moves only by hand.
#[derive(Debug, Default)]
pub struct ManualClock(AtomicI64);

impl ManualClock {
    /// A clock at `now`.
    pub fn at(now: UnixMillis) -> Self {
        Self(AtomicI64::new(now))
    }

    /// Moves the clock forward.
    pub fn advance(&self, by: Duration) {
        self.0.fetch_add(millis(by), Ordering::SeqCst);
    }
}

impl Clock for ManualClock {
    fn now(&self) -> UnixMillis {
        self.0.load(Ordering::SeqCst)
    }
}

/// The moment something with this time to live is gone: it is absent from then on, inclusive.
pub fn expiry(now: UnixMillis, ttl: Duration) -> UnixMillis {
    now.saturating_add(millis(ttl))
}

fn millis(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manual_clock_moves_only_when_told() {
        let clock = ManualClock::at(5);
        assert_eq!(clock.now(), 5);
        clock.advance(Duration::from_millis(7));
        assert_eq!(clock.now(), 12);
    }

    #[test]
    fn the_longest_ttl_saturates() {
        assert_eq!(expiry(1, Duration::MAX), i64::MAX);
    }
}
