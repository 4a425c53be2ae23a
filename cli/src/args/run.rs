//! Arguments of `run`.

use std::path::PathBuf;

use clap::Args as ClapArgs;

use crate::agents::Agent;

/// An agent of this program, and its input.
#[derive(Debug, ClapArgs)]
#[command(after_help = "Examples:
  superstep run poet the sea
  superstep run poet --set topic='the sea'
  superstep run poet --input '{\"topic\": \"the sea\"}' --answers answers.txt")]
pub(crate) struct RunArgs {
    /// The agent
    pub(crate) agent: Agent,
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
