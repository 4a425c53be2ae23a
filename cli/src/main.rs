//! The binary `superstep`.
//!
//! Data goes to stdout, all else to stderr; every command has `--json`; what a run ended with is its
//! exit code (`failure`). Text of models and tools passes `output`, the only place that prints, and
//! comes out without anything a terminal would obey.
//!
//! Read `args` for the commands, `world` for how a model is chosen, then one file a command.

mod args;
mod database;
mod failure;
mod model;
mod output;
mod person;
mod providers;
mod stats;
mod trace;
mod weights;
mod world;

use std::process::ExitCode;

use clap::Parser;

use crate::{
    args::{Args, Command},
    failure::Failure,
    output::Output,
    person::Person,
};

fn main() -> ExitCode {
    let args = Args::parse();
    let output = Output::new(args.global.form(), args.global.color);
    let built = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build();
    let ended = match built {
        Ok(runtime) => {
            let ended = runtime.block_on(run(args, &output));
            // A thread that reads stdin or loads weights must not hold the process.
            runtime.shutdown_background();
            ended
        }
        Err(error) => Err(Failure::Io(error)),
    };
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            output.failure(&failure);
            ExitCode::from(failure.exit())
        }
    }
}

async fn run(args: Args, output: &Output) -> Result<(), Failure> {
    let person = Person::listen()?;
    match args.command {
        Command::Trace(command) => trace::run(command, args.global, output).await,
        Command::Model(command) => model::run(command, args.global, output, person).await,
    }
}
