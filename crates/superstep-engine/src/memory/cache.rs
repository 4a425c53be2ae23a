//! The memory cache: results of nodes for equal inputs, with a time to live.

use std::{
    collections::HashMap,
    sync::Mutex,
    time::{Duration, Instant},
};

use superstep_core::{future::MaybeReady, record::Write};

use crate::cache::{Cache, CacheKey};
use superstep_core::sync::lock;

/// Keeps results in memory.
#[derive(Default)]
pub struct MemoryCache {
    entries: Mutex<HashMap<CacheKey, CachedWrites>>,
}

/// A result and when it ends to be good.
type CachedWrites = (Vec<Write>, Option<Instant>);

impl MemoryCache {
    /// An empty cache.
    pub fn new() -> Self {
        Self::default()
    }
}

impl Cache for MemoryCache {
    fn get(&self, keys: Vec<CacheKey>) -> MaybeReady<'_, Vec<Option<Vec<Write>>>> {
        let (mut entries, now) = (lock(&self.entries), Instant::now());
        let good = |key: &CacheKey| {
            let (writes, expires) = entries.get(key)?;
            if expires.is_none_or(|at| now < at) {
                return Some(writes.clone());
            }
            entries.remove(key);
            None
        };
        let found = keys.iter().map(good).collect();
        MaybeReady::now(Ok(found))
    }

    fn put(&self, key: CacheKey, writes: Vec<Write>, ttl: Option<Duration>) -> MaybeReady<'_, ()> {
        let expires = ttl.map(|ttl| Instant::now() + ttl);
        let mut entries = lock(&self.entries);
        entries.insert(key, (writes, expires));
        MaybeReady::now(Ok(()))
    }

    fn clear(&self, owners: Option<&[std::sync::Arc<str>]>) -> MaybeReady<'_, ()> {
        let mut entries = lock(&self.entries);
        match owners {
            None => entries.clear(),
            Some(owners) => entries.retain(|key, _| !owners.contains(&key.owner)),
        }
        MaybeReady::now(Ok(()))
    }
}
