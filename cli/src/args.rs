//! Command-line arguments.

mod archie;
mod atris;
mod db;
mod docs;
mod eval;
mod mail;
mod memory;
mod models;
mod new;
mod run;
mod serve;
mod sheet;
mod shell;
mod threads;
mod traces;
mod trust;

use std::{ffi::OsString, path::PathBuf};

use anstream::ColorChoice;
use clap::{Args as ClapArgs, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};

use crate::{agents::Agent, program_name};

pub(crate) use archie::{Analyze, Ask, BuildContext, Limits, TalkOptions};
pub(crate) use atris::{AtrisCommand, AtrisOptions};
pub(crate) use db::DbCommand;
pub(crate) use docs::{Docs, DocsCommand, DocsDepth, DocsProfile, MakeDocs};
pub(crate) use eval::EvalArgs;
pub(crate) use mail::{
    AccountArgs, Inbox, InboxArgs, InboxCommand, IngestArgs, Login, MailCommand, NotesCommand,
};
pub(crate) use memory::{MemoryCommand, Place as MemoryPlace, Search as MemorySearch};
pub(crate) use models::{Chat, LoginArgs, ModelCommand};
pub(crate) use new::NewArgs;
pub(crate) use run::RunArgs;
pub(crate) use serve::{Serve, ServeRole};
pub(crate) use sheet::{SheetCommand, SheetOutput, SheetRun, SheetVerdict};
pub(crate) use shell::ShellArgs;
pub(crate) use threads::{At, Delete, ListThreads, Prune, ThreadsCommand};
pub(crate) use traces::{ExportFormat, TraceCommand, Which};
pub(crate) use trust::{TrustArgs, TrustCommand};

/// Durable AI agents: run them, answer their questions, inspect every step.
#[derive(Debug, Parser)]
#[command(
    name = "superstep",
    version,
    after_help = "Examples:
  superstep                                      a shell about the documents of this folder
  superstep setup                                choose a model
  superstep demo                                 see the agents work, in under a minute
  superstep analyze --query 'One service or two?' --inputs docs
  superstep inbox                                the open questions of all agents
  superstep serve                                the agents over HTTP, and a page for browsers
  superstep threads list                         all threads, and which wait for you
  superstep model show                           which model is used, and why

Exit codes: 0 ok, 1 failed, 2 usage, 3 waiting for a person or no model,
4 API key refused, 5 budget or limit reached, 6 conflict, 130 cancelled."
)]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) global: Global,
    /// Without a command: the shell, in the thread that was used last
    #[arg(long = "continue", short = 'c')]
    pub(crate) resumes: bool,
    /// Nothing: the shell at a terminal, help anywhere else.
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

impl Args {
    /// The command line as it is parsed and shown: what follows the options of a command is wrapped once, by
    /// the terminal.
    pub(crate) fn whole_command() -> clap::Command {
        let command = wrapped_once(Self::command());
        command.name(program_name::get()).help_template(TEMPLATE)
    }

    /// Reads a command line. Pages of help are not wrapped for who lays them out.
    pub(crate) fn parse_words(
        words: impl IntoIterator<Item = OsString>,
        is_laid_out: bool,
    ) -> Result<Self, clap::Error> {
        let command = match is_laid_out {
            true => Self::whole_command().term_width(0),
            false => Self::whole_command(),
        };
        let mut matches = command.try_get_matches_from(words)?;
        Self::from_arg_matches_mut(&mut matches)
    }

    /// The commands of the first page, in their groups.
    pub(crate) fn groups() -> impl Iterator<Item = &'static str> {
        let lines = TEMPLATE.lines().skip_while(|line| *line != "Agents:");
        lines.take_while(|line| *line != "Options:")
    }
}

/// The first page, with the commands in groups.
const TEMPLATE: &str = "{about}

{usage-heading} {usage}

Agents:
  ask            Archie: answer a question from memory and documents
  analyze        Archie: analyze a folder of documents in a conversation
  build-context  Archie: write a context document about a folder
  mail           E-mail assistant: process mail, show what it has learned
  inbox          Open questions of all agents, and your answers
  sheet          Spreadsheets: carry out an instruction on a workbook
  docs           Document a code base
  atris          Atris: answer questions about Audius
  shell          Interactive shell: every command, and questions to Archie
  serve          Serve the agents over HTTP
  run            Run an agent of your own: FILE.toml, or one of this program
  new            Write an agent of your own: a file, or a project in Rust

