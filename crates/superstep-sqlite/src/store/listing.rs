//! Listing the namespaces that have items.

use rusqlite::params;
use superstep_store::{ListNamespaces, Namespace};

use super::error::TransactionError;
use super::labels;
use super::tables::Tables;

/// The namespaces with live items, in label order.
pub(super) fn list(
    tables: Tables<'_>,
    list: &ListNamespaces,
) -> Result<Vec<Namespace>, TransactionError> {
    let Tables {
        connection, now, ..
    } = tables;
    let mut listed = Vec::new();
    if list.limit == 0 {
        return Ok(listed);
    }
    let mut everywhere = connection.prepare_cached(NAMESPACES)?;
    let mut below = connection.prepare_cached(NAMESPACES_UNDER)?;
    let mut rows = match labels::range(list.prefix.literal_head()) {
        Some((from, to)) => below.query(params![now, from, to])?,
        None => everywhere.query(params![now])?,
    };
    let mut last = None;
    let mut to_skip = list.offset;
    while let Some(row) = rows.next()? {
        let namespace = labels::in_row(row, 0)?;
        if !list.prefix.fits_start(&namespace) || !list.suffix.fits_end(&namespace) {
            continue;
        }
        let namespace = match list.max_depth {
            Some(depth) => namespace.truncated(depth),
            None => namespace,
        };
        // Label order makes namespaces that were cut to the same one neighbors.
        if last.replace(namespace.clone()).as_ref() == Some(&namespace) {
            continue;
        }
        if to_skip > 0 {
            to_skip -= 1;
            continue;
        }
        listed.push(namespace);
        if listed.len() >= list.limit {
            break;
        }
    }
    Ok(listed)
}

const NAMESPACES: &str = "
SELECT id, labels, sum FROM store_namespaces n
WHERE EXISTS (
    SELECT 1 FROM store_items i
    WHERE i.namespace = n.id AND (i.expires_at IS NULL OR i.expires_at > ?1)
)
ORDER BY labels";

const NAMESPACES_UNDER: &str = "
SELECT id, labels, sum FROM store_namespaces n
WHERE labels >= ?2 AND labels < ?3 AND EXISTS (
    SELECT 1 FROM store_items i
    WHERE i.namespace = n.id AND (i.expires_at IS NULL OR i.expires_at > ?1)
)
ORDER BY labels";
