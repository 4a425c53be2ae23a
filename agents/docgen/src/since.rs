//! What changed since a commit, by git.

use std::{collections::BTreeSet, path::Path, process::Command};

use crate::error::Error;

/// The files that differ from a commit, below the root.
pub(crate) fn changed(root: &Path, reference: &str) -> Result<BTreeSet<String>, Error> {
    let failed = |why: String| Error::Since {
        reference: superstep::text::single_line(reference),
        why,
    };
    // It must not be taken for an option.
    if reference.starts_with('-') || reference.is_empty() {
        return Err(failed("it is no name of a commit".into()));
    }
    let run = |arguments: &[&str]| {
        let output = Command::new("git")
            .arg("-C")
            .arg(root)
            .args(["-c", "core.fsmonitor=false", "-c", "core.quotePath=false"])
            .args(arguments)
            .env("GIT_OPTIONAL_LOCKS", "0")
            .output();
        let output = output.map_err(|error| failed(format!("git cannot be run: {error}")))?;
        match output.status.success() {
            true => Ok(output.stdout),
            false => Err(failed(superstep::text::single_line(
                &String::from_utf8_lossy(&output.stderr),
            ))),
        }
    };
    let range = format!("{reference}^{{commit}}");
    run(&["rev-parse", "--verify", "--quiet", &range])?;
    let mut listed = run(&[
        "diff",
        "--name-only",
        "--no-ext-diff",
        "--no-renames",
        "--relative",
        "-z",
        reference,
        "--",
    ])?;
    listed.extend(run(&["ls-files", "--others", "--exclude-standard", "-z"])?);
    let paths = listed
        .split(|byte| *byte == 0)
        .filter(|path| !path.is_empty());
    Ok(paths
        .map(|path| String::from_utf8_lossy(path).into_owned())
        .collect())
}
