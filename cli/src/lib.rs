//! The command line of superstep: the binary `superstep`, and [`app`] for programs with agents of their own.
//!
//! ```no_run
//! use superstep_agent::{AgentError, Card, GraphAgent, PlainAgent, Site};
//! # fn graph(site: Site) -> Result<PlainAgent, AgentError> {
//! #     Ok(superstep::dynamic::DynGraphBuilder::new().backends(site.backends).build()?.into())
//! # }
//!
//! fn main() -> std::process::ExitCode {
//!     let poet = Card::new("poet", "Writes a poem, and asks before it publishes it").taking("topic");
//!     superstep_cli::app().agent(GraphAgent::new(poet, graph)).run()
//! }
//! ```
//!
//! Data goes to stdout, all else to stderr; every command has `--json`; the outcome of a run decides the
//! exit code (`error`). All text is printed by `output`, which sanitizes what models and tools wrote.
//!
//! Read `args` for the commands, `app` for what a command works with, `environment` for how a model is
//! chosen, `agents` and `running` for the agents; then a file or folder per command: `config` is in `settings`,
//! `man` in `completions`, `analyze`, `ask` and `build-context` in `archie`.

mod agent_files;
mod agents;
mod app;
mod archie;
mod args;
mod atris;
mod completions;
mod consent;
mod console;
mod database;
mod db;
mod demo;
mod dirs;
mod docs;
mod doctor;
mod embedder;
mod environment;
mod error;
mod eval;
mod explain;
#[cfg(feature = "remote")]
mod exports;
mod files;
mod graph;
mod inbox;
#[cfg(feature = "encryption")]
mod key;
mod login;
mod mail;
mod markdown;
mod memory;
mod model;
mod near;
mod opened_model;
mod output;
mod own;
mod private;
mod program;
mod program_name;
mod question_id;
mod reading;
mod resumed;
mod running;
mod scaffold;
mod serve;
mod settings;
mod setup;
mod sheet;
mod shell;
mod shell_words;
mod stats;
mod stream;
mod suggest;
mod table;
mod terminal;
mod thread_reader;
mod thread_status;
mod threads;
mod trace;
mod trust;
mod units;
mod weights;
mod wrap;
mod written;

use std::io::{self, IsTerminal};

use crate::{
    app::App,
    args::{Args, Command, Global, ShellArgs},
    error::Error,
    graph::GraphFormat,
    output::Output,
    terminal::Terminal,
};

pub use program::{Program, app};

async fn run(args: Args, output: &Output) -> Result<(), Error> {
    let command = match args.command {
        Some(_) if args.resumes => {
            let why = "--continue opens the shell; a command takes the thread as an argument";
            return Err(Error::Usage(why.to_owned()));
        }
        Some(command) => command,
        None if args.resumes || is_at_terminal(&args.global) => Command::Shell(ShellArgs {
            resumes: args.resumes,
            ..ShellArgs::default()
        }),
        None => {
            output.help(&Args::whole_command())?;
            return Err(Error::Reported { exit: 2 });
        }
    };
    // `doctor` reports permissions, so it must see them as they are.
    if !matches!(command, Command::Doctor) {
        private::tighten();
    }
    let mut terminal = Terminal::listen(!args.global.no_input, completions::command)?;
    let mut app = App {
        global: &args.global,
        output,
        terminal: &mut terminal,
    };
    match command {
        Command::Shell(what) => shell::run(&what, &mut app).await,
        command => dispatch(command, &mut app).await,
    }
}

/// Whether a person types here and reads what is printed.
fn is_at_terminal(global: &Global) -> bool {
    let is_there = io::stdin().is_terminal() && io::stdout().is_terminal();
    is_there && !global.no_input && !global.json
}

/// Offers the ways to a model where a command needs one; whether one was chosen.
async fn offer_model(work: opened_model::Work, app: &mut App<'_>) -> Result<bool, Error> {
    Box::pin(setup::offer(work, app)).await
}

/// Runs any command but the shell, which runs them itself.
async fn dispatch(command: Command, app: &mut App<'_>) -> Result<(), Error> {
    if command.uses_database() {
        database::warn_of_orphans(app.global, app.output);
    }
    match command {
        Command::Shell(_) => Err(Error::Usage("this is the shell already".into())),
        Command::Analyze(what) => archie::analyze(&what, &mut None, app).await,
        Command::Ask(what) => archie::ask(&what, &mut None, app).await,
        Command::BuildContext(what) => archie::build_context(&what, app).await,
        Command::Atris(command) => atris::run(command, app).await,
        Command::Docs(what) => docs::run(what, app).await,
        Command::Mail(command) => mail::run(command, app).await,
        Command::Sheet(command) => sheet::run(command, app).await,
        Command::New(what) => scaffold::run(&what, app.output),
        Command::Run(what) => own::run(&what, app).await,
        Command::Serve(what) => serve::run(&what, app).await,
        Command::Inbox(what) => inbox::run(what, app).await,
        Command::Threads(command) => threads::run(command, app).await,
        Command::Memory(command) => memory::run(command, app).await,
        Command::Db(command) => db::run(command, app).await,
        Command::Graph {
            agent,
            mermaid,
            svg,
        } => {
            let format = match (mermaid, svg) {
                (true, _) => GraphFormat::Mermaid,
                (_, true) => GraphFormat::Svg,
                _ => GraphFormat::Text,
            };
            graph::run(agent, format, app.output)
        }
        Command::Eval(what) => eval::run(&what, app).await,
        Command::Setup => setup::run(app).await,
        Command::Login(what) => login::run(&what, app).await,
        Command::Model(command) => model::run(command, app).await,
        Command::Trace(command) => trace::run(command, app).await,
        Command::Demo { agent, keep } => demo::run(agent, keep, app).await,
        Command::Doctor => doctor::run(app).await,
        Command::Config(command) => settings::run(&command, app),
        Command::Explain { code } => explain::run(code.as_deref(), app.output),
        Command::Trust(what) => trust::run(&what, app).await,
        Command::Completions { shell } => completions::print(&shell, app.output),
        Command::Man { folder } => completions::manual(&folder, app.output),
    }
}
