//! The worker of a sandbox: the process in which a program runs or formulas are calculated.

use std::{ffi::OsString, process::ExitCode, time::Instant};

use superstep_contain::{Extract, Received, serve};
use superstep_workbook::Workbook;

use crate::{
    protocol::{Ended, Order, Reply, Task},
    python,
};

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
    superstep_contain::worker(arguments, || serve(extracts, answer))
}

fn answer(received: Received<Order>) -> Reply {
    let failed = |what: String| Reply {
        ended: Ended::Failed(what),
        stdout: String::new(),
        dropped: 0,
    };
    let order = &received.task;
    if order.task == Task::Calculate {
        // It is asked here for the first time and remembered: behind the walls no file says what the local time is.
        superstep_workbook::local_time();
        // What a calculation panics on is told as its result; where in our sources says nothing to a reader.
        std::panic::set_hook(Box::new(|_| {}));
    }
    // The interpreter reaches nothing outside by itself; the kernel is the second wall where it can be.
    if let Err(what) = received.contain(order.limits.time, order.limits.memory) {
        return failed(what);
    }
    let Received {
        task: order, file, ..
    } = received;
    let limits = superstep_workbook::Limits::default();
    let workbook = match Workbook::read(file, &limits) {
        Ok(workbook) => workbook,
        Err(error) => return failed(error.to_string()),
    };
    if order.task == Task::Calculate {
        let ended = match workbook.calculate_within(order.limits.time / 2) {
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
    let deadline = Instant::now() + order.limits.time;
    let finished = python::run(
        &order.program, workbook, &order.file, &order.limits, deadline,
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
