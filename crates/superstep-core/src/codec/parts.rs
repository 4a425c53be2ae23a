//! What is repeated is stored once: large data taken apart into parts that are named by their hash.
//!
//! Entries of an event log repeat each other: every call of a model has all messages of the calls
//! before it. [`split`] takes the MessagePack of an entry apart, so that a saver stores each part
//! once, whatever refers to it, and [`join`] puts it together again.
//!
//! - Text of [`TEXT`] bytes or more is a part: its bytes as they are, as blobs of records are.
//! - A list of more than [`INLINE`] bytes is cut into runs of items, and those, if they are many,
//!   into runs of runs. Where it is cut depends on the items and not on their number
//!   (content-defined chunking), so two lists that differ in one place, or one of which is longer,
//!   share all runs but a few: an item that is added to a long list costs about as much as one that
//!   is added to a short one.
//! - An object, or what is left of such a list, is a part if it has more than [`INLINE`] bytes.
//!
//! Data that is smaller stays as it is, so what was stored before there were parts is read alike.
//! What is put together may be anything: its depth and its size are bounded.

mod join;
mod read;

use std::{collections::HashMap, sync::Arc};

use xxhash_rust::xxh3::xxh3_64;

use self::read::{Head, Read};
use super::{BLOB, BlobId, CodecError, pack::BLOB_REF};

pub use join::{join, reach};

/// Text of this many bytes or more is a part.
pub const TEXT: usize = 256;

/// Lists and objects up to this many bytes stay where they are.
pub const INLINE: usize = 1024;

/// An extension that stands for a list or an object.
const PART: i8 = 3;
/// An extension within a list that stands for a run of its items.
const RUN: i8 = 4;

/// One in so many items is the last of its run.
const RUN_LENGTH: u64 = 4;
/// A run has no more items than this.
const LONGEST_RUN: usize = 64;

/// What is nested more deeply than this stays as it is.
const DEEPEST: usize = 32;
/// Data of more bytes than this is not taken apart.
const LARGEST: usize = 1 << 26;

/// Data, and the parts it refers to.
#[derive(Debug, Default)]
pub struct Split {
    /// The data with references in place of its parts.
    pub bytes: Vec<u8>,
    /// The parts it refers to itself.
    pub refers: Vec<BlobId>,
    /// All parts, by name.
    pub parts: HashMap<BlobId, Part>,
}

/// A part of something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Its bytes, which its name is a hash of.
    pub bytes: Arc<[u8]>,
    /// The parts it refers to.
    pub refers: Vec<BlobId>,
}

/// Names parts.
///
/// Whoever must not show hashes of content gives other names than those. Text of [`BLOB`] bytes or
/// more has the name of a blob of a record in any case, so that it is stored once for both.
pub trait Names {
    /// The name of a part with this hash.
    fn name(&self, hash: BlobId) -> BlobId;

    /// The name of a part.
    fn of(&self, bytes: &[u8]) -> BlobId {
        self.name(BlobId::of(bytes))
    }

    /// The name of text that is a part.
    fn of_text(&self, text: &[u8]) -> BlobId {
        match text.len() {
            BLOB.. => BlobId::of(text),
            _ => self.of(text),
        }
    }

    /// Whether something with these bytes has this name.
    fn fits(&self, bytes: &[u8], id: BlobId) -> bool {
        self.of(bytes) == id || self.of_text(bytes) == id
    }
}

/// Names parts by their hashes.
pub struct ByHash;

impl Names for ByHash {
    fn name(&self, hash: BlobId) -> BlobId {
        hash
    }
}

/// Takes the MessagePack of one value apart.
pub fn split(bytes: &[u8], names: &dyn Names) -> Result<Split, CodecError> {
    if bytes.len() > LARGEST {
        return Ok(Split {
            bytes: bytes.to_vec(),
            ..Split::default()
        });
    }
    let mut from = Read::new(bytes);
    let mut splitting = Splitting {
        names,
        parts: HashMap::new(),
    };
    let Piece { bytes, refers } = splitting.value(&mut from, 0)?;
    from.ends()?;
    let parts = splitting.parts;
    Ok(Split {
        bytes,
        refers,
        parts,
    })
}

/// A piece of data, taken apart as far as it is large.
#[derive(Default)]
struct Piece {
    bytes: Vec<u8>,
    refers: Vec<BlobId>,
}

