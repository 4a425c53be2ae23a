//! A process that contains itself and then becomes another program. What a parent cannot do to its
//! child without `unsafe`, the child does to itself.

use std::{
    ffi::OsString,
    io::Write,
    os::unix::process::CommandExt,
    path::PathBuf,
    process::{Command, ExitCode},
};

use serde::{Deserialize, Serialize};

use crate::kernel;

/// What a process may keep when it becomes another program. As JSON it is the argument behind `contained`.
#[derive(Debug, Serialize, Deserialize)]
pub struct Keep {
    /// The most bytes of memory.
    pub memory: u64,
    /// The most processor time.
    pub seconds: u64,
    /// Folders and files to read and execute.
    pub read: Vec<PathBuf>,
    /// Folders to read and write.
    pub write: Vec<PathBuf>,
    /// Whether it cannot do without Landlock.
    pub needs_landlock: bool,
    /// The process that started it, where that has a number in its namespace.
    pub parent: Option<u32>,
}

/// Contains this process by the first argument, and becomes the program in the others.
pub(crate) fn contained(arguments: &[OsString]) -> ExitCode {
    let failed = |what: String| {
        let _ = writeln!(std::io::stderr(), "not contained: {what}");
        ExitCode::from(97)
    };
    let Some((keep, [program, rest @ ..])) = arguments.split_first() else {
        return failed("no program".to_owned());
    };
    let keep: Keep = match serde_json::from_slice(keep.as_encoded_bytes()) {
        Ok(keep) => keep,
        Err(error) => return failed(error.to_string()),
    };
    if let Err(what) = kernel::with_parent(keep.parent) {
        return failed(what);
    }
    let files = kernel::Files {
        read: keep.read,
        write: keep.write,
    };
    if let Err(what) = kernel::files(&files)
        && keep.needs_landlock
    {
        return failed(what);
    }
    if let Err(what) =
        kernel::memory(keep.memory, keep.seconds).and_then(|()| kernel::system_calls())
    {
        return failed(what);
    }
    let error = Command::new(program)
        .args(rest)
        .env_clear()
        .env("LANG", "C.UTF-8")
        .env("PYTHONHASHSEED", "0")
        .exec();
    failed(error.to_string())
}