Threads:
  threads        List, show, resume, fork, compare, delete, export threads
  trace          Steps, time and cost of the runs of a thread
  memory         What agents remember over threads
  graph          Draw the graph of an agent

Setup:
  setup          Choose a model: a key, a server of this machine, a download
  demo           See the agents work; nothing leaves this machine
  model          List, choose, download, test and chat with models
  eval           Evaluate an agent on labeled cases
  login          Store the key of a model provider
  config         Show and change settings
  trust          Decide about a project's superstep.toml
  doctor         Check this machine, and say how to fix what is missing
  explain        Say what an error code means
  db             Check, back up, compact, encrypt the database
  completions    Generate shell completions
  man            Write the manual pages
  help           Print the help of a command

Options:
{options}{after-help}
";

/// The command with lines of its epilogues joined that belong to one paragraph.
fn wrapped_once(command: clap::Command) -> clap::Command {
    let joined = command
        .get_after_help()
        .map(|text| joined(&text.to_string()));
    let command = match joined {
        Some(text) => command.after_help(text),
        None => command,
    };
    command.mut_subcommands(wrapped_once)
}

/// Text whose paragraphs are a line each. Lines that are indented, or end with a colon, stay as they are.
fn joined(text: &str) -> String {
    let mut whole = String::new();
    let mut is_open = false;
    for line in text.lines() {
        let is_prose = !line.is_empty() && !line.starts_with(' ');
        whole.push_str(match (whole.is_empty(), is_open && is_prose) {
            (true, _) => "",
            (false, true) => " ",
            (false, false) => "\n",
        });
        whole.push_str(line);
        is_open = is_prose && !line.ends_with(':');
    }
    whole
}

/// What holds for every command.
#[derive(Clone, Debug, ClapArgs)]
#[command(next_help_heading = "Global options")]
pub(crate) struct Global {
    /// The model: provider:name, such as anthropic, ollama:qwen3:8b,
    /// openai@http://127.0.0.1:8080/v1:name, local:default, script:FILE
    #[arg(long, global = true, value_name = "MODEL")]
    pub(crate) model: Option<String>,
    /// Make no network requests except to this machine
    #[arg(long, global = true)]
    pub(crate) offline: bool,
    /// Also look for model servers on ports 8080, 8000 and 1234 of this machine
    #[arg(long, global = true)]
    pub(crate) probe: bool,
    /// Print JSON
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// When to use colors
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: Color,
    /// Print results, questions and errors, and nothing else
    #[arg(long, global = true, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// Also say which settings, models and files are used, and why
    #[arg(long, short, global = true)]
    pub(crate) verbose: bool,
    /// Never ask a question
    #[arg(long, global = true)]
    pub(crate) no_input: bool,
    /// Answer yes to every confirmation
    #[arg(long, short = 'y', global = true)]
    pub(crate) yes: bool,
    /// The database [default: superstep/superstep.db in $XDG_DATA_HOME or ~/.local/share]
    #[arg(long, global = true, value_name = "PATH")]
    pub(crate) db: Option<PathBuf>,
    /// No file of settings is read: that of the demo.
    #[arg(skip)]
    pub(crate) without_settings: bool,
    /// The model of the thread that is continued, which is used unless another one is named.
    #[arg(skip)]
    pub(crate) thread_model: Option<String>,
}

/// When to use colors.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal, unless NO_COLOR is set
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

impl From<Color> for ColorChoice {
    fn from(color: Color) -> Self {
        match color {
            Color::Auto => Self::Auto,
            Color::Always => Self::AlwaysAnsi,
            Color::Never => Self::Never,
        }
    }
}

impl Global {
    /// Inherits options of the shell that this command does not set.
    pub(crate) fn inherit(&mut self, shell: &Self) {
        self.model = self.model.take().or_else(|| shell.model.clone());
        self.db = self.db.take().or_else(|| shell.db.clone());
        self.offline |= shell.offline;
        self.probe |= shell.probe;
        self.json |= shell.json;
        self.quiet |= shell.quiet && !self.verbose;
        self.verbose |= shell.verbose && !self.quiet;
        self.no_input |= shell.no_input;
        self.yes |= shell.yes;
        if matches!(self.color, Color::Auto) {
            self.color = shell.color;
        }
    }
}

