//! Arguments of `superstep threads`.

use std::{num::NonZeroUsize, path::PathBuf};

use clap::{ArgGroup, Args as ClapArgs, Subcommand, ValueHint};

use crate::{agents::Agent, thread_status::Status};

/// Which threads to list.
#[derive(Debug, ClapArgs)]
pub(crate) struct ListThreads {
    /// Only threads of this agent
    #[arg(long, visible_alias = "graph")]
    pub(crate) agent: Option<Agent>,
    /// Only threads that wait for an answer
    #[arg(long, conflicts_with = "status")]
    pub(crate) waiting: bool,
    /// Only threads with this status
    #[arg(long)]
    pub(crate) status: Option<Status>,
    /// Only threads whose name or title has this text
    #[arg(long, value_name = "TEXT")]
    pub(crate) search: Option<String>,
    /// At most this many [default: 30, or all with --json]
    #[arg(long, value_name = "NUMBER")]
    pub(crate) limit: Option<NonZeroUsize>,
    /// All of them
    #[arg(long, conflicts_with = "limit")]
    pub(crate) all: bool,
}

/// What can be done with threads.
#[derive(Debug, Subcommand)]
pub(crate) enum ThreadsCommand {
    /// List threads, the most recently used first
    #[command(after_help = "Examples:
  superstep threads list
  superstep threads list --waiting           only those that wait for an answer
  superstep threads list --status running --limit 5
  superstep threads list --search invoice --all
  superstep threads list --agent archie --json")]
    List(ListThreads),
    /// Show a thread: what was said, open questions, errors
    #[command(after_help = "Examples:
  superstep threads show archie-7f3k2m
  superstep threads show archie-7f3k2m --state    also the other fields of its state
  superstep threads show archie-7f3k2m --at 3     at step 3")]
    Show {
        #[command(flatten)]
        at: At,
        /// Also show the other fields of its state
        #[arg(long)]
        state: bool,
    },
    /// Resume a thread: shows its open question, or continues an interrupted run
    #[command(after_help = "Examples:
  superstep threads resume                       the one used last, or choose at a terminal
  superstep threads resume archie-7f             the beginning of a name is enough
  superstep threads resume archie-7f3k2m --answers answers.txt
  superstep threads resume mail-1 --folder mail --owner me@example.org")]
    Resume {
        /// The thread: its name, the beginning of it, or `last` [default: choose at a terminal, else `last`]
        thread: Option<String>,
        /// The id of the question that --answers are for
        #[arg(long, value_name = "ID", requires = "answers")]
        question: Option<String>,
        #[command(flatten)]
        talk: super::TalkOptions,
        #[command(flatten)]
        account: super::AccountArgs,
    },
    /// Copy a thread, as it is or at a checkpoint, under a new name
    #[command(after_help = "Examples:
  superstep threads fork last
  superstep threads fork archie-7f3k2m --at 3 --name archie-second-try")]
    Fork {
        #[command(flatten)]
        at: At,
        /// The name of the copy
        #[arg(long)]
        name: Option<String>,
        /// Fork at a step before calls that were made or may have been, although the fork may make them again
        #[arg(long, requires = "at")]
        repeat: bool,
    },
    /// Delete threads
    #[command(after_help = "Examples:
  superstep threads delete archie-7f3k2m
  superstep threads delete archie-7f3k2m archie-p0q2aa --yes")]
    Delete(Delete),
    /// List the checkpoints of a thread, the newest first
    #[command(after_help = "Examples:
  superstep threads history archie-7f3k2m
  superstep threads history archie-7f3k2m --limit 5 --json")]
    History {
        /// The thread
        thread: String,
        /// At most N checkpoints
        #[arg(long, value_name = "N")]
        limit: Option<usize>,
    },
    /// Show how the state of a thread changed between two checkpoints
    #[command(after_help = "Examples:
  superstep threads diff archie-7f3k2m            the changes of the last step
  superstep threads diff archie-7f3k2m 2 5        the changes from step 2 to step 5")]
    Diff {
        /// The thread
        thread: String,
        /// From this step or checkpoint [default: the one before the latest]
        from: Option<String>,
        /// To this step or checkpoint [default: the latest]
        to: Option<String>,
    },
    /// Drop old checkpoints, and threads that were not used for some time
    #[command(after_help = "Examples:
  superstep threads prune --keep 10                of every thread
  superstep threads prune archie-7f3k2m --keep 1   of one
  superstep threads prune --unused-days 90 --yes   delete what was not used for 90 days")]
    Prune(Prune),
    /// Write a thread to a file, to move it or to keep it
    #[command(after_help = "Examples:
  superstep threads export archie-7f3k2m archie.jsonl
  superstep threads export mail-1 backup/mail-1.jsonl --json
  superstep threads export last - --markdown     the conversation, on stdout

The file holds all checkpoints as JSON lines, is readable by you alone and is not encrypted. Event logs
and long-term memory are not part of it. A file that exists is never overwritten.")]
    Export {
        /// The thread
        thread: String,
        /// The new file; `-` is stdout
        #[arg(value_hint = ValueHint::FilePath)]
        file: PathBuf,
        /// Write the conversation as Markdown instead
        #[arg(long)]
        markdown: bool,
    },
    /// Make a thread from a file that `export` wrote
    #[command(after_help = "Examples:
  superstep threads import archie.jsonl archie-7f3k2m
  superstep threads import mail-1.jsonl mail-copy --db other.db

A thread that exists is never changed. A file that is damaged, or of another agent, changes nothing. What
an archive holds was not made here: `threads resume` asks before it runs an imported thread.")]
    Import {
        /// The file
        #[arg(value_hint = ValueHint::FilePath)]
        file: PathBuf,
        /// The name of the new thread
        name: String,
    },
}

/// A thread, now or as it was.
#[derive(Debug, ClapArgs)]
pub(crate) struct At {
    /// The thread
    pub(crate) thread: String,
    /// At this step, or at the checkpoint whose id begins so
    #[arg(long, value_name = "STEP|CHECKPOINT")]
    pub(crate) at: Option<String>,
}

/// Which threads to delete.
#[derive(Debug, ClapArgs)]
pub(crate) struct Delete {
    /// The threads
    #[arg(required = true)]
    pub(crate) threads: Vec<String>,
}

/// What to drop.
#[derive(Debug, ClapArgs)]
#[command(group(
    ArgGroup::new("what").required(true).multiple(true).args(["keep", "unused_days"])
))]
pub(crate) struct Prune {
    /// Only of this thread
    pub(crate) thread: Option<String>,
    /// Number of checkpoints to keep per thread, at least one
    #[arg(long, value_name = "N")]
    pub(crate) keep: Option<NonZeroUsize>,
    /// Delete threads that were not used for this many days; one with an open question stays
    #[arg(long, value_name = "DAYS", conflicts_with = "thread")]
    pub(crate) unused_days: Option<u64>,
}
