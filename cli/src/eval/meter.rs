//! Counts of a case: calls, tokens, cost. Failed attempts count too.

use std::{sync::Mutex, time::Duration};

use superstep::{
    model::{
        CallObserver, ModelError,
        call::{Attempt, Cost, Spent},
    },
    sync::lock,
};

/// What a case took.
#[derive(Clone, Debug, Default)]
pub(super) struct Taken {
    /// How many calls were begun, second attempts included.
    pub(super) calls: u64,
    pub(super) spent: Spent,
}

/// The counts of one case.
#[derive(Default)]
pub(super) struct Meter(Mutex<Taken>);

impl Meter {
    pub(super) fn spent(&self) -> Taken {
        lock(&self.0).clone()
    }

    fn add(&self, attempt: &Attempt<'_>, cost: &Cost) {
        let mut taken = lock(&self.0);
        taken.spent.add(attempt.model, cost.usage, cost.money);
    }
}

impl CallObserver for Meter {
    fn started(&self, _: &Attempt<'_>) {
        lock(&self.0).calls += 1;
    }

    fn failed(&self, attempt: &Attempt<'_>, _: &ModelError, _: Option<Duration>, cost: &Cost) {
        self.add(attempt, cost);
    }

    fn ended(&self, attempt: &Attempt<'_>, cost: &Cost) {
        self.add(attempt, cost);
    }

    fn dropped(&self, attempt: &Attempt<'_>, cost: &Cost) {
        self.add(attempt, cost);
    }
}

impl Taken {
    /// The cost, if it is known.
    pub(super) fn cost(&self) -> Option<superstep::model::Money> {
        match &self.spent.unpriced {
            Some(_) => None,
            None => Some(self.spent.money),
        }
    }
}
