//! What can be said on the command line.

use std::path::PathBuf;

use anstream::ColorChoice;
use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};

use crate::output::Form;

/// Agents that survive: run graphs, talk to models, look at what happened.
#[derive(Debug, Parser)]
#[command(
    name = "superstep",
    version,
    arg_required_else_help = true,
    propagate_version = true,
    after_help = "Examples:
  superstep model show                          which model answers, and why
  superstep model chat                          talk to it
  superstep model chat --model script:a.jsonl   talk to a script
  superstep trace list                          what ran, and what it cost

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
    pub(crate) fn form(&self) -> Form {
        if self.json { Form::Json } else { Form::Text }
    }
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Language models: which there are, which one answers, talk to it
    #[command(subcommand, arg_required_else_help = true)]
    Model(ModelCommand),
    /// Traces: what runs of a thread did, how long it took, what it cost
    #[command(subcommand, arg_required_else_help = true)]
    Trace(TraceCommand),
}

/// What can be done with traces.
#[derive(Debug, Subcommand)]
pub(crate) enum TraceCommand {
    /// List threads, or the runs of one
    #[command(after_help = "Examples:
  superstep trace list                 all threads with a log
  superstep trace list mail-7 --json   the runs of one")]
    List {
        /// The thread
        thread: Option<String>,
    },
    /// Show what a run did, as a tree
    #[command(after_help = "Examples:
  superstep trace show mail-7                  its last run
  superstep trace show mail-7 --run 3          that run
  superstep trace show mail-7 --all --content 200")]
    Show {
        /// The thread
        thread: String,
        #[command(flatten)]
        which: Which,
        /// Also the first so many letters of what went in and came out
        #[arg(long, value_name = "LETTERS")]
        content: Option<usize>,
    },
    /// Give runs to other programs, as JSON
    #[command(after_help = "Examples:
  superstep trace export mail-7 --all > trace.json
  superstep trace export mail-7 --format otlp | curl -d @- …

The format `otlp` is a request in OTLP's JSON encoding, as collectors take it.")]
    Export {
        /// The thread
        thread: String,
        #[command(flatten)]
        which: Which,
        /// In which form
        #[arg(long, default_value = "json")]
        format: ExportFormat,
    },
}

/// Which runs of a thread.
#[derive(Debug, ClapArgs)]
pub(crate) struct Which {
    /// The run with this number; the last one if absent
    #[arg(long, value_name = "NUMBER", conflicts_with = "all")]
    pub(crate) run: Option<u64>,
    /// All runs
    #[arg(long)]
    pub(crate) all: bool,
    /// Leave out what went in and came out
    #[arg(long)]
    pub(crate) no_content: bool,
}

/// The form of an export.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum ExportFormat {
    /// The run tree
    Json,
    /// Spans for an OpenTelemetry collector
    Otlp,
}

/// What can be done with models.
#[derive(Debug, Subcommand)]
pub(crate) enum ModelCommand {
    /// List providers and models, and what each needs
    #[command(after_help = "Examples:
  superstep model list             providers, and what each needs
  superstep model list ollama      the models of one of them
  superstep model list --json")]
    List {
        /// Ask this provider for its models
        provider: Option<String>,
    },
    /// Show which model answers, and why
    #[command(after_help = "Examples:
  superstep model show                   the model, and every way to one
  superstep model show --node triage     the model of a node
  superstep model show --offline --json

Ends with 3 if there is no model.")]
    Show {
        /// The node of a graph, which may have a model of its own
        #[arg(long)]
        node: Option<String>,
    },
    /// Fetch the weights of a local model
    #[command(after_help = "Examples:
  superstep model pull             the default model, 1.1 GB
  superstep model pull tiny        a small one for tests, 98 MB
  superstep model pull hf:owner/repo/file.gguf@revision")]
    Pull {
        /// Which: default, tiny, minilm, a path, or hf:owner/repo/file, with @revision behind it
        #[arg(default_value = "default")]
        weights: String,
    },
    /// Try what a model can do: a reply, data, a tool call, a cancel
    #[command(after_help = "Examples:
  superstep model test
  superstep model test --model local:tiny --json

Ends with 1 if a check fails.")]
    Test,
    /// Talk to the model: every line of stdin is a turn
    #[command(after_help = "Examples:
  superstep model chat
  superstep model chat 'What is a superstep?'
  printf 'hi\\nand again\\n' | superstep model chat --json

Replies go to stdout; the model, tokens, speed and cost to stderr.")]
    Chat(Chat),
}

/// How to talk.
#[derive(Debug, ClapArgs)]
pub(crate) struct Chat {
    /// What to say, as one turn; stdin is not read then
    pub(crate) words: Vec<String>,
    /// Instructions for the model
    #[arg(long, value_name = "TEXT")]
    pub(crate) system: Option<String>,
    /// How many tokens a reply may have
    #[arg(long, value_name = "N")]
    pub(crate) max_tokens: Option<u32>,
    /// How freely the model chooses words, from 0 to 2
    #[arg(long, value_name = "T", value_parser = temperature)]
    pub(crate) temperature: Option<f32>,
    /// Show what the model thinks aloud, on stderr
    #[arg(long)]
    pub(crate) reasoning: bool,
}

fn temperature(text: &str) -> Result<f32, String> {
    let value: f32 = text.parse().map_err(|_| "not a number".to_owned())?;
    if !(0.0..=2.0).contains(&value) {
        return Err("not from 0 to 2".into());
    }
    Ok(value)
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
