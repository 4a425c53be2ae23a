//! Why an agent that is built on the facade cannot be made.

use std::{error::Error, fmt};

use superstep_core::plan::BuildErrors;

/// Why an agent cannot be made; `E` is its own error.
#[derive(Debug)]
#[non_exhaustive]
pub enum NewError<E> {
    /// Its settings are wrong, or something that it needs is.
    Settings(E),
    /// Its graph could not be built: a mistake in its library.
    Graph(BuildErrors),
}

impl<E: fmt::Display> fmt::Display for NewError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Settings(error) => fmt::Display::fmt(error, f),
            Self::Graph(errors) => fmt::Display::fmt(errors, f),
        }
    }
}

impl<E: Error> Error for NewError<E> {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Settings(error) => error.source(),
            Self::Graph(errors) => errors.source(),
        }
    }
}

impl<E> From<BuildErrors> for NewError<E> {
    fn from(errors: BuildErrors) -> Self {
        Self::Graph(errors)
    }
}
