//! What changed since a commit, by git.
//!
//! A repository is data of others, and its settings name programs: filters, monitors, transports. So git is
//! only asked what a commit and the index hold and what bytes hash to; nothing here reads a file through a
//! filter, compares by a program of the repository or fetches.

use std::{
    collections::{BTreeMap, BTreeSet},
    io::Write,
    path::Path,
    process::{Command, Stdio},
};

use crate::error::Error;

/// The files that differ from a commit, below the root. One that a filter of the repository changes on its
/// way into a commit counts as changed.
pub(crate) fn changed(root: &Path, reference: &str) -> Result<BTreeSet<String>, Error> {
    // It must not be taken for an option.
    if reference.starts_with('-') || reference.is_empty() {
        return Err(failed(reference, "it is no name of a commit"));
    }
    let git = Git { root, reference };
    let commit = format!("{reference}^{{commit}}");
    let commit = git.run(&["rev-parse", "--verify", &commit], "")?;
    let commit = String::from_utf8_lossy(&commit);
    let committed = git.run(&["ls-tree", "-r", "-z", commit.trim()], "")?;
    let committed: BTreeMap<String, String> = parts(&committed).filter_map(entry).collect();
    let known = ["--cached", "--others", "--exclude-standard", "-z"];
    let there = git.run(&[&["ls-files"], &known[..]].concat(), "")?;
    let mut changed: BTreeSet<String> = parts(&there)
        .filter(|path| !committed.contains_key(path) && root.join(path).is_file())
        .collect();
    // Names are asked about one a line, and git reads one that begins with a quote as quoted.
    let is_plain = |path: &str| !path.contains(['\n', '\r']) && !path.starts_with('"');
    let is_file = |path: &str| {
        root.join(path)
            .symlink_metadata()
            .is_ok_and(|it| it.is_file())
    };
    let (same, gone): (Vec<&String>, Vec<&String>) = committed
        .keys()
        .partition(|path| is_plain(path) && is_file(path));
    changed.extend(gone.into_iter().cloned());
    let asked: String = same.iter().map(|path| format!("{path}\n")).collect();
    let hashes = git.run(&["hash-object", "--no-filters", "--stdin-paths"], &asked)?;
    let hashes = String::from_utf8_lossy(&hashes);
    let mut hashes = hashes.lines();
    for path in same {
        let hash = hashes.next();
        if committed.get(path).map(String::as_str) != hash {
            changed.insert(path.clone());
        }
    }
    Ok(changed)
}

fn failed(reference: &str, why: &str) -> Error {
    Error::Since {
        reference: superstep::text::single_line(reference),
        why: superstep::text::single_line(why),
    }
}

/// Texts that end with a zero.
fn parts(listed: &[u8]) -> impl Iterator<Item = String> + '_ {
    let parts = listed.split(|byte| *byte == 0);
    let parts = parts.filter(|part| !part.is_empty());
    parts.map(|part| String::from_utf8_lossy(part).into_owned())
}

/// Path and hash of a file in a commit: `100644 blob HASH\tPATH`. Links and other repositories are not read.
fn entry(line: String) -> Option<(String, String)> {
    let (what, path) = line.split_once('\t')?;
    let mut what = what.split(' ');
    let is_file = what.next()?.starts_with("100") && what.next()? == "blob";
    let hash = what.next()?;
    is_file.then(|| (path.to_owned(), hash.to_owned()))
}

struct Git<'a> {
    root: &'a Path,
    reference: &'a str,
}

impl Git<'_> {
    fn run(&self, arguments: &[&str], input: &str) -> Result<Vec<u8>, Error> {
        let failed = |why: &str| failed(self.reference, why);
        let io = |error: std::io::Error| failed(&format!("git cannot be run: {error}"));
        let mut child = Command::new("git")
            .arg("-C")
            .arg(self.root)
            .args(["-c", "core.fsmonitor=false", "-c", "core.quotePath=false"])
            // A commit that is not whole is not fetched: that would run what the repository names.
            .args(["-c", "protocol.allow=never"])
            .env("GIT_ALLOW_PROTOCOL", "none")
            .env("GIT_NO_LAZY_FETCH", "1")
            .env("GIT_OPTIONAL_LOCKS", "0")
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(io)?;
        let mut stdin = child.stdin.take();
        let output = std::thread::scope(|scope| {
            // It answers while it reads. If it ends early, it says why.
            scope.spawn(move || stdin.take().map(|mut it| it.write_all(input.as_bytes())));
            child.wait_with_output()
        });
        let output = output.map_err(io)?;
        match output.status.success() {
            true => Ok(output.stdout),
            false => Err(failed(&String::from_utf8_lossy(&output.stderr))),
        }
    }
}
