//! `superstep-bench WORKLOAD [key=value...]`: one JSON line a result, best of several samples.
//!
//! The words and lines are those of the bench suite other engines are measured with, so that one
//! table can hold all of them. [`words`] reads the command line, [`workload`] has one module per
//! workload, [`meter`] reads clocks and memory, [`report`] prints.

mod error;
mod meter;
mod report;
mod words;
mod workload;

use std::process::ExitCode;

use words::Words;

fn main() -> ExitCode {
    let run = Words::read(std::env::args().skip(1)).and_then(|words| {
        let runtime = tokio::runtime::Builder::new_multi_thread().build()?;
        runtime.block_on(async { tokio::spawn(workload::run(words)).await? })
    });
    match run {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("superstep-bench: {error}");
            error.exit_code()
        }
    }
}
