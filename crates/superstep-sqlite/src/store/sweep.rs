//! Removing what is expired, a little at a time, so that nobody waits long for their own write.

use rusqlite::{Connection, params};
use superstep_core::store::UnixMillis;

use super::fault::Fault;
use super::transaction::{self, Effort};
use crate::Database;

/// Removes the expired items and the namespaces without items; says how many items they were.
pub(super) async fn sweep(database: &Database, now: UnixMillis) -> Result<usize, Fault> {
    let mut swept = 0;
    loop {
        let turn = transaction::write(database, Effort::Long, move |connection, _| {
            turn(connection, now)
        });
        let Turn { items, namespaces } = turn.await?;
        swept += items;
        if items.max(namespaces) < TURN as usize {
            return Ok(swept);
        }
    }
}

/// How many items and how many namespaces a transaction looks at, at most.
const TURN: u32 = 500;

/// How many items were removed, and at how many namespaces was looked.
struct Turn {
    items: usize,
    namespaces: usize,
}

fn turn(connection: &Connection, now: UnixMillis) -> Result<Turn, Fault> {
    let items = connection
        .prepare_cached(EXPIRED)?
        .execute(params![now, TURN])?;
    connection.prepare_cached(EMPTY)?.execute(params![TURN])?;
    let namespaces = connection
        .prepare_cached(LOOKED_AT)?
        .execute(params![TURN])?;
    Ok(Turn { items, namespaces })
}

const EXPIRED: &str = "
DELETE FROM store_items WHERE id IN (
    SELECT id FROM store_items WHERE expires_at <= ?1 ORDER BY expires_at LIMIT ?2
)";

const EMPTY: &str = "
DELETE FROM store_namespaces
WHERE id IN (SELECT namespace FROM store_vacated ORDER BY namespace LIMIT ?1)
AND NOT EXISTS (SELECT 1 FROM store_items i WHERE i.namespace = store_namespaces.id)";

const LOOKED_AT: &str = "
DELETE FROM store_vacated
WHERE namespace IN (SELECT namespace FROM store_vacated ORDER BY namespace LIMIT ?1)";
