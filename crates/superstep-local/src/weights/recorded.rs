//! Records of hub files outside the catalogue: hash and size at first use.
//!
//! Beside the cached file lies a record of its hash, made at the first pull. Beside a file that is on
//! its way lies the tag its server gave it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use superstep_fs::{Rights, Staged};

use super::cache::Cache;
use super::error::WeightsError;
use super::hash::{hex, is_hex};
use super::wanted::HubFile;

/// The hash and length a file had when it was first pulled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Record {
    pub(super) sha256: String,
    pub(super) size: u64,
}

/// The names under which one file of the hub is kept.
#[derive(Debug)]
pub(super) struct Names {
    pub(super) record: PathBuf,
    pub(super) part: PathBuf,
    pub(super) tag: PathBuf,
    pub(super) lock: PathBuf,
}

impl Names {
    pub(super) fn of(cache: &Cache, file: &HubFile) -> Self {
        let mut hasher = Sha256::new();
        hasher.update(file.to_string());
        let key = hex(hasher);
        let at = |ending: &str| cache.folder.join(format!("hub-{key}.{ending}"));
        Self {
            record: at("json"),
            part: at("part"),
            tag: at("tag"),
            lock: at("lock"),
        }
    }
}

impl Record {
    /// The record, if there is one; one that cannot be read is an error, not a first pull.
    pub(super) fn read(path: &Path, file: &HubFile) -> Result<Option<Self>, WeightsError> {
        let Some(text) = read(path)? else {
            return Ok(None);
        };
        let record = serde_json::from_str(&text).ok().and_then(|value: Value| {
            let sha256 = value.get("sha256")?.as_str()?;
            let size = value.get("size")?.as_u64()?;
            let is_ours = value.get("file")?.as_str()? == file.to_string();
            (is_ours && is_hex(sha256)).then(|| Self {
                sha256: sha256.to_owned(),
                size,
            })
        });
        let damaged = || WeightsError::File {
            path: path.to_owned(),
            source: io::Error::new(io::ErrorKind::InvalidData, "it is no record of a pull"),
        };
        record.map(Some).ok_or_else(damaged)
    }

    pub(super) fn write(&self, path: &Path, file: &HubFile) -> Result<(), WeightsError> {
        let value = json!({
            "file": file.to_string(),
            "sha256": self.sha256,
            "size": self.size,
        });
        write(path, &format!("{value}\n"))
    }

    /// The name of its file in the cache.
    pub(super) fn file_name(&self, file: &HubFile) -> String {
        format!("{}.{}", self.sha256, file.extension())
    }
}

/// The text of a small file, if it is there.
pub(super) fn read(path: &Path) -> Result<Option<String>, WeightsError> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(WeightsError::file(path, source)),
    }
}

/// Writes a small file, wholly or not at all.
pub(super) fn write(path: &Path, text: &str) -> Result<(), WeightsError> {
    let staged = Staged::new(path, text.as_bytes(), Rights::Readable);
    let written = staged.and_then(Staged::replace);
    written.map_err(|source| WeightsError::file(path, source))
}
