//! Policy of calls: deadlines, backoff, concurrency and rate limits, circuit breaker.

use std::time::Duration;

use superstep_http::{Backoff, Rng};

use super::breaker::CircuitBreaker;
use crate::{
    error::{ErrorKind, ModelError},
    model::Caps,
    request::Effort,
};

/// The rules for calls of one model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Policy {
    /// How long a call may take.
    pub deadlines: Deadlines,
    /// How often it is tried, and the delays between attempts.
    pub backoff: Backoff,
    /// The concurrency limit; at least one. Other calls wait in a queue.
    pub at_once: usize,
    /// The rate limit: how many attempts may begin within a minute.
    pub per_minute: Option<u32>,
    /// When calls of a model that keeps failing fail at once.
    pub circuit_breaker: CircuitBreaker,
    /// The limit of output tokens that a person chose: it replaces that of a request, and a second try does not pass it.
    pub max_tokens: Option<u32>,
    /// How much the model should think where a request does not say.
    pub effort: Option<Effort>,
}

/// How long a call may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deadlines {
    /// Until the first piece of the reply, connecting counted; for each attempt. The time in which a
    /// model tells that it reads the conversation does not count.
    pub first: Duration,
    /// Between two pieces, and between two signs that it reads.
    pub idle: Duration,
    /// In all, with all attempts and the waits between them, from the moment it has its turn.
    pub whole: Duration,
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
            backoff: Backoff::default(),
            at_once: 16,
            per_minute: None,
            circuit_breaker: CircuitBreaker::default(),
            max_tokens: None,
            effort: None,
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

/// How long to wait before another attempt; nothing if there is to be none.
pub(super) fn wait(
    backoff: &Backoff,
    error: &ModelError,
    tried: u32,
    rng: &Rng,
) -> Option<Duration> {
    let wait = || backoff.wait(tried, asked(error), rng);
    error.is_transient().then(wait).flatten()
}

/// The error, with the wait the model asks for if it is longer than anybody waits here.
pub(super) fn too_long_a_wait(backoff: &Backoff, error: ModelError) -> ModelError {
    let wait = match asked(&error) {
        Some(wait) if backoff.retry_after.apply(wait).is_none() => wait,
        _ => return error,
    };
    let mut kind = error.kind().clone();
    if let ErrorKind::Limited { message, .. } | ErrorKind::Server { message, .. } = &mut kind {
        message.push_str(&format!(" (to be tried again in {} s)", wait.as_secs()));
    }
    kind.into()
}

/// The wait a model asks for.
fn asked(error: &ModelError) -> Option<Duration> {
    match error.kind() {
        ErrorKind::Limited { after, .. } | ErrorKind::Server { after, .. } => *after,
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_model_asks_for_is_done_or_told() {
        let backoff = Backoff::default();
        let limited = |after: Option<u64>| -> ModelError {
            let after = after.map(Duration::from_secs);
            let message = "slow down".into();
            ErrorKind::Limited { message, after }.into()
        };
        let rng = Rng::new(Some(1));
        let wait = |after| wait(&backoff, &limited(after), 1, &rng);
        assert_eq!(wait(Some(0)), Some(Duration::ZERO));
        assert_eq!(wait(Some(60)), Some(Duration::from_secs(60)));
        assert_eq!(wait(Some(61)), None);
        assert!(wait(None).is_some_and(|wait| wait <= Duration::from_millis(500)));
        let text = |after| too_long_a_wait(&backoff, limited(Some(after))).to_string();
        assert!(text(1_000_000_000).contains("in 1000000000 s"));
        assert!(!text(60).contains("again"));
    }
}
