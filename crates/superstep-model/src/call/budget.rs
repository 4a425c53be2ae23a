//! Budgets of a run or a thread: tokens, money, time.
//!
//! Before a call the budget is asked, with the most the call can cost; that much is held while the
//! call runs, so that calls side by side cannot pass the limit together. Afterwards what it did
//! cost is taken. A call that names no limit of tokens can pass the budget once, by its own reply.

use std::{
    fmt,
    sync::{Arc, Mutex, MutexGuard},
    time::Duration,
};

use tokio::time::Instant;

use superstep_core::sync::lock;

use super::prices::Prices;
use crate::{
    error::{ErrorKind, ModelError},
    message::Message,
    model_id::ModelId,
    money::Money,
    usage::Usage,
};

/// What may be used. Clones share what was spent.
#[derive(Clone)]
pub struct Budget(Arc<Inner>);

/// How much may be used; nothing set, nothing limited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Tokens, read and written.
    pub tokens: Option<u64>,
    /// Money. Calls of models without a known price are then refused.
    pub money: Option<Money>,
    /// Time since the budget was made.
    pub wall: Option<Duration>,
}

/// What was used.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spent {
    /// Tokens.
    pub usage: Usage,
    /// Money, as far as prices are known.
    pub money: Money,
    /// A model that was used and has no known price.
    pub unpriced: Option<String>,
    /// Time.
    pub wall: Duration,
}

/// The most a call may cost.
#[derive(Clone, Copy, Debug)]
pub(super) struct Estimate<'a> {
    pub(super) model: &'a ModelId,
    pub(super) tokens: u64,
    pub(super) money: Option<Money>,
}

struct Inner {
    limits: Limits,
    began: Instant,
    state: Mutex<Balance>,
}

struct Balance {
    spent: Spent,
    reserved_tokens: u64,
    reserved_money: Money,
}

impl Budget {
    /// A budget of which nothing is spent.
    pub fn new(limits: Limits) -> Self {
        Self::resumed(limits, Spent::default())
    }

    /// A budget of which something is spent already.
    pub fn resumed(limits: Limits, spent: Spent) -> Self {
        let state = Mutex::new(Balance {
            spent,
            reserved_tokens: 0,
            reserved_money: Money::default(),
        });
        Self(Arc::new(Inner {
            limits,
            began: Instant::now(),
            state,
        }))
    }

