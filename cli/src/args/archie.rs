//! What can be said to Archie.

use std::path::PathBuf;

use clap::{Args as ClapArgs, ValueHint};

/// `superstep analyze`.
#[derive(Debug, ClapArgs)]
#[command(after_help = "Examples:
  superstep analyze --query 'One service or two?' --inputs docs
  superstep analyze --query 'What is missing?' --inputs notes --glob '*.rst' --out analysis.md
  superstep analyze --query 'What is missing?' --inputs notes --answers answers.txt --json

Archie reads the folder and talks with you until you approve: `/approve`, or a message that is one of
the words SOLUTION APPROVED, APPROVED, DONE, OKAY BYE. The result is written to analysis_result.md in the folder;
an older one is kept as analysis_result.md.1. Ctrl-C stops a reply and keeps the thread; Ctrl-D
leaves, and `superstep threads resume` goes on.")]
pub(crate) struct Analyze {
    /// What it is about
    #[arg(long, short, value_name = "TEXT")]
    pub(crate) query: String,
    #[command(flatten)]
    pub(crate) reading: Reading,
    #[command(flatten)]
    pub(crate) talk: Talk,
}

/// `superstep ask`.
#[derive(Debug, ClapArgs)]
#[command(after_help = "Examples:
  superstep ask 'Which services write to the ledger?'
  superstep ask --inputs docs 'Who owns the mail queue?'")]
pub(crate) struct Ask {
    /// The question
    #[arg(required = true)]
    pub(crate) words: Vec<String>,
    /// Documents to answer from
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) inputs: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) limits: Limits,
}

/// `superstep build-context`.
#[derive(Debug, ClapArgs)]
#[command(after_help = "Examples:
  superstep build-context --inputs docs --name ledger     writes docs/ledger_context.md
  superstep build-context --inputs docs --name ledger --out ledger.md")]
pub(crate) struct BuildContext {
    /// What the documents are about
    #[arg(long)]
    pub(crate) name: String,
    #[command(flatten)]
    pub(crate) reading: Reading,
    /// Write it there
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) out: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) limits: Limits,
}

/// What is read.
#[derive(Debug, ClapArgs)]
pub(crate) struct Reading {
    /// The folder with the documents, and all below it
    #[arg(long, short, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) inputs: PathBuf,
    /// Also files whose names are like this, besides *.txt and *.md
    #[arg(long, value_name = "PATTERN")]
    pub(crate) glob: Vec<String>,
    /// How many tokens of documents the model gets [default: a part of what it can read]
    #[arg(long, value_name = "N")]
    pub(crate) budget: Option<u64>,
}

/// How a conversation goes.
#[derive(Clone, Debug, Default, ClapArgs)]
pub(crate) struct Talk {
    /// Take answers from this file, one a line; `\` at the end of a line goes on
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) answers: Option<PathBuf>,
    /// Approve after so many replies
    #[arg(long, value_name = "N")]
    pub(crate) approve_after: Option<u32>,
    /// Write the result there
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) out: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) limits: Limits,
}

/// What it may cost, and what it remembers.
#[derive(Clone, Debug, Default, ClapArgs)]
pub(crate) struct Limits {
    /// Stop when the thread has cost so many dollars; it can be resumed
    #[arg(long, value_name = "DOLLARS")]
    pub(crate) max_cost: Option<String>,
    /// What Archie remembers of systems [default: superstep/archie.json in $XDG_DATA_HOME or ~/.local/share]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) memory_file: Option<PathBuf>,
}
