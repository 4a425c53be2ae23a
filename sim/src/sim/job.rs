//! How far an attempt of a task is, and what the task remembers over its attempts.

use std::collections::BTreeMap;

use superstep_core::{Value, record::Effect, run::Halt};

use crate::graphs::Script;

/// An attempt of a task.
#[derive(Default)]
pub(super) struct Job {
    pub(super) script: Option<Script>,
    /// How many pieces are through.
    pub(super) through: usize,
    pub(super) brought: Vec<Value>,
    pub(super) phase: Phase,
    /// What the graph it ran ended with.
    pub(super) end: Option<Halt>,
}

/// Within a piece.
#[derive(Default)]
pub(super) enum Phase {
    #[default]
    Ready,
    /// It waits for the store, and then does this.
    Storing(Box<Phase>),
    /// What its graph hangs off is stored, and this is to be.
    Anchored(String, Effect, Box<Phase>),
    /// It waits for the graph it runs.
    Calling,
    /// The start of an effect is stored.
    Begun,
    /// The effect happened.
    Happened(Value),
    /// The effect happened and its end is stored.
    Settled,
    /// The effect did not happen, and that is stored.
    Missed,
}

/// What a task remembers over its attempts in one session.
#[derive(Default)]
pub(super) struct Scratch {
    pub(super) answers: Vec<Value>,
    pub(super) used: usize,
    pub(super) effects: BTreeMap<String, Effect>,
    pub(super) fresh: Vec<(String, Effect)>,
    pub(super) graphs: u32,
}

impl Scratch {
    /// The answers this attempt has used.
    pub(super) fn taken(&self) -> Vec<Value> {
        self.answers.iter().take(self.used).cloned().collect()
    }
}
