//! The options that are stored with a run.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::RunBudget;
use crate::{
    caller::Caller,
    checkpoint::CheckpointRef,
    event::{Modes, TraceParent},
    plan::Pauses,
    policy::Durability,
    value::Value,
};

/// The options of a run, stored with it, so that whichever worker takes it from the queue, and whoever
/// continues it after a crash, runs it as its caller meant it.
///
/// What is absent in a queued run is as the worker gives it to every run. What is absent in a run that
/// was started without a queue ([`RunRecord::options`](super::RunRecord::options)) is the default of
/// every run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct QueuedOptions {
    /// The checkpoint to start from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<CheckpointRef>,
    /// How many node steps it may take.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u64>,
    /// How many tasks of a graph run at once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_concurrency: Option<usize>,
    /// When what happens is stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub durability: Option<Durability>,
    /// What nodes see as the run's context.
    #[serde(
        skip_serializing_if = "Option::is_none",
        deserialize_with = "crate::value::json::some"
    )]
    pub context: Option<Value>,
    /// Whether it has a context that cannot be stored, so that `context` lacks it: whoever continues the
    /// run brings the context again.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub context_unstored: bool,
    /// Who calls. Only the program that starts the run sets it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub caller: Option<Caller>,
    /// Pauses besides the graph's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pause_before: Option<Pauses>,
    /// Pauses besides the graph's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pause_after: Option<Pauses>,
    /// Whether an answer that fits no open question is an error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strict_resume: Option<bool>,
    /// Whether input that the graph does not take is an error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strict_input: Option<bool>,
    /// Whether input is refused while questions are open.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub keep_asks: Option<bool>,
    /// Which events are put into the log of the thread, where others follow the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log: Option<Modes>,
    /// How long tasks have to end when the run is cancelled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grace: Option<Duration>,
    /// How much its calls of models may take.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget: Option<RunBudget>,
    /// The caller's span that the run is part of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub traceparent: Option<TraceParent>,
    /// The version of the state that its input is of. A graph of another version migrates the input, or does not
    /// take it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state_version: Option<u32>,
    /// A hash of the names, types and reducers of the fields that its input has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state_shape: Option<u64>,
}

impl QueuedOptions {
    /// Whether all values in it can be stored.
    pub fn fits(&self) -> bool {
        self.context.as_ref().is_none_or(Value::fits)
    }

    /// Whether nothing is in it.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Whether a run of these options has the context and the caller that it began with.
    pub(super) fn has_identity(&self, begun: &Self) -> bool {
        let caller = |options: &Self| options.caller.clone().unwrap_or_default();
        let has_context = begun.context.is_none() || begun.context == self.context;
        has_context
            && begun.context_unstored == self.context_unstored
            && caller(begun) == caller(self)
    }

    /// Keeps the context and the caller that a run began with, so that its next attempt has the same.
    pub(super) fn keep_identity(&mut self, begun: &Self) {
        if let Some(context) = &begun.context {
            self.context = Some(context.clone());
        }
        self.context_unstored = begun.context_unstored;
        self.caller = Some(begun.caller.clone().unwrap_or_default());
    }
}
