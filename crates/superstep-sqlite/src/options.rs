//! How a database is opened.

use std::time::Duration;

/// How a database is opened.
#[derive(Clone, Debug)]
pub struct Options {
    /// How long a process that shows no sign of life keeps its threads. One that has ended loses
    /// them at once.
    pub lease: Duration,
    /// How long to wait for another program that holds the file.
    pub patience: Duration,
    /// Encrypts what is stored, and refuses what is not encrypted.
    #[cfg(feature = "encryption")]
    pub key: Option<crate::cipher::Key>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            lease: Duration::from_secs(30),
            patience: Duration::from_secs(30),
            #[cfg(feature = "encryption")]
            key: None,
        }
    }
}
