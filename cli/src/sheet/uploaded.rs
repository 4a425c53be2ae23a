//! Versions of workbooks of a server: those of its threads, and workbooks that were uploaded.

use std::path::{Path, PathBuf};

use superstep_sheets::{Error, FolderVersions, Versions};

/// Versions are kept beside the database. A workbook that is not there may be a file that somebody uploaded, which has
/// the same name: the hash of its bytes.
#[derive(Debug)]
pub(crate) struct UploadedVersions {
    kept: FolderVersions,
    uploads: Option<FolderVersions>,
}

impl UploadedVersions {
    pub(super) fn new(kept: FolderVersions, uploads: Option<PathBuf>) -> Self {
        Self {
            kept,
            uploads: uploads.map(FolderVersions::new),
        }
    }

    /// Where versions are kept.
    pub(crate) fn folder(&self) -> &Path {
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
                // Who uploaded it may remove it; the thread continues with it.
                self.kept.put(&bytes)?;
                Ok(bytes)
            }
            (found, _) => found,
        }
    }
}
