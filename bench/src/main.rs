//! `superstep-bench WORKLOAD [key=value...]`: one JSON line per result, best of several samples.
//!
//! Arguments and lines are those of the bench suite other engines are measured with, so that one table
//! can hold all of them. [`args`] reads the command line, [`backend`] opens savers, [`workload`] has one module per
//! workload, [`meter`] reads clocks and memory, [`report`] prints.

mod args;
mod backend;
mod error;
mod meter;
mod report;
mod workload;

use std::process::ExitCode;

use args::{Args, USAGE};

fn main() -> ExitCode {
    if std::env::args()
        .nth(1)
        .is_some_and(|first| first == "--help" || first == "-h")
    {
        println!("{USAGE}");
        return ExitCode::SUCCESS;
    }
    let run = Args::read(std::env::args().skip(1)).and_then(|args| {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .enable_time()
            .build()?;
        runtime.block_on(async { tokio::spawn(workload::run(args)).await? })
    });
    match run {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("superstep-bench: {error}");
            error.exit_code()
        }
    }
}
