//! Why an effect on the outside world has no result, and whether it may have happened all the same.

use std::fmt;

use super::Halt;
use crate::error::{ErrorKind, Failure};

/// Why an effect has no result: what a closure given to `ctx.once` returns.
///
/// An error does not say that nothing happened: the answer to a request may be lost after the
/// request was carried out. So every error that `?` turns into this one means that the outcome is
/// *unknown*, and the effect is not repeated before somebody has found out. Only
/// [`EffectError::not_done`] states that nothing happened, which makes another attempt safe.
///
/// ```
/// # use superstep_core::{error::Failure, run::EffectError};
/// # fn connect() -> Result<(), std::io::Error> { Ok(()) }
/// # fn send() -> Result<u64, std::io::Error> { Ok(42) }
/// fn pay() -> Result<u64, EffectError> {
///     // Nothing has left this process yet.
///     connect().map_err(EffectError::not_done)?;
///     // From here on the request may have arrived, whatever comes back.
///     Ok(send()?)
/// }
/// # assert_eq!(pay().ok(), Some(42));
/// ```
///
/// It is no `std::error::Error` itself, so that `?` turns any error into one.
pub struct EffectError {
    why: Halt,
    not_done: bool,
}

impl EffectError {
    /// The effect did not happen, for certain: another attempt may try again.
    #[must_use]
    pub fn not_done(error: impl Into<Self>) -> Self {
        Self {
            not_done: true,
            ..error.into()
        }
    }

    /// The effect may have happened. This is what `?` makes of an error.
    #[must_use]
    pub fn unknown(error: impl Into<Self>) -> Self {
        Self {
            not_done: false,
            ..error.into()
        }
    }

    /// Whether the effect did not happen, for certain.
    pub fn is_not_done(&self) -> bool {
        self.not_done
    }

    /// Whether the effect asked a question, which is a mistake of its node.
    pub fn asked_in_effect(&self) -> bool {
        matches!(&self.why, Halt::Error(error) if matches!(*error.kind, ErrorKind::AskInEffect { .. }))
    }

    /// What ended the effect.
    pub fn into_halt(self) -> Halt {
        self.why
    }
}

impl From<Halt> for EffectError {
    fn from(why: Halt) -> Self {
        Self {
            why,
            not_done: false,
        }
    }
}

impl<E: Into<Box<dyn std::error::Error + Send + Sync>> + 'static> From<E> for EffectError {
    fn from(error: E) -> Self {
        Halt::from(error).into()
    }
}

impl From<Failure> for EffectError {
    fn from(failure: Failure) -> Self {
        Halt::from(failure).into()
    }
}

impl From<ErrorKind> for EffectError {
    fn from(kind: ErrorKind) -> Self {
        Halt::from(kind).into()
    }
}

impl fmt::Display for EffectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.why {
            Halt::Error(error) => error.kind.fmt(f),
            Halt::Suspended(_) => {
                f.write_str("it waited for an answer or a time while it was under way")
            }
            Halt::Parent(_) => f.write_str("it returned a command for the graph above"),
        }
    }
}

impl fmt::Debug for EffectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let outcome = match self.not_done {
            true => "not done",
            false => "outcome unknown",
        };
        write!(f, "{outcome}: {self}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lost() -> Result<(), EffectError> {
        Err(std::io::Error::other("no answer"))?;
        Ok(())
    }

    #[test]
    fn the_outcome_is_unknown_unless_somebody_says_that_it_is_not_done() {
        let error = lost().err().map(|error| error.is_not_done());
        assert_eq!(error, Some(false));
        let refused = EffectError::not_done(Failure::new("Refused", "no"));
        assert!(refused.is_not_done());
        assert_eq!(format!("{refused:?}"), "not done: Refused: no");
        assert!(!EffectError::unknown(refused).is_not_done());
    }
}
