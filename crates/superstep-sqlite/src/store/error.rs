//! Errors inside a transaction of the store.

use std::{error::Error, path::Path};

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
            format!(
                "{part} of key {key:?} in namespace {} {how}",
                quoted(namespace)
            ),
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
            format!(
                "item number {item} in namespace {} is damaged",
                quoted(namespace)
            ),
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

    /// The same as an error of the store, with the operation and the file.
    pub(super) fn during(self, doing: &str, file: &Path) -> StoreError {
        let file = file.display();
        match self {
            Self::Store(StoreError::Backend { message, source }) => StoreError::Backend {
                message: format!("{file}: {message}"),
                source,
            },
            Self::Store(error) => error,
            Self::Database(error) => StoreError::Backend {
                message: format!("{file}: {doing}: {error}"),
                source: Some(error.into()),
            },
            Self::NeedsWrite => StoreError::backend(format!("{file}: {doing}: {self}")),
        }
    }

    /// The same for an integrity check: damage is [`SaverError::Corrupt`] or [`SaverError::Sealed`].
    pub(super) fn found(self) -> SaverError {
        match self {
            Self::Database(error) => error,
            Self::Store(StoreError::Backend { message, source }) => {
                let source = source.and_then(|source| source.downcast::<SaverError>().ok());
                match source.as_deref() {
                    Some(SaverError::Sealed(why)) => {
                        SaverError::Sealed(format!("{message}: {why}"))
                    }
                    Some(SaverError::Corrupt(why)) => {
                        SaverError::Corrupt(format!("{message}: {why}"))
                    }
                    _ => SaverError::Corrupt(message),
                }
            }
            Self::Store(damaged @ StoreError::DamagedContent { .. }) => {
                SaverError::Corrupt(damaged.to_string())
            }
            other => SaverError::Io(other.to_string()),
        }
    }
}

/// A namespace as people write it.
fn quoted(namespace: &Namespace) -> String {
    format!("{:?}", namespace.to_string())
}

fn backend(message: String, source: impl Into<Box<dyn Error + Send + Sync>>) -> TransactionError {
    TransactionError::Store(StoreError::Backend {
        message,
        source: Some(source.into()),
    })
}
