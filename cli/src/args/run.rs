//! Arguments of `run`.

use std::path::PathBuf;

use clap::{Args as ClapArgs, ValueHint};

/// An agent of a file or of this program, and its input.
#[derive(Debug, ClapArgs)]
#[command(after_help = "Examples:
  superstep run clerk.toml 'Where is order 7?'
  superstep run poet the sea
  superstep run poet --set topic='the sea'
  superstep run poet --input '{\"topic\": \"the sea\"}' --answers answers.txt

`superstep new --agent FILE.toml` writes a file to begin with. A file that was run is known by its name from then on: its threads are
resumed, and `superstep serve` serves it. Run it again after a change.")]
pub(crate) struct RunArgs {
    /// The file of an agent, or the name of one that is known
    #[arg(value_hint = ValueHint::FilePath)]
    pub(crate) agent: String,
    /// Text for the agent
    pub(crate) words: Vec<String>,
    /// A field of its input, as its schema says; without any input the fields are listed
    #[arg(long, value_name = "FIELD=VALUE")]
    pub(crate) set: Vec<String>,
    /// Its input as JSON, instead of words
    #[arg(long, value_name = "JSON")]
    pub(crate) input: Option<String>,
    /// The thread; a new one by default
    #[arg(long, value_name = "THREAD")]
    pub(crate) thread: Option<String>,
    /// Answers to its questions, one per line; disables prompts
    #[arg(long, value_name = "FILE")]
    pub(crate) answers: Option<PathBuf>,
}
