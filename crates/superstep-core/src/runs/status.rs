//! What is going on with a run or a thread, in one word.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

use crate::event::Ending;

/// What is going on with a run, or with a thread: that of its newest run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum RunStatus {
    /// A thread without runs that has nothing left to run.
    Idle,
    /// It waits for a worker.
    Queued,
    /// It runs now.
    Running,
    /// Nothing is left to run.
    Done,
    /// It waits for answers.
    Waiting,
    /// It is at a static pause.
    Paused,
    /// It continues by itself when its time comes.
    Sleeping,
    /// It failed; the thread can be continued.
    Failed,
    /// It was cut short; the thread can be continued.
    Interrupted,
    /// Somebody cancelled it; the thread can be continued.
    Cancelled,
    /// It was asked to stop between steps; the thread can be continued.
    Drained,
}

impl RunStatus {
    /// All of them.
    pub const ALL: [Self; 11] = [
        Self::Idle,
        Self::Queued,
        Self::Running,
        Self::Done,
        Self::Waiting,
        Self::Paused,
        Self::Sleeping,
        Self::Failed,
        Self::Interrupted,
        Self::Cancelled,
        Self::Drained,
    ];

    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Idle => "idle",
            Self::Queued => "queued",
            Self::Running => "running",
            Self::Done => "done",
            Self::Waiting => "waiting",
            Self::Paused => "paused",
            Self::Sleeping => "sleeping",
            Self::Failed => "failed",
            Self::Interrupted => "interrupted",
            Self::Cancelled => "cancelled",
            Self::Drained => "drained",
        }
    }

    /// Whether a run with this status has ended.
    pub fn has_ended(self) -> bool {
        !matches!(
            self,
            Self::Idle | Self::Queued | Self::Running | Self::Sleeping
        )
    }
}

impl From<&Ending> for RunStatus {
    fn from(ending: &Ending) -> Self {
        match ending {
            Ending::Done => Self::Done,
            Ending::Waiting(_) => Self::Waiting,
            Ending::Paused => Self::Paused,
            Ending::Sleeping { .. } => Self::Sleeping,
            Ending::Failed { .. } => Self::Failed,
            Ending::Drained { .. } => Self::Drained,
            Ending::Cancelled { .. } => Self::Cancelled,
            Ending::Interrupted => Self::Interrupted,
        }
    }
}

impl fmt::Display for RunStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Text is not a status.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
#[error(
    "`{0}` is not a status: expected one of idle, queued, running, done, waiting, paused, sleeping, failed, interrupted, cancelled, drained"
)]
pub struct ParseStatusError(pub String);

impl FromStr for RunStatus {
    type Err = ParseStatusError;

    fn from_str(text: &str) -> Result<Self, ParseStatusError> {
        let found = Self::ALL.into_iter().find(|status| status.name() == text);
        found.ok_or_else(|| ParseStatusError(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_has_one_word_in_text_and_json() {
        for status in RunStatus::ALL {
            assert_eq!(status.name().parse(), Ok(status));
            let json = serde_json::to_value(status).ok();
            assert_eq!(json, Some(status.name().into()));
        }
        let wrong = ParseStatusError("Done".into());
        assert_eq!("Done".parse::<RunStatus>(), Err(wrong));
    }
}
