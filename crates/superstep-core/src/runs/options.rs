//! The options that a run brings along to the queue.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::{
    checkpoint::CheckpointRef, event::Modes, plan::Pauses, policy::Durability, value::Value,
};

/// The options of a queued run, stored with it, so that whichever worker takes it runs it as its
/// caller meant it. What is absent is as the worker gives it to every run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct QueuedOptions {
    /// The checkpoint to start from.
    pub at: Option<CheckpointRef>,
    /// How many node steps it may take.
    pub limit: Option<u64>,
    /// How many tasks of a graph run at once.
    pub max_concurrency: Option<usize>,
    /// When what happens is stored.
    pub durability: Option<Durability>,
    /// What nodes see as the run's context.
    #[serde(
        skip_serializing_if = "Option::is_none",
        deserialize_with = "crate::value::json::some"
    )]
    pub context: Option<Value>,
    /// Pauses besides the graph's own.
    pub pause_before: Option<Pauses>,
    /// Pauses besides the graph's own.
    pub pause_after: Option<Pauses>,
    /// Whether an answer that fits no open question is an error.
    pub strict_resume: Option<bool>,
    /// Whether input that the graph does not take is an error.
    pub strict_input: Option<bool>,
    /// Whether input is refused while questions are open.
    pub keep_asks: Option<bool>,
    /// Which events are put into the log of the thread, where others follow the run.
    pub log: Option<Modes>,
    /// How long tasks have to end when the run is cancelled.
    pub grace: Option<Duration>,
    /// The version of the state that its input is of. A graph of another version does not take it: what a
    /// migration makes of a state says nothing about a part of one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state_version: Option<u32>,
}

impl QueuedOptions {
    /// Whether all values in it can be stored.
    pub fn fits(&self) -> bool {
        self.context.as_ref().is_none_or(Value::fits)
    }

    /// Whether it leaves everything to the worker.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}
