//! Bytes by content in memory.

use std::{
    collections::BTreeMap,
    ops::Bound,
    sync::{Arc, Mutex},
};

use superstep_core::sync::lock;
use superstep_store::{Blobs, BoxFuture, ContentHash, StoreError};

/// Bytes by content in this process; cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct MemoryBlobs(Arc<Mutex<BTreeMap<(String, ContentHash), Vec<u8>>>>);

impl MemoryBlobs {
    /// No content yet.
    pub fn new() -> Self {
        Self::default()
    }
}

impl Blobs for MemoryBlobs {
    fn put<'a>(
        &'a self,
        space: &'a str,
        content: Vec<u8>,
    ) -> BoxFuture<'a, Result<ContentHash, StoreError>> {
        let hash = ContentHash::of(&content);
        lock(&self.0)
            .entry((space.to_owned(), hash))
            .or_insert(content);
        Box::pin(async move { Ok(hash) })
    }

    fn get<'a>(
        &'a self,
        space: &'a str,
        hash: ContentHash,
    ) -> BoxFuture<'a, Result<Option<Vec<u8>>, StoreError>> {
        let found = lock(&self.0).get(&(space.to_owned(), hash)).cloned();
        Box::pin(async move { Ok(found) })
    }

    fn contains<'a>(
        &'a self,
        space: &'a str,
        hash: ContentHash,
    ) -> BoxFuture<'a, Result<bool, StoreError>> {
        let found = lock(&self.0).contains_key(&(space.to_owned(), hash));
        Box::pin(async move { Ok(found) })
    }

    fn remove<'a>(
        &'a self,
        space: &'a str,
        hash: ContentHash,
    ) -> BoxFuture<'a, Result<(), StoreError>> {
        lock(&self.0).remove(&(space.to_owned(), hash));
        Box::pin(async move { Ok(()) })
    }

    fn list<'a>(
        &'a self,
        space: &'a str,
        after: Option<ContentHash>,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<ContentHash>, StoreError>> {
        let from = match after {
            Some(after) => Bound::Excluded((space.to_owned(), after)),
            None => Bound::Included((space.to_owned(), ContentHash::from_bytes([0; 32]))),
        };
        let all = lock(&self.0);
        let rest = all.range((from, Bound::Unbounded));
        let own = rest.take_while(|((of, _), _)| of == space);
        let found: Vec<_> = own.take(limit).map(|((_, hash), _)| *hash).collect();
        Box::pin(async move { Ok(found) })
    }
}
