//! Parts of the long-term store that somebody looks after: what a client writes there is not put as it is, but made an edit by
//! them, with all that belongs to it. Who looks after an item that a caller names is in `store::looked_after`.

use std::sync::Arc;

use axum::http::StatusCode;
use serde_json::Value as Json;
use superstep::store::{BoxFuture, Namespace, Store, StoreError};

use crate::refusal::Refusal;

/// Looks after a part of the long-term store. It gets the store of the caller: each owner has one of their own.
pub trait StoreEditor: Send + Sync + 'static {
    /// Whether an item is looked after.
    fn has(&self, namespace: &Namespace, key: &str) -> bool;

    /// Makes the edit of a client.
    fn put(
        &self,
        store: Arc<dyn Store>,
        edit: StoreEdit,
    ) -> BoxFuture<'_, Result<(), StoreEditError>>;

    /// Refuses to let an item be deleted.
    fn check_delete(&self, namespace: &Namespace, key: &str) -> Result<(), StoreEditError>;
}

/// What a client wants to be in the store.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct StoreEdit {
    /// Where.
    pub namespace: Namespace,
    /// Its name there.
    pub key: String,
    /// What it is to be.
    pub value: Json,
    /// What the client has seen there, if it says so: it must still be that.
    pub seen: Option<Json>,
}

/// Why an edit is not made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreEditError {
    /// Nobody may change that.
    #[error("{0}")]
    NotAllowed(String),
    /// It cannot be that.
    #[error("{0}")]
    Invalid(String),
    /// It is not what the client has seen any more.
    #[error("{0}")]
    Changed(String),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<StoreEditError> for Refusal {
    fn from(error: StoreEditError) -> Self {
        let status = match error {
            StoreEditError::Store(error) => return error.into(),
            StoreEditError::NotAllowed(_) => StatusCode::FORBIDDEN,
            StoreEditError::Invalid(_) => StatusCode::UNPROCESSABLE_ENTITY,
            StoreEditError::Changed(_) => StatusCode::CONFLICT,
        };
        Self::new(status, error.to_string())
    }
}
