//! Effects that happened, or may have: what another branch of a thread would do a second time. How they are
//! read from the journal of a task is in [`crate::record`].

use std::{fmt, sync::Arc};

use serde::{Deserialize, Serialize};

/// An effect of a task that happened, or may have.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PastEffect {
    /// Its key, within its task.
    pub key: String,
    /// What it was, for people, if more than the key is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub what: Option<String>,
    /// Whether it happened.
    pub certainty: Certainty,
}

/// What is known about an effect that was started.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Certainty {
    /// It happened.
    Happened,
    /// Nobody knows whether it happened.
    Unknown,
}

/// An effect that a run from an earlier checkpoint would repeat, and where it is on record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Repeated {
    /// The node of the graph that goes back; the effect may be one of a graph below it.
    pub node: Arc<str>,
    /// The step that it ran in.
    pub step: i64,
    /// The effect.
    pub effect: PastEffect,
}

impl fmt::Display for Repeated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { node, step, effect } = self;
        let what = effect.what.as_ref().unwrap_or(&effect.key);
        let how = match effect.certainty {
            Certainty::Happened => "happened",
            Certainty::Unknown => "may have happened",
        };
        write!(f, "{what} (`{node}`, step {step}) {how}")
    }
}
