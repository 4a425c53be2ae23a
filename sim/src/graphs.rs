//! The graphs that are run, and what their nodes do.
//!
//! A node is a list of [`Piece`]s and what it writes when all of them are through; a pure function
//! of what the task gets, so that only the runtime can make two histories differ.

mod catalogue;

use std::sync::Arc;

use superstep_core::{
    Value,
    command::{Command, Output},
    plan::Plan,
};

pub use catalogue::catalogue;

/// A graph of the catalogue.
pub struct Graph {
    /// Its name.
    pub name: &'static str,
    /// The compiled graph.
    pub plan: Arc<Plan>,
    /// What its nodes do.
    pub script: fn(&str, &Value) -> Script,
    /// Whether no two of its questions are open at once, so that a plain answer is clear.
    pub asks_in_turn: bool,
    /// The graph that its subgraph nodes run.
    pub child: Option<Box<Graph>>,
}

/// What a task does, in order.
pub struct Script {
    /// What it does before it is through.
    pub pieces: Vec<Piece>,
    /// What it writes then, given what the pieces brought.
    pub output: Writes,
}

/// What a task writes, given what its pieces brought.
pub type Writes = Box<dyn Fn(&[Value]) -> Output>;

/// One thing a task does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// It may fail, and may be tried again.
    Flaky,
    /// It fails.
    Doomed,
    /// It asks; brings the answer.
    Ask(String),
    /// It has an effect; brings the key. The effect acts on the answers taken so far.
    Once(String),
    /// It finds out what became of an effect, and has it if nobody had it; brings the key.
    Settle(String),
    /// It waits for a time that it stores first; brings nothing.
    Nap,
    /// It runs the child; brings the child's output.
    Child,
}

impl Script {
    /// A task that adds to `n` and leaves a line.
    pub(crate) fn step(node: &str, input: &Value) -> Self {
        let line = format!("{node} at {}", number(input));
        Self {
            pieces: Vec::new(),
            output: Box::new(move |_| Output::Command(leaves(line.clone()))),
        }
    }

    /// The same, with something to do before; what that brings is written, too.
    pub(crate) fn with(node: &str, input: &Value, pieces: Vec<Piece>) -> Self {
        let line = format!("{node} at {}", number(input));
        let output = move |brought: &[Value]| {
            let said = Value::list(brought.iter().cloned());
            Output::Command(leaves(line.clone()).set("said", said))
        };
        Self {
            pieces,
            output: Box::new(output),
        }
    }
}

pub(crate) fn number(input: &Value) -> i64 {
    input.get("n").and_then(Value::as_i64).unwrap_or_default()
}

fn leaves(line: String) -> Command {
    Command::default()
        .set("n", 1)
        .set("topic", Value::from(line.clone()))
        .set("log", Value::list([Value::from(line)]))
}
