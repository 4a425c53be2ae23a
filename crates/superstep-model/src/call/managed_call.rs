//! One call of a managed model: what all of its attempts have in common, and what it holds until it is over.

use std::{sync::Arc, time::Duration};

use superstep_text::Redactor;
use tokio::time::Instant;

use super::{
    budget::{Budget, Reservation},
    concurrency::Permit,
    observer::{Attempt, CallObserver, Cost},
    policy::{self, Policy},
    prices::{Price, Prices},
    redact,
};
use crate::{
    error::{ErrorKind, ModelError, Phase},
    model::Model,
    money::Money,
};

/// One call, with what it holds until it is over.
pub(super) struct ManagedCall {
    pub(super) model: Arc<dyn Model>,
    pub(super) policy: Policy,
    pub(super) prices: Arc<Prices>,
    pub(super) observers: Vec<Arc<dyn CallObserver>>,
    pub(super) redactor: Arc<Redactor>,
    pub(super) number: u64,
    pub(super) price: Option<Price>,
    /// What it costs at most, if that is known.
    pub(super) most: Option<Money>,
    /// Tokens of the request, roughly.
    pub(super) input: u64,
    pub(super) reservations: Vec<Reservation>,
    pub(super) deadline: Instant,
    /// The budget whose end is the deadline.
    pub(super) by: Option<Budget>,
    pub(super) _permit: Permit,
}

impl ManagedCall {
    /// The error without secrets: the one place that all errors of a model pass.
    pub(super) fn redacted(&self, error: ModelError) -> ModelError {
        let explained = policy::too_long_a_wait(&self.policy.backoff, error);
        redact::error(explained, &self.redactor)
    }

    /// The error for a call that took too long in all.
    pub(super) fn too_late(&self) -> ModelError {
        if let Some(budget) = &self.by {
            return budget.out_of_time();
        }
        let after = self.policy.deadlines.whole;
        let phase = Phase::End;
        ErrorKind::TimedOut { phase, after }.into()
    }

    pub(super) fn first(&self) -> Duration {
        self.policy.deadlines.first
    }

    pub(super) fn idle(&self) -> Duration {
        self.policy.deadlines.idle
    }

    pub(super) fn prices_as_of(&self) -> &str {
        self.prices.as_of()
    }

    /// Takes what an attempt cost from all budgets.
    pub(super) fn charge(&self, cost: &mut Cost) {
        cost.money = self.price.map(|price| price.cost(&cost.usage));
        for reservation in &self.reservations {
            reservation.spend(self.model.id(), cost.usage, cost.money);
        }
    }

    /// Whether the budgets have room for one more attempt after one that cost something.
    pub(super) fn check_budgets(&self) -> Result<(), ModelError> {
        for reservation in &self.reservations {
            reservation.still(self.model.id(), self.most)?;
        }
        Ok(())
    }

    pub(super) fn notify(&self, number: u32, what: impl Fn(&dyn CallObserver, &Attempt<'_>)) {
        let attempt = Attempt {
            model: self.model.id(),
            call: self.number,
            number,
        };
        for observer in &self.observers {
            what(&**observer, &attempt);
        }
    }
}
