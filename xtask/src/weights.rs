//! `cargo xtask weights <name>`: brings the weights of a local model into the cache and prints where
//! they are, as the last line, for tests that need them.
//!
//! The work is that of the example `pull` of `superstep-local`, so that the chores themselves need no
//! HTTP client.

use crate::cargo::Cargo;
use crate::error::Error;
use crate::workspace::Workspace;

const PROGRAM: &str = "run -q -p superstep-local --features weights --example pull --";

/// The models that may be asked for.
const NAMES: [&str; 3] = ["default", "tiny", "minilm"];

/// Pulls one; the closing text is its path.
pub(crate) fn run(workspace: &Workspace, name: &str) -> Result<String, Error> {
    if !NAMES.contains(&name) {
        let why = format!("there is no model {name}; try {}", NAMES.join(", "));
        return Err(Error::failed("weights", why));
    }
    pull(&Cargo::new(&workspace.root, &format!("{PROGRAM} {name}")))
}

/// Pulls one into a cache of our own, in `folder`, and returns its path.
pub(crate) fn run_in(workspace: &Workspace, name: &str, folder: &str) -> Result<String, Error> {
    let program = format!("{PROGRAM} {name}");
    pull(&Cargo::new(&workspace.root, &program).with_env("XDG_CACHE_HOME", folder))
}

fn pull(program: &Cargo<'_>) -> Result<String, Error> {
    let mut path = String::new();
    program.run_lines(|line| path = line.to_owned())?;
    Ok(path)
}
