//! Path of the database, and opening it.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use superstep::{
    Backends, Saver, SaverError,
    model::config::{Origin, Setting},
    sqlite::{Database, OpenMode, Options},
};

use crate::{
    args::Global,
    dirs, environment,
    error::{Error, FileError},
    output::{Output, bad, plain, strong},
};

/// The threads of the database, which must exist, to read them.
pub(crate) fn threads(global: &Global) -> Result<Arc<dyn Saver>, Error> {
    Ok(Arc::new(existing(global, OpenMode::ReadOnly)?.saver()))
}

/// Threads and long-term memory of the database, which must exist, to read them.
pub(crate) fn read_only(global: &Global) -> Result<Backends, Error> {
    Ok(both(&existing(global, OpenMode::ReadOnly)?))
}

/// Threads and long-term memory of the database, which must exist, to change them.
pub(crate) fn writable(global: &Global) -> Result<Backends, Error> {
    Ok(both(&existing(global, OpenMode::Existing)?))
}

/// Whether the database is in its usual place and the first run has not made it yet. One that is named and
/// missing is a mistake.
pub(crate) fn is_not_made_yet(global: &Global) -> Result<bool, Error> {
    let path = path(global)?;
    let is_named = matches!(path.origin, Origin::Flag(_) | Origin::Env(_));
    Ok(!is_named && !path.value.exists())
}

/// The database, which must exist.
pub(crate) fn existing(global: &Global, mode: OpenMode) -> Result<Database, Error> {
    let path = path(global)?.value;
    open(&path, mode).map_err(|error| match error {
        Error::Saver(SaverError::Missing(_)) => Error::NoDatabase {
            path: path.display().to_string(),
        },
        other => other,
    })
}

/// Opens a database in one of the modes, with the key of the environment if there is one. To read must
/// neither create a file nor change one.
pub(crate) fn open(path: &Path, mode: OpenMode) -> Result<Database, Error> {
    let options = Options {
        mode,
        #[cfg(feature = "encryption")]
        key: crate::key::from_environment()?,
        ..Options::default()
    };
    Ok(Database::open_with(path, options)?)
}

fn both(database: &Database) -> Backends {
    Backends {
        saver: Some(Arc::new(database.saver())),
        store: Some(Arc::new(database.store())),
        blobs: Some(Arc::new(database.blobs())),
        ..Backends::default()
    }
}

/// Threads and long-term memory for a run; a missing database is created.
pub(crate) fn create(global: &Global) -> Result<Backends, Error> {
    let path = path(global)?.value;
    if let Some(folder) = path.parent() {
        superstep::fs::private_dir(folder)
            .map_err(|error| FileError::not_written(folder, error))?;
    }
    #[cfg_attr(
        not(feature = "remote"),
        allow(unused_mut, reason = "nothing is sent anywhere")
    )]
    let mut backends = both(&open(&path, OpenMode::Create)?);
    #[cfg(feature = "remote")]
    if let Some(saver) = backends.saver.take() {
        backends.saver = Some(crate::exports::watched(saver, global)?);
    }
    Ok(backends)
}

/// Says which logs beside the database have lost their file: it may have been renamed without its log,
/// and then reads as of an older step.
pub(crate) fn warn_of_orphans(global: &Global, output: &Output) {
    let Ok(path) = path(global) else {
        return;
    };
    // Without a file, opening it says what is wrong. A link leads to the file that has the log.
    let Ok(file) = path.value.canonicalize() else {
        return;
    };
    for log in Database::orphaned_logs(&file) {
        let (log, file) = (log.display(), file.display());
        output.say(&[
            bad("a log without its database: "),
            strong(&log),
            plain(format!(
                "; if {file} was renamed, its newest steps are in there: rename the log to {file}-wal \
                 before anything else"
            )),
        ]);
    }
}

/// The flag, then `SUPERSTEP_DB`, then the user's file, then the usual place.
pub(crate) fn path(global: &Global) -> Result<Setting<PathBuf>, Error> {
    let at = |value, origin| Ok(Setting { value, origin });
    if let Some(path) = &global.db {
        return at(path.clone(), Origin::Flag("--db"));
    }
    let set = std::env::var_os("SUPERSTEP_DB").filter(|path| !path.is_empty());
    if let Some(path) = set {
        return at(path.into(), Origin::Env("SUPERSTEP_DB".into()));
    }
    if let Some(setting) = environment::load(global)?.config.db() {
        return Ok(setting.clone());
    }
    match dirs::data() {
        Some(folder) => at(
            folder.join("superstep.db"),
            Origin::Found("the usual place"),
        ),
        None => Err(Error::Usage("there is no home folder; use --db".into())),
    }
}
