//! Partial download: append-only, renamed to its final name only with the right hash.
//!
//! It survives the process. The next pull reads what is there, so the hash is over the bytes on the
//! disk and not over those somebody once wrote.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};

use sha2::{Digest, Sha256};
use superstep_fs::StopFlag;

use superstep_fs::sync_parent;

use super::blocking::blocking;
use super::cache::new_file;
use super::error::WeightsError;
use super::hash::{hash_while, hex};
use super::lock::Lock;
use superstep_core::sync::lock;

/// A growing file; clones are the same file.
#[derive(Debug, Clone)]
pub(super) struct Partial(Arc<Mutex<Growing>>);

#[derive(Debug)]
struct Growing {
    path: PathBuf,
    file: File,
    hasher: Sha256,
    len: u64,
    // Work that outlives its future still holds the lock, so nobody else writes meanwhile.
    _lock: Arc<Lock>,
}

impl Partial {
    /// Opens the file, or makes it; what is there counts unless it is longer than `limit`.
    pub(super) async fn open(
        path: &Path,
        lock: Arc<Lock>,
        limit: Option<u64>,
        stop: StopFlag,
    ) -> Result<Self, WeightsError> {
        let at = path.to_owned();
        let work = move || Growing::open(at, lock, limit, &stop);
        let growing = blocking(path, work).await?;
        Ok(Self(Arc::new(Mutex::new(growing))))
    }

    /// How many bytes there are.
    pub(super) fn len(&self) -> u64 {
        self.lock().len
    }

    /// Writes to the end; blocks.
    pub(super) fn append(&self, bytes: &[u8]) -> Result<(), WeightsError> {
        self.lock().append(bytes)
    }

    /// As [`append`](Self::append), on a thread that may block.
    pub(super) async fn append_soon(&self, bytes: Vec<u8>) -> Result<(), WeightsError> {
        let path = self.path();
        let this = self.clone();
        blocking(&path, move || this.append(&bytes)).await
    }

    /// Begins again with nothing.
    pub(super) fn restart(&self) -> Result<(), WeightsError> {
        self.lock().restart()
    }

    /// Removes the file.
    pub(super) fn remove(self) -> Result<(), WeightsError> {
        let path = self.path();
        fs::remove_file(&path).map_err(|source| WeightsError::file(&path, source))
    }

    /// The hash of all that is there.
    pub(super) fn sha256(&self) -> String {
        hex(self.lock().hasher.clone())
    }

    /// Gives the file its final name if it has the hash; removes it if not.
    pub(super) async fn finish(
        self,
        name: &str,
        sha256: &str,
        to: PathBuf,
    ) -> Result<(), WeightsError> {
        let found = self.sha256();
        if found != sha256 {
            self.remove()?;
            return Err(WeightsError::WrongHash {
                what: name.to_owned(),
                expected: sha256.to_owned(),
                found,
            });
        }
        let path = self.path();
        blocking(&path, move || self.lock().settle(&to)).await
    }

    pub(super) fn path(&self) -> PathBuf {
        self.lock().path.clone()
    }

    fn lock(&self) -> MutexGuard<'_, Growing> {
        lock(&self.0)
    }
}

impl Growing {
    fn open(
        path: PathBuf,
        lock: Arc<Lock>,
        limit: Option<u64>,
        stop: &StopFlag,
    ) -> Result<Self, WeightsError> {
        let failed = |source| WeightsError::file(&path, source);
        let file = new_file()
            .create(true)
            .append(true)
            .open(&path)
            .map_err(failed)?;
        let len = file.metadata().map_err(failed)?.len();
        let mut growing = Self {
            hasher: Sha256::new(),
            file,
            len,
            path,
            _lock: lock,
        };
        if limit.is_some_and(|limit| len > limit) {
            growing.restart()?;
        } else if len > 0 {
            growing.hasher = hash_while(&growing.path, stop)?;
        }
        Ok(growing)
    }

    fn append(&mut self, bytes: &[u8]) -> Result<(), WeightsError> {
        let mut rest = bytes;
        // One write at a time, so that what did get onto a full disk is counted.
        while !rest.is_empty() {
            let count = match self.file.write(rest) {
                Ok(0) => Err(std::io::ErrorKind::WriteZero.into()),
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
                outcome => outcome,
            };
            let count = count.map_err(|source| WeightsError::file(&self.path, source))?;
            let (written, left) = rest.split_at_checked(count).unwrap_or((rest, &[]));
            self.hasher.update(written);
            self.len += written.len() as u64;
            rest = left;
        }
        Ok(())
    }

    fn restart(&mut self) -> Result<(), WeightsError> {
        let cut = self.file.set_len(0);
        cut.map_err(|source| WeightsError::file(&self.path, source))?;
        self.hasher = Sha256::new();
        self.len = 0;
        Ok(())
    }

    fn settle(&mut self, to: &Path) -> Result<(), WeightsError> {
        let synced = self.file.sync_all();
        synced.map_err(|source| WeightsError::file(&self.path, source))?;
        fs::rename(&self.path, to).map_err(|source| WeightsError::file(to, source))?;
        sync_parent(to).map_err(|source| WeightsError::file(to, source))
    }
}
