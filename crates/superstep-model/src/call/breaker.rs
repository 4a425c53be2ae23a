//! A model that keeps failing is left alone for a while.
//!
//! After some failures in a row no call is made for a time; then one call may try. If it works, all
//! may; if not, the model rests again.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::time::Instant;

use super::clock;
use crate::{
    error::{ErrorKind, ModelError},
    model_id::ModelId,
};

/// When a model is left alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rest {
    /// After how many failures in a row.
    pub failures: u32,
    /// For how long.
    pub time: Duration,
}

impl Default for Rest {
    fn default() -> Self {
        Self {
            failures: 6,
            time: Duration::from_secs(30),
        }
    }
}

pub(super) struct Breaker {
    rule: Rest,
    state: Mutex<State>,
}

struct State {
    phase: Phase,
    passes: u64,
}

#[derive(Clone, Copy)]
enum Phase {
    Works { failures: u32 },
    Rests { failures: u32, until: Instant },
    Probed { failures: u32, by: u64 },
}

/// Why a call may not be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Resting {
    pub(super) failures: u32,
    pub(super) wait: Duration,
}

impl Resting {
    pub(super) fn error(self, model: &ModelId) -> ModelError {
        ErrorKind::Resting {
            model: model.to_string(),
            failures: self.failures,
            wait: self.wait,
        }
        .into()
    }
}

/// Leave to make one attempt. What comes of it is to be told; dropping it says nothing.
pub(super) struct Pass {
    breaker: Arc<Breaker>,
    number: u64,
}

impl Breaker {
    pub(super) fn new(rule: Rest) -> Self {
        let phase = Phase::Works { failures: 0 };
        let state = Mutex::new(State { phase, passes: 0 });
        Self { rule, state }
    }

    pub(super) fn enter(self: &Arc<Self>) -> Result<Pass, Resting> {
        let mut state = self.state();
        let now = Instant::now();
        let number = state.passes;
        match state.phase {
            Phase::Works { .. } => {}
            Phase::Rests { failures, until } if until <= now => {
                let by = number;
                state.phase = Phase::Probed { failures, by };
            }
            Phase::Rests { failures, until } => {
                let wait = until - now;
                return Err(Resting { failures, wait });
            }
            Phase::Probed { failures, .. } => {
                let wait = self.rule.time;
                return Err(Resting { failures, wait });
            }
        }
        state.passes += 1;
        let breaker = Arc::clone(self);
        Ok(Pass { breaker, number })
    }

    /// Whether a call would be held back now.
    pub(super) fn resting(&self) -> Option<Resting> {
        let now = Instant::now();
        match self.state().phase {
            Phase::Rests { failures, until } if until > now => {
                let wait = until - now;
                Some(Resting { failures, wait })
            }
            Phase::Probed { failures, .. } => {
                let wait = self.rule.time;
                Some(Resting { failures, wait })
            }
            _ => None,
        }
    }