    /// What the replies among messages have cost, so that a thread continues counting where it was.
    /// Time is not in messages.
    pub fn spent_by<'a>(messages: impl IntoIterator<Item = &'a Message>, prices: &Prices) -> Spent {
        let mut spent = Spent::default();
        for reply in messages.into_iter().filter_map(Message::reply) {
            let Some(usage) = reply.usage else {
                continue;
            };
            let answered = reply.answered.clone().unwrap_or_default();
            let model = ModelId::new(answered.provider, answered.model);
            let cost = match (answered.paid, answered.weights) {
                (Some(paid), _) => paid.cost,
                (None, Some(_)) => Some(Money::default()),
                (None, None) => prices.cost(&model, &usage),
            };
            spent.add(&model, usage, cost);
        }
        spent
    }

    /// What was spent so far.
    pub fn spent(&self) -> Spent {
        let mut spent = self.state().spent.clone();
        spent.wall = spent.wall.saturating_add(self.0.began.elapsed());
        spent
    }

    /// The limits.
    pub fn limits(&self) -> Limits {
        self.0.limits
    }

    /// When its time is over.
    pub(super) fn ends(&self) -> Option<Instant> {
        self.end(&self.state().spent)
    }

    fn end(&self, spent: &Spent) -> Option<Instant> {
        let left = self.0.limits.wall?.saturating_sub(spent.wall);
        self.0.began.checked_add(left)
    }

    /// The error for a budget whose time is over.
    pub(super) fn out_of_time(&self) -> ModelError {
        let limit = self.0.limits.wall.unwrap_or_default();
        used_up(seconds(self.spent().wall), seconds(limit))
    }

    /// Sets aside what a call may cost at most.
    pub(super) fn reserve(&self, most: &Estimate<'_>) -> Result<Reservation, ModelError> {
        if self.ends().is_some_and(|end| end <= Instant::now()) {
            return Err(self.out_of_time());
        }
        // Asked and set aside in one go, or two calls could both be the last.
        let mut state = self.state();
        self.check(&state, most)?;
        let reservation = Reservation {
            budget: self.clone(),
            tokens: most.tokens,
            money: most.money.unwrap_or_default(),
        };
        reservation.set_aside(&mut state);
        Ok(reservation)
    }

    fn check(&self, state: &Balance, most: &Estimate<'_>) -> Result<(), ModelError> {
        if let Some(limit) = self.0.limits.tokens {
            let used = state
                .spent
                .usage
                .total()
                .saturating_add(state.reserved_tokens);
            if used >= limit || used.saturating_add(most.tokens) > limit {
                let tokens = |n| format!("{n} tokens");
                let used = used_of(tokens(used), tokens(most.tokens));
                return Err(used_up(used, tokens(limit)));
            }
        }
        let Some(limit) = self.0.limits.money else {
            return Ok(());
        };
        let model = most.model.to_string();
        let unpriced = state.spent.unpriced.as_ref();
        let unpriced = unpriced.or(most.money.is_none().then_some(&model));
        if let Some(model) = unpriced {
            let why = format!(
                "no price is known for {model}, so a budget of {limit} cannot be kept; \
                 list it in a file of prices, or set a budget of tokens"
            );
            return Err(ErrorKind::Settings { why }.into());
        }
        let (used, most) = (state.spent.money.plus(state.reserved_money), most.money);
        let most = most.unwrap_or_default();
        // A model that costs nothing can be called when there is nothing left.
        let none_left = used >= limit && most > Money::default();
        if none_left || used.plus(most) > limit {
            let used = used_of(used.to_string(), most.to_string());
            return Err(used_up(used, limit.to_string()));
        }
        Ok(())
    }

    fn state(&self) -> MutexGuard<'_, Balance> {
        lock(&self.0.state)
    }
}

impl Spent {
    /// Adds what a call has cost.
    pub fn add(&mut self, model: &ModelId, usage: Usage, cost: Option<Money>) {
        self.usage += usage;
        match cost {
            Some(cost) => self.money = self.money.plus(cost),
            None if usage.total() > 0 => {
                self.unpriced.get_or_insert_with(|| model.to_string());
            }
            None => {}
        }
    }
}

/// A part of a budget that is set aside; dropping it gives it back.
pub(super) struct Reservation {
    budget: Budget,
    tokens: u64,
    money: Money,
}

impl Reservation {
    /// Takes what an attempt has cost.
    pub(super) fn spend(&self, model: &ModelId, usage: Usage, cost: Option<Money>) {
        self.budget.state().spent.add(model, usage, cost);
    }

    /// Whether there is still enough for another attempt.
    pub(super) fn still(&self, model: &ModelId, money: Option<Money>) -> Result<(), ModelError> {
        let most = Estimate {
            model,
            tokens: self.tokens,
            money,
        };
        let mut state = self.budget.state();
        self.give_back(&mut state);
        let checked = self.budget.check(&state, &most);
        self.set_aside(&mut state);
        checked
    }

    fn set_aside(&self, state: &mut Balance) {
        state.reserved_tokens = state.reserved_tokens.saturating_add(self.tokens);
        state.reserved_money = state.reserved_money.plus(self.money);
    }

    fn give_back(&self, state: &mut Balance) {
        state.reserved_tokens = state.reserved_tokens.saturating_sub(self.tokens);
        state.reserved_money = state.reserved_money.less(self.money);
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        self.give_back(&mut self.budget.state());
    }
}

impl fmt::Debug for Budget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Budget");
        shown.field("limits", &self.0.limits);
        shown.field("spent", &self.spent()).finish()
    }
}

fn used_of(used: String, most: String) -> String {
    format!("{used}, and up to {most} for the next call,")
}

fn used_up(spent: String, limit: String) -> ModelError {
    ErrorKind::Budget { spent, limit }.into()
}

fn seconds(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f64())
}
