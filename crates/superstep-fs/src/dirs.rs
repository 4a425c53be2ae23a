//! Folders: made for their owner alone, fsync'd so that renames last.

use std::{
    fs::{self, File},
    io,
    path::Path,
};

/// The folder of a file.
pub(crate) fn parent(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Fsyncs the folder of a file, so that its name survives a power cut, where the system knows how.
pub fn sync_parent(path: &Path) -> io::Result<()> {
    if cfg!(unix) {
        File::open(parent(path))?.sync_all()?;
    }
    Ok(())
}

/// Makes a folder for its owner alone, if it is not there.
pub fn private_dir(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(path)
}
