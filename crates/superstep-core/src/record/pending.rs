//! What runs after a checkpoint.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::StartValue;
use crate::{
    command::Send,
    rare::{Blank, Rare},
    table::TriggerIx,
};

/// Which nodes are about to run, and why: small, so every record holds all of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(from = "FlatPending", into = "FlatPending")]
pub struct Pending {
    /// Input not yet taken.
    pub start: Option<StartValue>,
    /// Triggers that fired.
    pub fired: Vec<TriggerIx>,
    /// Sends.
    pub sends: Arc<Vec<Send>>,
    /// Deferred triggers and joins that wait, and when triggers last changed.
    pub held: Rare<Held>,
}

/// What most records have nothing of.
#[derive(Clone, Debug, PartialEq)]
pub struct Held {
    /// Deferred triggers that wait for everything else to finish.
    pub waiting: Vec<TriggerIx>,
    /// Joins and which of their sources have run.
    pub joins: Vec<(TriggerIx, Vec<u32>)>,
    /// When triggers last changed, where that was not in the last step.
    pub changed: Vec<(TriggerIx, u64)>,
}

impl Held {
    /// Nothing of all that.
    pub const NONE: Self = Self {
        waiting: Vec::new(),
        joins: Vec::new(),
        changed: Vec::new(),
    };
}

impl Default for Held {
    fn default() -> Self {
        Self::NONE
    }
}

impl Blank for Held {
    fn blank() -> &'static Self {
        static BLANK: Held = Held::NONE;
        &BLANK
    }
}

impl Pending {
    /// Whether nothing runs next.
    pub fn is_empty(&self) -> bool {
        self.start.is_none()
            && self.fired.is_empty()
            && self.held.waiting.is_empty()
            && self.sends.is_empty()
    }
}

/// As it is in archives: all fields side by side.
#[derive(Serialize, Deserialize)]
#[serde(rename = "Pending")]
struct FlatPending {
    start: Option<StartValue>,
    fired: Vec<TriggerIx>,
    waiting: Vec<TriggerIx>,
    joins: Vec<(TriggerIx, Vec<u32>)>,
    sends: Arc<Vec<Send>>,
    changed: Vec<(TriggerIx, u64)>,
}

impl From<Pending> for FlatPending {
    fn from(pending: Pending) -> Self {
        let Pending {
            start,
            fired,
            sends,
            held,
        } = pending;
        let Held {
            waiting,
            joins,
            changed,
        } = held.into_inner();
        Self {
            start,
            fired,
            waiting,
            joins,
            sends,
            changed,
        }
    }
}

impl From<FlatPending> for Pending {
    fn from(pending: FlatPending) -> Self {
        let FlatPending {
            start,
            fired,
            waiting,
            joins,
            sends,
            changed,
        } = pending;
        let held = Held {
            waiting,
            joins,
            changed,
        };
        Self {
            start,
            fired,
            sends,
            held: held.into(),
        }
    }
}
