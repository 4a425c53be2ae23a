//! Cancellable blocking work on files, off the runtime's threads.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::error::WeightsError;

/// Whether somebody still waits for the work.
#[derive(Debug, Clone, Default)]
pub(super) struct Alive(Arc<AtomicBool>);

/// Ends the work of its [`Alive`] when it is dropped.
#[derive(Debug, Default)]
pub(super) struct Waiting {
    alive: Alive,
}

impl Waiting {
    pub(super) fn alive(&self) -> Alive {
        self.alive.clone()
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.alive.0.store(true, Ordering::Relaxed);
    }
}

impl Alive {
    /// Fails once nobody waits; `path` is what was worked on.
    pub(super) fn check(&self, path: &Path) -> Result<(), WeightsError> {
        if !self.0.load(Ordering::Relaxed) {
            return Ok(());
        }
        Err(WeightsError::File {
            path: path.to_owned(),
            source: io::ErrorKind::Interrupted.into(),
        })
    }
}

/// Runs work that blocks on a thread for it; `path` is what it works on.
///
/// Dropping the future does not end the work: give it an [`Alive`] if it is long.
pub(super) async fn blocking<T, W>(path: &Path, work: W) -> Result<T, WeightsError>
where
    T: Send + 'static,
    W: FnOnce() -> Result<T, WeightsError> + Send + 'static,
{
    let path: PathBuf = path.to_owned();
    match tokio::task::spawn_blocking(work).await {
        Ok(outcome) => outcome,
        Err(error) => Err(WeightsError::File {
            path,
            source: io::Error::other(error),
        }),
    }
}
