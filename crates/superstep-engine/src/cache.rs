//! Results kept for equal inputs, so that a node need not run again.

use std::{sync::Arc, time::Duration};

use superstep_core::{caller::Caller, future::MaybeReady, record::Write, value::Value};

/// What a result is kept under.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct CacheKey {
    /// The graph and node, or the called task.
    pub owner: Arc<str>,
    /// The input, or what of it counts, as canonical JSON; after the caller, if that is an owner: what a node
    /// made for one owner is not for another.
    pub input: String,
}

impl CacheKey {
    /// A key of a node or task and its input.
    pub fn new(owner: Arc<str>, input: &Value) -> Self {
        Self {
            owner,
            input: input.to_json().to_string(),
        }
    }

    /// The same key for the runs of one caller.
    pub(crate) fn of(mut self, caller: &Caller) -> Self {
        if !caller.is_local() {
            let roles: Vec<&str> = caller.roles().collect();
            let caller = serde_json::json!([caller.owner(), roles]);
            // No JSON has a line end outside of its strings here, so no input looks like it.
            self.input.insert_str(0, &format!("{caller}\n"));
        }
        self
    }
}

/// Keeps results of nodes. Shared by all threads and subgraphs of a graph.
///
/// A cache that fails costs nodes another run, never a run its result: the driver takes an error of [`Cache::get`] for no
/// result, and drops one of [`Cache::put`].
pub trait Cache: Send + Sync + 'static {
    /// The results that are still good, one for each key. The driver asks once for all tasks of a step.
    fn get(&self, keys: Vec<CacheKey>) -> MaybeReady<'_, Vec<Option<Vec<Write>>>>;
    /// Keeps a result.
    fn put(&self, key: CacheKey, writes: Vec<Write>, ttl: Option<Duration>) -> MaybeReady<'_, ()>;
    /// Forgets the results of these owners, or all.
    fn clear(&self, owners: Option<&[Arc<str>]>) -> MaybeReady<'_, ()>;
}

impl<C: Cache + ?Sized> Cache for Arc<C> {
    fn get(&self, keys: Vec<CacheKey>) -> MaybeReady<'_, Vec<Option<Vec<Write>>>> {
        (**self).get(keys)
    }

    fn put(&self, key: CacheKey, writes: Vec<Write>, ttl: Option<Duration>) -> MaybeReady<'_, ()> {
        (**self).put(key, writes, ttl)
    }

    fn clear(&self, owners: Option<&[Arc<str>]>) -> MaybeReady<'_, ()> {
        (**self).clear(owners)
    }
}
