//! Versions of workbooks, by the hash of their bytes: one for each step that changed something. A
//! state names its version, so an older checkpoint, a fork and a replay have the workbook of theirs.
//!
//! `used` finds those that something refers to.

mod used;

use std::sync::Arc;

use superstep::store::{Blobs, ContentHash, StoreError, UPLOADS};

pub use used::{ReferencesError, UsedVersions};

use crate::error::Error;

/// The space of versions in [`Blobs`].
pub const WORKBOOKS: &str = "workbooks";

/// Versions of the threads of an agent.
#[derive(Clone)]
pub(crate) struct Versions(pub(crate) Arc<dyn Blobs>);

impl Versions {
    /// Stores bytes, and gives their hash. To store the same bytes again changes nothing.
    pub(crate) async fn put(&self, bytes: Vec<u8>) -> Result<String, Error> {
        Ok(self.0.put(WORKBOOKS, bytes).await?.to_string())
    }

    /// The bytes of a hash, which may also name an upload.
    pub(crate) async fn get(&self, hash: &str) -> Result<Vec<u8>, Error> {
        let gone = || Error::VersionGone {
            hash: superstep::text::single_line(hash),
        };
        // A state may come from elsewhere, and name anything.
        let hash: ContentHash = hash.parse().map_err(|_| gone())?;
        if let Some(bytes) = self.0.get(WORKBOOKS, hash).await? {
            return Ok(bytes);
        }
        let uploaded = self.0.get(UPLOADS, hash).await?.ok_or_else(gone)?;
        // The client may remove the upload; the thread continues with it.
        self.put(uploaded.clone()).await?;
        Ok(uploaded)
    }
}

impl From<StoreError> for Error {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::DamagedContent { hash, .. } => Self::VersionDamaged {
                hash: hash.to_string(),
            },
            other => Self::Versions {
                why: other.to_string(),
            },
        }
    }
}
