//! How a call fails.

use std::{error::Error as StdError, fmt};

use superstep_core::error::{Coded, Failure};
use superstep_engine::typed::{NodeError, Raise};

/// How a call failed.
///
/// It is no `std::error::Error` itself, so that `?` turns any error into one: an error type, a box of
/// one, or text.
///
/// ```
/// use superstep::tools::ToolError;
///
/// fn first_line(path: &str) -> Result<String, ToolError> {
///     let text = std::fs::read_to_string(path)?;
///     let line = text.lines().next().ok_or("the file is empty")?;
///     Ok(line.to_owned())
/// }
///
/// assert!(matches!(first_line("/nowhere"), Err(ToolError::Error(why)) if why.contains("No such file")));
/// ```
pub enum ToolError {
    /// It did not happen; the model reads why.
    Failed(String),
    /// It may or may not have happened: a connection broke after the request, for example. Its
    /// effect is looked up, or a person is asked; it is not tried again before that.
    Unknown(String),
    /// An error that `?` passed on, which proves nothing. A tool that changes nothing has failed with
    /// it; whether one that can change something did so is unknown. Where it is certain that nothing
    /// happened, [`ToolError::failed`] says so.
    Error(String),
    /// It did not happen, and the run stops with this failure: credentials that ended, for example.
    /// The call is made when the run resumes, or by the retry policy of its node.
    Stopped(Failure),
    /// The task of the call ends as a node's does, with a question that is open or with a failure;
    /// see [`ToolCtx::ask`](super::ToolCtx::ask).
    Ended(NodeError),
}

impl ToolError {
    /// It did not happen, for this reason.
    pub fn failed(reason: impl ToString) -> Self {
        Self::Failed(reason.to_string())
    }

    /// A mistake of the program, which no model can repair: the run stops.
    pub(crate) fn mistake(what: impl Into<String>) -> Self {
        Self::Stopped(Failure::new("ToolArgument", what).permanent())
    }
}

impl<E: Raise> From<E> for ToolError {
    fn from(error: E) -> Self {
        Self::Error(with_causes(&*error.raise()))
    }
}

/// What an error says, and its causes, as far as it does not say them itself.
fn with_causes(error: &(dyn StdError + 'static)) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let said = error.to_string();
        // A code is for programs.
        if error.downcast_ref::<Coded>().is_none() && !text.contains(&said) {
            text.push_str(": ");
            text.push_str(&said);
        }
        cause = error.source();
    }
    text
}

impl fmt::Display for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Failed(why) | Self::Error(why) => f.write_str(why),
            Self::Unknown(why) => write!(f, "the outcome is unknown: {why}"),
            Self::Stopped(failure) => f.write_str(&failure.message),
            Self::Ended(error) => fmt::Display::fmt(error, f),
        }
    }
}

impl fmt::Debug for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self {
            Self::Failed(_) => "failed",
            Self::Unknown(_) => "unknown",
            Self::Error(_) => "error",
            Self::Stopped(_) => "stopped",
            Self::Ended(_) => "ended",
        };
        write!(f, "{kind}: {self}")
    }
}
