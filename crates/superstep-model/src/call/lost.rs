//! Costs of attempts that gave no reply. The reply that follows carries them, or else the error.

use crate::{
    delta::Delta,
    error::ModelError,
    message::Reply,
    money::Money,
    usage::{Lost, Paid, Usage},
};

use super::observer::{Cost, UsageSource};

/// Costs of the attempts so far.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LostAttempts {
    lost: Lost,
    /// Attempts that the next reply does not count itself.
    attempts: u32,
    is_estimated: bool,
}

impl LostAttempts {
    /// Those of a reply that is given up.
    pub(super) fn of(reply: &Reply) -> Self {
        let paid = reply.answered.as_ref().and_then(|it| it.paid.as_ref());
        let mut all = Self::default();
        all.give_up(reply.usage.unwrap_or_default(), paid);
        all
    }

    /// Adds a reply that is given up.
    pub(super) fn give_up(&mut self, usage: Usage, paid: Option<&Paid>) {
        let cost = paid.and_then(|paid| paid.cost);
        self.lost.add(usage, cost);
        self.attempts += paid.map_or(0, |paid| paid.attempts);
        self.is_estimated |= paid.is_some_and(|paid| paid.estimated);
    }

    /// Adds an attempt that failed.
    pub(super) fn fail(&mut self, cost: &Cost) {
        self.lost.add(cost.usage, cost.money);
        self.is_estimated |=
            cost.source == UsageSource::Estimated && cost.usage != Usage::default();
    }

    /// The reply, with all that it took.
    pub(super) fn in_reply(&self, mut reply: Reply) -> Reply {
        if self.is_nothing() {
            return reply;
        }
        let mut usage = reply.usage.unwrap_or_default();
        usage += self.lost.usage;
        reply.usage = Some(usage);
        if let Some(paid) = reply.answered.as_mut().and_then(|it| it.paid.as_mut()) {
            self.in_paid(paid);
        }
        reply
    }

    /// A piece of the reply, with all that it took.
    pub(super) fn in_delta(&self, delta: Delta) -> Delta {
        match delta {
            Delta::Usage(mut usage) => {
                usage += self.lost.usage;
                Delta::Usage(usage)
            }
            Delta::Paid(mut paid) => {
                self.in_paid(&mut paid);
                Delta::Paid(paid)
            }
            other => other,
        }
    }

    /// The error, with all that was taken before it.
    pub(super) fn in_error(&self, error: ModelError) -> ModelError {
        error.costing(self.lost)
    }

    fn in_paid(&self, paid: &mut Paid) {
        paid.attempts += self.attempts;
        paid.estimated |= self.is_estimated;
        if self.lost.usage.total() > 0 {
            paid.cost = paid.cost.zip(self.lost.cost).map(|(a, b)| a.plus(b));
        }
    }

    fn is_nothing(&self) -> bool {
        self.attempts == 0 && self.lost.usage == Usage::default()
    }
}

impl Lost {
    /// Adds what an attempt took. The price stays known as long as all of them are.
    pub(crate) fn add(&mut self, usage: Usage, cost: Option<Money>) {
        if usage == Usage::default() {
            return;
        }
        self.cost = match self.usage == Usage::default() {
            true => cost,
            false => self.cost.zip(cost).map(|(a, b)| a.plus(b)),
        };
        self.usage += usage;
    }
}
