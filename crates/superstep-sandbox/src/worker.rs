//! The process in which a program runs, formulas are calculated or text is taken from a file: it reads a request,
//! contains itself, does the work, and writes a reply.

use std::{
    ffi::OsString,
    io::{self, Write},
    process::ExitCode,
    time::Instant,
};

use superstep_workbook::Workbook;

use crate::{
    contain,
    extract::{self, Extract},
    protocol::{Ended, Reply, Request, Task},
    python,
};

/// Room for the deepest calls that limits permit.
const STACK: usize = 512 << 20;

/// What a binary does as the worker of a sandbox; the arguments are those after its own command.
/// It ends by itself and prints only to who started it.
///
/// On Linux it first closes every descriptor but input, output and errors, so a binary calls it before it opens files.
pub fn worker(arguments: &[OsString]) -> ExitCode {
    worker_with(arguments, &[])
}

/// The same, which also takes text from files with these functions, by their names.
pub fn worker_with(
    arguments: &[OsString],
    extracts: &'static [(&'static str, Extract)],
) -> ExitCode {
    #[cfg(target_os = "linux")]
    crate::descriptors::close_inherited();
    #[cfg(target_os = "linux")]
    if let Some((first, rest)) = arguments.split_first() {
        if first == "contained" {
            return crate::exec::contained(rest);
        }
        if first == "guarded" {
            return crate::guard::guarded(rest);
        }
    }
    let _ = arguments;
    match work(extracts) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(io::stderr(), "the worker failed: {error}");
            ExitCode::FAILURE
        }
    }
}

fn work(extracts: &'static [(&'static str, Extract)]) -> io::Result<()> {
    let (request, workbook) = Request::read(&mut io::stdin().lock())?;
    let thread = std::thread::Builder::new().stack_size(STACK);
    let running = thread.spawn(move || {
        let reply = answer(&request, workbook, extracts);
        let mut out = io::stdout().lock();
        serde_json::to_writer(&mut out, &reply)?;
        out.write_all(b"\n")?;
        out.flush()?;
        // What the program left is not taken apart: deep values would cost a deep stack.
        std::process::exit(0)
    })?;
    match running.join() {
        Ok(done) => done,
        Err(_) => Err(io::Error::other("the interpreter panicked")),
    }
}

fn answer(request: &Request, workbook: Vec<u8>, extracts: &[(&str, Extract)]) -> Reply {
    let failed = |what: String| Reply {
        ended: Ended::Failed(what),
        stdout: String::new(),
        dropped: 0,
    };
    if request.task == Task::Calculate {
        // It is asked here for the first time and remembered: behind the walls no file says what the local time is.
        superstep_workbook::local_time();
    }
    if request.task != Task::Run {
        // What a calculation panics on is told as its result; where in our sources says nothing to a reader.
        std::panic::set_hook(Box::new(|_| {}));
    }
    if let Err(what) = contained(request) {
        return failed(what);
    }
    if request.task == Task::Extract {
        let named = extracts.iter().find(|(name, _)| *name == request.program);
        let ended = extract::run(named.map(|(_, extract)| *extract), &workbook);
        return Reply {
            ended,
            stdout: String::new(),
            dropped: 0,
        };
    }
    let limits = superstep_workbook::Limits::default();
    let workbook = match Workbook::read(workbook, &limits) {
        Ok(workbook) => workbook,
        Err(error) => return failed(error.to_string()),
    };
    if request.task == Task::Calculate {
        let ended = match workbook.calculate_within(request.limits.time / 2) {
            Ok(calculated) => Ended::Calculated(calculated),
            Err(superstep_workbook::Error::NotRecalculated { why }) => Ended::NotCalculated(why),
            Err(error) => Ended::NotCalculated(error.to_string()),
        };
        return Reply {
            ended,
            stdout: String::new(),
            dropped: 0,
        };
    }
    let deadline = Instant::now() + request.limits.time;
    let finished = python::run(
        &request.program,
        workbook,
        &request.file,
        &request.limits,
        deadline,
    );
    let ended = match finished.result {
        Ok((base, operations)) => Ended::Done { base, operations },
        Err(python::Unfinished::Raised(raised)) => Ended::Raised(raised.cut()),
        Err(python::Unfinished::Stopped(stop)) => Ended::Stopped(stop),
    };
    Reply {
        ended,
        stdout: finished.stdout,
        dropped: finished.dropped,
    }
}

/// The interpreter reaches nothing outside by itself; the kernel is the second wall where it can be.
fn contained(request: &Request) -> Result<(), String> {
    let seconds = request.limits.time.as_secs() + 5;
    contain::with_parent(Some(request.parent))?;
    contain::memory(request.limits.memory, seconds)?;
    #[cfg(target_os = "linux")]
    {
        if contain::availability().is_ok() {
            contain::files(&contain::Files::default())?;
        }
        contain::system_calls()?;
    }
    Ok(())
}
