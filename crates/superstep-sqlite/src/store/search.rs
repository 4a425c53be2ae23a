//! Search under a prefix.
//!
//! Items are scanned in order: namespaces by first use, items by insertion. Without a query the scan
//! ends when the page is full; with one, only the score and number of each item are kept, and the
//! page is read at the end.

use std::ops::ControlFlow;

use rusqlite::{Row, params};
use serde_json::Value;
use superstep_store::{
    Filter, Namespace, Prefix, Ranking, Search, SearchHit, StoreError, UnixMillis, best,
};

use super::error::TransactionError;
use super::items::{StoredItem, TtlRefresh};
use super::labels;
use super::tables::Tables;
use super::vectors::{Owner, VectorReader};

/// Result of a search.
#[derive(Default)]
pub(super) struct Page {
    pub(super) found: Vec<SearchHit>,
    /// TTL refreshes that the search causes.
    pub(super) due: Vec<TtlRefresh>,
}

pub(super) fn search(
    tables: Tables<'_>,
    search: &Search,
    ranking: Option<&Ranking>,
) -> Result<Page, TransactionError> {
    match ranking {
        Some(ranking) => ranked(tables, search, ranking),
        None => in_order(tables, search),
    }
}

impl Page {
    fn push(
        &mut self,
        stored: StoredItem,
        value: Value,
        score: Option<f64>,
        search: &Search,
        now: UnixMillis,
    ) {
        self.due.extend(stored.due(search.ttl, now));
        self.found.push(SearchHit {
            item: stored.into_item(value),
            score,
        });
    }
}

/// Whether the values of candidates are read.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Values {
    Read,
    Left,
}

fn in_order(tables: Tables<'_>, search: &Search) -> Result<Page, TransactionError> {
    let mut page = Page::default();
    if search.limit == 0 {
        return Ok(page);
    }
    let anything = search.filter == Filter::default();
    let mut to_skip = search.offset;
    each(tables, &search.prefix, Values::Read, |namespace, row| {
        if anything && to_skip > 0 {
            to_skip -= 1;
            return Ok(ControlFlow::Continue(()));
        }
        let stored = StoredItem::read(row, namespace)?;
        let value = stored.value(row, tables.seal)?;
        if !search.filter.matches(&value) {
            return Ok(ControlFlow::Continue(()));
        }
        if to_skip > 0 {
            to_skip -= 1;
            return Ok(ControlFlow::Continue(()));
        }
        page.push(stored, value, None, search, tables.now);
        Ok(match page.found.len() {
            full if full >= search.limit => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        })
    })?;
    Ok(page)
}

fn ranked(
    tables: Tables<'_>,
    search: &Search,
    ranking: &Ranking,
) -> Result<Page, TransactionError> {
    let Tables {
        connection,
        seal,
        now,
    } = tables;
    let anything = search.filter == Filter::default();
    let values = match ranking {
        Ranking::Similar(_) if anything => Values::Left,
        _ => Values::Read,
    };
    let mut vectors = VectorReader::new(connection, seal)?;
    let mut scored = Vec::new();
    each(tables, &search.prefix, values, |namespace, row| {
        let stored = StoredItem::read(row, namespace)?;
        let value = match values {
            Values::Read => stored.value(row, seal)?,
            Values::Left => Value::Null,
        };
        if !search.filter.matches(&value) {
            return Ok(ControlFlow::Continue(()));
        }
        let own = match ranking {
            Ranking::Similar(asked) => vectors.read(owner(row, &stored, namespace)?, asked)?,
            Ranking::Text(_) => None,
        };
        let score = ranking.score(&stored.key, &value, own.as_ref())?;
        scored.extend(score.map(|score| (score, stored.id)));
        Ok(ControlFlow::Continue(()))
    })?;
    let mut page = Page::default();
    let mut statement = connection.prepare_cached(BY_NUMBER)?;
    for (score, item) in best(scored, search.offset, search.limit) {
        let mut rows = statement.query(params![item])?;
        let Some(row) = rows.next()? else {
            let message = format!("item number {item} is in an index but not in its table");
            return Err(StoreError::backend(message).into());
        };
        let namespace = labels::in_row(row, 7)?;
        let stored = StoredItem::read(row, &namespace)?;
        let value = stored.value(row, seal)?;
        page.push(stored, value, Some(score), search, now);
    }
    Ok(page)
}

