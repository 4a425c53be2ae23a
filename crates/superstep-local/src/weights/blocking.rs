//! Cancellable blocking work on files, off the runtime's threads.

use std::io;
use std::path::{Path, PathBuf};

use superstep_fs::StopFlag;

use super::error::WeightsError;

/// Fails once nobody waits; `path` is what was worked on.
pub(super) fn check(stop: &StopFlag, path: &Path) -> Result<(), WeightsError> {
    if !stop.is_set() {
        return Ok(());
    }
    Err(WeightsError::File {
        path: path.to_owned(),
        source: io::ErrorKind::Interrupted.into(),
    })
}

/// Runs work that blocks on a thread for it; `path` is what it works on.
///
/// Dropping the future does not end the work: give it a [`StopFlag`] if it is long.
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
