//! How records become bytes: MessagePack with named fields, in a checked envelope.
//!
//! Fields are named, so that a reader skips those it does not know and does without those that are
//! not there. A field with its usual value is left out. Long text that occurs twice in a record is
//! written once ([`mod@value`]), and text of [`BLOB`] bytes or more is not written at all but handed
//! over to be kept under its hash ([`Packed::blobs`]), so that a large input is stored once however
//! often the state that holds it is stored.
//!
//! Bytes are data: the types are closed, an unknown variant is an error, depth and sizes are
//! limited. [`record`] and [`note`] say which fields there are, [`envelope`] what surrounds them,
//! [`mod@pack`] and [`mod@unpack`] are the MessagePack itself.

pub mod envelope;
pub mod note;
pub mod pack;
pub mod parts;
pub mod record;
pub mod unpack;
pub mod value;

use std::sync::Arc;

pub use crate::value::MAX_DEPTH;

use crate::record::Layout;
use pack::Pack;
use unpack::{Shared, Unpack};

/// Text of this many bytes or more is kept as a blob.
pub const BLOB: usize = 16 * 1024;

/// Bytes are not what they should be.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
#[error("byte {at}: {why}")]
#[non_exhaustive]
pub struct CodecError {
    /// Where.
    pub at: usize,
    /// In which way.
    pub why: String,
}

/// Names a blob: a hash of its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BlobId(pub u128);

impl BlobId {
    /// The name of these bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Self(xxhash_rust::xxh3::xxh3_128(bytes))
    }
}

/// Bytes, and the blobs they refer to.
#[derive(Debug, Default)]
pub struct Packed {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// Text kept apart.
    pub blobs: Vec<(BlobId, Arc<str>)>,
}

/// Gives the text of a blob back.
pub trait Blobs {
    /// The text under this name.
    fn text(&mut self, id: BlobId) -> Result<Arc<str>, String>;
}

/// For data that has no blobs.
pub struct NoBlobs;

impl Blobs for NoBlobs {
    fn text(&mut self, id: BlobId) -> Result<Arc<str>, String> {
        Err(format!("no blob {:032x}", id.0))
    }
}

/// Something with a packed form.
pub trait Codec: Sized {
    /// Writes it.
    fn pack(&self, out: &mut Pack) -> Result<(), CodecError>;
    /// Reads it.
    fn unpack(from: &mut Unpack<'_, '_>) -> Result<Self, CodecError>;
}

/// The packed form of something.
pub fn pack(thing: &impl Codec) -> Result<Packed, CodecError> {
    let mut out = Pack::new();
    thing.pack(&mut out)?;
    Ok(out.finish())
}

/// Reads something that takes all of the bytes.
pub fn unpack<T: Codec>(
    bytes: &[u8],
    shared: &mut Shared,
    blobs: &mut dyn Blobs,
) -> Result<T, CodecError> {
    let mut from = Unpack::new(bytes, shared, blobs);
    let thing = T::unpack(&mut from)?;
    from.end()?;
    Ok(thing)
}

/// The packed form of a layout, and its name in records.
pub fn pack_layout(layout: &Layout) -> Result<(u64, Vec<u8>), CodecError> {
    let bytes = serde_json::to_vec(layout).map_err(|error| CodecError {
        at: 0,
        why: error.to_string(),
    })?;
    Ok((xxhash_rust::xxh3::xxh3_64(&bytes), bytes))
}

/// Reads a layout.
pub fn unpack_layout(bytes: &[u8]) -> Result<Layout, CodecError> {
    serde_json::from_slice(bytes).map_err(|error| CodecError {
        at: error.column(),
        why: error.to_string(),
    })
}

#[cfg(test)]
mod tests;
