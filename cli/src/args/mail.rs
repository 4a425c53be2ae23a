//! `superstep mail` and `superstep inbox`.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Subcommand, ValueEnum, ValueHint};
use clap_complete::engine::ArgValueCandidates;
use superstep_mail::Topic;

use crate::inbox;

/// What can be done with mail.
#[derive(Debug, Subcommand)]
pub(crate) enum MailCommand {
    /// Look at the mail that arrived: sort it, draft replies, ask
    #[command(after_help = "Examples:
  superstep mail ingest
  superstep mail ingest --folder mail --owner me@example.org
  superstep mail ingest --minutes-since 60 --from boss@ --limit 5 --json

A mail is looked at once, however often this runs. What was approved and not finished is finished.
A mail that ended two runs while it was parsed is set aside; `--retry` parses it again.
Ends with 0 also if questions wait: see `superstep inbox`. Ends with 1 if a mail failed.")]
    Ingest {
        /// Only this mail, which was set aside
        #[arg(long, value_name = "ID")]
        retry: Vec<String>,
        #[command(flatten)]
        ingest: IngestArgs,
    },
    /// Look at new mail again and again, until Ctrl-C
    #[command(after_help = "Examples:
  superstep mail watch
  superstep mail watch --every 15 --folder mail --owner me@example.org

What fails is told and tried again the next time.")]
    Watch {
        /// How many minutes lie between two looks
        #[arg(long, value_name = "MINUTES", default_value = "5", value_parser = clap::value_parser!(u64).range(1..))]
        every: u64,
        #[command(flatten)]
        ingest: IngestArgs,
    },
    /// What the assistant has learnt of you
    #[command(subcommand, arg_required_else_help = true)]
    Memory(MemoryCommand),
    /// Permit the assistant to use a Google account
    #[command(after_help = "Examples:
  superstep mail login
  superstep mail login --token ~/token.json --secrets ~/secrets.json

Prints an address to open in a browser of this machine, waits five minutes at most, and stores what
was permitted. Without `secrets` the variable GMAIL_SECRET is used.")]
    Login(Login),
    /// Can the account be reached, and what is in it; changes nothing
    #[command(after_help = "Examples:
  superstep mail check
  superstep mail check --folder mail --calendar meetings --owner me@example.org --json")]
    Check {
        #[command(flatten)]
        account: AccountArgs,
    },
}

/// Which mail is looked at.
#[derive(Debug, ClapArgs)]
pub(crate) struct IngestArgs {
    /// Only what arrived in the last so many minutes
    #[arg(long, value_name = "N")]
    pub(crate) minutes_since: Option<u64>,
    /// Also what was read before
    #[arg(long)]
    pub(crate) include_read: bool,
    /// Also what was looked at before, from the beginning; drops its open questions
    #[arg(long)]
    pub(crate) rerun: bool,
    /// Only from senders with this in their address
    #[arg(long, value_name = "TEXT")]
    pub(crate) from: Vec<String>,
    /// Only with this in the subject
    #[arg(long, value_name = "TEXT")]
    pub(crate) subject: Vec<String>,
    /// At most so many that were not looked at before
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<usize>,
    /// Stop when this command has cost so many dollars; threads are kept
    #[arg(long, value_name = "DOLLARS")]
    pub(crate) max_cost: Option<String>,
    #[command(flatten)]
    pub(crate) account: AccountArgs,
}

/// Whose mail, where.
#[derive(Clone, Debug, Default, ClapArgs)]
#[command(next_help_heading = "Account")]
pub(crate) struct AccountArgs {
    /// A folder of .eml files, or a Maildir, in place of the account of the settings
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) folder: Option<PathBuf>,
    /// A folder of .ics files
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) calendar: Option<PathBuf>,
    /// Whose mail it is
    #[arg(long, value_name = "ADDRESS", value_hint = ValueHint::EmailAddress)]
    pub(crate) owner: Option<String>,
    /// Really send and schedule what is approved; without it this is a dry run
    #[arg(long)]
    pub(crate) send: bool,
}

/// Where the permission of Google is.
#[derive(Debug, ClapArgs)]
pub(crate) struct Login {
    /// Store what was permitted there
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) token: Option<PathBuf>,
    /// The file of the application, as the console of Google gives it
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) secrets: Option<PathBuf>,
}

