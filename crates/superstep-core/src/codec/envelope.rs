//! What surrounds packed bytes in storage: a version and a checksum.
//!
//! The checksum covers the bytes and what the saver knows about them from elsewhere (their place, the
//! ids beside them), so that a row that was damaged, swapped or linked wrongly does not open.

use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

/// The version this code writes.
const VERSION: u8 = 1;

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
}

/// Where bytes belong: they open at no other place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place(u64);

impl Place {
    /// The place these bytes describe.
    pub fn of(description: &[u8]) -> Self {
        Self(xxh3_64(description))
    }
}

/// Wraps bytes for a place.
pub fn seal(bytes: &[u8], place: Place) -> Vec<u8> {
    let mut sealed = Vec::with_capacity(bytes.len() + 5);
    sealed.push(VERSION);
    sealed.extend(checksum(bytes, place).to_be_bytes());
    sealed.extend_from_slice(bytes);
    sealed
}

/// Unwraps bytes of a place.
pub fn open(sealed: &[u8], place: Place) -> Result<&[u8], EnvelopeError> {
    let Some((head, bytes)) = sealed.split_at_checked(5) else {
        return Err(EnvelopeError::Short(sealed.len()));
    };
    let [version, sum @ ..] = head else {
        return Err(EnvelopeError::Short(sealed.len()));
    };
    if *version != VERSION {
        return Err(EnvelopeError::Version(*version));
    }
    if sum != checksum(bytes, place).to_be_bytes() {
        return Err(EnvelopeError::Checksum);
    }
    Ok(bytes)
}

fn checksum(bytes: &[u8], place: Place) -> u32 {
    xxh3_64_with_seed(bytes, place.0) as u32
}
