//! The binary `superstep`.
//!
//! Data goes to stdout, all else to stderr; every command has `--json`; what a run ended with is its
//! exit code (`failure`). Text of models and tools passes `output`, the only place that prints, and
//! comes out without anything a terminal would obey.
//!
//! Read `args` for the commands, `world` for how a model is chosen, `agents` for what is known of the
//! agents, then one file a command.

mod agents;
mod archie;
mod args;
mod database;
mod demo;
mod doctor;
mod failure;
mod folders;
mod inbox;
mod mail;
mod model;
mod output;
mod page;
mod pages;
mod person;
mod picture;
mod private;
mod providers;
mod settings;
mod shell;
mod stats;
mod threads;
mod trace;
mod trust;
mod weights;
mod world;

use std::process::ExitCode;

use clap::Parser;

use crate::{
    args::{Args, Command},
    failure::Failure,
    output::Output,
    person::Person,
    picture::Drawn,
};

fn main() -> ExitCode {
    if pages::complete() {
        return ExitCode::SUCCESS;
    }
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
    // It looks at rights, and would find nothing any more.
    if !matches!(args.command, Command::Doctor) {
        private::tighten();
    }
    let mut person = Person::listen(!args.global.no_input)?;
    match args.command {
        Command::Shell => shell::run(args.global, output, &mut person).await,
        _ => dispatch(args, output, &mut person).await,
    }
}

/// Runs any command but the shell, which runs them itself.
async fn dispatch(args: Args, output: &Output, person: &mut Person) -> Result<(), Failure> {
    let global = &args.global;
    match args.command {
        Command::Shell => Err(Failure::Usage("this is the shell already".into())),
        Command::Analyze(what) => archie::analyze(&what, global, output, person).await,
        Command::Ask(what) => archie::ask(&what, global, output, person).await,
        Command::BuildContext(what) => archie::build_context(&what, global, output, person).await,
        Command::Mail(command) => mail::run(command, global, output, person).await,
        Command::Inbox(what) => inbox::run(what, global, output, person).await,
        Command::Threads(command) => threads::run(command, global, output, person).await,
        Command::Graph {
            agent,
            mermaid,
            svg,
        } => {
            let form = match (mermaid, svg) {
                (true, _) => Drawn::Mermaid,
                (_, true) => Drawn::Svg,
                _ => Drawn::Picture,
            };
            picture::run(agent, form, output)
        }
        Command::Model(command) => model::run(command, args.global, output, person).await,
        Command::Trace(command) => trace::run(command, args.global, output).await,
        Command::Demo { agent } => demo::run(agent, global, output, person).await,
        Command::Doctor => doctor::run(global, output).await,
        Command::Config(command) => settings::run(&command, global, output),
        Command::Trust(what) => trust::run(&what, global, output, person).await,
        Command::Completions { shell } => pages::completions(&shell, output),
        Command::Man { folder } => pages::manual(&folder, output),
    }
}
