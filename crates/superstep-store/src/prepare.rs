//! What every backend does with a batch before it opens a transaction: validate, then embed.
//!
//! Embedding is slow and may fail; done first, it holds no lock and leaves nothing half done.

use serde_json::Value;

use super::value::fits_depth;
use super::{
    Delete, Embedder, Get, Index, IndexPath, ListNamespaces, MAX_VALUE_DEPTH, Op, Put, Ranking,
    Search, StoreError, TextQuery, Vectors,
};

/// An operation that is valid and has its vectors.
#[derive(Debug, Clone, PartialEq)]
pub enum ReadyOp {
    /// Write an item together with its vectors; without an embedder there are none.
    Put {
        /// The item.
        put: Put,
        /// Its vectors.
        vectors: Option<Vectors>,
    },
    /// Read an item.
    Get(Get),
    /// Remove an item.
    Delete(Delete),
    /// Find items.
    Search {
        /// What to look for; its query is to be taken from `ranking`.
        search: Search,
        /// How to rank; `None` means in order of place.
        ranking: Option<Ranking>,
    },
    /// List namespaces.
    ListNamespaces(ListNamespaces),
}

/// How a store embeds.
#[derive(Clone, Copy)]
pub struct Indexing<'a> {
    /// The model.
    pub embedder: &'a dyn Embedder,
    /// What of a value is embedded by [`Index::Default`].
    pub fields: &'a [IndexPath],
}

/// Validates the operations and embeds what they need, in one call of the embedder.
pub async fn prepare(
    ops: Vec<Op>,
    indexing: Option<Indexing<'_>>,
) -> Result<Vec<ReadyOp>, StoreError> {
    for op in &ops {
        check(op)?;
    }
    let Some(indexing) = indexing else {
        return Ok(ops.into_iter().map(without_vectors).collect());
    };
    let mut texts = Vec::new();
    let mut counts = Vec::with_capacity(ops.len());
    for op in &ops {
        let own = texts_of(op, indexing.fields);
        counts.push(own.len());
        texts.extend(own);
    }
    let Vectors { model, rows } = Vectors::embed(indexing.embedder, texts).await?;
    let mut rows = rows.into_iter();
    let ready = ops.into_iter().zip(counts).map(|(op, count)| {
        let rows = rows.by_ref().take(count).collect();
        let model = model.clone();
        with_vectors(op, Vectors { model, rows })
    });
    Ok(ready.collect())
}

fn check(op: &Op) -> Result<(), StoreError> {
    match op {
        Op::Put(put) => check_put(put),
        Op::Get(Get { key, .. }) | Op::Delete(Delete { key, .. }) => check_key(key),
        Op::Search(search) => Ok(search.filter.check_depth()?),
        Op::ListNamespaces(_) => Ok(()),
    }
}

fn check_put(put: &Put) -> Result<(), StoreError> {
    check_key(&put.key)?;
    let key = || put.key.clone();
    if !fits_depth(&put.value, MAX_VALUE_DEPTH) {
        return Err(StoreError::ValueTooDeep { key: key() });
    }
    match put.options.ttl {
        Some(ttl) if ttl.as_millis() == 0 => Err(StoreError::Ttl { key: key() }),
        _ => Ok(()),
    }
}

fn check_key(key: &str) -> Result<(), StoreError> {
    if key.contains('\0') {
        return Err(StoreError::Key {
            key: key.to_owned(),
        });
    }
    Ok(())
}

fn without_vectors(op: Op) -> ReadyOp {
    match op {
        Op::Put(put) => ReadyOp::Put { put, vectors: None },
        Op::Get(get) => ReadyOp::Get(get),
        Op::Delete(delete) => ReadyOp::Delete(delete),
        Op::Search(search) => {
            let words = search.query.as_deref().and_then(TextQuery::new);
            ReadyOp::Search {
                search,
                ranking: words.map(Ranking::Text),
            }
        }
        Op::ListNamespaces(list) => ReadyOp::ListNamespaces(list),
    }
}

fn with_vectors(op: Op, vectors: Vectors) -> ReadyOp {
    match op {
        Op::Put(put) => ReadyOp::Put {
            put,
            vectors: Some(vectors),
        },
        Op::Search(search) => ReadyOp::Search {
            search,
            ranking: (!vectors.rows.is_empty()).then_some(Ranking::Similar(vectors)),
        },
        other => without_vectors(other),
    }
}

fn texts_of(op: &Op, default: &[IndexPath]) -> Vec<String> {
    match op {
        Op::Put(put) => match &put.options.index {
            Index::Default => texts_at(default, &put.value),
            Index::Off => Vec::new(),
            Index::Fields(fields) => texts_at(fields, &put.value),
        },
        Op::Search(search) => {
            let query = search.query.iter();
            query
                .filter(|query| !query.trim().is_empty())
                .cloned()
                .collect()
        }
        _ => Vec::new(),
    }
}

fn texts_at(paths: &[IndexPath], value: &Value) -> Vec<String> {
    paths.iter().flat_map(|path| path.texts(value)).collect()
}
