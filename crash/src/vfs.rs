//! A SQLite VFS between SQLite and the disk that injects faults.
//!
//! [`install`] makes it the default of the process, so the code under test needs no hook. Every
//! durable operation (open for writing, write, sync, truncate, delete) has a number, from 1. A
//! [`Plan`] says what happens at one of them: the process dies before, after or in the middle of
//! it, or it fails. [`record`] keeps all of them, to rebuild what a disk would hold after a power
//! cut: see [`disk`].

pub mod disk;
mod ffi;
pub mod plan;

use std::sync::{Mutex, MutexGuard};
use superstep_core::sync::lock;

use disk::Event;
pub use plan::{Fault, Plan};

/// The VFS could not take its place.
#[derive(Clone, Copy, Debug, thiserror::Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// SQLite has no VFS to wrap.
    #[error("there is no default vfs to wrap")]
    NoDefault,
    /// SQLite refused it.
    #[error("sqlite refused the vfs with code {0}")]
    Refused(i32),
}

/// Makes the VFS the default of this process, with a plan. A second call changes the plan alone.
pub fn install(plan: Plan) -> Result<(), Error> {
    {
        let mut state = state();
        (state.plan, state.syncs) = (plan, 0);
        if state.installed {
            return Ok(());
        }
        state.installed = true;
    }
    superstep_sqlite::watch_rewritten_logs(rewritten);
    ffi::register()
}

/// Stops injecting faults; operations are still counted.
pub fn heal() {
    state().plan = Plan::Nothing;
}

/// How many durable operations there were.
pub fn count() -> u64 {
    state().count
}

/// Starts to keep all operations and marks.
pub fn record() {
    state().trace = Some(Vec::new());
}

/// What was kept since [`record`].
pub fn recorded() -> Vec<Event> {
    state().trace.take().unwrap_or_default()
}

/// Keeps a line that was written outside SQLite in its place among the operations.
pub fn mark(file: &'static str, line: &str) {
    if let Some(trace) = &mut state().trace {
        let line = line.to_owned();
        trace.push(Event::Mark { file, line });
    }
}

/// Ends this process as a power cut or `kill -9` would: nothing is flushed, nothing is dropped.
pub fn die() -> ! {
    // The signal cannot be refused; if it were, an abort is the next best end.
    let _sent =
        rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL);
    std::process::abort()
}

/// A durable operation on its way to the disk.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Op<'a> {
    Open { created: bool, dir_sync: bool },
    Write { at: u64, bytes: &'a [u8] },
    Sync,
    SyncFailed,
    Truncate { len: u64 },
    Delete { dir_sync: bool },
}

/// What becomes of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Go,
    Fails(Fault),
    /// Half of a write, then the end.
    DiesWithin,
    DiesAfter,
}

static STATE: Mutex<State> = Mutex::new(State {
    installed: false,
    count: 0,
    syncs: 0,
    plan: Plan::Nothing,
    trace: None,
});

struct State {
    installed: bool,
    count: u64,
    /// Syncs since the plan was made.
    syncs: u64,
    plan: Plan,
    trace: Option<Vec<Event>>,
}

fn state() -> MutexGuard<'static, State> {
    lock(&STATE)
}

/// Numbers an operation and says what becomes of it.
fn begin() -> Verdict {
    let (number, plan) = {
        let mut state = state();
        state.count += 1;
        (state.count, state.plan)
    };
    match plan {
        Plan::DieBefore(at) if at == number => die(),
        Plan::DieAfter(at) if at == number => Verdict::DiesAfter,
        Plan::DieWithin(at) if at == number => Verdict::DiesWithin,
        Plan::Fail { at, fault } if at == number => Verdict::Fails(fault),
        Plan::FailFrom { at, fault } if at <= number => Verdict::Fails(fault),
        _ => Verdict::Go,
    }
}

/// The same for a sync, which has a number among syncs too.
fn begin_sync() -> Verdict {
    let verdict = begin();
    let mut state = state();
    state.syncs += 1;
    match (verdict, state.plan) {
        (Verdict::Go, Plan::FailSync(at)) if at == state.syncs => Verdict::Fails(Fault::Io),
        _ => verdict,
    }
}

/// A log was written anew past the VFS.
fn rewritten(path: &std::path::Path) {
    if let (Some(trace), Some(name)) = (&mut state().trace, path.file_name()) {
        let name = name.to_string_lossy().into_owned();
        trace.push(Event::Rewritten { name });
    }
}

/// Keeps an operation that succeeded, or a sync that did not.
fn done(name: &str, op: Op<'_>) {
    if let Some(trace) = &mut state().trace {
        trace.push(Event::of(name, op));
    }
}