impl Piece {
    fn plain(bytes: &[u8]) -> Self {
        Self {
            bytes: bytes.to_vec(),
            refers: Vec::new(),
        }
    }

    fn reference(kind: i8, id: BlobId) -> Self {
        let mut bytes = Vec::with_capacity(18);
        bytes.extend([0xd8, kind as u8]);
        bytes.extend(id.0.to_be_bytes());
        Self {
            bytes,
            refers: vec![id],
        }
    }

    /// A list of these items.
    fn list(items: Vec<Self>) -> Self {
        let mut piece = Self::default();
        read::list_head(&mut piece.bytes, items.len());
        for item in items {
            piece.add(item);
        }
        piece
    }

    fn add(&mut self, other: Self) {
        self.bytes.extend_from_slice(&other.bytes);
        self.refers.extend(other.refers);
    }
}

struct Splitting<'n> {
    names: &'n dyn Names,
    parts: HashMap<BlobId, Part>,
}

impl Splitting<'_> {
    fn value(&mut self, from: &mut Read<'_>, depth: usize) -> Result<Piece, CodecError> {
        let start = from.at();
        if depth >= DEEPEST {
            from.pass()?;
            return Ok(Piece::plain(from.since(start)));
        }
        let piece = match from.head()? {
            Head::List(len) => {
                let mut items = Vec::with_capacity(len.min(1024));
                for _ in 0..len {
                    items.push(self.value(from, depth + 1)?);
                }
                match depth {
                    0 => Piece::list(items),
                    _ => self.list(items),
                }
            }
            Head::Map(len) => {
                let mut piece = Piece::plain(from.since(start));
                for _ in 0..len {
                    let key = from.at();
                    from.pass()?;
                    piece.bytes.extend_from_slice(from.since(key));
                    piece.add(self.value(from, depth + 1)?);
                }
                piece
            }
            Head::Text(len) => {
                let text = from.take(len)?;
                if text.len() < TEXT {
                    return Ok(Piece::plain(from.since(start)));
                }
                let id = self.names.of_text(text);
                return Ok(self.part(BLOB_REF, id, text, Vec::new()));
            }
            Head::Bytes(len) => {
                from.take(len)?;
                return Ok(Piece::plain(from.since(start)));
            }
            Head::Scalar => return Ok(Piece::plain(from.since(start))),
            // It would be taken for a reference when it is read.
            Head::Refers(..) => return Err(from.refuse("a reference out of place")),
        };
        if depth == 0 || piece.bytes.len() <= INLINE {
            return Ok(piece);
        }
        let id = self.names.of(&piece.bytes);
        Ok(self.part(PART, id, &piece.bytes, piece.refers))
    }

    /// A list, with runs of items in their place while it is long and there are any.
    fn list(&mut self, mut items: Vec<Piece>) -> Piece {
        loop {
            let bytes: usize = items.iter().map(|item| item.bytes.len()).sum();
            let before = items.len();
            if bytes > INLINE {
                items = self.runs(items);
            }
            if items.len() == before {
                return Piece::list(items);
            }
        }
    }

    /// The same list with its runs. What follows the last one stays as it is: it would be another
    /// run with every item that is added.
    fn runs(&mut self, items: Vec<Piece>) -> Vec<Piece> {
        let (mut runs, mut run): (Vec<Piece>, Vec<Piece>) = (Vec::new(), Vec::new());
        for item in items {
            let last = xxh3_64(&item.bytes).is_multiple_of(RUN_LENGTH);
            run.push(item);
            // A run of one would be no shorter than what it stands for.
            if last && run.len() > 1 || run.len() >= LONGEST_RUN {
                runs.push(self.run(std::mem::take(&mut run)));
            }
        }
        runs.extend(run);
        runs
    }

    fn run(&mut self, items: Vec<Piece>) -> Piece {
        let Piece { bytes, refers } = Piece::list(items);
        let id = self.names.of(&bytes);
        self.part(RUN, id, &bytes, refers)
    }

    fn part(&mut self, kind: i8, id: BlobId, bytes: &[u8], refers: Vec<BlobId>) -> Piece {
        let part = || Part {
            bytes: bytes.into(),
            refers,
        };
        self.parts.entry(id).or_insert_with(part);
        Piece::reference(kind, id)
    }
}

#[cfg(test)]
mod tests;
