//! Errors of settings and arguments.

use superstep::model::ModelError;

use crate::failure::Failure;

/// A setting or an argument that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum UsageError {
    /// An unknown key, or a wrong value.
    #[error("{0}")]
    Wrong(String),
    /// A path that leads out of the project.
    #[error(transparent)]
    Path(#[from] ModelError),
}

impl Failure for UsageError {
    fn code(&self) -> &'static str {
        match self {
            Self::Wrong(_) => "SS6050",
            Self::Path(error) => error.code(),
        }
    }

    fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Wrong(_) => None,
            Self::Path(error) => error.hint(),
        }
    }

    fn exit(&self) -> u8 {
        2
    }
}
