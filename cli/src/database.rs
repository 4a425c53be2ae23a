//! The database: where it is, and opening it.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use superstep_core::saver::Saver;
use superstep_sqlite::Database;

use crate::{args::Global, failure::Failure, world};

/// The threads of the database, which must be there.
pub(crate) fn threads(global: &Global) -> Result<Arc<dyn Saver>, Failure> {
    let path = path(global)?;
    // Looking must not make a file.
    if !path.exists() {
        return Err(Failure::Missing {
            what: format!("there is no database at {}", path.display()),
            hint: "run something first, or name one with --db",
        });
    }
    Ok(Arc::new(Database::open(&path)?.saver()))
}

/// The flag, then `SUPERSTEP_DB`, then the user's file, then the usual place.
fn path(global: &Global) -> Result<PathBuf, Failure> {
    if let Some(path) = &global.db {
        return Ok(path.clone());
    }
    let set = |name: &str| {
        let value = std::env::var_os(name).map(PathBuf::from);
        value.filter(|path| !path.as_os_str().is_empty())
    };
    if let Some(path) = set("SUPERSTEP_DB") {
        return Ok(path);
    }
    if let Some(setting) = world::look(global)?.config.db() {
        return Ok(setting.value.clone());
    }
    let data = set("XDG_DATA_HOME").filter(|path| path.is_absolute());
    let home = || std::env::home_dir().map(|home| home.join(".local").join("share"));
    let Some(base) = data.or_else(home) else {
        return Err(Failure::Usage("there is no home folder; use --db".into()));
    };
    Ok(base.join(Path::new("superstep").join("superstep.db")))
}
