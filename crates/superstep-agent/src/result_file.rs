//! Files of a result: on this machine, or kept under the hash of their content.

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde::Serialize;

/// A file of a result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ResultFile {
    /// Its name, without a folder.
    pub name: String,
    /// Its content, in a few words: `the analysis`.
    pub about: String,
    /// Its media type, such as `text/markdown`.
    pub media_type: String,
    /// Its bytes; nothing if they cannot be counted.
    pub size: Option<u64>,
    /// Where it is. In JSON this is one of the fields `path` and `sha256`.
    #[serde(flatten)]
    pub place: FilePlace,
}

/// Where a file of a result is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FilePlace {
    /// At this path of the machine that ran the agent.
    Path(PathBuf),
    /// Kept by the agent or the server, under the SHA-256 of its content in hexadecimal digits.
    Sha256(String),
}

impl ResultFile {
    /// A file that was written.
    pub fn written(path: &Path, about: impl Into<String>, media_type: impl Into<String>) -> Self {
        let name = path.file_name().unwrap_or(path.as_os_str());
        Self {
            name: name.to_string_lossy().into_owned(),
            about: about.into(),
            media_type: media_type.into(),
            size: fs::metadata(path).ok().map(|facts| facts.len()),
            place: FilePlace::Path(path.to_owned()),
        }
    }
}