    /// Whether calls are held back, or the next one is to try.
    pub(super) fn rests(&self) -> bool {
        !matches!(self.state().phase, Phase::Works { .. })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Pass {
    /// The model has begun to answer: one that rested is back. That it can end an answer is not
    /// yet known, so failures are not forgotten otherwise.
    pub(super) fn answers(&self) {
        let mut state = self.breaker.state();
        if self.probes(&state).is_some() {
            state.phase = Phase::Works { failures: 0 };
        }
    }

    /// The model has answered, if only to say that the request is wrong.
    pub(super) fn worked(&self) {
        self.breaker.state().phase = Phase::Works { failures: 0 };
    }

    /// The model failed in a way that may pass.
    pub(super) fn failed(&self) {
        let Rest { failures, time } = self.breaker.rule;
        let mut state = self.breaker.state();
        let until = clock::after(Instant::now(), time);
        let before = match (self.probes(&state), state.phase) {
            (Some(before), _) => before,
            (None, Phase::Works { failures }) => failures,
            // It rests already; what began before does not make it rest longer.
            (None, _) => return,
        };
        let now = before.saturating_add(1);
        state.phase = if now >= failures.max(1) {
            let failures = now;
            Phase::Rests { failures, until }
        } else {
            Phase::Works { failures: now }
        };
    }

    /// The failures so far, if this is the call that tries.
    fn probes(&self, state: &State) -> Option<u32> {
        match state.phase {
            Phase::Probed { failures, by } if by == self.number => Some(failures),
            _ => None,
        }
    }
}

impl Drop for Pass {
    fn drop(&mut self) {
        let mut state = self.breaker.state();
        // A probe that was given up leaves the next call to try.
        if let Some(failures) = self.probes(&state) {
            let until = Instant::now();
            state.phase = Phase::Rests { failures, until };
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;

    const REST: Duration = Duration::from_secs(10);

    fn breaker(failures: u32) -> Arc<Breaker> {
        Arc::new(Breaker::new(Rest {
            failures,
            time: REST,
        }))
    }

    fn fail(breaker: &Arc<Breaker>, times: u32) {
        for _ in 0..times {
            breaker.enter().ok().unwrap().failed();
        }
    }

    #[tokio::test(start_paused = true)]
    async fn failures_in_a_row_make_it_rest() {
        let breaker = breaker(3);
        fail(&breaker, 2);
        breaker.enter().ok().unwrap().worked();
        fail(&breaker, 2);
        assert!(!breaker.rests());
        fail(&breaker, 1);
        tokio::time::advance(REST / 2).await;
        let resting = breaker.enter().err().unwrap();
        assert_eq!((resting.failures, resting.wait), (3, REST / 2));
    }

    #[tokio::test(start_paused = true)]
    async fn one_call_tries_after_the_rest() {
        let breaker = breaker(1);
        fail(&breaker, 1);
        tokio::time::advance(REST).await;
        let probe = breaker.enter().ok().unwrap();
        assert!(breaker.enter().is_err());
        probe.failed();
        assert_eq!(breaker.enter().err().unwrap().failures, 2);
        tokio::time::advance(REST).await;
        let probe = breaker.enter().ok().unwrap();
        probe.answers();
        assert!(breaker.enter().is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn a_probe_that_is_dropped_leaves_the_next_to_try() {
        let breaker = breaker(1);
        fail(&breaker, 1);
        tokio::time::advance(REST).await;
        drop(breaker.enter().ok().unwrap());
        breaker.enter().ok().unwrap().worked();
        assert!(!breaker.rests());
    }

    #[tokio::test(start_paused = true)]
    async fn calls_that_began_before_the_rest_do_not_lengthen_it() {
        let breaker = breaker(1);
        let (early, late) = (breaker.enter().ok().unwrap(), breaker.enter().ok().unwrap());
        early.failed();
        tokio::time::advance(REST / 2).await;
        late.failed();
        assert_eq!(breaker.enter().err().unwrap().wait, REST / 2);
    }

    #[tokio::test(start_paused = true)]
    async fn random_histories_never_let_two_probe_at_once() {
        for seed in 0..200_u64 {
            let mut dice = seed;
            let breaker = breaker(2);
            let mut open: Vec<Pass> = Vec::new();
            for _ in 0..200 {
                dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let roll = dice >> 33;
                match roll % 5 {
                    0 | 1 => open.extend(breaker.enter().ok()),
                    2 => open.pop().iter().for_each(Pass::failed),
                    3 => drop(open.pop()),
                    _ if roll % 3 == 0 => open.pop().iter().for_each(Pass::worked),
                    _ => tokio::time::advance(REST / 3).await,
                }
                let probe = breaker.enter().ok().filter(|_| breaker.rests());
                assert!(probe.is_none() || breaker.enter().is_err(), "seed {seed}");
            }
            open.clear();
            tokio::time::advance(REST).await;
            assert!(
                breaker.enter().is_ok(),
                "seed {seed}: nothing holds it back for good"
            );
        }
    }
}
