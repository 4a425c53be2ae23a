//! Bytes kept by content: uploads, results, versions of workbooks.

use std::{fmt, str::FromStr};

use sha2::{Digest as _, Sha256};

use crate::{BoxFuture, StoreError};

/// The SHA-256 of content, under which [`Blobs`] keep it; in text 64 lowercase hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContentHash([u8; 32]);

impl ContentHash {
    /// The hash of content.
    pub fn of(content: &[u8]) -> Self {
        Self(Sha256::digest(content).into())
    }

    /// The hash with these bytes.
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Its bytes.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Display for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ContentHash({self})")
    }
}

/// Error: a text is no SHA-256 in lowercase hexadecimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a hash has 64 lowercase hexadecimal digits")]
pub struct NoContentHash;

impl FromStr for ContentHash {
    type Err = NoContentHash;

    fn from_str(text: &str) -> Result<Self, NoContentHash> {
        let digit = |byte: u8| match byte {
            b'0'..=b'9' => Ok(byte - b'0'),
            b'a'..=b'f' => Ok(byte - b'a' + 10),
            _ => Err(NoContentHash),
        };
        if text.len() != 64 {
            return Err(NoContentHash);
        }
        let mut bytes = [0; 32];
        for (byte, pair) in bytes.iter_mut().zip(text.as_bytes().chunks(2)) {
            for half in pair {
                *byte = *byte << 4 | digit(*half)?;
            }
        }
        Ok(Self(bytes))
    }
}

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
        content: Vec<u8>,
    ) -> BoxFuture<'a, Result<ContentHash, StoreError>>;

    /// The content of a hash. Content that is damaged is [`StoreError::DamagedContent`].
    fn get<'a>(
        &'a self,
        space: &'a str,
        hash: ContentHash,
    ) -> BoxFuture<'a, Result<Option<Vec<u8>>, StoreError>>;

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
