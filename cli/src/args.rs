//! What can be said on the command line.

mod archie;
mod mail;
mod models;
mod threads;
mod traces;
mod trust;

use std::path::PathBuf;

use anstream::ColorChoice;
use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};

use crate::{agents::Agent, output::Form};

pub(crate) use archie::{Analyze, Ask, BuildContext, Limits, Talk};
pub(crate) use mail::{
    AccountArgs, Inbox, InboxArgs, InboxCommand, IngestArgs, Login, MailCommand, MemoryCommand,
    Note,
};
pub(crate) use models::{Chat, ModelCommand};
pub(crate) use threads::{At, Delete, Prune, ThreadsCommand};
pub(crate) use traces::{ExportFormat, TraceCommand, Which};
pub(crate) use trust::{TrustArgs, TrustCommand};

/// Agents that survive: run graphs, talk to models, look at what happened.
#[derive(Debug, Parser)]
#[command(
    name = "superstep",
    version,
    arg_required_else_help = true,
    propagate_version = true,
    after_help = "Examples:
  superstep demo                                 what the agents do, in under a minute
  superstep analyze --query 'One service or two?' --inputs docs
  superstep inbox                                what the e-mail assistant asks
  superstep shell                                all of it, one command after the other
  superstep threads list                         what is there, and what waits for you
  superstep model show                           which model answers, and why

Exit codes: 0 ok, 1 failed, 2 usage, 3 waiting for a person or no model,
4 key refused, 5 budget or limit, 6 conflict, 130 cancelled."
)]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What holds for every command.
#[derive(Clone, Debug, ClapArgs)]
#[command(next_help_heading = "Global options")]
pub(crate) struct Global {
    /// The model: provider:name, such as anthropic, ollama:qwen3:8b,
    /// openai@http://127.0.0.1:8080/v1:name, local:default, script:FILE
    #[arg(long, global = true, value_name = "MODEL")]
    pub(crate) model: Option<String>,
    /// Forbid everything that would leave this machine
    #[arg(long, global = true)]
    pub(crate) offline: bool,
    /// Look for model servers at ports 8080, 8000 and 1234 of this machine too
    #[arg(long, global = true)]
    pub(crate) probe: bool,
    /// Print data as JSON
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Whether to use colours
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: Color,
    /// Never ask anything
    #[arg(long, global = true)]
    pub(crate) no_input: bool,
    /// Say yes to what would be asked
    #[arg(long, short = 'y', global = true)]
    pub(crate) yes: bool,
    /// The database [default: superstep/superstep.db in $XDG_DATA_HOME or ~/.local/share]
    #[arg(long, global = true, value_name = "PATH")]
    pub(crate) db: Option<PathBuf>,
}

/// When to use colours.
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
    /// Takes over what the shell was told and this command was not.
    pub(crate) fn inherit(&mut self, shell: &Self) {
        self.model = self.model.take().or_else(|| shell.model.clone());
        self.db = self.db.take().or_else(|| shell.db.clone());
        self.offline |= shell.offline;
        self.probe |= shell.probe;
        self.json |= shell.json;
        self.no_input |= shell.no_input;
        self.yes |= shell.yes;
        if matches!(self.color, Color::Auto) {
            self.color = shell.color;
        }
    }

    pub(crate) fn form(&self) -> Form {
        if self.json { Form::Json } else { Form::Text }
    }
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Archie's shell: every command, one after the other; other words are questions
    #[command(after_help = "Examples:
  superstep shell
  superstep shell --model ollama:qwen3:8b
  printf 'threads list\\nexit\\n' | superstep shell

Commands are written without `superstep`. What is no command is a question to Archie. Tab completes
commands, paths and threads; Alt-Enter begins another line; `/help` tells more; `exit` or Ctrl-D ends.")]
    Shell,
    /// Archie: talk about a folder of documents until you approve the analysis
    Analyze(Analyze),
    /// Archie: one question, answered from memory and documents
    Ask(Ask),
    /// Archie: write down what a folder of documents says, for other agents
    BuildContext(BuildContext),
    /// The e-mail assistant: look at mail, see what it learnt
    #[command(subcommand, arg_required_else_help = true)]
    Mail(MailCommand),
    /// The e-mail assistant: its questions, and your answers
    Inbox(Inbox),
    /// Threads: what is there, what waits for you, go on, go back
    #[command(subcommand, arg_required_else_help = true)]
    Threads(ThreadsCommand),
    /// Draw the graph of an agent
    #[command(after_help = "Examples:
  superstep graph archie                a picture for the terminal
  superstep graph mail --mermaid        text for a Markdown file
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
    /// Language models: which there are, which one answers, talk to it
    #[command(subcommand, arg_required_else_help = true)]
    Model(ModelCommand),
    /// Traces: what runs of a thread did, how long it took, what it cost
    #[command(subcommand, arg_required_else_help = true)]
    Trace(TraceCommand),
    /// See what the agents do: scripted models, nothing leaves this machine
    #[command(after_help = "Examples:
  superstep demo               every agent
  superstep demo archie        one of them")]
    Demo {
        /// Only this one
        agent: Option<Agent>,
    },
    /// Check this machine, and say what to do about what is missing
    #[command(after_help = "Examples:
  superstep doctor
  superstep doctor --json

Ends with 1 if something is broken. That there is no model yet is no fault.")]
    Doctor,
    /// Settings, and where each comes from
    #[command(subcommand, arg_required_else_help = true)]
    Config(ConfigCommand),
    /// Show what the project's superstep.toml asks for, and trust it or not
    Trust(TrustArgs),
    /// Print what makes a shell complete commands, paths and threads
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
    /// Show the settings that hold
    #[command(after_help = "Examples:
  superstep config show
  superstep config show --origin      with the place each comes from")]
    Show {
        /// Where each comes from
        #[arg(long)]
        origin: bool,
    },
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

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
