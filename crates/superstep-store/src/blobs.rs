//! Bytes kept by content: uploads, results, versions of workbooks.

use bytes::Bytes;

use crate::{BoxFuture, ContentHash, StoreError};

/// The space of what clients upload to a server. Agents read what a run names from it.
pub const UPLOADS: &str = "uploads";

/// Bytes kept under their hash, durable, for all processes that share a storage.
///
/// A space separates owners of content, such as uploads and versions of workbooks: what is removed from one stays in
/// the others. Content never changes.
pub trait Blobs: Send + Sync {
    /// Keeps content; durable when the reply comes. Keeping the same content again changes nothing.
    fn put<'a>(
        &'a self,
        space: &'a str,
        content: Bytes,
    ) -> BoxFuture<'a, Result<ContentHash, StoreError>>;

    /// The content of a hash. Content that is damaged is [`StoreError::DamagedContent`].
    fn get<'a>(
        &'a self,
        space: &'a str,
        hash: ContentHash,
    ) -> BoxFuture<'a, Result<Option<Bytes>, StoreError>>;

    /// Whether there is content of a hash.
    fn contains<'a>(
        &'a self,
        space: &'a str,
        hash: ContentHash,
    ) -> BoxFuture<'a, Result<bool, StoreError>>;

    /// Removes content; none there is fine.
    fn remove<'a>(
        &'a self,
        space: &'a str,
        hash: ContentHash,
    ) -> BoxFuture<'a, Result<(), StoreError>>;

    /// At most `limit` hashes of a space, those after `after` in an order that does not change.
    fn list<'a>(
        &'a self,
        space: &'a str,
        after: Option<ContentHash>,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<ContentHash>, StoreError>>;
}
