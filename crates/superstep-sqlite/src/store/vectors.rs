//! Embedding vectors of an item, in the order of its indexed paths.

use rusqlite::{CachedStatement, Connection, params};
use superstep_core::error::SaverError;
use superstep_store::{Index, IndexPath, Namespace, Put, StoreError, Vectors};

use super::encoding;
use super::error::TransactionError;
use super::tables::Tables;
use crate::item_place::{self as place, VectorAt};
use crate::seal::Seal;

/// Writes the vectors of an item that has none.
pub(super) fn write(
    tables: Tables<'_>,
    item: i64,
    put: &Put,
    vectors: &Vectors,
    fields: &[IndexPath],
) -> Result<(), TransactionError> {
    let paths = paths(put, fields);
    if paths.len() != vectors.rows.len() {
        let message = "an item must have one vector for each text that is embedded";
        return Err(StoreError::backend(message).into());
    }
    let mut statement = tables.connection.prepare_cached(ADD)?;
    for ((position, vector), path) in (0_i64..).zip(&vectors.rows).zip(paths) {
        let place = place::vector(VectorAt {
            namespace: &put.namespace,
            key: &put.key,
            model: &vectors.model,
            position,
            path: &path,
        });
        let bytes = encoding::vector_to_bytes(vector, tables.seal, place)?;
        statement.execute(params![item, position, path, bytes])?;
    }
    Ok(())
}

/// Removes the vectors of an item.
pub(super) fn delete(connection: &Connection, item: i64) -> Result<(), TransactionError> {
    connection.prepare_cached(DELETE)?.execute(params![item])?;
    Ok(())
}

/// An item, as far as its vectors are concerned.
pub(super) struct Owner<'a> {
    pub(super) item: i64,
    pub(super) namespace: &'a Namespace,
    pub(super) key: &'a str,
    pub(super) model: Option<String>,
    pub(super) count: usize,
}

/// Reads the vectors of one item after the other.
pub(super) struct VectorReader<'c> {
    statement: CachedStatement<'c>,
    seal: &'c Seal,
}

impl<'c> VectorReader<'c> {
    pub(super) fn new(
        connection: &'c Connection,
        seal: &'c Seal,
    ) -> Result<Self, TransactionError> {
        let statement = connection.prepare_cached(SELECT)?;
        Ok(Self { statement, seal })
    }

    /// The vectors of the item, to be compared with those of a query.
    ///
    /// Vectors of another model may have any length, since they are not comparable anyway.
    pub(super) fn read(
        &mut self,
        owner: Owner<'_>,
        asked: &Vectors,
    ) -> Result<Option<Vectors>, TransactionError> {
        let damaged = |error: SaverError| {
            TransactionError::damaged("a vector", owner.namespace, owner.key, error)
        };
        let wrong = |reason: String| damaged(SaverError::Corrupt(reason));
        let model = match (owner.model, owner.count) {
            (None, 0) => return Ok(None),
            (Some(model), count) if count > 0 => model,
            _ => return Err(wrong("its model or its number is lost".to_owned())),
        };
        let dimensions = asked.rows.first().map_or(0, Vec::len);
        let same_model = model == asked.model;
        // The number may be damaged: nothing is made room for on its word.
        let mut vectors = Vec::new();
        let mut rows = self.statement.query(params![owner.item])?;
        while let Some(row) = rows.next()? {
            let path = row.get_ref(1)?.as_str();
            let place = place::vector(VectorAt {
                namespace: owner.namespace,
                key: owner.key,
                model: &model,
                position: row.get(2)?,
                path: path.map_err(|error| wrong(error.to_string()))?,
            });
            let bytes = row.get_ref(0)?.as_blob();
            let bytes = bytes.map_err(|error| wrong(error.to_string()))?;
            let vector = encoding::vector_from_bytes(bytes, self.seal, place).map_err(damaged)?;
            if same_model && vector.len() != dimensions {
                let reason = format!("{} dimensions, not {dimensions}", vector.len());
                return Err(wrong(reason));
            }
            vectors.push(vector);
        }
        if vectors.len() != owner.count {
            let reason = format!("{} of {} are there", vectors.len(), owner.count);
            return Err(wrong(reason));
        }
        Ok(Some(Vectors {
            model,
            rows: vectors,
        }))
    }
}

const ADD: &str =
    "INSERT INTO store_vectors (item, position, path, vector) VALUES (?1, ?2, ?3, ?4)";

const DELETE: &str = "DELETE FROM store_vectors WHERE item = ?1";

const SELECT: &str =
    "SELECT vector, path, position FROM store_vectors WHERE item = ?1 ORDER BY position";

/// The path of each text that is embedded, in the order in which they are.
fn paths(put: &Put, default: &[IndexPath]) -> Vec<String> {
    let paths = match &put.options.index {
        Index::Default => default,
        Index::Off => &[],
        Index::Fields(fields) => fields,
    };
    let texts = |path: &IndexPath| vec![path.to_string(); path.texts(&put.value).len()];
    paths.iter().flat_map(texts).collect()
}
