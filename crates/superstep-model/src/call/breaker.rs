//! Circuit breaker per model.
//!
//! Closed, it lets all calls through. After some transient failures in a row it opens: calls fail at
//! once. When its time is over it is half-open: one call probes the model. If the model answers, the
//! breaker closes; if it fails, the breaker opens again.

use std::{
    sync::{Arc, Mutex, MutexGuard},
    time::Duration,
};

use tokio::time::Instant;

use super::clock;
use crate::{
    error::{ErrorKind, ModelError},
    model_id::ModelId,
};
use superstep_core::sync::lock;

/// When the circuit breaker of a model opens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CircuitBreaker {
    /// After how many transient failures in a row.
    pub failures: u32,
    /// For how long.
    pub open_for: Duration,
}

impl Default for CircuitBreaker {
    fn default() -> Self {
        Self {
            failures: 6,
            open_for: Duration::from_secs(30),
        }
    }
}

pub(super) struct Breaker {
    policy: CircuitBreaker,
    state: Mutex<Circuit>,
}

struct Circuit {
    phase: CircuitState,
    permits: u64,
}

#[derive(Clone, Copy)]
enum CircuitState {
    Closed { failures: u32 },
    Open { failures: u32, until: Instant },
    HalfOpen { failures: u32, by: u64 },
}

/// Why a call may not be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Opened {
    pub(super) failures: u32,
    pub(super) wait: Duration,
}

impl Opened {
    pub(super) fn error(self, model: &ModelId) -> ModelError {
        ErrorKind::CircuitOpen {
            model: model.to_string(),
            failures: self.failures,
            wait: self.wait,
        }
        .into()
    }
}

/// The right to make one attempt. Its result is to be reported; dropping it reports nothing.
pub(super) struct BreakerPermit {
    breaker: Arc<Breaker>,
    number: u64,
}

impl Breaker {
    pub(super) fn new(policy: CircuitBreaker) -> Self {
        let phase = CircuitState::Closed { failures: 0 };
        let state = Mutex::new(Circuit { phase, permits: 0 });
        Self { policy, state }
    }

    pub(super) fn enter(self: &Arc<Self>) -> Result<BreakerPermit, Opened> {
        let mut state = self.state();
        let now = Instant::now();
        let number = state.permits;
        match state.phase {
            CircuitState::Closed { .. } => {}
            CircuitState::Open { failures, until } if until <= now => {
                let by = number;
                state.phase = CircuitState::HalfOpen { failures, by };
            }
            CircuitState::Open { failures, until } => {
                let wait = until - now;
                return Err(Opened { failures, wait });
            }
            CircuitState::HalfOpen { failures, .. } => {
                let wait = self.policy.open_for;
                return Err(Opened { failures, wait });
            }
        }
        state.permits += 1;
        let breaker = Arc::clone(self);
        Ok(BreakerPermit { breaker, number })
    }

    /// Why a call would fail at once now, if it would.
    pub(super) fn opened(&self) -> Option<Opened> {
        let now = Instant::now();
        match self.state().phase {
            CircuitState::Open { failures, until } if until > now => {
                let wait = until - now;
                Some(Opened { failures, wait })
            }
            CircuitState::HalfOpen { failures, .. } => {
                let wait = self.policy.open_for;
                Some(Opened { failures, wait })
            }
            _ => None,
        }
    }

    /// Whether it is open or half-open.
    pub(super) fn is_open(&self) -> bool {
        !matches!(self.state().phase, CircuitState::Closed { .. })
    }

    fn state(&self) -> MutexGuard<'_, Circuit> {
        lock(&self.state)
    }
}

impl BreakerPermit {
    /// The model has begun to answer: a probe closes the breaker. That the model can end an answer is
    /// not yet known, so failures are not forgotten otherwise.
    pub(super) fn answers(&self) {
        let mut state = self.breaker.state();
        if self.probes(&state).is_some() {
            state.phase = CircuitState::Closed { failures: 0 };
        }
    }

    /// The model has answered, if only to say that the request is wrong.
    pub(super) fn worked(&self) {
        self.breaker.state().phase = CircuitState::Closed { failures: 0 };
    }

