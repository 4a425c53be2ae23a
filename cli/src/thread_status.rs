//! What is going on with a thread, as lists show it.

use serde::Serialize;
use superstep::{RunStatus, dynamic::Snapshot};

/// Status of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Status {
    /// A run is at work on it, in whatever process.
    Running,
    /// A person is asked.
    Waiting,
    /// Nothing is left to run.
    Done,
    /// A task failed; it can be retried.
    Failed,
    /// It stopped between steps.
    #[serde(rename = "cut")]
    Interrupted,
}

impl Status {
    pub(crate) fn of(snapshot: &Snapshot) -> Self {
        let failed = snapshot.tasks.iter().any(|task| task.error.is_some());
        match snapshot.asks().next() {
            Some(_) => Self::Waiting,
            None if snapshot.next.is_empty() => Self::Done,
            None if failed => Self::Failed,
            None => Self::Interrupted,
        }
    }

    /// That of a thread whose graph is not there, by its newest run.
    pub(crate) fn of_run(status: RunStatus) -> Self {
        match status {
            RunStatus::Running => Self::Running,
            RunStatus::Waiting => Self::Waiting,
            RunStatus::Idle | RunStatus::Done => Self::Done,
            RunStatus::Failed => Self::Failed,
            _ => Self::Interrupted,
        }
    }

    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Waiting => "waiting",
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Interrupted => "interrupted",
        }
    }
}
