//! Files that are their owner's alone from their first moment.

use std::{
    fs::{File, OpenOptions},
    io,
    path::Path,
};

/// Opens a file with these options. One that is made by it can be read and written by its owner, whatever the
/// umask, and by nobody else; one that exists keeps the rights that others have.
///
/// ```
/// use std::fs::OpenOptions;
///
/// let folder = tempfile::tempdir()?;
/// let mut options = OpenOptions::new();
/// superstep_fs::open_private(options.write(true).create_new(true), &folder.path().join("notes"))?;
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn open_private(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    let file = options.open(path)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // Another process may have created it, and shared it, just now.
        if file.metadata()?.permissions().mode() & 0o600 != 0o600 {
            file.set_permissions(std::fs::Permissions::from_mode(0o600))?;
        }
    }
    Ok(file)
}
