//! The database: where it is, and opening it.

use std::{path::PathBuf, sync::Arc};

use superstep::Backends;
use superstep_core::saver::Saver;
use superstep_model::config::{Origin, Setting};
use superstep_sqlite::Database;

use crate::{args::Global, failure::Failure, folders, private, world};

/// The threads of the database, which must be there.
pub(crate) fn threads(global: &Global) -> Result<Arc<dyn Saver>, Failure> {
    Ok(Arc::new(there(global)?.saver()))
}

/// Threads and long-term memory of the database, which must be there.
pub(crate) fn looked_at(global: &Global) -> Result<Backends, Failure> {
    Ok(both(&there(global)?))
}

fn there(global: &Global) -> Result<Database, Failure> {
    let path = path(global)?.value;
    // Looking must not make a file. One that cannot be looked at is not one that is missing.
    if matches!(path.try_exists(), Ok(false)) {
        return Err(Failure::Missing {
            what: format!("there is no database at {}", path.display()),
            hint: "run something first, or name one with --db",
        });
    }
    Ok(Database::open(&path)?)
}

fn both(database: &Database) -> Backends {
    Backends {
        saver: Some(Arc::new(database.saver())),
        store: Some(Arc::new(database.store())),
        ..Backends::default()
    }
}

/// Threads and long-term memory for a run; the database is made if it is not there.
pub(crate) fn backends(global: &Global) -> Result<Backends, Failure> {
    let path = path(global)?.value;
    if let Some(folder) = path.parent() {
        private::make_folder(folder)?;
    }
    Ok(both(&Database::open(&path)?))
}

/// The flag, then `SUPERSTEP_DB`, then the user's file, then the usual place.
pub(crate) fn path(global: &Global) -> Result<Setting<PathBuf>, Failure> {
    let at = |value, origin| Ok(Setting { value, origin });
    if let Some(path) = &global.db {
        return at(path.clone(), Origin::Flag("--db"));
    }
    let set = std::env::var_os("SUPERSTEP_DB").filter(|path| !path.is_empty());
    if let Some(path) = set {
        return at(path.into(), Origin::Env("SUPERSTEP_DB".into()));
    }
    if let Some(setting) = world::look(global)?.config.db() {
        return Ok(setting.clone());
    }
    match folders::data() {
        Some(folder) => at(
            folder.join("superstep.db"),
            Origin::Found("the usual place"),
        ),
        None => Err(Failure::Usage("there is no home folder; use --db".into())),
    }
}
