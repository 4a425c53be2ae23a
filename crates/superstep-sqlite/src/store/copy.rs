//! Copying the store into another database, under the same numbers.

use rusqlite::{Connection, params};
use superstep_core::error::SaverError;
use superstep_store::Namespace;

use super::{error::TransactionError, labels};
use crate::{
    item_place::{self as place, ValueAt, VectorAt},
    seal::Seal,
    writer::Writer,
};

/// Copies namespaces, items and vectors; returns how many items.
pub(crate) fn copy_all(db: &Connection, seal: &Seal, to: &mut Writer) -> Result<usize, SaverError> {
    copy(db, seal, to).map_err(|error| error.to_saver_error())
}

fn copy(db: &Connection, seal: &Seal, to: &mut Writer) -> Result<usize, TransactionError> {
    let mut select = db.prepare("SELECT id, labels, sum FROM store_namespaces ORDER BY id")?;
    let mut rows = select.query([])?;
    let mut count = 0;
    while let Some(row) = rows.next()? {
        let namespace = labels::in_row(row, 0)?;
        let (id, written, sum): (i64, Vec<u8>, i64) = (row.get(0)?, row.get(1)?, row.get(2)?);
        to.change()?
            .prepare_cached("INSERT INTO store_namespaces VALUES (?1, ?2, ?3)")?
            .execute(params![id, written, sum])?;
        count += items(db, seal, id, &namespace, to)?;
    }
    let vacated: Vec<i64> = db
        .prepare("SELECT namespace FROM store_vacated")?
        .query_map([], |row| row.get(0))?
        .collect::<Result<_, _>>()?;
    for namespace in vacated {
        to.change()?
            .execute("INSERT INTO store_vacated VALUES (?1)", [namespace])?;
    }
    Ok(count)
}

fn items(
    db: &Connection,
    seal: &Seal,
    number: i64,
    namespace: &Namespace,
    to: &mut Writer,
) -> Result<usize, TransactionError> {
    let mut select = db.prepare_cached(
        "SELECT id, key, created_at, updated_at, ttl, expires_at, model, vectors, value
         FROM store_items WHERE namespace = ?1 ORDER BY id",
    )?;
    let mut rows = select.query([number])?;
    let mut count = 0;
    while let Some(row) = rows.next()? {
        let (id, key): (i64, String) = (row.get(0)?, row.get(1)?);
        let (created_at, updated_at): (i64, i64) = (row.get(2)?, row.get(3)?);
        let (ttl, expires_at): (Option<i64>, Option<i64>) = (row.get(4)?, row.get(5)?);
        let (model, vectors): (Option<String>, i64) = (row.get(6)?, row.get(7)?);
        let value: Vec<u8> = row.get(8)?;
        let place = place::value(ValueAt {
            namespace,
            key: &key,
            created_at,
            updated_at,
            ttl,
        });
        let damaged = |error| TransactionError::damaged("the value", namespace, &key, error);
        let text = seal
            .open(&value, place.clone(), &"a value")
            .map_err(damaged)?;
        let value = to.seal.seal(&text, place)?;
        to.change()?
            .prepare_cached(
                "INSERT INTO store_items
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
            )?
            .execute(params![
                id, number, key, created_at, updated_at, ttl, expires_at, model, vectors, value
            ])?;
        if let Some(model) = &model {
            vectors_of(db, seal, id, (namespace, &key, model), to)?;
        }
        count += 1;
    }
    Ok(count)
}

fn vectors_of(
    db: &Connection,
    seal: &Seal,
    item: i64,
    (namespace, key, model): (&Namespace, &str, &str),
    to: &mut Writer,
) -> Result<(), TransactionError> {
    let mut select = db.prepare_cached(
        "SELECT position, path, vector FROM store_vectors WHERE item = ?1 ORDER BY position",
    )?;
    let mut rows = select.query([item])?;
    while let Some(row) = rows.next()? {
        let (position, path): (i64, String) = (row.get(0)?, row.get(1)?);
        let vector: Vec<u8> = row.get(2)?;
        let place = place::vector(VectorAt {
            namespace,
            key,
            model,
            position,
            path: &path,
        });
        let damaged = |error| TransactionError::damaged("a vector", namespace, key, error);
        let numbers = seal
            .open(&vector, place.clone(), &"a vector")
            .map_err(damaged)?;
        let vector = to.seal.seal(&numbers, place)?;
        to.change()?
            .prepare_cached("INSERT INTO store_vectors VALUES (?1, ?2, ?3, ?4)")?
            .execute(params![item, position, path, vector])?;
    }
    Ok(())
}
