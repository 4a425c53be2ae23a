//! Files for their owner alone: threads and memory hold mail, documents and prompts.
//!
//! A new database is made here and not by SQLite, so that there is no moment at which others can
//! open it; SQLite gives its logs the rights of the database. A database that is there keeps the
//! rights it has, and what is made beside it gets the same: whoever shares a file has said so.

use std::{
    fs::{self, File, OpenOptions},
    io,
    path::Path,
    sync::{Mutex, PoisonError},
};

use superstep_core::error::SaverError;

use crate::file::refused;

/// Makes the file of a database, if there is none.
pub(crate) fn create(path: &Path) -> Result<(), SaverError> {
    // Closing a file takes away all locks that this process has on it. No thread gets to SQLite
    // with a file that another thread is about to close here.
    static MAKING: Mutex<()> = Mutex::new(());
    let _making = MAKING.lock().unwrap_or_else(PoisonError::into_inner);
    match fs::metadata(path) {
        Ok(_) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            // Not `create_new`: the path may be a link to a file that is not there yet.
            let mut options = OpenOptions::new();
            options.write(true).create(true).truncate(false);
            let made = for_owner(&mut options).open(path);
            made.map(drop).map_err(|error| refused(&error))
        }
        Err(error) => Err(refused(&error)),
    }
}

/// Makes a file that is not there.
pub(crate) fn create_new(path: &Path) -> io::Result<File> {
    for_owner(OpenOptions::new().write(true).create_new(true)).open(path)
}

/// Makes a file beside a database, for those who may use the database.
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

fn for_owner(options: &mut OpenOptions) -> &mut OpenOptions {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    options
}
