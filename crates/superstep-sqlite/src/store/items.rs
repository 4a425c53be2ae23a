//! Items: put, get, delete, TTL refresh.

use std::time::Duration;

use rusqlite::{Connection, OptionalExtension, Row, params};
use serde_json::Value;
use superstep_core::error::SaverError;
use superstep_store::{
    Delete, Expected, Get, IndexPath, Item, Namespace, Put, StoreError, TtlOnRead, UnixMillis,
    Vectors, expiry,
};

use super::error::TransactionError;
use super::tables::Tables;
use super::{encoding, labels, vectors};
use crate::item_place::{self as place, ValueAt};
use crate::seal::Seal;

/// Fails a put whose expectation does not hold (compare and swap, in the transaction of the write).
fn check_expected(tables: Tables<'_>, put: &Put) -> Result<(), TransactionError> {
    if put.options.expected == Expected::Anything {
        return Ok(());
    }
    let current = get(
        tables,
        &Get {
            namespace: put.namespace.clone(),
            key: put.key.clone(),
            ttl: TtlOnRead::Keep,
        },
    )?;
    let current = current.as_ref().map(|(item, _)| &item.value);
    if put.options.expected.allows(current) {
        return Ok(());
    }
    Err(TransactionError::Store(StoreError::Conflict {
        namespace: put.namespace.clone(),
        key: put.key.clone(),
    }))
}

/// Writes an item and its vectors, if its expectation holds.
pub(super) fn put(
    tables: Tables<'_>,
    put: &Put,
    vectors: Option<&Vectors>,
    fields: &[IndexPath],
) -> Result<(), TransactionError> {
    let Tables {
        connection,
        seal,
        now,
    } = tables;
    check_expected(tables, put)?;
    let vectors = vectors.filter(|vectors| !vectors.rows.is_empty());
    let model = vectors.map(|vectors| vectors.model.as_str());
    let count = vectors.map_or(0, |vectors| vectors.rows.len()) as i64;
    let ttl = put.options.ttl.map(millis);
    let expires_at = put.options.ttl.map(|ttl| expiry(now, ttl));
    let existing = existing(connection, &put.namespace, &put.key)?;
    let sealed = |created_at| {
        let place = place::value(ValueAt {
            namespace: &put.namespace,
            key: &put.key,
            created_at,
            updated_at: now,
            ttl,
        });
        encoding::value_to_bytes(&put.value, seal, place)
    };
    let item = match existing.item {
        Some(old) if old.expires_at.is_none_or(|expires_at| expires_at > now) => {
            if old.vectors != 0 {
                vectors::delete(connection, old.id)?;
            }
            let value = sealed(old.created_at)?;
            connection
                .prepare_cached(REPLACE)?
                .execute(params![old.id, now, ttl, expires_at, model, count, value])?;
            old.id
        }
        expired => {
            if let Some(expired) = expired {
                connection
                    .prepare_cached(REMOVE)?
                    .execute(params![expired.id])?;
            }
            let namespace = match existing.namespace {
                Some(namespace) => namespace,
                None => {
                    let labels = labels::written(put.namespace.labels());
                    let sum = labels::sum(&labels);
                    connection
                        .prepare_cached(ADD_NAMESPACE)?
                        .insert(params![labels, sum])?
                }
            };
            let value = sealed(now)?;
            connection.prepare_cached(ADD)?.insert(params![
                namespace, put.key, now, ttl, expires_at, model, count, value
            ])?
        }
    };
    match vectors {
        Some(vectors) => vectors::write(tables, item, put, vectors, fields),
        None => Ok(()),
    }
}

/// Reads an item, and the TTL refresh that follows from it.
pub(super) fn get(
    tables: Tables<'_>,
    get: &Get,
) -> Result<Option<(Item, Option<TtlRefresh>)>, TransactionError> {
    let Tables {
        connection,
        seal,
        now,
    } = tables;
    let mut statement = connection.prepare_cached(GET)?;
    let labels = labels::written(get.namespace.labels());
    let mut rows = statement.query(params![labels, get.key, now])?;
    let Some(row) = rows.next()? else {
        return Ok(None);
    };
    let stored = StoredItem::read(row, &get.namespace)?;
    let value = stored.value(row, seal)?;
    let due = stored.due(get.ttl, now);
    Ok(Some((stored.into_item(value), due)))
}

/// Deletes an item and its vectors.
pub(super) fn delete(connection: &Connection, delete: &Delete) -> Result<(), TransactionError> {
    connection.prepare_cached(DELETE)?.execute(params![
        labels::written(delete.namespace.labels()),
        delete.key
    ])?;
    Ok(())
}

/// A new expiry of an item that was read.
pub(super) struct TtlRefresh {
    item: i64,
    expires_at: UnixMillis,
}

impl TtlRefresh {
    pub(super) fn write(&self, connection: &Connection) -> Result<(), TransactionError> {
        connection
            .prepare_cached(REFRESH)?
            .execute(params![self.item, self.expires_at])?;
        Ok(())
    }
}

/// The columns of an item before its value: `id, key, created_at, updated_at, ttl, expires_at`.
pub(super) struct StoredItem {
    pub(super) id: i64,
    pub(super) key: String,
    namespace: Namespace,
    created_at: UnixMillis,
    updated_at: UnixMillis,
    ttl: Option<Duration>,
    expires_at: Option<UnixMillis>,
}

