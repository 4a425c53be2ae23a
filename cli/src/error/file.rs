//! Errors of files that are named on the command line or in the environment.

/// A file cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FileError {
    /// It would have to be overwritten.
    #[error("{path} exists already")]
    Exists {
        /// The file.
        path: String,
    },
    /// It does not hold a key.
    #[cfg(feature = "encryption")]
    #[error("{place} holds no key: {why}")]
    Key {
        /// The file, or the variable.
        place: String,
        /// Why not.
        why: String,
    },
    /// It is the database, or belongs to it.
    #[error("{path} is the database, which a result would replace")]
    Database {
        /// The file.
        path: String,
    },
    /// It cannot be read.
    #[error("cannot read {path}: {why}")]
    NotRead {
        /// The file.
        path: String,
        /// Why not.
        why: String,
    },
    /// There is no place to write it.
    #[error("cannot write {path}: {why}")]
    NoPlace {
        /// The file.
        path: String,
        /// Why not.
        why: String,
    },
    /// It cannot be written.
    #[error("cannot write {path}: {why}")]
    NotWritten {
        /// The file.
        path: String,
        /// Why not.
        why: String,
    },
    /// Somebody else changed it since it was read.
    #[error(
        "another process changed {path} while you edited it, and it is as that left it; your text is in {draft}"
    )]
    Changed {
        /// The file.
        path: String,
        /// Where the text is that was to replace it.
        draft: String,
    },
    /// Another process holds it.
    #[error("another process has been changing {path} for {seconds} s")]
    Busy {
        /// The file.
        path: String,
        /// For how long it was waited.
        seconds: u64,
    },
}

impl FileError {
    /// The stable code.
    pub(crate) fn code(&self) -> &'static str {
        match self {
            Self::Exists { .. } => "SS6040",
            #[cfg(feature = "encryption")]
            Self::Key { .. } => "SS6041",
            Self::NotRead { .. } => "SS6042",
            Self::NotWritten { .. } | Self::NoPlace { .. } => "SS6043",
            Self::Database { .. } => "SS6044",
            Self::Changed { .. } => "SS6045",
            Self::Busy { .. } => "SS6046",
        }
    }

    /// What to do about it.
    pub(crate) fn hint(&self) -> &'static str {
        match self {
            Self::Exists { .. } => "choose another name, or remove the file first",
            #[cfg(feature = "encryption")]
            Self::Key { .. } => "`openssl rand -hex 32 > FILE` makes a file with a new key",
            Self::NotRead { .. } => "check the path and its permissions",
            Self::Database { .. } => "write the result to another file",
            Self::NoPlace { .. } => "name a file in a folder that exists",
            Self::NotWritten { .. } => "check the folder, its permissions and free space",
            Self::Changed { .. } => {
                "edit it again, which opens it as it is now, and take over what you need of your text"
            }
            Self::Busy { .. } => "wait for it, or end it",
        }
    }

    /// The exit code.
    pub(crate) fn exit(&self) -> u8 {
        match self {
            Self::Exists { .. } | Self::NotWritten { .. } => 1,
            #[cfg(feature = "encryption")]
            Self::Key { .. } => 2,
            Self::NotRead { .. } | Self::Database { .. } | Self::NoPlace { .. } => 2,
            Self::Changed { .. } | Self::Busy { .. } => 6,
        }
    }
}
