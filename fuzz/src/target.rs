//! What is fuzzed: a function that must hold for any input, and inputs to begin with.

use std::{fs, io, path::Path};

/// One reader of bytes.
#[derive(Clone, Copy)]
pub struct Target {
    /// Its name on the command line.
    pub name: &'static str,
    /// Reads an input; panics if a promise does not hold.
    pub run: fn(&[u8]),
    /// Inputs that are valid, or nearly.
    pub seeds: fn() -> io::Result<Vec<Vec<u8>>>,
}

/// The contents of all files of a folder, by name, the folder given from the root of the repository.
pub(crate) fn files_of(folder: &str) -> io::Result<Vec<Vec<u8>>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut paths = fs::read_dir(root.join(folder))?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<io::Result<Vec<_>>>()?;
    paths.retain(|path| path.is_file());
    paths.sort();
    paths.into_iter().map(fs::read).collect()
}
