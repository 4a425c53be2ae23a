//! Errors of files that are named on the command line or in the environment.

use std::path::Path;

use super::{Facts, facts};

/// A file cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FileError {
    /// It would have to be overwritten.
    #[error("{path} exists already")]
    Exists { path: String },
    /// It does not hold a key.
    #[cfg(feature = "encryption")]
    #[error("{place} holds no key: {why}")]
    Key { place: String, why: String },
    /// It is the database, or belongs to it.
    #[error("{path} is the database, which a result would replace")]
    Database { path: String },
    /// It cannot be read.
    #[error("cannot read {path}: {why}")]
    NotRead { path: String, why: String },
    /// There is no place to write it.
    #[error("cannot write {path}: {why}")]
    NoPlace { path: String, why: String },
    /// It cannot be written.
    #[error("cannot write {path}: {why}")]
    NotWritten { path: String, why: String },
    /// Somebody else changed it since it was read.
    #[error(
        "another process changed {path} while you edited it, and it is as that left it; your text is in {draft}"
    )]
    Changed { path: String, draft: String },
    /// Another process holds it.
    #[error("another process has been changing {path} for {seconds} s")]
    Busy { path: String, seconds: u64 },
}

impl FileError {
    /// A file that would have to be overwritten.
    pub(crate) fn exists(path: &Path) -> Self {
        Self::Exists {
            path: path.display().to_string(),
        }
    }

    /// A file that cannot be read.
    pub(crate) fn not_read(path: &Path, why: impl ToString) -> Self {
        Self::NotRead {
            path: path.display().to_string(),
            why: why.to_string(),
        }
    }

    /// A file that cannot be written.
    pub(crate) fn not_written(path: &Path, why: impl ToString) -> Self {
        Self::NotWritten {
            path: path.display().to_string(),
            why: why.to_string(),
        }
    }

    pub(super) fn facts(&self) -> Facts {
        let (code, exit, hint) = match self {
            Self::Exists { .. } => {
                let hint = "choose another name, or remove the file first";
                ("SS6040", 1, hint)
            }
            #[cfg(feature = "encryption")]
            Self::Key { .. } => {
                let hint = "`openssl rand -hex 32 > FILE` makes a file with a new key";
                ("SS6041", 2, hint)
            }
            Self::NotRead { .. } => ("SS6042", 2, "check the path and its permissions"),
            Self::NotWritten { .. } => {
                let hint = "check the folder, its permissions and free space";
                ("SS6043", 1, hint)
            }
            Self::NoPlace { .. } => ("SS6043", 2, "name a file in a folder that exists"),
            Self::Database { .. } => ("SS6044", 2, "write the result to another file"),
            Self::Changed { .. } => {
                let hint = "edit it again, which opens it as it is now, and take over what you need of your text";
                ("SS6045", 6, hint)
            }
            Self::Busy { .. } => ("SS6046", 6, "wait for it, or end it"),
        };
        facts(code, exit, [hint])
    }
}
