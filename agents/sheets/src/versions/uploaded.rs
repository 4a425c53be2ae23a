//! Versions of a server: those of its threads, and workbooks that clients uploaded.

use std::path::{Path, PathBuf};

use super::{FolderVersions, Versions};
use crate::error::Error;

/// Versions in a folder, and uploaded workbooks beside them. An uploaded file has the same name as a version: the hash of
/// its bytes.
#[derive(Debug)]
pub struct UploadedVersions {
    kept: FolderVersions,
    uploads: Option<FolderVersions>,
}

impl UploadedVersions {
    /// Versions that are kept in one folder, with a folder of uploads if there is one.
    pub fn new(kept: FolderVersions, uploads: Option<PathBuf>) -> Self {
        Self {
            kept,
            uploads: uploads.map(FolderVersions::new),
        }
    }

    /// The folder that versions are kept in.
    pub fn folder(&self) -> &Path {
        self.kept.folder()
    }
}

impl Versions for UploadedVersions {
    fn put(&self, bytes: &[u8]) -> Result<String, Error> {
        self.kept.put(bytes)
    }

    fn get(&self, hash: &str) -> Result<Vec<u8>, Error> {
        match (self.kept.get(hash), &self.uploads) {
            (Err(Error::VersionGone { .. }), Some(uploads)) => {
                let bytes = uploads.get(hash)?;
                // The client may remove the upload; the thread continues with it.
                self.kept.put(&bytes)?;
                Ok(bytes)
            }
            (found, _) => found,
        }
    }
}
