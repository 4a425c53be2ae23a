//! Versions of workbooks, by the hash of their bytes: one for each step that changed something. A
//! state names its version, so an older checkpoint, a fork and a replay have the workbook of theirs.
//!
//! `uploaded` has the versions of a server, `used` finds those that something refers to.

mod uploaded;
mod used;

use std::{
    collections::HashMap,
    fs, io,
    path::{Path, PathBuf},
    sync::Mutex,
};

use sha2::{Digest as _, Sha256};
use superstep::{
    fs::{Rights, Staged, private_dir, read_regular},
    sync::lock,
    text::hex,
};

pub use uploaded::UploadedVersions;
pub use used::{ReferencesError, UsedVersions};

use crate::error::Error;

/// Where versions are stored. What is stored is never changed.
pub trait Versions: Send + Sync {
    /// Stores bytes, and gives their hash. To store the same bytes again changes nothing.
    fn put(&self, bytes: &[u8]) -> Result<String, Error>;

    /// The bytes of a hash.
    fn get(&self, hash: &str) -> Result<Vec<u8>, Error>;
}

/// The name of bytes: their SHA-256 in hexadecimal digits.
pub fn hash(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// Versions as files of a folder, for their owner alone. They are not encrypted.
#[derive(Clone, Debug)]
pub struct FolderVersions {
    folder: PathBuf,
}

impl FolderVersions {
    /// Versions in this folder, which is created when the first one is stored.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self {
            folder: folder.into(),
        }
    }

    /// Where the versions of the threads of a database are: beside its file.
    pub fn beside(database: &Path) -> Self {
        let mut name = database.file_name().unwrap_or_default().to_owned();
        name.push("-workbooks");
        Self::new(database.with_file_name(name))
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The hashes of all versions that are stored.
    pub fn all(&self) -> Result<Vec<String>, Error> {
        let entries = match fs::read_dir(&self.folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(self.failed(&error)),
        };
        let names = entries.flatten().map(|entry| entry.file_name());
        let names = names.filter_map(|name| name.into_string().ok());
        Ok(names.filter(|name| is_hash(name)).collect())
    }

    /// Removes a version; one that is not there is fine.
    pub fn remove(&self, hash: &str) -> Result<(), Error> {
        match fs::remove_file(self.path(hash)?) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(self.failed(&error)),
            _ => Ok(()),
        }
    }

    /// A state may come from elsewhere: what it names is a file of this folder, or nothing.
    fn path(&self, hash: &str) -> Result<PathBuf, Error> {
        match is_hash(hash) {
            true => Ok(self.folder.join(hash)),
            false => Err(gone(hash)),
        }
    }

    fn failed(&self, error: &io::Error) -> Error {
        Error::Versions {
            folder: self.folder.display().to_string(),
            why: error.to_string(),
        }
    }
}

impl Versions for FolderVersions {
    fn put(&self, bytes: &[u8]) -> Result<String, Error> {
        let hash = hash(bytes);
        let path = self.path(&hash)?;
        if !path.exists() {
            private_dir(&self.folder)
                .and_then(|()| Staged::new(&path, bytes, Rights::Private))
                .and_then(Staged::create)
                .map_err(|error| self.failed(&error))?;
        }
        Ok(hash)
    }

    fn get(&self, name: &str) -> Result<Vec<u8>, Error> {
        // A pipe in its place would block.
        let bytes = match read_regular(&self.path(name)?, u64::MAX) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(gone(name)),
            Err(error) => return Err(self.failed(&error)),
        };
        match hash(&bytes) == name {
            true => Ok(bytes),
            false => Err(Error::VersionDamaged {
                hash: name.to_owned(),
            }),
        }
    }
}

/// Versions in memory, which end with the process.
#[derive(Debug, Default)]
pub struct MemoryVersions(Mutex<HashMap<String, Vec<u8>>>);

impl Versions for MemoryVersions {
    fn put(&self, bytes: &[u8]) -> Result<String, Error> {
        let hash = hash(bytes);
        let mut all = lock(&self.0);
        all.entry(hash.clone()).or_insert_with(|| bytes.to_vec());
        Ok(hash)
    }

    fn get(&self, hash: &str) -> Result<Vec<u8>, Error> {
        let all = lock(&self.0);
        all.get(hash).cloned().ok_or_else(|| gone(hash))
    }
}

fn is_hash(name: &str) -> bool {
    let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    name.len() == 64 && name.bytes().all(is_digit)
}

fn gone(hash: &str) -> Error {
    Error::VersionGone {
        hash: superstep::text::single_line(hash),
    }
}
