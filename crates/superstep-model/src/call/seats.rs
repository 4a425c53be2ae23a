//! How many calls of a model run at once, and how fast they may begin. First come, first served.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    time::{Instant, sleep_until},
};

const MINUTE: Duration = Duration::from_secs(60);

pub(super) struct Seats {
    free: Arc<Semaphore>,
    pace: Option<Pace>,
}

/// A place among the calls that run; dropping it lets the next one in.
pub(super) struct Seat {
    _permit: Option<OwnedSemaphorePermit>,
}

impl Seats {
    pub(super) fn new(at_once: usize, per_minute: Option<u32>) -> Self {
        let seats = at_once.clamp(1, Semaphore::MAX_PERMITS);
        Self {
            free: Arc::new(Semaphore::new(seats)),
            pace: per_minute.map(|most| Pace {
                most: most.max(1) as usize,
                begun: Mutex::default(),
            }),
        }
    }

    /// Waits for a place. Leaving the line gives the turn to the next.
    pub(super) async fn take(&self) -> Seat {
        // It is never closed.
        let permit = Arc::clone(&self.free).acquire_owned().await.ok();
        Seat { _permit: permit }
    }

    /// Waits until another attempt may begin.
    pub(super) async fn pace(&self) {
        if let Some(pace) = &self.pace {
            pace.wait().await;
        }
    }
}

/// When the attempts of the last minute began, and those to come that have their turn.
struct Pace {
    most: usize,
    begun: Mutex<VecDeque<Instant>>,
}

impl Pace {
    async fn wait(&self) {
        let mut turn = self.turn();
        sleep_until(turn.at).await;
        turn.taken = true;
    }

    fn turn(&self) -> Turn<'_> {
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
        Turn {
            pace: self,
            at,
            taken: false,
        }
    }

    fn begun(&self) -> MutexGuard<'_, VecDeque<Instant>> {
        self.begun.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

struct Turn<'a> {
    pace: &'a Pace,
    at: Instant,
    taken: bool,
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        if self.taken {
            return;
        }
        let mut begun = self.pace.begun();
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
        let seats = Seats::new(8, Some(3));
        let began = Instant::now();
        let mut times = Vec::new();
        for _ in 0..7 {
            seats.pace().await;
            times.push(began.elapsed().as_secs());
        }
        assert_eq!(times, [0, 0, 0, 60, 60, 60, 120]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_turn_that_is_given_up_is_free_again() {
        let seats = Seats::new(8, Some(1));
        let began = Instant::now();
        seats.pace().await;
        let soon = Duration::from_secs(1);
        assert!(tokio::time::timeout(soon, seats.pace()).await.is_err());
        seats.pace().await;
        assert_eq!(began.elapsed().as_secs(), 60);
    }
}
