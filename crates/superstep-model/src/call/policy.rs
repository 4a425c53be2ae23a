//! How long a call may take, how often it is tried, and how many run at once.

use std::time::Duration;

use super::breaker::Rest;
use crate::{
    error::{ErrorKind, ModelError},
    model::Caps,
};

/// The rules for calls of one model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Policy {
    /// How long a call may take.
    pub deadlines: Deadlines,
    /// How often it is tried.
    pub retries: Retries,
    /// How many calls run at once; at least one. Others wait in line.
    pub at_once: usize,
    /// How many attempts may begin within a minute, if that is limited.
    pub per_minute: Option<u32>,
    /// When a model that fails is left alone.
    pub rest: Rest,
}

/// How long a call may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deadlines {
    /// Until the first piece of the reply, connecting counted; for each attempt.
    pub first: Duration,
    /// Between two pieces.
    pub idle: Duration,
    /// In all, with all attempts and the waits between them, from the moment it has its turn.
    pub whole: Duration,
}

/// How often a call is tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retries {
    /// Attempts in all; at least one.
    pub attempts: u32,
    /// The most the first wait can be. It doubles with every attempt.
    pub base: Duration,
    /// The most any wait can be that the model did not ask for.
    pub cap: Duration,
    /// The longest wait that a model may ask for. One that wants more gets no further attempt.
    pub patience: Duration,
    /// Makes the waits repeatable; chance if absent.
    pub seed: Option<u64>,
}

impl Policy {
    /// The rules that suit a model: one on this machine takes its time and one call at a time.
    pub fn of(caps: Caps) -> Self {
        let mut policy = Self::default();
        if caps.local {
            policy.at_once = 1;
            policy.deadlines.first = Duration::from_secs(300);
            policy.deadlines.whole = Duration::from_secs(1800);
        }
        policy
    }
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            deadlines: Deadlines::default(),
            retries: Retries::default(),
            at_once: 16,
            per_minute: None,
            rest: Rest::default(),
        }
    }
}

impl Default for Deadlines {
    fn default() -> Self {
        Self {
            first: Duration::from_secs(60),
            idle: Duration::from_secs(60),
            whole: Duration::from_secs(600),
        }
    }
}

impl Default for Retries {
    fn default() -> Self {
        Self {
            attempts: 3,
            base: Duration::from_millis(500),
            cap: Duration::from_secs(20),
            patience: Duration::from_secs(60),
            seed: None,
        }
    }
}

impl Retries {
    /// How long to wait before another attempt; nothing if there is to be none.
    pub(super) fn wait(&self, error: &ModelError, tried: u32, jitter: &Jitter) -> Option<Duration> {
        if !error.is_transient() || tried >= self.attempts.max(1) {
            return None;
        }
        match asked(error) {
            Some(wait) => (wait <= self.patience).then_some(wait),
            None => Some(jitter.below(self.ceiling(tried))),
        }
    }

    fn ceiling(&self, tried: u32) -> Duration {
        let doubled = 1_u32.checked_shl(tried.saturating_sub(1));
        let grown = doubled.and_then(|times| self.base.checked_mul(times));
        grown.unwrap_or(self.cap).min(self.cap)
    }

    /// The error, with the wait the model asks for if it is longer than anybody waits here.
    pub(super) fn told(&self, error: ModelError) -> ModelError {
        let wait = match asked(&error) {
            Some(wait) if wait > self.patience => wait,
            _ => return error,
        };
        let mut kind = error.kind().clone();
        if let ErrorKind::Limited { message, .. } | ErrorKind::Server { message, .. } = &mut kind {
            message.push_str(&format!(" (to be tried again in {} s)", wait.as_secs()));
        }
        kind.into()
    }
}

/// The wait a model asks for.
fn asked(error: &ModelError) -> Option<Duration> {
    match error.kind() {
        ErrorKind::Limited { after, .. } | ErrorKind::Server { after, .. } => *after,
        _ => None,
    }
}

/// Chance that can be repeated.
pub(super) struct Jitter(std::sync::atomic::AtomicU64);

impl Jitter {
    pub(super) fn new(seed: Option<u64>) -> Self {
        use std::hash::{BuildHasher, RandomState};
        let chance = || RandomState::new().hash_one(0);
        Self(seed.unwrap_or_else(chance).into())
    }

    /// A time up to `ceiling`, all as likely.
    fn below(&self, ceiling: Duration) -> Duration {
        let most = u64::try_from(ceiling.as_nanos()).unwrap_or(u64::MAX);
        let share = u128::from(self.next()) * (u128::from(most) + 1);
        Duration::from_nanos(u64::try_from(share >> 64).unwrap_or(most))
    }

    /// The next number of a splitmix sequence.
    fn next(&self) -> u64 {
        const STEP: u64 = 0x9E37_79B9_7F4A_7C15;
        let before = self.0.fetch_add(STEP, std::sync::atomic::Ordering::Relaxed);
        let mut z = before.wrapping_add(STEP);
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_stay_below_their_ceiling_and_fill_it() {
        let retries = Retries {
            attempts: u32::MAX,
            ..Retries::default()
        };
        let error: ModelError = ErrorKind::Cut.into();
        for seed in 0..64 {
            let jitter = Jitter::new(Some(seed));
            for tried in [1, 2, 3, 6, 7, 31, 32, 33, 1_000_000] {
                let ceiling = (0.5 * 2_f64.powi(tried as i32 - 1)).min(20.0);
                let waits: Vec<f64> = (0..200)
                    .filter_map(|_| retries.wait(&error, tried, &jitter))
                    .map(|wait| wait.as_secs_f64())
                    .collect();
                assert_eq!(waits.len(), 200);
                assert!(
                    waits.iter().all(|wait| *wait <= ceiling),
                    "seed {seed} at {tried}"
                );
                let mean = waits.iter().sum::<f64>() / 200.0;
                let share = mean / ceiling;
                assert!(
                    (0.35..0.65).contains(&share),
                    "seed {seed} at {tried}: {share}"
                );
            }
        }
    }

    #[test]
    fn the_same_seed_waits_the_same() {
        let waits = |seed| {
            let jitter = Jitter::new(Some(seed));
            let below = |_| jitter.below(Duration::from_secs(20));
            (0..10).map(below).collect::<Vec<_>>()
        };
        assert_eq!(waits(7), waits(7));
        assert_ne!(waits(7), waits(8));
        assert_eq!(Jitter::new(None).below(Duration::ZERO), Duration::ZERO);
    }

    #[test]
    fn what_a_model_asks_for_is_done_or_told() {
        let retries = Retries::default();
        let limited = |after: Option<u64>| -> ModelError {
            let after = after.map(Duration::from_secs);
            let message = "slow down".into();
            ErrorKind::Limited { message, after }.into()
        };
        let jitter = Jitter::new(Some(1));
        let wait = |after| retries.wait(&limited(after), 1, &jitter);
        assert_eq!(wait(Some(0)), Some(Duration::ZERO));
        assert_eq!(wait(Some(60)), Some(Duration::from_secs(60)));
        assert_eq!(wait(Some(61)), None);
        assert!(wait(None).is_some_and(|wait| wait <= Duration::from_millis(500)));
        let told = retries.told(limited(Some(1_000_000_000))).to_string();
        assert!(told.contains("in 1000000000 s"), "{told}");
        assert!(
            !retries
                .told(limited(Some(60)))
                .to_string()
                .contains("again")
        );
    }
}
