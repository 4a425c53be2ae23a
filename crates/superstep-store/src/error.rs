//! What can go wrong in the store, each with a stable code and, where one exists, a way out.

use std::{error::Error, fmt};

use superstep_core::error::Category;

use super::{FilterError, MAX_VALUE_DEPTH, Namespace, NamespaceError};

/// An error of the long-term store.
#[derive(thiserror::Error, superstep_coded::Coded)]
#[non_exhaustive]
pub enum StoreError {
    /// The namespace is not valid.
    #[error(transparent)]
    #[coded(transparent)]
    Namespace(#[from] NamespaceError),
    /// The key contains a NUL character, which some backends cannot hold.
    #[error("key {key:?} contains a NUL character")]
    #[coded(
        "SS3010",
        InvalidInput,
        hint = "remove the NUL character, or encode the key"
    )]
    Key {
        /// The refused key.
        key: String,
    },
    /// The value is nested too deeply to be read back by every backend.
    #[error("the value of key {key:?} is nested deeper than {MAX_VALUE_DEPTH} levels")]
    #[coded(
        "SS3011",
        InvalidInput,
        hint = "flatten the value, or store parts under own keys"
    )]
    ValueTooDeep {
        /// The key of the refused value.
        key: String,
    },
    /// The time to live is shorter than a millisecond.
    #[error("the time to live of key {key:?} is shorter than a millisecond")]
    #[coded(
        "SS3012",
        InvalidInput,
        hint = "leave the time to live out to keep the item"
    )]
    Ttl {
        /// The key of the refused item.
        key: String,
    },
    /// The filter is not valid.
    #[error(transparent)]
    #[coded(transparent)]
    Filter(#[from] FilterError),
    /// A path that names fields to embed cannot be read.
    #[error("index path {path:?}: {reason}")]
    #[coded(
        "SS3030",
        InvalidInput,
        hint = "write paths like `title`, `notes[*].text` or `$`"
    )]
    IndexPath {
        /// The refused path.
        path: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// The embedder failed or answered with something else than one vector per text.
    #[error("embedding with model {model:?} failed: {reason}")]
    #[coded("SS3040", Unavailable)]
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
    #[coded(
        "SS3041",
        Conflict,
        hint = "reindex the prefix with the new model, or search a narrower prefix"
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
    #[coded(
        "SS2107",
        Conflict,
        hint = "read the item again and make the change of what it is now"
    )]
    Conflict {
        /// Where the item is.
        namespace: Namespace,
        /// Its key.
        key: String,
    },
    /// Kept content is not what its hash says.
    #[error("the content of {hash} in {space:?} is damaged")]
    #[coded(
        "SS3060",
        Internal,
        hint = "restore a backup of the storage, or keep the content again"
    )]
    DamagedContent {
        /// The space it is in.
        space: String,
        /// Its hash.
        hash: crate::ContentHash,
    },
    /// The backend failed.
    #[error("store backend: {message}")]
    #[coded(
        "SS3090",
        Unavailable,
        hint = "check the storage, and restore a backup if it is damaged"
    )]
    Backend {
        /// What the backend was doing.
        message: String,
        /// The backend's own error.
        #[source]
        source: Option<Box<dyn Error + Send + Sync>>,
    },
}

/// What a person should see when a program ends with this error: code, message, hint.
impl fmt::Debug for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{}] {self}", self.code())?;
        match self.hint() {
            Some(hint) => write!(f, "\n  hint: {hint}"),
            None => Ok(()),
        }
    }
}

impl StoreError {
    /// A backend failure without an error of its own underneath.
    pub fn backend(message: impl Into<String>) -> Self {
        Self::Backend {
            message: message.into(),
            source: None,
        }
    }
}
