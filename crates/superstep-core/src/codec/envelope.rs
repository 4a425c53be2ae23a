//! What surrounds packed bytes in storage: a version, a checksum, and whether they are encrypted.
//!
//! The checksum covers the bytes and what the saver knows about them from elsewhere (their place, the
//! ids beside them), so that a row that was damaged, swapped or linked wrongly does not open. Whether
//! they are encrypted is recorded in the envelope, so that a program without the key, or without
//! encryption at all, can tell damage from a secret.

use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

/// The version this code writes.
const VERSION: u8 = 1;

/// The version and the checksum.
const HEAD: usize = 5;

const PLAIN: u8 = 0;
const ENCRYPTED: u8 = 1;

/// Stored bytes do not open.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum EnvelopeError {
    /// They are too short to be anything.
    #[error("an envelope of {0} bytes")]
    Short(usize),
    /// They were written by something newer, or are damaged.
    #[error("envelope version {0} is not known")]
    Version(u8),
    /// They are not the bytes that were stored.
    #[error("the checksum does not fit")]
    Checksum,
    /// They hold something this code does not know.
    #[error("content of kind {0} is not known")]
    Content(u8),
}

/// Where bytes belong: they open at no other place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    description: Vec<u8>,
    digest: u64,
}

impl Address {
    /// The place these bytes describe.
    pub fn of(description: impl Into<Vec<u8>>) -> Self {
        let description = description.into();
        Self {
            digest: xxh3_64(&description),
            description,
        }
    }

    /// What describes it.
    pub fn description(&self) -> &[u8] {
        &self.description
    }
}

/// What is in an envelope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content<'b> {
    /// Bytes as they are.
    Plain(&'b [u8]),
    /// Bytes that need a key; what they look like is up to who has it.
    Encrypted(&'b [u8]),
}

/// Wraps bytes for a place.
pub fn seal(content: Content<'_>, place: &Address) -> Vec<u8> {
    let (kind, bytes) = match content {
        Content::Plain(bytes) => (PLAIN, bytes),
        Content::Encrypted(bytes) => (ENCRYPTED, bytes),
    };
    let mut sealed = Vec::with_capacity(HEAD + 1 + bytes.len());
    sealed.extend([VERSION, 0, 0, 0, 0, kind]);
    sealed.extend_from_slice(bytes);
    if let Some((head, body)) = sealed.split_at_mut_checked(HEAD)
        && let Some(sum) = head.get_mut(1..)
    {
        sum.copy_from_slice(&checksum(body, place));
    }
    sealed
}

/// Unwraps bytes of a place.
pub fn open<'b>(sealed: &'b [u8], place: &Address) -> Result<Content<'b>, EnvelopeError> {
    let short = || EnvelopeError::Short(sealed.len());
    let (head, body) = sealed.split_at_checked(HEAD).ok_or_else(short)?;
    let [version, sum @ ..] = head else {
        return Err(short());
    };
    if *version != VERSION {
        return Err(EnvelopeError::Version(*version));
    }
    if sum != checksum(body, place) {
        return Err(EnvelopeError::Checksum);
    }
    match body {
        [PLAIN, bytes @ ..] => Ok(Content::Plain(bytes)),
        [ENCRYPTED, bytes @ ..] => Ok(Content::Encrypted(bytes)),
        [other, ..] => Err(EnvelopeError::Content(*other)),
        [] => Err(short()),
    }
}

fn checksum(body: &[u8], place: &Address) -> [u8; 4] {
    (xxh3_64_with_seed(body, place.digest) as u32).to_be_bytes()
}