    /// The model failed in a way that may pass.
    pub(super) fn failed(&self) {
        let CircuitBreaker { failures, open_for } = self.breaker.policy;
        let mut state = self.breaker.state();
        let until = clock::after(Instant::now(), open_for);
        let before = match (self.probes(&state), state.phase) {
            (Some(before), _) => before,
            (None, CircuitState::Closed { failures }) => failures,
            // It is open already; calls that began before do not keep it open longer.
            (None, _) => return,
        };
        let now = before.saturating_add(1);
        state.phase = if now >= failures.max(1) {
            let failures = now;
            CircuitState::Open { failures, until }
        } else {
            CircuitState::Closed { failures: now }
        };
    }

    /// The failures so far, if this is the call that probes.
    fn probes(&self, state: &Circuit) -> Option<u32> {
        match state.phase {
            CircuitState::HalfOpen { failures, by } if by == self.number => Some(failures),
            _ => None,
        }
    }
}

impl Drop for BreakerPermit {
    fn drop(&mut self) {
        let mut state = self.breaker.state();
        // A probe that was given up leaves the next call to probe.
        if let Some(failures) = self.probes(&state) {
            let until = Instant::now();
            state.phase = CircuitState::Open { failures, until };
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;

    const OPEN_FOR: Duration = Duration::from_secs(10);

    fn breaker(failures: u32) -> Arc<Breaker> {
        Arc::new(Breaker::new(CircuitBreaker {
            failures,
            open_for: OPEN_FOR,
        }))
    }

    fn fail(breaker: &Arc<Breaker>, times: u32) {
        for _ in 0..times {
            breaker.enter().ok().unwrap().failed();
        }
    }

    #[tokio::test(start_paused = true)]
    async fn failures_in_a_row_open_it() {
        let breaker = breaker(3);
        fail(&breaker, 2);
        breaker.enter().ok().unwrap().worked();
        fail(&breaker, 2);
        assert!(!breaker.is_open());
        fail(&breaker, 1);
        tokio::time::advance(OPEN_FOR / 2).await;
        let opened = breaker.enter().err().unwrap();
        assert_eq!((opened.failures, opened.wait), (3, OPEN_FOR / 2));
    }

    #[tokio::test(start_paused = true)]
    async fn one_call_probes_when_its_time_is_over() {
        let breaker = breaker(1);
        fail(&breaker, 1);
        tokio::time::advance(OPEN_FOR).await;
        let probe = breaker.enter().ok().unwrap();
        assert!(breaker.enter().is_err());
        probe.failed();
        assert_eq!(breaker.enter().err().unwrap().failures, 2);
        tokio::time::advance(OPEN_FOR).await;
        let probe = breaker.enter().ok().unwrap();
        probe.answers();
        assert!(breaker.enter().is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn a_probe_that_is_dropped_leaves_the_next_to_try() {
        let breaker = breaker(1);
        fail(&breaker, 1);
        tokio::time::advance(OPEN_FOR).await;
        drop(breaker.enter().ok().unwrap());
        breaker.enter().ok().unwrap().worked();
        assert!(!breaker.is_open());
    }

    #[tokio::test(start_paused = true)]
    async fn calls_that_began_before_it_opened_do_not_keep_it_open_longer() {
        let breaker = breaker(1);
        let (early, late) = (breaker.enter().ok().unwrap(), breaker.enter().ok().unwrap());
        early.failed();
        tokio::time::advance(OPEN_FOR / 2).await;
        late.failed();
        assert_eq!(breaker.enter().err().unwrap().wait, OPEN_FOR / 2);
    }

    #[tokio::test(start_paused = true)]
    async fn random_histories_never_let_two_probe_at_once() {
        for seed in 0..200_u64 {
            let mut dice = seed;
            let breaker = breaker(2);
            let mut open: Vec<BreakerPermit> = Vec::new();
            for _ in 0..200 {
                dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let roll = dice >> 33;
                match roll % 5 {
                    0 | 1 => open.extend(breaker.enter().ok()),
                    2 => open.pop().iter().for_each(BreakerPermit::failed),
                    3 => drop(open.pop()),
                    _ if roll % 3 == 0 => open.pop().iter().for_each(BreakerPermit::worked),
                    _ => tokio::time::advance(OPEN_FOR / 3).await,
                }
                let probe = breaker.enter().ok().filter(|_| breaker.is_open());
                assert!(probe.is_none() || breaker.enter().is_err(), "seed {seed}");
            }
            open.clear();
            tokio::time::advance(OPEN_FOR).await;
            assert!(
                breaker.enter().is_ok(),
                "seed {seed}: nothing holds it back for good"
            );
        }
    }
}
