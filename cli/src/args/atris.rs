//! Arguments of `atris`.

use clap::{Args as ClapArgs, Subcommand};

/// What Atris can be asked.
#[derive(Debug, Subcommand)]
pub(crate) enum AtrisCommand {
    /// Answer one question about Audius
    #[command(after_help = "Examples:
  superstep atris ask 'top 10 trending tracks this week'
  superstep atris ask 'How many followers does @novakane have?' --no-model --explain
  superstep atris ask 'trending playlists' --fake --no-model --json
  superstep atris ask 'followers of Sol Rivera' --fake --no-model --answers answers.txt

The answer is made of replies of the API alone; --explain says which field each number is. Exit code 1
means that there is no answer, 3 that something is missing and waits for `superstep atris answer`. Without
a person, answers are read from --answers or from stdin, one per line.")]
    Ask {
        /// The question
        #[arg(required = true)]
        words: Vec<String>,
        /// Ask in this thread; a new one otherwise
        #[arg(long, value_name = "THREAD")]
        thread: Option<String>,
        #[command(flatten)]
        options: AtrisOptions,
    },
    /// Answer what a thread asks: a number, a name, a handle, a link
    #[command(after_help = "Examples:
  superstep atris answer atris-7f3k2m 2
  superstep atris answer atris-7f3k2m Nova Kane --no-model
  superstep atris answer atris-7f3k2m y --question 3b0e935b --writes
  superstep atris answer atris-7f3k2m              asks you, or reads stdin

With --question nothing is done if another question is open by now. Whether a call may be made, and whether one
happened, is only answered with it, or at the terminal below the question; the command is printed with the
question.")]
    Answer {
        /// The thread, or `last`
        thread: String,
        /// The answer
        words: Vec<String>,
        /// Only if this question is open: its id, or the beginning of it
        #[arg(long, value_name = "ID")]
        question: Option<String>,
        #[command(flatten)]
        options: AtrisOptions,
    },
    /// Ask questions one after the other, in one thread
    #[command(after_help = "Examples:
  superstep atris chat
  superstep atris chat --fake --no-model
  printf 'latest tips\\ntop artists\\n' | superstep atris chat --fake --no-model

A question may be about the answer before: `their tracks`, `how long is the second one`. If something is
missing you are asked for it; /skip leaves that question, /help lists what can be said, exit or Ctrl-D ends the
session.")]
    Chat {
        /// Ask in this thread; a new one otherwise
        #[arg(long, value_name = "THREAD")]
        thread: Option<String>,
        #[command(flatten)]
        options: AtrisOptions,
    },
    /// Compare how questions are read with what they mean, by rules or by a model
    #[command(after_help = "Examples:
  superstep atris check questions.json --no-model
  superstep atris check questions.json --model local:default --json

A file is a JSON array of {\"question\", \"operation\", \"parameters\", \"entity\"}; operation null means that
none answers it. A fake Audius is asked, nothing is kept, and exit code 1 means that not all are right.")]
    Check {
        /// Files with labeled questions
        #[arg(required = true, value_hint = clap::ValueHint::FilePath)]
        files: Vec<std::path::PathBuf>,
        /// Use rules alone, without a language model
        #[arg(long)]
        no_model: bool,
        /// Print how many are right, and not which ones are wrong
        #[arg(long)]
        counts: bool,
    },
    /// Show the errors of a thread, and how often each happened
    #[command(after_help = "Examples:
  superstep atris errors atris-7f3k2m
  superstep atris errors last
  superstep atris errors atris-7f3k2m --json")]
    Errors {
        /// The thread, or `last`: the thread of Atris that was used last
        thread: String,
    },
    /// Start a fake Audius on this machine, until Ctrl-C
    #[command(after_help = "Examples:
  superstep atris fake --port 8800
  superstep atris fake --seed 7 --fault rate-limited
  superstep atris ask 'latest tips' --no-model --host http://127.0.0.1:8800")]
    Fake {
        /// The port; a free one otherwise
        #[arg(long, default_value_t = 0)]
        port: u16,
        /// The seed of its users, tracks and playlists
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// Refuse unknown parameters and calls without app_name
        #[arg(long)]
        strict: bool,
        /// A fault that every call meets
        #[arg(long, value_name = "NAME", value_parser = fault)]
        fault: Option<superstep_fake_audius::Fault>,
    },
}

/// How questions are answered.
#[derive(Clone, Debug, Default, ClapArgs)]
pub(crate) struct AtrisOptions {
    /// Ask this host; several are tried in order
    #[arg(long, value_name = "URL")]
    pub(crate) host: Vec<String>,
    /// Ask a fake Audius inside this process instead
    #[arg(long, conflicts_with = "host")]
    pub(crate) fake: bool,
    /// Use rules alone, without a language model
    #[arg(long)]
    pub(crate) no_model: bool,
    /// Show which field of which reply each number and name is
    #[arg(long)]
    pub(crate) explain: bool,
    /// Show the state after each step, and what changed
    #[arg(long)]
    pub(crate) debug: bool,
    /// Allow operations that change something; each is approved by you first
    #[arg(long)]
    pub(crate) writes: bool,
    /// How many records a list has, if the question does not say [default: 10]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=100))]
    pub(crate) limit: Option<u64>,
    /// Read answers to what is asked from this file, one per line
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub(crate) answers: Option<std::path::PathBuf>,
}

fn fault(name: &str) -> Result<superstep_fake_audius::Fault, String> {
    superstep_fake_audius::Fault::named(name).ok_or_else(|| {
        let all = superstep_fake_audius::Fault::ALL.map(|(name, _)| name);
        format!("there is no such fault; there are {}", all.join(", "))
    })
}
