//! The folder of a run: with a name by which it is found when nobody is left to delete it, and with a limit of
//! what is in it. In namespaces it is a file system in memory of a fixed size, of which only the result is a file outside;
//! without them it is looked at often.

use std::{
    io,
    path::{Path, PathBuf},
    time::Duration,
};

use superstep_contain::children;
use tempfile::TempDir;

/// How names of such folders begin; the process follows.
const BEFORE: &str = "superstep-cpython-";

/// The most bytes in a folder.
const BYTES: u64 = 512 << 20;

/// The size of a folder in memory.
pub(super) const IN_MEMORY: u64 = 256 << 20;

/// The size of a folder for which nothing is kept.
pub(super) const SPARE: u64 = 1 << 20;

/// What is in a folder before the program runs, for it to read.
pub(super) const GIVEN: [&str; 5] = [
    "input.xlsx", "program.py", "harness.py", "name.json", "seconds.json",
];

/// What is taken out of it afterwards. Each is no longer than a file may be.
pub(super) const RESULTS: [&str; 2] = ["output.xlsx", "told.json"];

/// The most files in it.
const FILES: u64 = 2_000;

/// How often it is looked at.
const EVERY: Duration = Duration::from_millis(50);

pub(super) fn new() -> io::Result<TempDir> {
    let before = format!("{BEFORE}{}-", std::process::id());
    tempfile::Builder::new().prefix(&before).tempdir()
}

/// Deletes folders of processes that were killed before they could do it themselves.
pub(super) fn sweep() {
    let Ok(entries) = std::fs::read_dir(std::env::temp_dir()) else {
        return;
    };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let process = name
            .to_str()
            .and_then(|name| name.strip_prefix(BEFORE))
            .and_then(|rest| rest.split_once('-'))
            .and_then(|(process, _)| process.parse::<u32>().ok());
        let is_left = process.is_some_and(|process| {
            process != std::process::id() && !Path::new(&format!("/proc/{process}")).exists()
        });
        // Not through a link, and only what belongs to this user: another's cannot be deleted.
        if is_left && entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}

/// A folder as a process in namespaces of its own has it, from outside: its root is that of the first process there.
pub(super) fn inside(guard: Option<u32>, folder: &Path) -> Option<PathBuf> {
    let first_of = |process: u32| children(process).first().copied();
    let bubblewrap = first_of(guard?)?;
    let root = PathBuf::from(format!("/proc/{}/root", first_of(bubblewrap)?));
    Some(root.join(folder.strip_prefix("/").ok()?))
}

/// Ends when there is too much in a folder.
pub(super) async fn filled(folder: impl Fn() -> Option<PathBuf>) {
    loop {
        tokio::time::sleep(EVERY).await;
        let Some(folder) = folder() else {
            continue;
        };
        let looked = tokio::task::spawn_blocking(move || {
            let mut left = (BYTES, FILES);
            measure(&folder, &mut left, 0).is_none()
        });
        if looked.await.unwrap_or(true) {
            return;
        }
    }
}

/// Takes what is in a folder off what may be; none if that is not enough.
fn measure(folder: &Path, left: &mut (u64, u64), depth: usize) -> Option<()> {
    if depth > 32 {
        return None;
    }
    let Ok(entries) = std::fs::read_dir(folder) else {
        return Some(());
    };
    for entry in entries.flatten() {
        left.1 = left.1.checked_sub(1)?;
        let Ok(about) = entry.metadata() else {
            continue;
        };
        left.0 = left.0.checked_sub(about.len())?;
        if about.is_dir() {
            measure(&entry.path(), left, depth + 1)?;
        }
    }
    Some(())
}
