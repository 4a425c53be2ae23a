//! Ways to say what a run is fed.

use superstep_core::{ask::Resume, command::Command, id::AskId, run::RunInput, value::Value};

/// Answers the one open question.
pub fn resume(answer: impl Into<Value>) -> RunInput {
    RunInput::Command(Command::default(), Some(Resume::Next(answer.into())))
}

/// Answers questions by id, any number at once.
pub fn answers(answers: impl IntoIterator<Item = (AskId, Value)>) -> RunInput {
    RunInput::Command(
        Command::default(),
        Some(Resume::ById(answers.into_iter().collect())),
    )
}

/// Resumes without new input.
pub fn go_on() -> RunInput {
    RunInput::Nothing
}
