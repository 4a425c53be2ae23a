//! Folders: made for their owner alone, fsync'd so that renames last.

use std::{
    fs::{self, File},
    io,
    path::Path,
};

/// The folder of a file; that of a bare name is the current one.
pub fn parent(path: &Path) -> &Path {
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

/// Makes a folder and its parents for their owner alone, whatever the umask, if they are not there.
pub fn private_dir(path: &Path) -> io::Result<()> {
    if path.as_os_str().is_empty() || path.is_dir() {
        return Ok(());
    }
    // One after the other: a umask that takes the owner's rights would leave a folder in which the
    // next one cannot be made.
    if let Some(above) = path.parent() {
        private_dir(above)?;
    }
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    match builder.create(path) {
        Ok(()) => give_to_owner(path),
        Err(_) if path.is_dir() => Ok(()),
        Err(error) => Err(error),
    }
}

/// Gives the owner of a new folder the rights that the umask took.
#[cfg(unix)]
fn give_to_owner(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    // By its path: a folder without rights cannot be opened.
    match fs::symlink_metadata(path)?.permissions().mode() & 0o777 {
        0o700 => Ok(()),
        _ => fs::set_permissions(path, fs::Permissions::from_mode(0o700)),
    }
}

#[cfg(not(unix))]
fn give_to_owner(_: &Path) -> io::Result<()> {
    Ok(())
}
