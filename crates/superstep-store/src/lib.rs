//! The long-term store: JSON documents that outlive a thread and are shared by all of them.
//!
//! An item lives under a [`Namespace`] and a key. [`Store`] is what a backend implements and what a
//! node uses; a backend needs [`Store::batch`] and [`Store::sweep_expired`] only, the other methods
//! are single-operation batches. Everything that backends must agree on is here, so that they cannot
//! differ by accident: [`Filter`] decides what matches, [`prepare`] validates and embeds, [`Ranking`]
//! scores.
//!
//! Contract, in short (the conformance kit checks each sentence):
//! - a put replaces the whole value and keeps `created_at` and the item's place;
//! - a search without a query yields namespaces in order of their first put, and in each the items
//!   in order of insertion; reading a namespace or deleting from it is no use of it;
//! - `null` is a value like any other, not a deletion;
//! - an expired item is absent at once, whether swept or not, and a later put makes it new;
//! - a batch is applied in order, sees its own writes, and is applied whole or not at all;
//! - a put that [expects](Expected) something else than is there fails, and its batch with it.
//!
//! Beside it, [`Blobs`] keep bytes under their hash.
//!
//! Read next: [`op`](Op) for what can be asked, [`filter`](Filter) for conditions.

mod blobs;
mod compare;
mod embed;
mod error;
mod expected;
mod filter;
mod index;
mod item;
mod namespace;
mod op;
mod prepare;
mod ranking;
mod reindex;
mod text;
mod value;

use std::sync::Arc;

use serde_json::Value;

pub use blobs::{Blobs, ContentHash, NoContentHash, UPLOADS};
pub use embed::{Embedder, Vectors};
pub use error::StoreError;
pub use expected::Expected;
pub use filter::{FieldPath, Filter, FilterError, MAX_FILTER_DEPTH};
pub use index::{Index, IndexPath};
pub use item::{Item, SearchHit};
pub use namespace::{Namespace, NamespaceError, Pattern, Prefix, RESERVED_ROOTS};
pub use op::{Delete, Get, ListNamespaces, Op, Outcome, Put, PutOptions, Search, TtlOnRead};
pub use prepare::{Indexing, ReadyOp, prepare};
pub use ranking::{Ranking, best};
pub use reindex::{REINDEX_BATCH, Reindexed, embed_items};
pub use superstep_core::clock::{Clock, ManualClock, UnixMillis, expiry};
pub use superstep_core::future::BoxFuture;
pub use text::TextQuery;
pub use value::MAX_VALUE_DEPTH;

/// A long-term store.
///
/// Implementations are shared by all tasks of a process, so every method takes `&self`.
pub trait Store: Send + Sync {
    /// Applies `ops` in order, all or none; outcome `i` belongs to operation `i`.
    ///
    /// A read sees the writes of earlier operations of the same batch. If any operation fails, the
    /// store is as if the batch had never been given, times to live included.
    fn batch(&self, ops: Vec<Op>) -> BoxFuture<'_, Result<Vec<Outcome>, StoreError>>;

    /// Removes the items whose time to live is over at `now`, and says how many they were.
    ///
    /// Expired items are invisible without it; this reclaims their space. A backend may also use the
    /// occasion to forget the places of namespaces that have no items left.
    fn sweep_expired(&self, now: UnixMillis) -> BoxFuture<'_, Result<usize, StoreError>>;

    /// How many items under a prefix a similarity search does not find: those that were put without an
    /// embedder or with the model of another one, and those without text. `None` without an embedder.
    fn unindexed(&self, prefix: Prefix) -> BoxFuture<'_, Result<Option<usize>, StoreError>> {
        let _ = prefix;
        Box::pin(async {
            Err(StoreError::backend(
                "this store cannot tell what it has indexed",
            ))
        })
    }

    /// Embeds the items under a prefix that a similarity search does not find, with the fields that the
    /// store is set up with; what an item's put said about them is not kept. Values, times and places stay
    /// as they are. Items that change meanwhile are left alone. An error leaves what was done before
    /// it; what is left is done by the next call. Without an embedder there is nothing to do.
    fn reindex(&self, prefix: Prefix) -> BoxFuture<'_, Result<Reindexed, StoreError>> {
        let _ = prefix;
        Box::pin(async { Err(StoreError::backend("this store cannot index items again")) })
    }

    /// Writes an item, replacing the one under the same namespace and key.
    fn put<'a>(
        &'a self,
        namespace: &Namespace,
        key: &str,
        value: Value,
        options: PutOptions,
    ) -> BoxFuture<'a, Result<(), StoreError>> {
        let op = Op::Put(Put {
            namespace: namespace.clone(),
            key: key.to_owned(),
            value,
            options,
        });
        Box::pin(async move { only(self.batch(vec![op]).await?)?.into_done() })
    }

    /// Reads an item; `None` if there is none.
    fn get<'a>(
        &'a self,
        namespace: &Namespace,
        key: &str,
        ttl: TtlOnRead,
    ) -> BoxFuture<'a, Result<Option<Item>, StoreError>> {
        let op = Op::Get(Get {
            namespace: namespace.clone(),
            key: key.to_owned(),
            ttl,
        });
        Box::pin(async move { only(self.batch(vec![op]).await?)?.into_item() })
    }

    /// Removes an item; removing an absent one is fine.
    fn delete<'a>(
        &'a self,
        namespace: &Namespace,
        key: &str,
    ) -> BoxFuture<'a, Result<(), StoreError>> {
        let op = Op::Delete(Delete {
            namespace: namespace.clone(),
            key: key.to_owned(),
        });
        Box::pin(async move { only(self.batch(vec![op]).await?)?.into_done() })
    }

    /// Finds items under a namespace prefix.
    fn search(&self, search: Search) -> BoxFuture<'_, Result<Vec<SearchHit>, StoreError>> {
        let op = Op::Search(search);
        Box::pin(async move { only(self.batch(vec![op]).await?)?.into_found() })
    }

    /// Lists the namespaces that have items, in label order.
    fn list_namespaces(
        &self,
        list: ListNamespaces,
    ) -> BoxFuture<'_, Result<Vec<Namespace>, StoreError>> {
        let op = Op::ListNamespaces(list);
        Box::pin(async move { only(self.batch(vec![op]).await?)?.into_namespaces() })
    }
}

impl<S: Store + ?Sized> Store for Arc<S> {
    fn batch(&self, ops: Vec<Op>) -> BoxFuture<'_, Result<Vec<Outcome>, StoreError>> {
        (**self).batch(ops)
    }

    fn sweep_expired(&self, now: UnixMillis) -> BoxFuture<'_, Result<usize, StoreError>> {
        (**self).sweep_expired(now)
    }

    fn unindexed(&self, prefix: Prefix) -> BoxFuture<'_, Result<Option<usize>, StoreError>> {
        (**self).unindexed(prefix)
    }

    fn reindex(&self, prefix: Prefix) -> BoxFuture<'_, Result<Reindexed, StoreError>> {
        (**self).reindex(prefix)
    }
}

fn only(outcomes: Vec<Outcome>) -> Result<Outcome, StoreError> {
    let mut outcomes = outcomes.into_iter();
    match (outcomes.next(), outcomes.next()) {
        (Some(outcome), None) => Ok(outcome),
        _ => Err(StoreError::backend(
            "a batch of one operation must have one outcome",
        )),
    }
}
