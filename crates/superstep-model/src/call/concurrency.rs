//! Concurrency limit and rate limit of a model. Waiting calls are served in order.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard},
    time::Duration,
};
use superstep_core::sync::lock;

use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    time::{Instant, sleep_until},
};

const MINUTE: Duration = Duration::from_secs(60);

pub(super) struct ConcurrencyLimit {
    free: Arc<Semaphore>,
    rate: Option<RateLimit>,
}

/// The right to run a call; dropping it lets the next call start.
pub(super) struct Permit {
    _permit: Option<OwnedSemaphorePermit>,
}

impl ConcurrencyLimit {
    pub(super) fn new(at_once: usize, per_minute: Option<u32>) -> Self {
        let permits = at_once.clamp(1, Semaphore::MAX_PERMITS);
        Self {
            free: Arc::new(Semaphore::new(permits)),
            rate: per_minute.map(|most| RateLimit {
                most: most.max(1) as usize,
                begun: Mutex::default(),
            }),
        }
    }

    /// Waits for a permit. A call that gives up waiting loses its place in the queue.
    pub(super) async fn acquire(&self) -> Permit {
        // It is never closed.
        let permit = Arc::clone(&self.free).acquire_owned().await.ok();
        Permit { _permit: permit }
    }

    /// Waits until the rate limit permits another attempt.
    pub(super) async fn throttle(&self) {
        if let Some(rate) = &self.rate {
            rate.wait().await;
        }
    }
}

/// Start times of the attempts of the last minute, and of those that wait for their start.
struct RateLimit {
    most: usize,
    begun: Mutex<VecDeque<Instant>>,
}

impl RateLimit {
    async fn wait(&self) {
        let mut slot = self.reserve();
        sleep_until(slot.at).await;
        slot.used = true;
    }

    fn reserve(&self) -> StartSlot<'_> {
        let now = Instant::now();
        let mut begun = self.begun();
        while begun.front().is_some_and(|first| *first + MINUTE <= now) {
            begun.pop_front();
        }
        // The one that is `most` places before this one must be a minute ago.
        let before = begun.len().checked_sub(self.most);
        let before = before.and_then(|place| begun.get(place));
        let at = before.map_or(now, |before| *before + MINUTE);
        begun.push_back(at);
        StartSlot {
            rate: self,
            at,
            used: false,
        }
    }

    fn begun(&self) -> MutexGuard<'_, VecDeque<Instant>> {
        lock(&self.begun)
    }
}

/// A start time; dropping it unused frees it.
struct StartSlot<'a> {
    rate: &'a RateLimit,
    at: Instant,
    used: bool,
}

impl Drop for StartSlot<'_> {
    fn drop(&mut self) {
        if self.used {
            return;
        }
        let mut begun = self.rate.begun();
        if let Some(place) = begun.iter().rposition(|at| *at == self.at) {
            begun.remove(place);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn no_minute_has_more_than_the_limit() {
        let limit = ConcurrencyLimit::new(8, Some(3));
        let began = Instant::now();
        let mut times = Vec::new();
        for _ in 0..7 {
            limit.throttle().await;
            times.push(began.elapsed().as_secs());
        }
        assert_eq!(times, [0, 0, 0, 60, 60, 60, 120]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_turn_that_is_given_up_is_free_again() {
        let limit = ConcurrencyLimit::new(8, Some(1));
        let began = Instant::now();
        limit.throttle().await;
        let soon = Duration::from_secs(1);
        assert!(tokio::time::timeout(soon, limit.throttle()).await.is_err());
        limit.throttle().await;
        assert_eq!(began.elapsed().as_secs(), 60);
    }
}