/// What can be done with notes.
#[derive(Debug, Subcommand)]
pub(crate) enum MemoryCommand {
    /// Show the notes
    #[command(after_help = "Examples:
  superstep mail memory show
  superstep mail memory show response --json")]
    Show {
        /// Which note [default: all]
        topic: Option<Note>,
    },
    /// List the versions of a note, and what brought them about
    #[command(after_help = "Examples:
  superstep mail memory versions response
  superstep mail memory versions triage --json")]
    Versions {
        /// Which note
        topic: Note,
    },
    /// Show what changed between two versions of a note
    #[command(after_help = "Examples:
  superstep mail memory diff response            what the last change was
  superstep mail memory diff response 1 3")]
    Diff {
        /// Which note
        topic: Note,
        /// From this version [default: the one before]
        from: Option<u64>,
        /// To this version [default: the last]
        to: Option<u64>,
    },
    /// Go back to the version before
    #[command(after_help = "Examples:
  superstep mail memory undo response
  superstep mail memory undo triage --json

Undoing again goes back further. No version is lost.")]
    Undo {
        /// Which note
        topic: Note,
    },
}

/// A note.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Note {
    /// Which mail matters
    Triage,
    /// How replies are written
    Response,
    /// How meetings are made
    Calendar,
}

impl From<Note> for Topic {
    fn from(note: Note) -> Self {
        match note {
            Note::Triage => Self::Triage,
            Note::Response => Self::Response,
            Note::Calendar => Self::Calendar,
        }
    }
}

/// `superstep inbox`.
#[derive(Debug, ClapArgs)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "Examples:
  superstep inbox                    all questions on one screen; ? tells the keys
  superstep inbox --send             what is approved is really sent
  superstep inbox list --json        for scripts"
)]
pub(crate) struct Inbox {
    #[command(flatten)]
    pub(crate) with: InboxArgs,
    #[command(subcommand)]
    pub(crate) command: Option<InboxCommand>,
}

/// What answers are carried out with.
#[derive(Clone, Debug, Default, ClapArgs)]
pub(crate) struct InboxArgs {
    /// Stop when this command has cost so many dollars; threads are kept
    #[arg(long, value_name = "DOLLARS")]
    pub(crate) max_cost: Option<String>,
    #[command(flatten)]
    pub(crate) account: AccountArgs,
}

/// What can be done with questions, one at a time.
#[derive(Debug, Subcommand)]
pub(crate) enum InboxCommand {
    /// List the open questions
    #[command(after_help = "Examples:
  superstep inbox list
  superstep inbox list --json")]
    List,
    /// Show a question with its mail
    #[command(after_help = "Examples:
  superstep inbox show 6b0c
  superstep inbox show 6b0c --json")]
    Show {
        /// Its id, or the beginning of it: four letters at least
        #[arg(add = ArgValueCandidates::new(inbox::question_ids))]
        id: String,
    },
    /// Do it as it is
    #[command(after_help = "Examples:
  superstep inbox accept 6b0c            a dry run: says what would be sent
  superstep inbox accept 6b0c --send     really")]
    Accept {
        /// Its id, or the beginning of it: four letters at least
        #[arg(add = ArgValueCandidates::new(inbox::question_ids))]
        id: String,
        #[command(flatten)]
        with: InboxArgs,
    },
    /// Do it with other arguments
    #[command(after_help = "Examples:
  superstep inbox edit 6b0c --set 'response_text=Thursday suits me.'
  superstep inbox edit 6b0c --file changed.json --send

The file is a JSON object of arguments; those it does not name stay as they are.")]
    Edit {
        /// Its id, or the beginning of it: four letters at least
        #[arg(add = ArgValueCandidates::new(inbox::question_ids))]
        id: String,
        /// An argument and its new value; lists are JSON, or apart by commas
        #[arg(long, value_name = "KEY=VALUE", required_unless_present = "file")]
        set: Vec<String>,
        /// Arguments from this file
        #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
        file: Option<PathBuf>,
        #[command(flatten)]
        with: InboxArgs,
    },
    /// Do not do it; tell the assistant something instead
    #[command(after_help = "Examples:
  superstep inbox respond 6b0c 'Friday is better'
  superstep inbox respond 6b0c Friday is better --send")]
    Respond {
        /// Its id, or the beginning of it: four letters at least
        #[arg(add = ArgValueCandidates::new(inbox::question_ids))]
        id: String,
        /// What to tell it
        #[arg(required = true)]
        text: Vec<String>,
        #[command(flatten)]
        with: InboxArgs,
    },
    /// Do not do it, and leave the mail
    #[command(after_help = "Examples:
  superstep inbox ignore 6b0c
  superstep inbox ignore 6b0c --json")]
    Ignore {
        /// Its id, or the beginning of it: four letters at least
        #[arg(add = ArgValueCandidates::new(inbox::question_ids))]
        id: String,
        #[command(flatten)]
        with: InboxArgs,
    },
}
