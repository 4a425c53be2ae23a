//! Key of an encrypted database: from a file or the environment, never from the command line.

use std::path::Path;

use superstep::{fs::read_text, sqlite::cipher::Key};

use crate::error::FileError;

/// The variable with the name of the file that holds the key.
const FILE: &str = "SUPERSTEP_DB_KEY_FILE";

/// The variable with the key itself.
const KEY: &str = "SUPERSTEP_DB_KEY";

/// A key file is not larger than that.
const MOST: u64 = 4096;

/// The key that the environment names, if any.
pub(crate) fn from_environment() -> Result<Option<Key>, FileError> {
    if let Some(file) = std::env::var_os(FILE).filter(|file| !file.is_empty()) {
        return from_file(Path::new(&file)).map(Some);
    }
    let Some(text) = std::env::var_os(KEY).filter(|text| !text.is_empty()) else {
        return Ok(None);
    };
    parse(&text.to_string_lossy(), &format!("${KEY}")).map(Some)
}

/// The key in a file: 64 hexadecimal digits.
pub(crate) fn from_file(path: &Path) -> Result<Key, FileError> {
    let place = path.display().to_string();
    let unreadable = |why: String| FileError::Key {
        place: place.clone(),
        why,
    };
    let text = read_text(path, MOST).map_err(|error| unreadable(error.to_string()))?;
    parse(&text, &place)
}

fn parse(text: &str, place: &str) -> Result<Key, FileError> {
    Key::from_hex(text.trim()).map_err(|error| FileError::Key {
        place: place.to_owned(),
        why: error.to_string(),
    })
}