impl Command {
    /// Whether it reads or writes threads, by itself: a demonstration or a shell runs other commands.
    pub(crate) fn uses_database(&self) -> bool {
        !matches!(
            self,
            Self::Shell(_)
                | Self::New(_)
                | Self::Eval(_)
                | Self::Graph { .. }
                | Self::Login(_)
                | Self::Setup
                | Self::Model(_)
                | Self::Demo { .. }
                | Self::Config(_)
                | Self::Explain { .. }
                | Self::Trust(_)
                | Self::Completions { .. }
                | Self::Man { .. }
        )
    }
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Interactive shell: every command, and questions to Archie about the documents of this folder
    Shell(ShellArgs),
    /// Archie: analyze a folder of documents in a conversation, until you approve
    Analyze(Analyze),
    /// Archie: answer one question from memory and documents
    Ask(Ask),
    /// Archie: write a context document about a folder, for other agents
    BuildContext(BuildContext),
    /// Atris: answer questions about Audius from its public API
    #[command(subcommand, arg_required_else_help = true)]
    Atris(AtrisCommand),
    /// Document a code base: facts, and agents whose claims are checked
    Docs(Docs),
    /// Write an agent of your own: a file, or a project in Rust
    New(NewArgs),
    /// Run an agent of your own: FILE.toml, or one that the program added
    Run(RunArgs),
    /// Serve the agents over HTTP, to LangGraph clients and to browsers
    Serve(Serve),
    /// E-mail assistant: process mail, show what it has learned
    #[command(subcommand, arg_required_else_help = true)]
    Mail(MailCommand),
    /// Open questions of all agents, and your answers
    Inbox(Inbox),
    /// Spreadsheets: carry out an instruction on a workbook, step by step
    #[command(subcommand, arg_required_else_help = true)]
    Sheet(SheetCommand),
    /// Threads: list, show, resume, fork, compare, prune, export, import
    #[command(subcommand, arg_required_else_help = true)]
    Threads(ThreadsCommand),
    /// Long-term memory: what agents remember over threads, listed and searched
    #[command(subcommand, arg_required_else_help = true)]
    Memory(MemoryCommand),
    /// Database: check, back up, compact, encrypt
    #[command(subcommand, arg_required_else_help = true)]
    Db(DbCommand),
    /// Draw the graph of an agent
    #[command(after_help = "Examples:
  superstep graph archie                a drawing for the terminal
  superstep graph mail --mermaid        Mermaid text for a Markdown file
  superstep graph archie --svg > archie.svg")]
    Graph {
        /// Which
        agent: Agent,
        /// As Mermaid text
        #[arg(long, conflicts_with = "svg")]
        mermaid: bool,
        /// As SVG
        #[arg(long)]
        svg: bool,
    },
    /// Language models: list, show which one is used, download, test, chat
    #[command(subcommand, arg_required_else_help = true)]
    Model(ModelCommand),
    /// Evaluate an agent on labeled cases: accuracy, cost and time, with one model or several
    Eval(EvalArgs),
    /// Choose a model: paste a key, use a server of this machine, download one
    #[command(after_help = "Examples:
  superstep setup
  superstep setup --probe        also looks for servers on ports 8080, 8000 and 1234

It runs by itself when a command needs a model and there is none. To choose without a terminal: `superstep model use MODEL`.")]
    Setup,
    /// Store the key of a model provider, in a file for you alone
    Login(LoginArgs),
    /// Traces: steps, time and cost of the runs of a thread
    #[command(subcommand, arg_required_else_help = true)]
    Trace(TraceCommand),
    /// Run the agents with scripted models; nothing leaves this machine
    #[command(after_help = "Examples:
  superstep demo               every agent
  superstep demo archie        one of them
  superstep demo sheets --keep leaves the files to look at")]
    Demo {
        /// Only this one
        agent: Option<Agent>,
        /// Leave the files of the demo
        #[arg(long)]
        keep: bool,
    },
    /// Check this machine, and say how to fix what is missing
    #[command(after_help = "Examples:
  superstep doctor
  superstep doctor --json

Exits with 1 if something is broken. A missing model is not an error.")]
    Doctor,
    /// Settings: show, change
    #[command(subcommand, arg_required_else_help = true)]
    Config(ConfigCommand),
    /// Say what an error code means, and what to do
    #[command(after_help = "Examples:
  superstep explain SS5016
  superstep explain 5016 --json
  superstep explain              all codes")]
    Explain {
        /// The code, such as SS5016
        code: Option<String>,
    },
    /// Show what the project's superstep.toml asks for, and decide whether to trust it
    Trust(TrustArgs),
    /// Generate shell completions
    #[command(after_help = "Examples:
  echo 'source <(superstep completions bash)' >> ~/.bashrc
  superstep completions fish > ~/.config/fish/completions/superstep.fish
  superstep completions zsh")]
    Completions {
        /// Which shell
        #[arg(value_parser = ["bash", "elvish", "fish", "powershell", "zsh"])]
        shell: String,
    },
    /// Write the manual pages
    #[command(after_help = "Examples:
  superstep man ~/.local/share/man/man1
  superstep man .")]
    Man {
        /// Into this folder
        folder: PathBuf,
    },
}

