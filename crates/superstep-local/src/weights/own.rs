//! Files that are used as they are, after one look at how they begin.

use std::fs::{self, File};
use std::io::{ErrorKind, Read};
use std::path::Path;

use super::error::WeightsError;
use super::progress::{Source, WeightsFile};

/// A file of the user's own.
pub(super) fn own(path: &Path) -> Result<WeightsFile, WeightsError> {
    let found = fs::metadata(path).map_err(|source| WeightsError::file(path, source))?;
    let name = path.display().to_string();
    if !found.is_file() {
        return Err(WeightsError::NotWeights {
            what: name,
            reason: "it is no file",
        });
    }
    let extension = path.extension().unwrap_or_default().to_string_lossy();
    check_magic(path, &extension, &name)?;
    Ok(WeightsFile {
        path: path.to_owned(),
        sha256: None,
        size: found.len(),
        source: Source::File,
    })
}

/// Refuses what is called GGUF and begins otherwise, such as the page of a login.
pub(super) fn check_magic(path: &Path, extension: &str, name: &str) -> Result<(), WeightsError> {
    if extension != "gguf" {
        return Ok(());
    }
    let mut magic = [0; 4];
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut magic));
    match read {
        Ok(()) if magic == *b"GGUF" => Ok(()),
        Err(source) if source.kind() != ErrorKind::UnexpectedEof => {
            Err(WeightsError::file(path, source))
        }
        _ => Err(WeightsError::NotWeights {
            what: name.to_owned(),
            reason: "it does not begin like a GGUF file",
        }),
    }
}
