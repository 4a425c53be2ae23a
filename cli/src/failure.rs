//! Why a command ended without what was asked for, and the exit code that says so.

use superstep_core::saver::SaverError;
use superstep_model::{ErrorKind, ModelError};

/// Why a command failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// A model, a setting, or no model at all.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// No model, and the ways to one were shown.
    #[error("there is no model")]
    NoModel,
    /// Weights could not be had.
    #[cfg(feature = "local")]
    #[error(transparent)]
    Weights(#[from] superstep_local::weights::Error),
    /// The storage refused.
    #[error(transparent)]
    Saver(#[from] SaverError),
    /// There is nothing to show.
    #[error("{what}")]
    Missing {
        /// What is missing.
        what: String,
        /// What to do about it.
        hint: &'static str,
    },
    /// A check of `model test` failed.
    #[error("{failed} of {all} checks failed")]
    Checks {
        /// How many.
        failed: usize,
        /// Of how many.
        all: usize,
    },
    /// What was asked for makes no sense.
    #[error("{0}")]
    Usage(String),
    /// The person stopped it.
    #[error("cancelled")]
    Cancelled,
    /// Whoever read the output has gone; there is nobody to tell.
    #[error("nobody reads the output any more")]
    Closed,
    /// The system failed.
    #[error("{0}")]
    Io(std::io::Error),
}

/// What whoever has no model can do.
const WAYS_OUT: [&str; 3] = [
    "set ANTHROPIC_API_KEY or OPENAI_API_KEY",
    "start a model server such as Ollama, or set OPENAI_BASE_URL to one",
    "fetch a small model that runs here: superstep model pull",
];

impl Failure {
    /// The exit code.
    pub(crate) fn exit(&self) -> u8 {
        match self {
            Self::Model(error) => match error.kind() {
                ErrorKind::NoModel { .. } => 3,
                ErrorKind::Auth { .. } => 4,
                ErrorKind::Budget { .. } => 5,
                ErrorKind::Settings { .. } => 2,
                _ => 1,
            },
            #[cfg(feature = "local")]
            Self::Weights(error) => match error {
                superstep_local::weights::Error::Name { .. } => 2,
                _ => 1,
            },
            Self::Usage(_) => 2,
            Self::Saver(SaverError::Busy { .. } | SaverError::Conflict { .. }) => 6,
            Self::Saver(_) | Self::Missing { .. } => 1,
            Self::NoModel => 3,
            Self::Checks { .. } | Self::Io(_) => 1,
            Self::Cancelled => 130,
            Self::Closed => 0,
        }
    }

    /// What happened, a line each.
    pub(crate) fn lines(&self) -> Vec<String> {
        if let Self::Model(error) = self
            && let ErrorKind::NoModel { why } = error.kind()
        {
            let ways = why.split("; ").map(|way| format!("  {way}"));
            return ["no model".to_owned()].into_iter().chain(ways).collect();
        }
        self.to_string().lines().map(str::to_owned).collect()
    }

    /// The stable code, where there is one.
    pub(crate) fn code(&self) -> Option<&'static str> {
        match self {
            Self::Model(error) => Some(error.code()),
            Self::NoModel => Some("SS5016"),
            Self::Saver(error) => Some(error.code()),
            #[cfg(feature = "local")]
            Self::Weights(error) => Some(error.code()),
            _ => None,
        }
    }

    /// What to do about it.
    pub(crate) fn hints(&self) -> Vec<&'static str> {
        match self {
            Self::NoModel => WAYS_OUT.to_vec(),
            Self::Saver(error) => error.hint().into_iter().collect(),
            Self::Missing { hint, .. } => vec![hint],
            Self::Model(error) => match error.kind() {
                ErrorKind::NoModel { .. } => WAYS_OUT.to_vec(),
                _ => error.hint().into_iter().collect(),
            },
            #[cfg(feature = "local")]
            Self::Weights(error) => vec![error.hint()],
            _ => Vec::new(),
        }
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        match error.kind() {
            std::io::ErrorKind::BrokenPipe => Self::Closed,
            _ => Self::Io(error),
        }
    }
}
