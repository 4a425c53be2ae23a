//! What can go wrong in the store, each with a stable code and, where one exists, a way out.

use std::error::Error;

use super::{FilterError, MAX_VALUE_DEPTH, Namespace, NamespaceError};

/// An error of the long-term store.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The namespace is not valid.
    #[error(transparent)]
    Namespace(#[from] NamespaceError),
    /// The key contains a NUL character, which some backends cannot hold.
    #[error("key {key:?} contains a NUL character")]
    Key {
        /// The refused key.
        key: String,
    },
    /// The value is nested too deeply to be read back by every backend.
    #[error("the value of key {key:?} is nested deeper than {MAX_VALUE_DEPTH} levels")]
    ValueTooDeep {
        /// The key of the refused value.
        key: String,
    },
    /// The time to live is shorter than a millisecond.
    #[error("the time to live of key {key:?} is shorter than a millisecond")]
    Ttl {
        /// The key of the refused item.
        key: String,
    },
    /// The filter is not valid.
    #[error(transparent)]
    Filter(#[from] FilterError),
    /// A path that names fields to embed cannot be read.
    #[error("index path {path:?}: {reason}")]
    IndexPath {
        /// The refused path.
        path: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// The embedder failed or answered with something else than one vector per text.
    #[error("embedding with model {model:?} failed: {reason}")]
    Embedding {
        /// The model asked.
        model: String,
        /// What went wrong.
        reason: String,
    },
    /// The query was embedded with another model than the items it would be compared with.
    #[error(
        "the query is embedded with model {asked:?} but key {key:?} was embedded with {stored:?}"
    )]
    ModelMismatch {
        /// The model of the query.
        asked: String,
        /// The model of the item.
        stored: String,
        /// The key of an item of the other model.
        key: String,
    },
    /// What is under the key is not what the put expected; nothing of its batch was applied.
    #[error("key {key:?} in namespace {:?} was changed since it was read", .namespace.to_string())]
    Conflict {
        /// Where the item is.
        namespace: Namespace,
        /// Its key.
        key: String,
    },
    /// The backend failed.
    #[error("store backend: {message}")]
    Backend {
        /// What the backend was doing.
        message: String,
        /// The backend's own error.
        #[source]
        source: Option<Box<dyn Error + Send + Sync>>,
    },
}

impl StoreError {
    /// A backend failure without an error of its own underneath.
    pub fn backend(message: impl Into<String>) -> Self {
        Self::Backend {
            message: message.into(),
            source: None,
        }
    }

    /// The stable code of this error.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Namespace(error) => error.code(),
            Self::Key { .. } => "SS3010",
            Self::ValueTooDeep { .. } => "SS3011",
            Self::Ttl { .. } => "SS3012",
            Self::Filter(error) => error.code(),
            Self::IndexPath { .. } => "SS3030",
            Self::Embedding { .. } => "SS3040",
            Self::ModelMismatch { .. } => "SS3041",
            Self::Conflict { .. } => "SS2107",
            Self::Backend { .. } => "SS3090",
        }
    }

    /// What the reader can do about it.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Namespace(error) => Some(error.hint()),
            Self::Key { .. } => Some("remove the NUL character, or encode the key"),
            Self::ValueTooDeep { .. } => Some("flatten the value, or store parts under own keys"),
            Self::Ttl { .. } => Some("leave the time to live out to keep the item"),
            Self::Filter(error) => Some(error.hint()),
            Self::IndexPath { .. } => Some("write paths like `title`, `notes[*].text` or `$`"),
            Self::ModelMismatch { .. } => {
                Some("put the older items again with the new model, or search a narrower prefix")
            }
            Self::Conflict { .. } => {
                Some("read the item again and make the change of what it is now")
            }
            Self::Embedding { .. } | Self::Backend { .. } => None,
        }
    }
}
