//! File permissions: new files are readable by their owner alone, since threads and memory hold mail,
//! documents and prompts.
//!
//! A new database is created here and not by SQLite, so that there is no moment at which others can
//! open it; SQLite gives the WAL the permissions of the database. An existing database keeps its
//! permissions, and files created beside it get the same.

use std::{
    fs::{self, File, OpenOptions},
    io,
    path::Path,
    sync::Mutex,
};

use superstep_core::{error::SaverError, sync::lock};
use superstep_fs::open_private;

use crate::file::io_error;

/// Creates the file of a database, if it is missing.
pub(crate) fn create(path: &Path) -> Result<(), SaverError> {
    // Closing a file releases all locks that this process has on it, so no other thread may open the
    // database while this one is about to close it.
    static MAKING: Mutex<()> = Mutex::new(());
    let _making = lock(&MAKING);
    match fs::metadata(path) {
        Ok(_) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            // Not `create_new`: the path may be a link to a file that does not exist yet.
            let mut options = OpenOptions::new();
            options.write(true).create(true).truncate(false);
            let made = open_private(&mut options, path);
            made.map(drop).map_err(|error| io_error(&error))
        }
        Err(error) => Err(io_error(&error)),
    }
}

/// Creates a file that must not exist.
pub(crate) fn create_new(path: &Path) -> io::Result<File> {
    open_private(OpenOptions::new().write(true).create_new(true), path)
}

/// Creates a file beside a database, with the permissions of the database.
pub(crate) fn create_beside(database: &Path, path: &Path) -> io::Result<File> {
    let file = create_new(path)?;
    #[cfg(unix)]
    if let Ok(about) = fs::metadata(database) {
        use std::os::unix::fs::PermissionsExt;
        let rights = about.permissions().mode() & 0o666;
        if rights & 0o066 != 0 {
            file.set_permissions(fs::Permissions::from_mode(rights | 0o600))?;
        }
    }
    Ok(file)
}
