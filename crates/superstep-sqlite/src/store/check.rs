//! Integrity check of the long-term store: every namespace, item and vector is read as a search would.

use rusqlite::{Connection, Row, params};
use superstep_core::error::SaverError;
use superstep_store::{Namespace, Vectors};

use super::error::TransactionError;
use super::items::StoredItem;
use super::labels;
use super::tables::Tables;
use super::vectors::{Owner, VectorReader};
use crate::{error::sql, seal::Seal};

/// Takes damage at a place; gives back what is no damage and ends the check.
pub(crate) type Take<'t> = &'t mut dyn FnMut(&str, SaverError) -> Result<(), SaverError>;

/// Reads everything; gives how many items were read.
pub(crate) fn check(
    connection: &Connection,
    seal: &Seal,
    take: Take<'_>,
) -> Result<usize, SaverError> {
    let tables = Tables {
        connection,
        seal,
        // Items that have expired are read too: they are there until they are swept.
        now: 0,
    };
    let mut items = 0;
    for (number, namespace) in namespaces(connection, take)? {
        let place = format!("memory, namespace {number}");
        match namespace {
            Ok(namespace) => items += read_items(tables, number, &namespace, &place, take)?,
            Err(error) => take(&place, error.found())?,
        }
    }
    loose(connection, take)?;
    Ok(items)
}

type NamedNamespace = (i64, Result<Namespace, TransactionError>);

fn namespaces(connection: &Connection, take: Take<'_>) -> Result<Vec<NamedNamespace>, SaverError> {
    let mut select = match connection.prepare(NAMESPACES) {
        Ok(select) => select,
        Err(error) => return take(MEMORY, sql(error)).map(|()| Vec::new()),
    };
    let mut found = Vec::new();
    let mut rows = select.query([]).map_err(sql)?;
    loop {
        match rows
            .next()
            .and_then(|row| row.map(|row| Ok((row.get(0)?, row))).transpose())
        {
            Ok(Some((number, row))) => found.push((number, labels::in_row(row, 0))),
            Ok(None) => return Ok(found),
            // A page cannot be read: nothing behind it can.
            Err(error) => {
                take(MEMORY, sql(error))?;
                return Ok(found);
            }
        }
    }
}

/// Reads the items of a namespace; gives how many there are.
fn read_items(
    tables: Tables<'_>,
    number: i64,
    namespace: &Namespace,
    place: &str,
    take: Take<'_>,
) -> Result<usize, SaverError> {
    let mut vectors = match VectorReader::new(tables.connection, tables.seal) {
        Ok(vectors) => vectors,
        Err(error) => return take(place, error.found()).map(|()| 0),
    };
    let mut select = match tables.connection.prepare_cached(ITEMS) {
        Ok(select) => select,
        Err(error) => return take(place, sql(error)).map(|()| 0),
    };
    let mut rows = select.query(params![number]).map_err(sql)?;
    let mut count = 0;
    loop {
        match rows.next() {
            Ok(Some(row)) => {
                count += 1;
                if let Err(error) = read_item(tables, namespace, row, &mut vectors) {
                    take(place, error.found())?;
                }
            }
            Ok(None) => return Ok(count),
            Err(error) => {
                take(place, sql(error))?;
                return Ok(count);
            }
        }
    }
}

fn read_item(
    tables: Tables<'_>,
    namespace: &Namespace,
    row: &Row<'_>,
    vectors: &mut VectorReader<'_>,
) -> Result<(), TransactionError> {
    let stored = StoredItem::read(row, namespace)?;
    stored.value(row, tables.seal)?;
    let unreadable =
        |error: rusqlite::Error| TransactionError::damaged_item(namespace, stored.id, sql(error));
    let model = row.get(7).map_err(unreadable)?;
    let count: i64 = row.get(8).map_err(unreadable)?;
    let owner = Owner {
        item: stored.id,
        namespace,
        key: &stored.key,
        model,
        count: usize::try_from(count).unwrap_or(usize::MAX),
    };
    // Compared with nothing: vectors of any length are read.
    let nothing = Vectors {
        model: String::new(),
        rows: Vec::new(),
    };
    vectors.read(owner, &nothing).map(drop)
}

/// Items without a namespace, vectors without an item, items that the index by key does not find.
fn loose(connection: &Connection, take: Take<'_>) -> Result<(), SaverError> {
    for (what, statement) in LOOSE {
        let found = connection
            .prepare(statement)
            .and_then(|mut select| select.query_map([], |row| row.get(0))?.collect());
        let numbers: Vec<i64> = match found {
            Ok(numbers) => numbers,
            Err(error) => {
                take(MEMORY, sql(error))?;
                continue;
            }
        };
        for number in numbers {
            take(
                MEMORY,
                SaverError::Corrupt(format!("{what}: number {number}")),
            )?;
        }
    }
    Ok(())
}

const MEMORY: &str = "memory";

const NAMESPACES: &str = "SELECT id, labels, sum FROM store_namespaces ORDER BY id";

/// The columns of a stored item, then those of its vectors.
const ITEMS: &str = "
SELECT id, key, created_at, updated_at, ttl, expires_at, value, model, vectors
FROM store_items WHERE namespace = ?1 ORDER BY id";

const LOOSE: [(&str, &str); 2] = [
    (
        "an item of no namespace",
        "SELECT id FROM store_items WHERE namespace NOT IN (SELECT id FROM store_namespaces)",
    ),
    (
        "a vector of no item",
        "SELECT item FROM store_vectors WHERE item NOT IN (SELECT id FROM store_items)",
    ),
];
