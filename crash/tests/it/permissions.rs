//! Files without the permission to write, opened by a process that permissions bind.

#![cfg(unix)]

use std::{
    fs,
    os::unix::{fs::PermissionsExt, process::CommandExt},
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

use superstep_crash::work_dir::DATABASE;
use superstep_sqlite::Database;

/// The user that owns nothing.
const NOBODY: u32 = 65_534;

#[test]
fn a_read_only_file_or_folder_is_refused_as_such() {
    let folder = tempfile::tempdir().unwrap();
    allow(folder.path(), 0o755);
    let program = program(folder.path());
    let dir = folder.path().join("work");
    fs::create_dir(&dir).unwrap();
    let path = dir.join(DATABASE);
    drop(Database::open(&path).unwrap());
    let before = fs::read(&path).unwrap();
    for (of_file, of_folder) in [(0o444, 0o777), (0o666, 0o555)] {
        allow(&path, of_file);
        allow(&dir, of_folder);
        let output = open(&program, &dir);
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{error}");
        assert!(error.contains("[SS2007]"), "{error}");
        assert!(error.contains(&path.display().to_string()), "{error}");
        assert_eq!(fs::read(&path).unwrap(), before);
    }
    // With both permissions it opens.
    allow(&dir, 0o777);
    let output = open(&program, &dir);
    assert!(output.status.success(), "{output:?}");
}

fn allow(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

/// Opens the database in a folder as a user that permissions bind.
fn open(program: &Path, dir: &Path) -> Output {
    let mut command = Command::new(program);
    command.arg("opener").arg(dir).stdin(Stdio::null());
    if is_root() {
        command.uid(NOBODY).gid(NOBODY);
    }
    command.output().unwrap()
}

/// The program, at a place where every user can run it.
fn program(folder: &Path) -> PathBuf {
    let program = PathBuf::from(env!("CARGO_BIN_EXE_superstep-crash"));
    if !is_root() {
        return program;
    }
    let copy = folder.join("superstep-crash");
    fs::copy(program, &copy).unwrap();
    allow(&copy, 0o755);
    copy
}

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}
