//! What a task hands back: its output, or why it has none.

use crate::{
    ask::Ask,
    clock::UnixMillis,
    command::{Command, Output},
    error::{Error, ErrorKind, Failure},
    record::Effect,
    value::Value,
};

/// Why a task has no output.
#[derive(Debug)]
pub enum Halt {
    /// It failed.
    Error(Error),
    /// It waits for answers or for a time; for neither, a graph below it is at a static pause.
    Suspended(Suspension),
    /// It returned a command for the graph that runs it.
    Parent(Box<Command>),
}

/// What a task or a run waits for before it continues.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Suspension {
    /// Answers to these questions.
    pub asks: Vec<Ask>,
    /// This time, if it comes first.
    pub until: Option<UnixMillis>,
}

impl Suspension {
    /// A wait for the answer to a question, at most until its deadline.
    pub fn on(ask: Ask) -> Self {
        let until = ask.deadline;
        Self {
            asks: vec![ask],
            until,
        }
    }

    /// A wait for a time.
    pub fn until(time: UnixMillis) -> Self {
        Self {
            asks: Vec::new(),
            until: Some(time),
        }
    }

    /// Whether it waits for nothing but a caller who continues it.
    pub fn is_pause(&self) -> bool {
        self.asks.is_empty() && self.until.is_none()
    }
}

/// Any error ends a task, boxed ones, those of error-reporting crates and plain texts too; one of the
/// engine's own stays what it is.
impl<E: Into<Box<dyn std::error::Error + Send + Sync>> + 'static> From<E> for Halt {
    fn from(error: E) -> Self {
        match error.into().downcast::<Error>() {
            Ok(own) => Self::Error(*own),
            Err(other) => Failure::of::<E>(other).into(),
        }
    }
}

impl From<Failure> for Halt {
    fn from(failure: Failure) -> Self {
        Self::Error(failure.into())
    }
}

impl From<ErrorKind> for Halt {
    fn from(kind: ErrorKind) -> Self {
        Self::Error(kind.into())
    }
}

/// What a task did.
#[derive(Debug)]
pub struct Done {
    /// Its result.
    pub result: Result<Output, Halt>,
    /// The answers it has taken so far, in order.
    pub answers: Vec<Value>,
    /// Effects it journaled.
    pub effects: Vec<(String, Effect)>,
    /// Ids of messages it streamed itself.
    pub streamed: Vec<String>,
    /// Ids of messages that readers of the stream have seen of graphs it ran.
    pub seen_below: Vec<String>,
}
