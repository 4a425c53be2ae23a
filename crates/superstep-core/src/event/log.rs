//! Event log of a thread: the events of its runs in one order, for readers that come and go.
//!
//! Each entry has a [`Cursor`]; a reader that comes back with the last one it saw gets what
//! follows. A state is large and is in a checkpoint already, so an entry that shows one records
//! which one ([`StateAt`]), and whoever reads it fills it in.

use std::{fmt, num::ParseIntError, str::FromStr, sync::Arc};

use serde::{Deserialize, Serialize};

use super::{Event, EventKind, Modes, TraceParent};
use crate::{
    clock::UnixMillis,
    error::ErrorKind,
    id::{AskId, CheckpointId},
    plan::{Keys, Plan},
    policy::Durability,
    value::Value,
};

/// A place in the log of a thread. Later places are greater.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Cursor {
    /// The lease of the run that wrote the entry.
    pub epoch: u64,
    /// Counts the entries of that run, from 1.
    pub n: u64,
}

impl Cursor {
    /// The place after all entries of a run: of an ending that its log does not have.
    #[must_use]
    pub fn end_of(epoch: u64) -> Self {
        // Savers count in signed numbers.
        let n = i64::MAX as u64;
        Self { epoch, n }
    }

    /// The place before this one.
    #[must_use]
    pub fn before(self) -> Self {
        let n = self.n.saturating_sub(1);
        Self { n, ..self }
    }
}

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.epoch, self.n)
    }
}

/// Text is not a cursor.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
#[error("`{0}` is not a cursor: expected two numbers with a point between them")]
pub struct ParseCursorError(pub String);

impl FromStr for Cursor {
    type Err = ParseCursorError;

    fn from_str(text: &str) -> Result<Self, ParseCursorError> {
        let wrong = || ParseCursorError(text.to_owned());
        let (epoch, n) = text.split_once('.').ok_or_else(wrong)?;
        let number = |digits: &str| {
            let plain = digits.bytes().all(|byte| byte.is_ascii_digit());
            let read: Result<u64, ParseIntError> = digits.parse();
            read.ok().filter(|_| plain).ok_or_else(wrong)
        };
        Ok(Self {
            epoch: number(epoch)?,
            n: number(n)?,
        })
    }
}

impl From<Cursor> for String {
    fn from(cursor: Cursor) -> Self {
        cursor.to_string()
    }
}

impl TryFrom<String> for Cursor {
    type Error = ParseCursorError;

    fn try_from(text: String) -> Result<Self, ParseCursorError> {
        text.parse()
    }
}

/// One entry of a thread's log.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Logged {
    /// Its place.
    pub cursor: Cursor,
    /// The checkpoint it belongs to; with that one it is pruned.
    pub checkpoint: Option<CheckpointId>,
    /// When it was written, in microseconds since 1970; unknown of logs of earlier versions. Within
    /// a run, times do not go back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<u64>,
    /// Its content.
    pub entry: Entry,
}

/// The content of an entry.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Entry {
    /// A run began.
    Started {
        /// When it is stored.
        durability: Durability,
        /// Which events it logs.
        modes: Modes,
        /// The name of the graph; empty if it is unknown.
        #[serde(default)]
        graph: Arc<str>,
        /// The caller's span that it is part of.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        traceparent: Option<TraceParent>,
    },
    /// Something happened in it.
    #[serde(rename = "Told")]
    Event(Box<LoggedEvent>),
    /// It ended.
    Ended(Ending),
}

/// An event as it is logged.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LoggedEvent {
    /// The event; without its state if a checkpoint has it.
    pub event: Event,
    /// A graph below the thread's own emitted it.
    pub below: bool,
    /// Where its state is.
    pub state: Option<StateAt>,
}

impl LoggedEvent {
    /// The event with its state.
    #[must_use]
    pub fn with_state(self, state: Value) -> Event {
        let mut event = self.event;
        match &mut event.kind {
            EventKind::Values { values, .. } => *values = state,
            EventKind::Checkpoint(snapshot) => snapshot.values = state,
            EventKind::TaskStart { input, .. } => *input = state,
            _ => {}
        }
        event
    }
}

/// A state that is in a checkpoint of the event's graph.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StateAt {
    /// The checkpoint.
    pub checkpoint: CheckpointId,
    /// Which part of it is meant.
    pub part: StatePart,
}

/// A part of a state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum StatePart {
    /// What snapshots show.
    Shown,
    /// One channel, bare.
    One(Arc<str>),
    /// An object of these channels.
    Many(Vec<Arc<str>>),
    /// What this node gets.
    Input(Arc<str>),
}

impl StatePart {
    /// The part that these keys show.
    pub(crate) fn of(plan: &Plan, keys: &Keys) -> Self {
        let name = |channel| plan.channels.row(channel).name.clone();
        match keys {
            keys if *keys == plan.shown => Self::Shown,
            Keys::One(channel) => Self::One(name(*channel)),
            Keys::Many(channels) => Self::Many(channels.iter().copied().map(name).collect()),
        }
    }
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Ending {
    /// Nothing is left to run.
    Done,
    /// It waits for answers to these questions.
    Waiting(Vec<AskId>),
    /// It is at a static pause.
    Paused,
    /// It sleeps: it continues by itself at this time, as the same run.
    Sleeping {
        /// In milliseconds since 1970.
        until: UnixMillis,
    },
    /// It failed.
    Failed {
        /// The stable code.
        code: String,
        /// Its message.
        message: String,
    },
    /// It was asked to stop between steps.
    Drained {
        /// Why.
        reason: String,
    },
    /// Somebody asked to cancel it.
    Cancelled {
        /// Why.
        reason: String,
    },
    /// It was cut short: its process ended, or it lost the thread. Whoever finds that out writes it.
    Interrupted,
}

impl From<&ErrorKind> for Ending {
    fn from(kind: &ErrorKind) -> Self {
        Self::Failed {
            code: kind.code().to_owned(),
            message: kind.to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_round_trips_as_text() {
        let cursor = Cursor { epoch: 7, n: 42 };
        assert_eq!(cursor.to_string(), "7.42");
        assert_eq!("7.42".parse(), Ok(cursor));
        assert_eq!(serde_json::to_string(&cursor).ok(), Some("\"7.42\"".into()));
        assert_eq!(serde_json::from_str("\"7.42\"").ok(), Some(cursor));
    }

    #[test]
    fn what_is_no_cursor_is_refused() {
        for text in [
            "", "7", "7.", ".42", "7.42.1", "-7.42", "7.+42", "a.b", "7. 42",
        ] {
            let read: Result<Cursor, _> = text.parse();
            assert_eq!(read, Err(ParseCursorError(text.into())));
        }
    }

    #[test]
    fn cursors_are_ordered_by_run_and_then_by_number() {
        let at = |epoch, n| Cursor { epoch, n };
        assert!(at(1, 900) < at(2, 1) && at(2, 9) < at(2, 10));
    }
}
