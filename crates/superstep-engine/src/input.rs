//! Ways to say what a run is fed.

use superstep_core::{
    ask::Resume,
    error::{Error, ErrorKind},
    id::AskId,
    run::RunInput,
    runs::QueuedInput,
    value::Value,
};

use crate::graph::DynGraph;

/// Answers the one open question.
pub fn resume(answer: impl Into<Value>) -> RunInput {
    RunInput::Command(Box::default(), Some(Resume::Next(answer.into())))
}

/// Answers questions by id, any number at once.
pub fn answers(answers: impl IntoIterator<Item = (AskId, Value)>) -> RunInput {
    RunInput::Command(
        Box::default(),
        Some(Resume::ById(answers.into_iter().collect())),
    )
}

impl DynGraph {
    /// Whether the graph takes an input. Nothing is run and nothing is written; a run that brings an input is held against
    /// the same.
    pub fn check_input(&self, input: &Value) -> Result<(), Error> {
        let Some(check) = self.0.typed.input else {
            return Ok(());
        };
        check(&input.to_json()).map_err(|refused| ErrorKind::Failed(refused).into())
    }
}

/// What a queued run is fed.
pub(crate) fn queued(input: QueuedInput) -> RunInput {
    match input {
        QueuedInput::Value(value) => RunInput::Value(value),
        QueuedInput::Command(command, resume) => RunInput::Command(Box::new(command), resume),
        _ => RunInput::Nothing,
    }
}

/// Resumes without new input.
pub fn go_on() -> RunInput {
    RunInput::Nothing
}
