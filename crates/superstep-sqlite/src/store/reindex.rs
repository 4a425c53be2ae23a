//! Vectors for items that have none, or have those of another model.

use std::ops::ControlFlow;

use rusqlite::params;
use superstep_store::{Get, IndexPath, Item, Prefix, Put, PutOptions, TtlOnRead, Vectors};

use super::error::TransactionError;
use super::items::{self, StoredItem};
use super::search::{Values, each};
use super::tables::Tables;
use super::vectors;

/// The live items under a prefix whose vectors are not of this model, behind a number of them.
pub(super) fn stale(
    tables: Tables<'_>,
    prefix: &Prefix,
    model: &str,
    (skip, limit): (usize, usize),
) -> Result<Vec<Item>, TransactionError> {
    let (mut found, mut to_skip) = (Vec::new(), skip);
    each(tables, prefix, Values::Read, |namespace, row| {
        let stored = StoredItem::read(row, namespace)?;
        let own: Option<String> = row.get(7)?;
        if own.as_deref() == Some(model) {
            return Ok(ControlFlow::Continue(()));
        }
        if to_skip > 0 {
            to_skip -= 1;
            return Ok(ControlFlow::Continue(()));
        }
        let value = stored.value(row, tables.seal)?;
        found.push(stored.into_item(value));
        Ok(match found.len() {
            full if full >= limit => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        })
    })?;
    Ok(found)
}

/// Gives an item new vectors, if it still is what they were made of. Nothing else of it changes.
pub(super) fn write(
    tables: Tables<'_>,
    item: &Item,
    new: &Vectors,
    fields: &[IndexPath],
) -> Result<bool, TransactionError> {
    let get = Get {
        namespace: item.namespace.clone(),
        key: item.key.clone(),
        ttl: TtlOnRead::Keep,
    };
    let current = items::get(tables, &get)?;
    if current.is_none_or(|(current, _)| current != *item) {
        return Ok(false);
    }
    let Some(id) = items::number(tables.connection, &item.namespace, &item.key)? else {
        return Ok(false);
    };
    vectors::delete(tables.connection, id)?;
    let model = (!new.rows.is_empty()).then_some(new.model.as_str());
    let mut statement = tables.connection.prepare_cached(INDEX)?;
    statement.execute(params![id, model, new.rows.len() as i64])?;
    let put = Put {
        namespace: get.namespace,
        key: get.key,
        value: item.value.clone(),
        options: PutOptions::default(),
    };
    vectors::write(tables, id, &put, new, fields)?;
    Ok(true)
}

const INDEX: &str = "UPDATE store_items SET model = ?2, vectors = ?3 WHERE id = ?1";
