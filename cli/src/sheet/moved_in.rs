//! Workbooks and uploads that earlier releases kept as files in folders: they move into the database.

use std::path::Path;

use superstep::{
    fs::read_regular,
    store::{ContentHash, UPLOADS},
};
use superstep_sheets::WORKBOOKS;

use crate::{
    args::Global,
    database, dirs,
    error::{Error, FileError},
};

/// Moves the versions of the threads of a database in.
pub(super) async fn versions(global: &Global) -> Result<(), Error> {
    let path = database::path(global)?.value;
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push("-workbooks");
    let folder = path.with_file_name(name);
    match folder.is_dir() {
        true => folder_in(&folder, WORKBOOKS, global).await,
        false => Ok(()),
    }
}

/// Moves the files in that clients have uploaded.
pub(crate) async fn uploads(global: &Global) -> Result<(), Error> {
    let folder = dirs::data().map(|folder| folder.join("files"));
    match folder.filter(|folder| folder.is_dir()) {
        Some(folder) => folder_in(&folder, UPLOADS, global).await,
        None => Ok(()),
    }
}

/// A file goes when the database has it. Others stay where they are.
async fn folder_in(folder: &Path, space: &str, global: &Global) -> Result<(), Error> {
    let failed = |error| FileError::not_read(folder, error);
    let blobs = database::create(global)?.blobs.ok_or(Error::NoSaver)?;
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if let Some(hash) = hash_of(&path) {
            let bytes = read_regular(&path, u64::MAX);
            let bytes = bytes.map_err(|error| FileError::not_read(&path, error))?;
            if blobs.put(space, bytes).await? == hash {
                std::fs::remove_file(&path)?;
            }
        }
    }
    // One that has other files stays.
    let _other_files = std::fs::remove_dir(folder);
    Ok(())
}

fn hash_of(path: &Path) -> Option<ContentHash> {
    path.file_name()?.to_str()?.parse().ok()
}
