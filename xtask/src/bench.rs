//! `cargo xtask bench --against REV`: the benches of this tree beside those of another revision.
//!
//! Both programs are built first, then they take turns, workload by workload, for several rounds, so that
//! what else the machine does meets both. A row is the ratio of CPU time per unit, new to old, of
//! each round ([`compare`] judges it); one that is slower by more than a tenth in nearly all rounds makes the chore fail.

mod compare;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::cargo::Cargo;
use crate::error::Error;
use crate::workspace::Workspace;

use compare::{Comparison, Rounds};

/// How often both run; nine of nine or eight of nine rounds are no accident (see [`compare`]).
const ROUNDS: usize = 9;

/// What is measured: a step, a task, a run and a thread on every saver, and the typed layer on top of it.
const WORKLOADS: [&str; 20] = [
    "chain n=10",
    "chain n=100",
    "chain n=10 layer=typed",
    "chain n=10 store=memory",
    "chain n=100 store=memory",
    "chain n=10 store=memory layer=typed",
    "chain n=1 store=memory",
    "chain n=100 store=sqlite",
    "chain n=100 store=sqlite_normal",
    "chain n=100 store=sqlite_async",
    "chain n=1 store=sqlite_normal",
    "fanout n=1000",
    "fanout n=1000 layer=typed",
    "fanout n=1000 store=memory",
    "nested",
    "nested store=memory",
    "nested layer=typed",
    "pause n=1000 store=memory",
    "pause n=1000 store=memory layer=typed",
    "pause n=1000 store=sqlite",
];

/// Builds both, runs both, and prints the table.
pub(crate) fn run(workspace: &Workspace, revision: &str) -> Result<String, Error> {
    let folder = workspace.target.join("bench");
    fs::create_dir_all(&folder).map_err(|source| Error::File {
        path: folder.clone(),
        source,
    })?;
    let source = checked_out(&workspace.root, &folder, revision)?;
    let old = build(&source, &folder.join("target"), &folder.join("old"))?;
    let new = build(&workspace.root, &workspace.target, &folder.join("new"))?;
    let mut rows: Vec<(String, Rounds)> = Vec::new();
    for round in 0..ROUNDS {
        println!("round {} of {ROUNDS}", round + 1);
        for workload in WORKLOADS {
            // Who goes first changes: the second finds the caches of the machine warm.
            let (before, after) = match round % 2 == 0 {
                true => (measure(&old, workload), measure(&new, workload)?),
                false => {
                    let after = measure(&new, workload)?;
                    (measure(&old, workload), after)
                }
            };
            // A workload that the other revision does not have is not compared.
            for (name, old) in before.unwrap_or_default() {
                let Some((_, new)) = after.iter().find(|(known, _)| *known == name) else {
                    continue;
                };
                match rows.iter_mut().find(|(known, _)| *known == name) {
                    Some((_, rounds)) => rounds.add(old, *new),
                    None => rows.push((name, Rounds::of(old, *new))),
                }
            }
        }
    }
    let mut table = "\n| workload | old, µs of CPU | new | ratio | slower in |  |\n\
                     |---|--:|--:|--:|--:|---|\n"
        .to_owned();
    let mut slower = Vec::new();
    for (name, rounds) in &rows {
        table.push_str(&rounds.shown(name));
        if rounds.verdict() == Comparison::Slower {
            slower.push(name.as_str());
        }
    }
    if slower.is_empty() {
        return Ok(format!(
            "{table}\nbench: no workload is slower than {revision}"
        ));
    }
    println!("{table}");
    Err(Error::failed("bench: slower", slower.join("; ")))
}

/// A clone of the repository at the revision, below the target folder.
fn checked_out(root: &Path, folder: &Path, revision: &str) -> Result<PathBuf, Error> {
    let source = folder.join("source");
    if source.exists() {
        fs::remove_dir_all(&source).map_err(|error| Error::File {
            path: source.clone(),
            source: error,
        })?;
    }
    let commit = git(
        root,
        &["rev-parse", "--verify", &format!("{revision}^{{commit}}")],
    )?;
    let to = source.to_string_lossy();
    git(
        root,
        &["clone", "-q", "--shared", "--no-checkout", ".", &to],
    )?;
    git(&source, &["checkout", "-q", "--detach", commit.trim()])?;
    Ok(source)
}

fn git(folder: &Path, args: &[&str]) -> Result<String, Error> {
    let shown = format!("`git {}`", args.join(" "));
    let output = Command::new("git").current_dir(folder).args(args).output();
    let output = output.map_err(|source| Error::Start {
        program: shown.clone(),
        source,
    })?;
    if !output.status.success() {
        let why = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        return Err(Error::failed(shown, why));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Builds the program of a tree. Each has a target folder of its own: in one folder Cargo takes the crates of two trees
/// for the same ones, and does not build those whose files are older than the build of the other tree.
fn build(source: &Path, target: &Path, to: &Path) -> Result<PathBuf, Error> {
    let folder = target.to_string_lossy();
    let env = [("CARGO_TARGET_DIR", &*folder)];
    let cargo = Cargo::new(source, "build --release -p superstep-bench");
    cargo.with_envs(&env).run()?;
    let program = format!("superstep-bench{}", std::env::consts::EXE_SUFFIX);
    let built = target.join("release").join(program);
    fs::copy(&built, to).map_err(|source| Error::File {
        path: built,
        source,
    })?;
    Ok(to.to_owned())
}

/// The names and the microseconds of CPU per unit of what a workload reports.
fn measure(program: &Path, workload: &str) -> Result<Vec<(String, f64)>, Error> {
    let shown = format!("`{} {workload}`", program.display());
    let output = Command::new(program).args(workload.split(' ')).output();
    let output = output.map_err(|source| Error::Start {
        program: shown.clone(),
        source,
    })?;
    if !output.status.success() {
        let why = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        return Err(Error::failed(shown, why));
    }
    let lines = String::from_utf8_lossy(&output.stdout).into_owned();
    let rows = lines.lines().map(row);
    let rows: Option<Vec<_>> = rows.collect();
    rows.ok_or_else(|| Error::failed(shown, format!("its output has another shape: {lines}")))
}

/// A row of the table, named by what the program says it did: settings that a revision does not know it ignores.
fn row(line: &str) -> Option<(String, f64)> {
    let line: Value = serde_json::from_str(line).ok()?;
    let workload = line.get("workload")?.as_str()?;
    let variant = line.get("variant")?.as_str()?;
    let cost = line.get("cpu_us_per_unit")?.as_f64()?;
    Some((format!("{workload} {variant}"), cost))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_named_by_what_was_measured_not_by_what_was_asked_for() {
        let line = r#"{"workload":"unpause","variant":"n=5","cpu_us_per_unit":2.5}"#;
        let (name, cost) = row(line).unwrap();
        assert_eq!((name.as_str(), cost), ("unpause n=5", 2.5));
        assert!(row("no result").is_none());
    }

    #[test]
    fn a_revision_that_does_not_exist_is_named() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let revision = "no-such-revision";
        let error = git(root, &["rev-parse", "--verify", revision]).unwrap_err();
        assert!(error.to_string().contains(revision), "{error}");
    }
}
