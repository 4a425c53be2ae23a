//! Errors of agents, as front ends report them.

use std::fmt;

/// An error of an agent.
pub trait Failure: std::error::Error + Send + Sync + 'static {
    /// The stable code.
    fn code(&self) -> &'static str;

    /// What to do about it.
    fn hint(&self) -> Option<&'static str>;

    /// The exit code of a command that ends with it.
    fn exit(&self) -> u8 {
        1
    }

    /// The error of a run, if it is one.
    fn run(&self) -> Option<&superstep::Error> {
        None
    }
}

/// An error of some agent.
pub struct AgentError(Box<dyn Failure>);

impl AgentError {
    /// The error.
    pub fn get(&self) -> &dyn Failure {
        &*self.0
    }
}

impl<F: Failure> From<F> for AgentError {
    fn from(failure: F) -> Self {
        Self(Box::new(failure))
    }
}

impl fmt::Debug for AgentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

impl fmt::Display for AgentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

/// A run that failed outside of the agent's own code.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
struct RunFailure(superstep::Error);

impl Failure for RunFailure {
    fn code(&self) -> &'static str {
        self.0.code()
    }

    fn hint(&self) -> Option<&'static str> {
        self.0.hint()
    }

    fn exit(&self) -> u8 {
        exit_of(self.0.code())
    }

    fn run(&self) -> Option<&superstep::Error> {
        Some(&self.0)
    }
}

/// Lets agents return store errors with `?`.
impl Failure for superstep::store::StoreError {
    fn code(&self) -> &'static str {
        Self::code(self)
    }

    fn hint(&self) -> Option<&'static str> {
        Self::hint(self)
    }
}

impl From<superstep::Error> for AgentError {
    fn from(error: superstep::Error) -> Self {
        Self(Box::new(RunFailure(error)))
    }
}

/// The exit code of a run that failed with an error of this code.
pub fn exit_of(code: &str) -> u8 {
    match code {
        "SS5016" => 3,
        "SS5001" => 4,
        "SS5014" => 5,
        "SS2001" | "SS2002" => 6,
        _ => 1,
    }
}

/// An agent that cannot be built.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct Unbuilt(String);

impl Failure for Unbuilt {
    fn code(&self) -> &'static str {
        "SS6057"
    }

    fn hint(&self) -> Option<&'static str> {
        None
    }
}

impl<E: Failure> From<superstep::NewError<E>> for AgentError {
    fn from(error: superstep::NewError<E>) -> Self {
        match error {
            superstep::NewError::Settings(error) => error.into(),
            other => Self(Box::new(Unbuilt(other.to_string()))),
        }
    }
}

/// Lets agents return the mistakes of a tool set with `?`.
impl Failure for superstep::tools::ToolsError {
    fn code(&self) -> &'static str {
        Self::code(self)
    }

    fn hint(&self) -> Option<&'static str> {
        Self::hint(self)
    }
}

/// Lets agents return errors of models with `?`.
impl Failure for superstep::model::ModelError {
    fn code(&self) -> &'static str {
        Self::code(self)
    }

    fn hint(&self) -> Option<&'static str> {
        Self::hint(self)
    }
}

impl std::error::Error for AgentError {}

impl AgentError {
    /// An agent cannot be built, for this reason.
    pub fn unbuilt(why: impl Into<String>) -> Self {
        Self(Box::new(Unbuilt(why.into())))
    }
}

impl From<superstep::BuildErrors> for AgentError {
    fn from(errors: superstep::BuildErrors) -> Self {
        Self(Box::new(Unbuilt(errors.to_string())))
    }
}
