//! XDG directories of the user.

use std::path::PathBuf;

/// Settings.
pub(crate) fn config() -> Option<PathBuf> {
    under("XDG_CONFIG_HOME", ".config")
}

/// Data that must not be lost.
pub(crate) fn data() -> Option<PathBuf> {
    under("XDG_DATA_HOME", ".local/share")
}

/// Histories and drafts.
pub(crate) fn state() -> Option<PathBuf> {
    under("XDG_STATE_HOME", ".local/state")
}

fn under(name: &str, usual: &str) -> Option<PathBuf> {
    // By the standard, a relative folder counts as not set.
    let set = std::env::var_os(name).map(PathBuf::from);
    let home = || std::env::home_dir().map(|home| home.join(usual));
    let base = set.filter(|path| path.is_absolute()).or_else(home)?;
    Some(base.join("superstep"))
}
