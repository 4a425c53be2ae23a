//! The process between a caller and bubblewrap: when the one that started it is gone, it ends bubblewrap and all that
//! is below.
//!
//! Bubblewrap asks the kernel to be killed with its parent, but only some time after it has begun, and the first process of
//! the namespaces asks later still: whoever is killed in between leaves one of them behind. This process asks for nothing.
//! It lives for as long as its input is open, which the kernel closes when nobody holds the other end, and what bubblewrap
//! leaves behind becomes its child.

use std::{
    ffi::OsString,
    io::{self, Write},
    os::unix::process::ExitStatusExt,
    process::{Command, ExitCode, Stdio},
    sync::{Arc, Mutex, PoisonError},
    thread,
};

use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, WaitOptions, getpid, kill_process, set_child_subreaper,
    waitid, waitpid,
};

/// Runs the program in the arguments until it ends or the input of this process does; then nothing of it is left.
pub(crate) fn guarded(arguments: &[OsString]) -> ExitCode {
    match guard(arguments) {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            let _ = writeln!(io::stderr(), "not started: {error}");
            ExitCode::from(97)
        }
    }
}

fn guard(arguments: &[OsString]) -> io::Result<u8> {
    let (program, rest) = arguments
        .split_first()
        .ok_or_else(|| io::Error::other("no program"))?;
    set_child_subreaper(Some(getpid()))?;
    let mut child = Command::new(program)
        .args(rest)
        .stdin(Stdio::null())
        .spawn()?;
    let number = Pid::from_child(&child);
    // Its number is its own until somebody has asked how it ended.
    let is_there = Arc::new(Mutex::new(true));
    let watched = Arc::clone(&is_there);
    let watch = thread::Builder::new().spawn(move || {
        // Nothing is sent: that it ends is what counts.
        let _ = io::copy(&mut io::stdin().lock(), &mut io::sink());
        let is_there = watched.lock().unwrap_or_else(PoisonError::into_inner);
        if *is_there {
            let _ = kill_process(number, Signal::KILL);
        }
    });
    if watch.is_err() {
        child.kill()?;
    }
    let ended = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
    rustix::io::retry_on_intr(|| waitid(WaitId::Pid(number), ended))?;
    *is_there.lock().unwrap_or_else(PoisonError::into_inner) = false;
    let status = child.wait()?;
    end_what_is_left();
    watch?;
    let code = status
        .code()
        .or_else(|| status.signal().map(|signal| 128 + signal));
    Ok(code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1))
}

/// Kills the processes that became children of this one: the first of their namespaces, with which the kernel kills the
/// others there.
fn end_what_is_left() {
    loop {
        let left = children_of("self");
        if left.is_empty() {
            return;
        }
        for process in left {
            let _ = kill_process(process, Signal::KILL);
            let gone = rustix::io::retry_on_intr(|| waitpid(Some(process), WaitOptions::empty()));
            if gone.is_err() {
                return;
            }
        }
    }
}

/// The numbers of the children of a process.
pub fn children(process: u32) -> Vec<u32> {
    let numbers = children_of(&process.to_string()).into_iter();
    numbers
        .filter_map(|child| u32::try_from(child.as_raw_nonzero().get()).ok())
        .collect()
}

/// The children of a process, by its number or `self`.
fn children_of(process: &str) -> Vec<Pid> {
    let Ok(threads) = std::fs::read_dir(format!("/proc/{process}/task")) else {
        return Vec::new();
    };
    threads
        .flatten()
        .filter_map(|thread| std::fs::read_to_string(thread.path().join("children")).ok())
        .flat_map(|text| {
            let numbers = text.split_whitespace();
            numbers
                .filter_map(|number| Pid::from_raw(number.parse().ok()?))
                .collect::<Vec<_>>()
        })
        .collect()
}