/// Calls `take` with the live items under the prefix until it breaks.
pub(super) fn each(
    tables: Tables<'_>,
    prefix: &Prefix,
    values: Values,
    mut take: impl FnMut(&Namespace, &Row<'_>) -> Result<ControlFlow<()>, TransactionError>,
) -> Result<(), TransactionError> {
    let Tables {
        connection, now, ..
    } = tables;
    let mut everywhere = connection.prepare_cached(NAMESPACES)?;
    let mut below = connection.prepare_cached(NAMESPACES_UNDER)?;
    let mut inside = connection.prepare_cached(ITEMS)?;
    let mut namespaces = match labels::range(prefix.labels()) {
        Some((from, to)) => below.query(params![from, to])?,
        None => everywhere.query([])?,
    };
    while let Some(row) = namespaces.next()? {
        let number: i64 = row.get(0)?;
        let namespace = labels::in_row(row, 0)?;
        let mut items = inside.query(params![number, now, values == Values::Read])?;
        while let Some(item) = items.next()? {
            if take(&namespace, item)?.is_break() {
                return Ok(());
            }
        }
    }
    Ok(())
}

fn owner<'a>(
    row: &Row<'_>,
    stored: &'a StoredItem,
    namespace: &'a Namespace,
) -> Result<Owner<'a>, TransactionError> {
    let damaged =
        |error: rusqlite::Error| TransactionError::damaged_item(namespace, stored.id, error);
    Ok(Owner {
        item: stored.id,
        namespace,
        key: &stored.key,
        model: row.get(7).map_err(damaged)?,
        count: row.get::<_, u32>(8).map_err(damaged)? as usize,
    })
}

const NAMESPACES: &str = "SELECT id, labels, sum FROM store_namespaces ORDER BY id";

const NAMESPACES_UNDER: &str = "
SELECT id, labels, sum FROM store_namespaces WHERE labels >= ?1 AND labels < ?2 ORDER BY id";

const ITEMS: &str = "
SELECT id, key, created_at, updated_at, ttl, expires_at, CASE WHEN ?3 THEN value END, model, vectors
FROM store_items
WHERE namespace = ?1 AND (expires_at IS NULL OR expires_at > ?2)
ORDER BY id";

const BY_NUMBER: &str = "
SELECT i.id, i.key, i.created_at, i.updated_at, i.ttl, i.expires_at, i.value, n.id, n.labels, n.sum
FROM store_items i JOIN store_namespaces n ON n.id = i.namespace
WHERE i.id = ?1";

#[cfg(test)]
mod tests {
    use super::*;
    use rusqlite::Connection;

    fn plan(sql: &str) -> String {
        let connection = Connection::open_in_memory().unwrap();
        connection.execute_batch(crate::schema::STORE).unwrap();
        let mut statement = connection
            .prepare(&["EXPLAIN QUERY PLAN", sql].join(" "))
            .unwrap();
        for parameter in 1..=statement.parameter_count() {
            statement.raw_bind_parameter(parameter, 1).unwrap();
        }
        let mut rows = statement.raw_query();
        let mut lines = Vec::new();
        while let Some(row) = rows.next().unwrap() {
            lines.push(row.get::<_, String>(3).unwrap());
        }
        lines.join("\n")
    }

    #[test]
    fn items_are_read_in_order_without_sorting() {
        assert_eq!(
            plan(ITEMS),
            "SEARCH store_items USING INDEX store_items_by_place (namespace=?)"
        );
        assert_eq!(plan(NAMESPACES), "SCAN store_namespaces");
    }

    #[test]
    fn a_prefix_is_a_range_of_an_index() {
        let plan = plan(NAMESPACES_UNDER);
        assert!(plan.contains("(labels>? AND labels<?)"), "{plan}");
    }
}