impl StoredItem {
    pub(super) fn read(row: &Row<'_>, namespace: &Namespace) -> Result<Self, TransactionError> {
        let id = row.get(0)?;
        let damaged = |error: rusqlite::Error| TransactionError::damaged_item(namespace, id, error);
        let ttl: Option<i64> = row.get(4).map_err(damaged)?;
        let ttl = ttl.map(u64::try_from).transpose();
        Ok(Self {
            id,
            key: row.get(1).map_err(damaged)?,
            namespace: namespace.clone(),
            created_at: row.get(2).map_err(damaged)?,
            updated_at: row.get(3).map_err(damaged)?,
            ttl: ttl
                .map_err(|error| TransactionError::damaged_item(namespace, id, error))?
                .map(Duration::from_millis),
            expires_at: row.get(5).map_err(damaged)?,
        })
    }

    /// The value, which is the column after the others.
    pub(super) fn value(&self, row: &Row<'_>, seal: &Seal) -> Result<Value, TransactionError> {
        let damaged = |error: SaverError| {
            TransactionError::damaged("the value", &self.namespace, &self.key, error)
        };
        let bytes = row.get_ref(VALUE)?.as_blob();
        let bytes = bytes.map_err(|error| damaged(SaverError::Corrupt(error.to_string())))?;
        let place = place::value(ValueAt {
            namespace: &self.namespace,
            key: &self.key,
            created_at: self.created_at,
            updated_at: self.updated_at,
            ttl: self.ttl.map(millis),
        });
        encoding::value_from_bytes(bytes, seal, place).map_err(damaged)
    }

    /// The TTL refresh that reading it causes.
    pub(super) fn due(&self, ttl_on_read: TtlOnRead, now: UnixMillis) -> Option<TtlRefresh> {
        let expires_at = match (ttl_on_read, self.ttl) {
            (TtlOnRead::Refresh, Some(ttl)) => expiry(now, ttl),
            _ => return None,
        };
        (self.expires_at != Some(expires_at)).then_some(TtlRefresh {
            item: self.id,
            expires_at,
        })
    }

    pub(super) fn into_item(self, value: Value) -> Item {
        Item {
            namespace: self.namespace,
            key: self.key,
            value,
            created_at: self.created_at,
            updated_at: self.updated_at,
        }
    }
}

/// Where the value is among the columns.
const VALUE: usize = 6;

const EXISTING: &str = "
SELECT n.id, i.id, i.created_at, i.expires_at, i.vectors
FROM store_namespaces n LEFT JOIN store_items i ON i.namespace = n.id AND i.key = ?2
WHERE n.labels = ?1";

const ADD_NAMESPACE: &str = "INSERT INTO store_namespaces (labels, sum) VALUES (?1, ?2)";

const ADD: &str = "
INSERT INTO store_items
    (namespace, key, created_at, updated_at, ttl, expires_at, model, vectors, value)
VALUES (?1, ?2, ?3, ?3, ?4, ?5, ?6, ?7, ?8)";

const REPLACE: &str = "
UPDATE store_items
SET updated_at = ?2, ttl = ?3, expires_at = ?4, model = ?5, vectors = ?6, value = ?7
WHERE id = ?1";

const REMOVE: &str = "DELETE FROM store_items WHERE id = ?1";

const GET: &str = "
SELECT i.id, i.key, i.created_at, i.updated_at, i.ttl, i.expires_at, i.value
FROM store_namespaces n JOIN store_items i ON i.namespace = n.id AND i.key = ?2
WHERE n.labels = ?1 AND (i.expires_at IS NULL OR i.expires_at > ?3)";

const DELETE: &str = "
DELETE FROM store_items
WHERE namespace = (SELECT id FROM store_namespaces WHERE labels = ?1) AND key = ?2";

const REFRESH: &str = "UPDATE store_items SET expires_at = ?2 WHERE id = ?1";

/// What exists under the key of a put.
#[derive(Default)]
struct Existing {
    namespace: Option<i64>,
    item: Option<ExistingItem>,
}

struct ExistingItem {
    id: i64,
    created_at: UnixMillis,
    expires_at: Option<UnixMillis>,
    vectors: i64,
}

fn existing(
    connection: &Connection,
    namespace: &Namespace,
    key: &str,
) -> Result<Existing, TransactionError> {
    let mut statement = connection.prepare_cached(EXISTING)?;
    let labels = labels::written(namespace.labels());
    let existing = statement.query_row(params![labels, key], |row| {
        let item = match row.get(1)? {
            Some(id) => Some(ExistingItem {
                id,
                created_at: row.get(2)?,
                expires_at: row.get(3)?,
                vectors: row.get(4)?,
            }),
            None => None,
        };
        Ok(Existing {
            namespace: Some(row.get(0)?),
            item,
        })
    });
    Ok(existing.optional()?.unwrap_or_default())
}

/// The number of an item.
pub(super) fn number(
    connection: &Connection,
    namespace: &Namespace,
    key: &str,
) -> Result<Option<i64>, TransactionError> {
    Ok(existing(connection, namespace, key)?
        .item
        .map(|item| item.id))
}

fn millis(ttl: Duration) -> i64 {
    i64::try_from(ttl.as_millis()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Database;
    use rusqlite::StatementStatus;

    #[test]
    fn a_cached_statement_is_not_planned_anew() {
        let folder = std::env::temp_dir().join(format!("superstep-plan-{}", std::process::id()));
        std::fs::create_dir(&folder).unwrap();
        let database = Database::open(folder.join("store.db")).unwrap();
        let planned = database.0.readers.read(|connection| {
            for number in 0..10 {
                let key = number.to_string();
                let mut statement = connection.prepare_cached(GET)?;
                assert!(
                    statement
                        .query(params![b"m\0", key, number])?
                        .next()?
                        .is_none()
                );
            }
            let statement = connection.prepare_cached(GET)?;
            Ok::<_, TransactionError>(statement.get_status(StatementStatus::RePrepare))
        });
        std::fs::remove_dir_all(&folder).unwrap();
        assert_eq!(planned.unwrap(), 0);
    }
}
