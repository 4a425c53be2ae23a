//! Host trait: what a program asks of the engine that runs it.

use std::any::Any;
use std::pin::Pin;

use serde_json::{Map, Value as Json};

use crate::expr::{ExprError, Externals};
use crate::value::Val;

/// The answer of a host, in the future.
pub type Reply<'a, T> = Pin<Box<dyn Future<Output = Result<T, Stop>> + Send + 'a>>;

/// The engine's side of a running program.
///
/// A method that fails ends the program, unless a `try` statement catches the [`Stop`].
pub trait Host: Externals + Send {
    /// Adds one to an external counter and returns its new value.
    fn count(&mut self, name: &str) -> i64;
    /// Asks the outside; the answer is what the run is resumed with.
    fn interrupt(&mut self, value: Json, schema: Option<Json>) -> Reply<'_, Val>;
    /// Writes to the custom stream.
    fn emit(&mut self, data: Json) -> Reply<'_, ()>;
    /// Waits.
    fn sleep(&mut self, ms: u64) -> Reply<'_, ()>;
    /// Works on the long-term store.
    fn store<'a>(&'a mut self, verb: &'a str, fields: Map<String, Json>) -> Reply<'a, Val>;
    /// Runs another graph as a subgraph of this task.
    fn call<'a>(&'a mut self, graph: &'a str, input: Val) -> Reply<'a, Val>;
    /// Starts a task and gives the number to await it by.
    fn start_task<'a>(&'a mut self, name: &'a str, args: Vec<Val>) -> Reply<'a, u64>;
    /// Waits for a started task.
    fn await_task(&mut self, id: u64) -> Reply<'_, Val>;
    /// Calls a streaming model and gives the finished message.
    fn llm(&mut self, call: LlmCall) -> Reply<'_, Val>;
    /// Asks the run to stop after this step.
    fn drain<'a>(&'a mut self, reason: &'a str) -> Reply<'a, ()>;
    /// Signals progress.
    fn heartbeat(&mut self) -> Reply<'_, ()>;
}

/// A call of a streaming model.
#[derive(Debug, Clone, PartialEq)]
pub struct LlmCall {
    /// Id of the message.
    pub id: String,
    /// Its content, in the pieces it is streamed in.
    pub chunks: Vec<String>,
    /// Tool calls of the finished message.
    pub tool_calls: Vec<Json>,
}

/// Why a program stopped before its end.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Stop {
    /// Case code raised an error; can be caught.
    #[error("{kind}: {message}")]
    Raised {
        /// Its kind.
        kind: String,
        /// Its message.
        message: String,
    },
    /// The engine raised an error inside the program; can be caught.
    #[error("engine error {kind}: {message}")]
    Engine {
        /// Its kind.
        kind: String,
        /// Its message.
        message: String,
        /// What else the engine knows about it, carried through untouched.
        extra: Json,
    },
    /// Something that is no error must reach the engine, such as an interrupt, a command for the
    /// parent graph or a cancellation. Never caught, and carried through untouched.
    #[error("control passes to the engine")]
    Bubble(Box<dyn Any + Send>),
    /// The case itself is wrong; never caught.
    #[error("mistake in the case: {0}")]
    Bug(String),
}

impl From<ExprError> for Stop {
    fn from(error: ExprError) -> Self {
        match error {
            ExprError::Raised { kind, message } => Stop::Raised { kind, message },
            ExprError::CaseBug(why) => Stop::Bug(why),
        }
    }
}
