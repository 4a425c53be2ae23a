//! Whether a hosted graph can be run, and what it lacks.

use serde::Serialize;

/// Whether a hosted graph can be run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Standing {
    /// What it can do now.
    pub state: Readiness,
    /// What it lacks.
    pub needs: Vec<Need>,
}

/// What a hosted graph can do now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Readiness {
    /// It runs.
    #[default]
    Ready,
    /// It runs its example only, with scripted replies.
    Rehearsal,
    /// Its threads can be read, and its runs fail.
    Unable,
}

/// Something that a hosted graph lacks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Need {
    /// What it is: `model`, `account`.
    pub what: String,
    /// Why it is missing.
    pub why: String,
    /// What to do about it.
    pub fix: String,
}