/// What can be done with settings.
#[derive(Debug, Subcommand)]
pub(crate) enum ConfigCommand {
    /// Show the effective settings
    #[command(after_help = "Examples:
  superstep config show
  superstep config show --origin      with the origin of each")]
    Show {
        /// Where each comes from
        #[arg(long)]
        origin: bool,
    },
    /// Print where your file is, or would be
    #[command(after_help = "Examples:
  superstep config path
  superstep config path --json")]
    Path,
    /// Make your file, with every setting switched off
    #[command(after_help = "Examples:
  superstep config init
  superstep config init --json

A file that exists is left as it is.")]
    Init,
    /// Change one setting of your file
    #[command(after_help = "Examples:
  superstep config set model ollama:qwen3:8b
  superstep config set agents.mail.owner me@example.org
  superstep config set models.triage_router local:default

Comments stay. A setting that would make the file unreadable is refused, and nothing is changed.")]
    Set {
        /// Which, such as model, db, or agents.mail.owner
        key: String,
        /// The value; numbers, true, false and lists are read as such
        value: String,
    },
    /// Print the effective value of one setting
    #[command(after_help = "Examples:
  superstep config get model
  superstep config get agents.mail.owner --json

A setting that is not set ends with 1.")]
    Get {
        /// Which, as `config show` names it
        key: String,
    },
    /// Take one setting out of your file
    #[command(after_help = "Examples:
  superstep config unset agents.mail.owner
  superstep config unset model --json

A setting that is not in the file is left as it is.")]
    Unset {
        /// Which, such as model, db, or agents.mail.owner
        key: String,
    },
    /// Open your file in your editor
    #[command(after_help = "Examples:
  superstep config edit
  superstep config edit --quiet
  EDITOR=nano superstep config edit

What cannot be read is not saved; your text is kept beside the file.")]
    Edit,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_groups_of_the_first_page_have_every_command_once() {
        let all = Args::command();
        let names = all.get_subcommands().map(clap::Command::get_name);
        for name in names.chain(["help"]) {
            let listed = TEMPLATE.lines().filter(|line| {
                let mut words = line.split_whitespace();
                line.starts_with("  ") && words.next() == Some(name)
            });
            assert_eq!(listed.count(), 1, "{name}");
        }
    }

    #[test]
    fn a_paragraph_is_one_line_and_examples_stay() {
        let text = "Examples:\n  superstep a\n  superstep b\n\nOne two\nthree.";
        assert_eq!(
            joined(text),
            "Examples:\n  superstep a\n  superstep b\n\nOne two three."
        );
    }

    #[test]
    fn the_command_line_is_sound() {
        Args::command().debug_assert();
    }

    #[test]
    fn every_command_has_examples() {
        fn check(command: &clap::Command) {
            let below: Vec<_> = command.get_subcommands().collect();
            if below.is_empty() {
                let help = command.get_after_help().map(ToString::to_string);
                let examples = help.unwrap_or_default().matches("  superstep ").count();
                let piped = command.get_name() == "chat";
                assert!(examples >= 2 || piped, "{}", command.get_name());
            }
            below.into_iter().for_each(check);
        }
        check(&Args::command());
    }
}
