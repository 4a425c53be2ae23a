//! Results kept for equal inputs, so that a node need not run again.

use std::{sync::Arc, time::Duration};

use superstep_core::{record::Write, value::Value};

/// What a result is kept under.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct CacheKey {
    /// The graph and node, or the called task.
    pub owner: Arc<str>,
    /// The input, or what of it counts, as canonical JSON.
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
}

/// Keeps results of nodes. Shared by all threads and subgraphs of a graph.
pub trait Cache: Send + Sync + 'static {
    /// A result that is still good.
    fn get(&self, key: &CacheKey) -> Option<Vec<Write>>;
    /// Keeps a result.
    fn put(&self, key: CacheKey, writes: Vec<Write>, ttl: Option<Duration>);
    /// Forgets the results of these owners, or all.
    fn clear(&self, owners: Option<&[Arc<str>]>);
}

impl<C: Cache + ?Sized> Cache for Arc<C> {
    fn get(&self, key: &CacheKey) -> Option<Vec<Write>> {
        (**self).get(key)
    }

    fn put(&self, key: CacheKey, writes: Vec<Write>, ttl: Option<Duration>) {
        (**self).put(key, writes, ttl);
    }

    fn clear(&self, owners: Option<&[Arc<str>]>) {
        (**self).clear(owners);
    }
}
