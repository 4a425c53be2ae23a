//! Arguments of `analyze`, `ask` and `build-context`.

use std::path::PathBuf;

use clap::{Args as ClapArgs, ValueHint};
use superstep::model::Money;

/// `superstep analyze`.
#[derive(Debug, ClapArgs)]
#[command(after_help = "Examples:
  superstep analyze --query 'One service or two?' --inputs docs
  superstep analyze --query 'What is missing?' --inputs notes --glob '*.rst' --out analysis.md
  superstep analyze --query 'What is missing?' --inputs notes --answers answers.txt --json
  superstep analyze --query 'What is missing?' --inputs notes --explain

Archie reads the folder and talks with you until you approve: `/approve`, or a message that is one of
the words SOLUTION APPROVED, APPROVED, DONE, OKAY BYE. The result is written to analysis_result.md in the folder;
the previous one is kept as analysis_result.md.1. Ctrl-C stops a reply and keeps the thread; Ctrl-D
leaves, and `superstep threads resume` resumes it.")]
pub(crate) struct Analyze {
    /// The question or goal of the analysis
    #[arg(long, short, value_name = "TEXT")]
    pub(crate) query: String,
    #[command(flatten)]
    pub(crate) reading: Reading,
    #[command(flatten)]
    pub(crate) talk: TalkOptions,
}

/// `superstep ask`.
#[derive(Debug, ClapArgs)]
#[command(after_help = "Examples:
  superstep ask 'Which services write to the ledger?'
  superstep ask --inputs docs 'Who owns the mail queue?'
  superstep ask 'What did they decide in @notes.txt?'
  cat notes.txt | superstep ask 'What did they decide?'
  superstep ask --thread last 'And since when?'

What is piped in belongs to the question, and so does a text file that is named as @FILE. Without a question, or with `-` in its place, \
what is piped in is the question.")]
pub(crate) struct Ask {
    /// The question; without one, what is piped in
    pub(crate) words: Vec<String>,
    /// Ask in this thread, which knows what was said before; `last` is the one used last
    #[arg(long, short, value_name = "THREAD")]
    pub(crate) thread: Option<String>,
    /// Documents to answer from
    #[arg(long, short, value_name = "DIR", value_hint = ValueHint::DirPath)]
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
    /// Write the document to this file
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) out: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) limits: Limits,
}

/// What is read.
#[derive(Debug, ClapArgs)]
pub(crate) struct Reading {
    /// The folder with the documents, including subfolders
    #[arg(long, short, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) inputs: PathBuf,
    /// Also read files that match this glob, besides *.txt, *.md, *.docx and *.pdf
    #[arg(long, value_name = "PATTERN")]
    pub(crate) glob: Vec<String>,
    /// Token budget for documents [default: a part of the context window of the model]
    #[arg(long, value_name = "N")]
    pub(crate) budget: Option<u64>,
}

/// How a conversation goes.
#[derive(Clone, Debug, Default, ClapArgs)]
pub(crate) struct TalkOptions {
    /// Read answers from this file, one per line; `\` at the end continues a line
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) answers: Option<PathBuf>,
    /// Approve the Nth reply; replies before it are answered from --answers or stdin
    #[arg(long, value_name = "N")]
    pub(crate) approve_after: Option<u32>,
    /// Write the result to this file
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) out: Option<PathBuf>,
    /// Say where each number and name of the result comes from
    #[arg(long)]
    pub(crate) explain: bool,
    #[command(flatten)]
    pub(crate) limits: Limits,
}

/// What it may cost, and what it remembers.
#[derive(Clone, Debug, Default, ClapArgs)]
pub(crate) struct Limits {
    /// Stop before the thread costs more than this; it can be resumed
    #[arg(long, value_name = "DOLLARS")]
    pub(crate) max_cost: Option<Money>,
    /// One memory for all folders [default: one for each, in superstep/archie in $XDG_DATA_HOME or ~/.local/share]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) memory_file: Option<PathBuf>,
}
