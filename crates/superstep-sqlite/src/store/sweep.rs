//! Removal of expired items, in small transactions so that other writes do not wait long.

use rusqlite::{Connection, params};
use superstep_store::UnixMillis;

use super::error::TransactionError;
use super::transaction::{self, Effort};
use crate::Database;

/// Removes expired items and empty namespaces; returns how many items.
pub(super) async fn sweep(database: &Database, now: UnixMillis) -> Result<usize, TransactionError> {
    let mut swept = 0;
    loop {
        let round = transaction::write(database, Effort::Long, move |connection, _| {
            round(connection, now)
        });
        let Round { items, namespaces } = round.await?;
        swept += items;
        if items.max(namespaces) < ROUND as usize {
            return Ok(swept);
        }
    }
}

/// Items and namespaces per transaction.
const ROUND: u32 = 500;

/// Items removed and namespaces visited in one transaction.
struct Round {
    items: usize,
    namespaces: usize,
}

fn round(connection: &Connection, now: UnixMillis) -> Result<Round, TransactionError> {
    let items = connection
        .prepare_cached(EXPIRED)?
        .execute(params![now, ROUND])?;
    connection.prepare_cached(EMPTY)?.execute(params![ROUND])?;
    let namespaces = connection
        .prepare_cached(LOOKED_AT)?
        .execute(params![ROUND])?;
    Ok(Round { items, namespaces })
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
