//! What a task has done so far, over its attempts.

use std::collections::{BTreeMap, BTreeSet};

use superstep_core::{ask::Ask, record::Effect, value::Value};

/// A task's own memory over its attempts.
#[derive(Default)]
pub(crate) struct TaskProgress {
    pub(crate) answers: Vec<Value>,
    /// How many of them this attempt has used.
    pub(crate) used: usize,
    pub(crate) open: Vec<Ask>,
    pub(crate) effects: BTreeMap<String, Effect>,
    pub(crate) fresh_effects: Vec<(String, Effect)>,
    /// The keys of the effects of this attempt.
    pub(crate) keys: BTreeSet<String>,
    pub(crate) streamed: Vec<String>,
    pub(crate) graphs: u32,
    pub(crate) calls: u32,
    pub(crate) spans: u32,
    /// The attempt is over: whatever still has its context can do nothing with it.
    pub(crate) ended: bool,
}

impl TaskProgress {
    /// Ends the attempt, and gives what the next one must know.
    pub(crate) fn end(&mut self) -> Self {
        let ended = Self {
            ended: true,
            ..Self::default()
        };
        std::mem::replace(self, ended)
    }
}
