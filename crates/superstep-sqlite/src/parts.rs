//! Deduplicated parts of event log entries, stored in `blobs`.
//!
//! A thread that uses a part uses everything the part refers to, so parts already in use are not
//! visited again: storing an entry costs what is new in it.

use std::{
    collections::{BTreeSet, HashMap, HashSet},
    sync::Arc,
};

use rusqlite::Connection;
use superstep_core::{
    codec::{
        BlobId, CodecError,
        parts::{self, Names, Split},
    },
    error::SaverError,
};

use crate::{blob, seal::Seal, writer::Writer};

/// Inserts the parts of an entry that are new, and records that the thread uses them.
pub(crate) fn put(writer: &mut Writer, thread: i64, split: &Split) -> Result<(), SaverError> {
    let (mut left, mut seen) = (split.refers.clone(), HashSet::new());
    while let Some(id) = left.pop() {
        let part = split.parts.get(&id).filter(|_| seen.insert(id));
        if let Some(part) = part
            && writer.blob(thread, id, &part.bytes)?
        {
            left.extend(&part.refers);
        }
    }
    Ok(())
}

/// Reads parts on one connection.
pub(crate) struct PartReader<'c> {
    db: &'c Connection,
    seal: &'c Seal,
    /// Parts read so far: consecutive entries share most of theirs.
    known: HashMap<BlobId, Arc<[u8]>>,
}

impl<'c> PartReader<'c> {
    pub(crate) fn new(db: &'c Connection, seal: &'c Seal) -> Self {
        Self {
            db,
            seal,
            known: HashMap::new(),
        }
    }

    /// Replaces references by the parts they refer to.
    pub(crate) fn join(&mut self, bytes: &[u8]) -> Result<Vec<u8>, CodecError> {
        parts::join(bytes, &mut |id| self.fetch(id))
    }

    /// Adds the ids of all parts that these bytes refer to, directly or not.
    pub(crate) fn reach(
        &mut self,
        bytes: &[u8],
        found: &mut BTreeSet<BlobId>,
    ) -> Result<(), CodecError> {
        parts::reach(bytes, &mut |id| self.fetch(id), found)
    }

    fn fetch(&mut self, id: BlobId) -> Result<Arc<[u8]>, String> {
        if let Some(part) = self.known.get(&id) {
            return Ok(part.clone());
        }
        let part = blob::read(self.db, self.seal, id, |bytes, what| {
            if !self.seal.fits(bytes, id) {
                return Err(format!("{what} is something else"));
            }
            Ok(Arc::<[u8]>::from(bytes))
        })?;
        self.known.insert(id, part.clone());
        Ok(part)
    }
}

/// In an encrypted file, a blob id is a keyed hash: it says nothing about the content without the key.
impl Names for Seal {
    #[cfg(feature = "encryption")]
    fn name(&self, hash: BlobId) -> BlobId {
        match &self.key {
            Some(key) => BlobId(key.name(hash.0)),
            None => hash,
        }
    }

    #[cfg(not(feature = "encryption"))]
    fn name(&self, hash: BlobId) -> BlobId {
        hash
    }
}
