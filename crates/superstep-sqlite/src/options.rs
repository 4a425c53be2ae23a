//! Options for opening a database.

use std::time::Duration;

use crate::headroom;

/// How a database is opened.
#[derive(Clone, Debug)]
pub struct Options {
    /// What may be done to the file.
    pub mode: OpenMode,
    /// How long a process that hangs keeps its threads. One that has ended loses them at once.
    pub lease: Duration,
    /// How long to wait while another program keeps the file locked.
    pub busy_timeout: Duration,
    /// Disk space to keep free, in bytes. With less, steps, copies and imports are refused (SS2008), and
    /// threads can still be deleted.
    pub headroom: u64,
    /// Encrypts what is stored, and refuses what is not encrypted.
    #[cfg(feature = "encryption")]
    pub key: Option<crate::cipher::Key>,
}

/// What opening a database may do to the file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum OpenMode {
    /// A missing file is created, an older one is migrated.
    #[default]
    Create,
    /// A missing file is an error (SS2015), an older one is migrated.
    Existing,
    /// Nothing is created, changed or migrated: a missing file and an older one are errors (SS2015,
    /// SS2016), and so is every write (SS2007). A WAL that a killed process left behind is read and
    /// stays as it is.
    ReadOnly,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            mode: OpenMode::default(),
            lease: Duration::from_secs(30),
            busy_timeout: Duration::from_secs(30),
            headroom: headroom::LEAST,
            #[cfg(feature = "encryption")]
            key: None,
        }
    }
}
