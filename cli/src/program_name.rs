//! The name of the program, as it was called.

use std::{path::Path, sync::OnceLock};

static NAME: OnceLock<String> = OnceLock::new();

/// Takes the name from the command line of this process.
pub(crate) fn take() {
    let called = std::env::args_os().next().unwrap_or_default();
    let stem = Path::new(&called).file_stem().unwrap_or_default();
    NAME.get_or_init(|| stem.to_string_lossy().into_owned());
}

/// The name in commands that the program suggests.
pub(crate) fn get() -> &'static str {
    NAME.get().map_or("superstep", String::as_str)
}
