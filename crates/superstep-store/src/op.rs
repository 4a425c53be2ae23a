//! The operations of a batch and their outcomes.

use std::num::NonZeroUsize;
use std::time::Duration;

use serde_json::Value;

use super::{Expected, Filter, Index, Item, Namespace, Pattern, Prefix, SearchHit, StoreError};

/// One operation of a [batch](super::Store::batch).
#[derive(Debug, Clone, PartialEq)]
pub enum Op {
    /// Write an item.
    Put(Put),
    /// Read an item.
    Get(Get),
    /// Remove an item.
    Delete(Delete),
    /// Find items.
    Search(Search),
    /// List namespaces.
    ListNamespaces(ListNamespaces),
}

/// Writes an item.
#[derive(Debug, Clone, PartialEq)]
pub struct Put {
    /// Where the item lives.
    pub namespace: Namespace,
    /// Its name there; any string without a NUL character.
    pub key: String,
    /// The document: any JSON value of at most [`MAX_VALUE_DEPTH`](super::MAX_VALUE_DEPTH) levels.
    pub value: Value,
    /// How long it lives, how it is indexed, and what it may replace.
    pub options: PutOptions,
}

/// How an item is put; by default it replaces whatever is there, lives for ever and is indexed as
/// the store is set up.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PutOptions {
    /// How long after the put, or after a refreshing read, the item is gone.
    pub ttl: Option<Duration>,
    /// Which fields are embedded; without an embedder it has no effect.
    pub index: Index,
    /// What must be there now; if it is not, the batch fails with [`StoreError::Conflict`].
    pub expected: Expected,
}

/// Reads an item.
#[derive(Debug, Clone, PartialEq)]
pub struct Get {
    /// Where the item lives.
    pub namespace: Namespace,
    /// Its name there.
    pub key: String,
    /// What the read does to its time to live.
    pub ttl: TtlOnRead,
}

/// What a read does to the time to live of the items it returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TtlOnRead {
    /// The time to live starts again.
    #[default]
    Refresh,
    /// The time to live runs on.
    Keep,
}

/// Removes an item.
#[derive(Debug, Clone, PartialEq)]
pub struct Delete {
    /// Where the item lives.
    pub namespace: Namespace,
    /// Its name there.
    pub key: String,
}

/// Finds items under a prefix that match a filter, ranked by a query if there is one.
///
/// ```
/// use superstep_store::{Filter, Prefix, Search};
/// use serde_json::json;
///
/// let search = Search {
///     prefix: Prefix::new(["users", "ann"])?,
///     filter: Filter::Gt("age".into(), json!(30)),
///     limit: 5,
///     ..Search::default()
/// };
/// # assert_eq!(search.offset, 0);
/// # Ok::<(), superstep_store::NamespaceError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Search {
    /// Where to look; everywhere by default.
    pub prefix: Prefix,
    /// What to keep; everything by default.
    pub filter: Filter,
    /// Words to look for, or a text to find similar items to; a blank one counts as none.
    ///
    /// Only items that answer the query at all are found, best first, equals in their usual order.
    pub query: Option<String>,
    /// How many items to return at most; 10 by default.
    pub limit: usize,
    /// How many items to skip first.
    pub offset: usize,
    /// What the search does to the time to live of the items it returns.
    pub ttl: TtlOnRead,
}

impl Default for Search {
    fn default() -> Self {
        Self {
            prefix: Prefix::default(),
            filter: Filter::default(),
            query: None,
            limit: 10,
            offset: 0,
            ttl: TtlOnRead::default(),
        }
    }
}

/// Lists namespaces that have items: first matched, then cut to `max_depth`, then each once.
#[derive(Debug, Clone, PartialEq)]
pub struct ListNamespaces {
    /// What the namespace must begin with.
    pub prefix: Pattern,
    /// What the namespace must end with.
    pub suffix: Pattern,
    /// How many labels to keep of each.
    pub max_depth: Option<NonZeroUsize>,
    /// How many namespaces to return at most; 100 by default.
    pub limit: usize,
    /// How many namespaces to skip first.
    pub offset: usize,
}

impl Default for ListNamespaces {
    fn default() -> Self {
        Self {
            prefix: Pattern::default(),
            suffix: Pattern::default(),
            max_depth: None,
            limit: 100,
            offset: 0,
        }
    }
}

/// What an operation came to.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// Of a put or a delete.
    Done,
    /// Of a get.
    Item(Option<Item>),
    /// Of a search.
    Found(Vec<SearchHit>),
    /// Of a listing.
    Namespaces(Vec<Namespace>),
}

impl Outcome {
    /// Asserts the outcome of a put or a delete.
    pub fn into_done(self) -> Result<(), StoreError> {
        match self {
            Self::Done => Ok(()),
            other => Err(other.unexpected()),
        }
    }

    /// The outcome of a get.
    pub fn into_item(self) -> Result<Option<Item>, StoreError> {
        match self {
            Self::Item(item) => Ok(item),
            other => Err(other.unexpected()),
        }
    }

    /// The outcome of a search.
    pub fn into_found(self) -> Result<Vec<SearchHit>, StoreError> {
        match self {
            Self::Found(found) => Ok(found),
            other => Err(other.unexpected()),
        }
    }

    /// The outcome of a listing.
    pub fn into_namespaces(self) -> Result<Vec<Namespace>, StoreError> {
        match self {
            Self::Namespaces(namespaces) => Ok(namespaces),
            other => Err(other.unexpected()),
        }
    }

    fn unexpected(&self) -> StoreError {
        let kind = match self {
            Self::Done => "nothing",
            Self::Item(_) => "an item",
            Self::Found(_) => "search results",
            Self::Namespaces(_) => "namespaces",
        };
        StoreError::backend(format!("{kind} is not the outcome of this operation"))
    }
}
