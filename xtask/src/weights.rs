//! `cargo xtask weights <name>`: brings the weights of a local model into the cache and prints where
//! they are, as the last line, for tests that need them.
//!
//! The work is that of the example `pull` of `superstep-local`, so that the chores themselves need no
//! HTTP client.

use std::path::Path;
use std::process::Stdio;

use crate::error::Error;
use crate::suite;
use crate::workspace::Workspace;

/// The models that may be asked for.
const NAMES: [&str; 3] = ["default", "tiny", "minilm"];

/// Pulls one; the closing text is its path.
pub(crate) fn run(workspace: &Workspace, name: &str) -> Result<String, Error> {
    if !NAMES.contains(&name) {
        let why = format!("there is no model {name}; try {}", NAMES.join(", "));
        return Err(Error::failed("weights", why));
    }
    pull(workspace, name, None)
}

/// Pulls one into a cache of our own, in `folder`, and returns its path.
pub(crate) fn run_in(workspace: &Workspace, name: &str, folder: &Path) -> Result<String, Error> {
    pull(workspace, name, Some(folder))
}

fn pull(workspace: &Workspace, name: &str, cache: Option<&Path>) -> Result<String, Error> {
    let program = suite::program(&workspace.root, "pull")?;
    let mut command = program.command(&workspace.root);
    command
        .arg(name)
        .stdin(Stdio::null())
        .stderr(Stdio::inherit());
    command.envs(cache.map(|folder| ("XDG_CACHE_HOME", folder)));
    println!("$ pull {name}");
    let output = command.output().map_err(|source| Error::Start {
        program: "the example pull".to_owned(),
        source,
    })?;
    if !output.status.success() {
        return Err(Error::failed(
            format!("pull {name}"),
            output.status.to_string(),
        ));
    }
    let printed = String::from_utf8_lossy(&output.stdout);
    Ok(printed.lines().last().unwrap_or_default().to_owned())
}
