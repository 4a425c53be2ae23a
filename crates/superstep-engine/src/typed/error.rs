//! Why a node has no result.

use std::{error::Error as StdError, fmt};

use superstep_core::{
    error::{Error, Failure},
    run::{EffectError, Halt},
};

/// Why a node has no result: it failed, or it waits for an answer.
///
/// It is no `std::error::Error` itself, so that `?` turns any error into one: an error type, a box of
/// one, or text. An open question passes as it is.
///
/// ```
/// use superstep::prelude::*;
///
/// fn parse(text: &str) -> Result<u32, NodeError> {
///     if text.is_empty() {
///         return Err(NodeError::msg("nothing to read").permanent()); // no retry helps
///     }
///     Ok(text.parse()?) // any error type
/// }
///
/// fn check(number: u32) -> Result<(), NodeError> {
///     if number > 9 {
///         Err(format!("{number} is too much"))?; // text, too
///     }
///     let read: Result<(), Box<dyn std::error::Error + Send + Sync>> = Ok(());
///     Ok(read?)
/// }
///
/// assert_eq!(parse("7").ok(), Some(7));
/// assert!(parse("x").is_err_and(|error| !error.is_ask()));
/// assert!(check(10).is_err() && check(9).is_ok());
/// ```
pub struct NodeError(Halt);

impl NodeError {
    /// A failure with a message, worth trying again.
    pub fn msg(message: impl Into<String>) -> Self {
        Self::failed(Failure::new("Error", message))
    }

    /// A failure.
    pub fn failed(failure: Failure) -> Self {
        Self(failure.into())
    }

    /// Marks the failure as permanent: trying again will not help.
    #[must_use]
    pub fn permanent(mut self) -> Self {
        if let Halt::Error(error) = &mut self.0
            && let superstep_core::ErrorKind::Failed(failure) = &mut *error.kind
        {
            failure.transient = false;
        }
        self
    }

    /// Whether it is an open question and no failure.
    pub fn is_ask(&self) -> bool {
        matches!(self.0, Halt::Suspended(_))
    }

    /// The failure; nothing for an open question.
    pub fn error(&self) -> Option<&Error> {
        match &self.0 {
            Halt::Error(error) => Some(error),
            _ => None,
        }
    }

    pub(crate) fn halt(halt: Halt) -> Self {
        Self(halt)
    }

    pub(crate) fn into_halt(self) -> Halt {
        self.0
    }
}

/// What `?` turns into a [`NodeError`]: an error type, a box of one, or text, that can go to another thread.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot leave a node or a tool by `?`",
    label = "an error leaves a node as an error type, as text, or as a `Box<dyn Error + Send + Sync>`",
    note = "add `Send + Sync` to a `Box<dyn Error>`, or make it text: `.map_err(|error| error.to_string())?`"
)]
pub trait Raise {
    /// The error.
    fn raise(self) -> Box<dyn StdError + Send + Sync>;
}

#[diagnostic::do_not_recommend]
impl<E: Into<Box<dyn StdError + Send + Sync>>> Raise for E {
    fn raise(self) -> Box<dyn StdError + Send + Sync> {
        self.into()
    }
}

impl<E: Raise> From<E> for NodeError {
    fn from(error: E) -> Self {
        // An error of the runtime keeps its code.
        match error.raise().downcast::<Error>() {
            Ok(own) => Self(Halt::Error(*own)),
            Err(error) => Self::failed(Failure::of::<E>(error)),
        }
    }
}

/// A node's failure proves nothing about an effect: its outcome is unknown.
impl From<NodeError> for EffectError {
    fn from(error: NodeError) -> Self {
        error.0.into()
    }
}

impl fmt::Debug for NodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for NodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Halt::Error(error) => fmt::Display::fmt(error, f),
            Halt::Suspended(it) => write!(f, "waiting for {} answers", it.asks.len()),
            Halt::Parent(_) => f.write_str("handed over to the graph above"),
        }
    }
}
