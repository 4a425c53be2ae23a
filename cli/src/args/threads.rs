//! `superstep threads`.

use clap::{Args as ClapArgs, Subcommand};
use clap_complete::engine::ArgValueCandidates;

use crate::agents::{self, Agent};

/// What can be done with threads.
#[derive(Debug, Subcommand)]
pub(crate) enum ThreadsCommand {
    /// List threads, the last used first
    #[command(after_help = "Examples:
  superstep threads list
  superstep threads list --waiting           only those that wait for you
  superstep threads list --agent archie --json")]
    List {
        /// Only those of this agent
        #[arg(long)]
        agent: Option<Agent>,
        /// Only those that wait for a person
        #[arg(long)]
        waiting: bool,
    },
    /// Show a thread: its state, its open questions, what went wrong
    #[command(after_help = "Examples:
  superstep threads show archie-7f3k2m
  superstep threads show archie-7f3k2m --at 3     as it was after step 3")]
    Show {
        #[command(flatten)]
        at: At,
    },
    /// Go on with a thread: shows its open question, or continues what was cut
    #[command(after_help = "Examples:
  superstep threads resume archie-7f3k2m
  superstep threads resume archie-7f3k2m --answers answers.txt")]
    Resume {
        /// The thread
        #[arg(add = ArgValueCandidates::new(agents::thread_names))]
        thread: String,
        #[command(flatten)]
        talk: super::Talk,
    },
    /// Copy a thread, as it is or as it was, under a new name
    #[command(after_help = "Examples:
  superstep threads fork archie-7f3k2m
  superstep threads fork archie-7f3k2m --at 3 --name archie-second-try")]
    Fork {
        #[command(flatten)]
        at: At,
        /// The name of the copy
        #[arg(long)]
        name: Option<String>,
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
        #[arg(add = ArgValueCandidates::new(agents::thread_names))]
        thread: String,
        /// At most so many
        #[arg(long, value_name = "N")]
        limit: Option<usize>,
    },
    /// Show how the state of a thread changed between two checkpoints
    #[command(after_help = "Examples:
  superstep threads diff archie-7f3k2m            what the last step changed
  superstep threads diff archie-7f3k2m 2 5        what changed from step 2 to step 5")]
    Diff {
        /// The thread
        #[arg(add = ArgValueCandidates::new(agents::thread_names))]
        thread: String,
        /// From this step or checkpoint [default: the one before the last]
        from: Option<String>,
        /// To this one [default: the last]
        to: Option<String>,
    },
    /// Drop old checkpoints, and threads that were not used for long
    #[command(after_help = "Examples:
  superstep threads prune --keep 10                of every thread
  superstep threads prune archie-7f3k2m --keep 1   of one
  superstep threads prune --unused-days 90 --yes   delete what was not used for 90 days")]
    Prune(Prune),
}

/// A thread, now or as it was.
#[derive(Debug, ClapArgs)]
pub(crate) struct At {
    /// The thread
    #[arg(add = ArgValueCandidates::new(agents::thread_names))]
    pub(crate) thread: String,
    /// As it was after this step, or at this checkpoint
    #[arg(long, value_name = "STEP|CHECKPOINT")]
    pub(crate) at: Option<String>,
}

/// Which threads to delete.
#[derive(Debug, ClapArgs)]
pub(crate) struct Delete {
    /// The threads
    #[arg(required = true, add = ArgValueCandidates::new(agents::thread_names))]
    pub(crate) threads: Vec<String>,
}

/// What to drop.
#[derive(Debug, ClapArgs)]
pub(crate) struct Prune {
    /// Only of this thread
    #[arg(add = ArgValueCandidates::new(agents::thread_names))]
    pub(crate) thread: Option<String>,
    /// How many checkpoints of a thread to keep
    #[arg(long, value_name = "N", required_unless_present = "unused_days")]
    pub(crate) keep: Option<usize>,
    /// Delete threads that were not used for so many days
    #[arg(long, value_name = "DAYS", conflicts_with = "thread")]
    pub(crate) unused_days: Option<u64>,
}
