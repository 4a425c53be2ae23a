//! Workbooks and uploads that earlier releases kept as files in folders: they move into the database.

use std::path::Path;

use superstep::{
    fs::read_regular,
    store::{ContentHash, Prefix, Search, StoreError, TtlOnRead, UPLOADS},
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
        true => folder_in(&folder, global).await,
        false => Ok(()),
    }
}

/// Copies the files in that clients have uploaded and of which this database has the records. Servers on other databases had the
/// same folder, so it stays.
pub(crate) async fn uploads(global: &Global) -> Result<(), Error> {
    let Some(folder) = dirs::data().map(|folder| folder.join("files")) else {
        return Ok(());
    };
    let backends = database::create(global)?;
    let (Some(store), Some(blobs)) = (backends.store, backends.blobs) else {
        return Err(Error::NoSaver);
    };
    // Records of earlier releases: the server moves them when it has started.
    let records = Search {
        prefix: Prefix::new(["files", "served"]).map_err(StoreError::from)?,
        limit: usize::MAX,
        ttl: TtlOnRead::Keep,
        ..Search::default()
    };
    for found in store.search(records).await? {
        let name = found.item.key.split('.').next().unwrap_or_default();
        if name.parse::<ContentHash>().is_ok()
            && let Ok(bytes) = read_regular(&folder.join(name), u64::MAX)
        {
            blobs.put(UPLOADS, bytes.into()).await?;
        }
    }
    Ok(())
}

/// A file goes when the database has it. Others stay where they are.
async fn folder_in(folder: &Path, global: &Global) -> Result<(), Error> {
    let failed = |error| FileError::not_read(folder, error);
    let blobs = database::create(global)?.blobs.ok_or(Error::NoSaver)?;
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let Some(hash) = hash_of(&path) else {
            continue;
        };
        let bytes = read_regular(&path, u64::MAX);
        let bytes = bytes.map_err(|error| FileError::not_read(&path, error))?;
        if blobs.put(WORKBOOKS, bytes.into()).await? == hash {
            std::fs::remove_file(&path)?;
        }
    }
    // One that has other files stays.
    let _other_files = std::fs::remove_dir(folder);
    Ok(())
}

fn hash_of(path: &Path) -> Option<ContentHash> {
    path.file_name()?.to_str()?.parse().ok()
}
