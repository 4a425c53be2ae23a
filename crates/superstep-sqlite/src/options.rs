//! How a database is opened.

use std::time::Duration;

/// How a database is opened.
#[derive(Clone, Debug)]
pub struct Options {
    /// What may be done to the file.
    pub mode: OpenMode,
    /// How long a process that shows no sign of life keeps its threads. One that has ended loses
    /// them at once.
    pub lease: Duration,
    /// How long to wait for another program that holds the file.
    pub patience: Duration,
    /// Encrypts what is stored, and refuses what is not encrypted.
    #[cfg(feature = "encryption")]
    pub key: Option<crate::cipher::Key>,
}

/// What opening a database may do to the file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OpenMode {
    /// A file that is not there is made, an older one is brought up to date.
    #[default]
    Create,
    /// A file that is not there is an error (SS2015), an older one is brought up to date.
    Existing,
    /// Nothing is made, changed or brought up to date: a file that is not there and an older one are
    /// errors (SS2015, SS2016), and so is whatever would store something (SS2007). A log that a
    /// killed process left behind is read and stays as it is.
    ReadOnly,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            mode: OpenMode::default(),
            lease: Duration::from_secs(30),
            patience: Duration::from_secs(30),
            #[cfg(feature = "encryption")]
            key: None,
        }
    }
}
