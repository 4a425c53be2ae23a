//! Exponential backoff with jitter, a limit on attempts, and `Retry-After`.

use std::{
    sync::{Mutex, PoisonError},
    time::Duration,
};

/// How often something is tried, and how long to wait between attempts.
///
/// ```
/// use std::time::Duration;
/// use superstep_http::{Backoff, Jitter};
///
/// let backoff = Backoff { attempts: 3, jitter: Jitter::None, ..Backoff::default() };
/// let rng = backoff.rng();
/// assert_eq!(backoff.wait(1, None, &rng), Some(Duration::from_millis(500)));
/// assert_eq!(backoff.wait(2, None, &rng), Some(Duration::from_secs(1)));
/// assert_eq!(backoff.wait(3, None, &rng), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backoff {
    /// Attempts in all; at least one.
    pub attempts: u32,
    /// The delay after the first attempt.
    pub initial: Duration,
    /// How many times longer the delay is after each further attempt.
    pub factor: u32,
    /// The longest delay that the server did not ask for.
    pub cap: Duration,
    /// How much chance there is in a delay.
    pub jitter: Jitter,
    /// What is made of the delay that a server asks for.
    pub retry_after: RetryAfter,
    /// Makes the delays repeatable; they are random without it.
    pub seed: Option<u64>,
}

/// How much chance there is in a delay, so that clients do not return all at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Jitter {
    /// The delay as it is.
    None,
    /// Anything from nothing to the delay.
    Full,
    /// The delay and up to a half of it more.
    Half,
}

/// What is made of a `Retry-After`.
///
/// ```
/// use std::time::Duration;
/// use superstep_http::RetryAfter;
///
/// let minute = Duration::from_secs(60);
/// let hour = 60 * minute;
/// assert_eq!(RetryAfter::GiveUpAbove(minute).apply(hour), None);
/// assert_eq!(RetryAfter::ClampTo(minute).apply(hour), Some(minute));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RetryAfter {
    /// It is waited for; a longer one ends the attempts.
    GiveUpAbove(Duration),
    /// It is waited for, but no longer than this.
    ClampTo(Duration),
}

impl Default for Backoff {
    /// Three attempts, half a second to 20 seconds apart, full jitter; a server may ask for a
    /// minute.
    fn default() -> Self {
        Self {
            attempts: 3,
            initial: Duration::from_millis(500),
            factor: 2,
            cap: Duration::from_secs(20),
            jitter: Jitter::Full,
            retry_after: RetryAfter::GiveUpAbove(Duration::from_secs(60)),
            seed: None,
        }
    }
}

impl Backoff {
    /// How long to wait before another attempt, after so many; nothing if there is to be none.
    pub fn wait(&self, tried: u32, asked: Option<Duration>, rng: &Rng) -> Option<Duration> {
        if tried >= self.attempts.max(1) {
            return None;
        }
        match asked {
            Some(asked) => self.retry_after.apply(asked),
            None => Some(rng.jitter(self.jitter, self.delay(tried)).min(self.cap)),
        }
    }

    /// The delay after so many attempts, without jitter.
    pub fn delay(&self, tried: u32) -> Duration {
        let times = self.factor.checked_pow(tried.saturating_sub(1));
        let grown = times.and_then(|times| self.initial.checked_mul(times));
        grown.unwrap_or(self.cap).min(self.cap)
    }

    /// The randomness of its delays.
    pub fn rng(&self) -> Rng {
        Rng::new(self.seed)
    }
}

impl RetryAfter {
    /// How long is waited if the server asks for this long; nothing if that is too long.
    pub fn apply(self, asked: Duration) -> Option<Duration> {
        match self {
            Self::GiveUpAbove(most) => (asked <= most).then_some(asked),
            Self::ClampTo(most) => Some(asked.min(most)),
        }
    }
}

/// The randomness of delays; it can be shared.
#[derive(Debug)]
pub struct Rng(Mutex<fastrand::Rng>);

impl Rng {
    /// The same sequence for the same seed.
    pub fn new(seed: Option<u64>) -> Self {
        let rng = seed.map_or_else(fastrand::Rng::new, fastrand::Rng::with_seed);
        Self(Mutex::new(rng))
    }

    fn jitter(&self, jitter: Jitter, delay: Duration) -> Duration {
        match jitter {
            Jitter::None => delay,
            Jitter::Full => self.up_to(delay),
            Jitter::Half => delay.saturating_add(self.up_to(delay / 2)),
        }
    }

    /// A time up to `most`, all as likely.
    fn up_to(&self, most: Duration) -> Duration {
        let most = u64::try_from(most.as_nanos()).unwrap_or(u64::MAX);
        let mut rng = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Duration::from_nanos(rng.u64(..=most))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_stay_below_their_ceiling_and_fill_it() {
        let backoff = Backoff {
            attempts: u32::MAX,
            ..Backoff::default()
        };
        for seed in 0..64 {
            let rng = Rng::new(Some(seed));
            for tried in [1, 2, 3, 6, 7, 31, 32, 33, 1_000_000] {
                let ceiling = (0.5 * 2_f64.powi(tried as i32 - 1)).min(20.0);
                let waits: Vec<f64> = (0..200)
                    .filter_map(|_| backoff.wait(tried, None, &rng))
                    .map(|wait| wait.as_secs_f64())
                    .collect();
                assert_eq!(waits.len(), 200);
                let is_below = waits.iter().all(|wait| *wait <= ceiling);
                assert!(is_below, "seed {seed} at {tried}");
                let share = waits.iter().sum::<f64>() / 200.0 / ceiling;
                assert!(
                    (0.35..0.65).contains(&share),
                    "seed {seed} at {tried}: {share}"
                );
            }
        }
    }

    #[test]
    fn half_a_jitter_only_adds_and_the_cap_holds() {
        let backoff = Backoff {
            attempts: 9,
            jitter: Jitter::Half,
            cap: Duration::from_secs(1),
            ..Backoff::default()
        };
        let rng = backoff.rng();
        for _ in 0..200 {
            let first = backoff.wait(1, None, &rng).unwrap_or_default();
            let (least, most) = (Duration::from_millis(500), Duration::from_millis(750));
            assert!((least..=most).contains(&first), "{first:?}");
            assert_eq!(backoff.wait(5, None, &rng), Some(backoff.cap));
        }
    }

    #[test]
    fn the_same_seed_waits_the_same() {
        let waits = |seed| {
            let rng = Rng::new(Some(seed));
            let wait = |_| rng.up_to(Duration::from_secs(20));
            (0..10).map(wait).collect::<Vec<_>>()
        };
        assert_eq!(waits(7), waits(7));
        assert_ne!(waits(7), waits(8));
        assert_eq!(Rng::new(None).up_to(Duration::ZERO), Duration::ZERO);
    }

    #[test]
    fn what_a_server_asks_for_is_done_clamped_or_refused() {
        let second = Duration::from_secs;
        let mut backoff = Backoff::default();
        let rng = backoff.rng();
        assert_eq!(backoff.wait(1, Some(second(0)), &rng), Some(second(0)));
        assert_eq!(backoff.wait(2, Some(second(60)), &rng), Some(second(60)));
        assert_eq!(backoff.wait(1, Some(second(61)), &rng), None);
        assert_eq!(backoff.wait(3, Some(second(0)), &rng), None);
        backoff.retry_after = RetryAfter::ClampTo(second(30));
        assert_eq!(backoff.wait(1, Some(second(61)), &rng), Some(second(30)));
    }
}
