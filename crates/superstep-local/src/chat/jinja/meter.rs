//! What a render has left to spend.

use std::cell::Cell;

/// Why a template was not rendered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) enum Fault {
    /// It is stopped: it wanted more than it may have.
    Stopped(String),
    /// It does not take what it was given, or does what it cannot do.
    Refused(String),
}

impl Fault {
    pub(super) fn refused(why: impl Into<String>) -> Self {
        Self::Refused(why.into())
    }
}

/// Counts down what a render may spend.
pub(super) struct Meter {
    limit: u64,
    left: Cell<u64>,
}

/// What an item of a list or a variable costs: about its size in memory.
pub(super) const ITEM: usize = 32;

impl Meter {
    pub(super) fn new(limit: u64) -> Self {
        Self {
            limit,
            left: Cell::new(limit),
        }
    }

    /// Pays for so many steps or bytes, before they are made.
    pub(super) fn pay(&self, amount: usize) -> Result<(), Fault> {
        match self.left.get().checked_sub(amount as u64) {
            Some(left) => {
                self.left.set(left);
                Ok(())
            }
            None => {
                self.left.set(0);
                let limit = self.limit;
                Err(Fault::Stopped(format!("it took more than {limit} steps")))
            }
        }
    }

    /// Pays for so many items.
    pub(super) fn pay_items(&self, count: usize) -> Result<(), Fault> {
        self.pay(count.saturating_mul(ITEM))
    }
}
