//! Errors inside a transaction of the store.

use std::error::Error;

use superstep_core::error::SaverError;
use superstep_store::{Namespace, StoreError};

use crate::error::sql;

#[derive(Debug, thiserror::Error)]
pub(super) enum TransactionError {
    /// The database failed.
    #[error(transparent)]
    Database(#[from] SaverError),
    /// The operation failed, or what is stored is damaged.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A read transaction turned out to have something to write.
    #[error("a read transaction cannot write")]
    NeedsWrite,
}

impl From<rusqlite::Error> for TransactionError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Database(sql(error))
    }
}

impl TransactionError {
    /// A part of an item is damaged, or sealed for another key.
    pub(super) fn damaged(
        part: &str,
        namespace: &Namespace,
        key: &str,
        source: SaverError,
    ) -> Self {
        let how = match source {
            SaverError::Sealed(_) => "does not open",
            _ => "is damaged",
        };
        backend(
            format!("{part} of key {key:?} in namespace {namespace:?} {how}"),
            source,
        )
    }

    /// The key of an item is not readable.
    pub(super) fn damaged_item(
        namespace: &Namespace,
        item: i64,
        source: impl Into<Box<dyn Error + Send + Sync>>,
    ) -> Self {
        backend(
            format!("item number {item} in namespace {namespace:?} is damaged"),
            source,
        )
    }

    /// The labels of a namespace are not readable.
    pub(super) fn damaged_namespace(
        namespace: i64,
        source: impl Into<Box<dyn Error + Send + Sync>>,
    ) -> Self {
        backend(format!("namespace number {namespace} is damaged"), source)
    }

    /// The same for the other work in the transaction.
    pub(super) fn to_saver_error(&self) -> SaverError {
        match self {
            Self::Database(error) => error.clone(),
            other => SaverError::Io(other.to_string()),
        }
    }

    /// The same as an error of the store, with the operation.
    pub(super) fn during(self, doing: &str) -> StoreError {
        match self {
            Self::Store(error) => error,
            Self::Database(error) => StoreError::Backend {
                message: doing.to_owned(),
                source: Some(error.into()),
            },
            Self::NeedsWrite => StoreError::backend(format!("{doing}: {self}")),
        }
    }
}

fn backend(message: String, source: impl Into<Box<dyn Error + Send + Sync>>) -> TransactionError {
    TransactionError::Store(StoreError::Backend {
        message,
        source: Some(source.into()),
    })
}
