//! The settings of the program around a server, which its operator reads and changes under `/settings`.

use axum::http::StatusCode;
use serde_json::Value as Json;
use superstep::{Secret, store::BoxFuture};

use crate::refusal::Refusal;

/// The settings of the program around a server, as its operator reads and changes them.
pub trait OperatorSettings: Send + Sync + 'static {
    /// All of them, without secrets: an object.
    fn read(&self) -> BoxFuture<'_, Result<Json, SettingsError>>;

    /// Makes a change.
    fn change(&self, change: SettingsChange) -> BoxFuture<'_, Result<(), SettingsError>>;
}

/// A change to the settings.
#[derive(Debug)]
#[non_exhaustive]
pub enum SettingsChange {
    /// The model that agents use.
    Model {
        /// Its name, with its provider.
        name: String,
    },
    /// The key of a provider. It is stored and never shown.
    Key {
        /// The provider.
        provider: String,
        /// Its key.
        key: Secret,
    },
    /// No key of a provider any more.
    RemoveKey {
        /// The provider.
        provider: String,
    },
    /// Weights of a local model, to be downloaded.
    Download {
        /// Their name.
        name: String,
    },
    /// The server, to be started again with its settings.
    Restart,
}

/// Why settings are not read or changed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SettingsError {
    /// The change is not possible.
    #[error("{0}")]
    Invalid(String),
    /// The settings cannot be read or stored.
    #[error("{0}")]
    Failed(String),
}

impl From<SettingsError> for Refusal {
    fn from(error: SettingsError) -> Self {
        let status = match error {
            SettingsError::Invalid(_) => StatusCode::UNPROCESSABLE_ENTITY,
            SettingsError::Failed(_) => StatusCode::INTERNAL_SERVER_ERROR,
        };
        Self::new(status, error.to_string())
    }
}
