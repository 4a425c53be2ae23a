//! Arguments of `superstep mail` and `superstep inbox`.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Subcommand, ValueEnum, ValueHint};
use superstep::model::Money;
use superstep_mail::Topic;

use crate::error::Error;

/// What can be done with mail.
#[derive(Debug, Subcommand)]
pub(crate) enum MailCommand {
    /// Process new mail: classify it, draft replies, ask for approval
    #[command(after_help = "Examples:
  superstep mail ingest
  superstep mail ingest --folder mail --owner me@example.org
  superstep mail ingest --minutes-since 60 --from boss@ --limit 5 --json

A mail is processed once, however often this runs. Approved actions that were interrupted are completed.
A mail that crashed two runs while it was parsed is set aside; `--retry` parses it again.
Exits with 0 even if questions are open: see `superstep inbox`. Exits with 1 if a mail failed.")]
    Ingest {
        /// Only this mail that was set aside
        #[arg(long, value_name = "ID")]
        retry: Vec<String>,
        #[command(flatten)]
        ingest: IngestArgs,
    },
    /// Process new mail periodically, until Ctrl-C
    #[command(after_help = "Examples:
  superstep mail watch
  superstep mail watch --every 15 --folder mail --owner me@example.org

Failures are reported and retried the next time.")]
    Watch {
        /// Minutes between two passes
        #[arg(long, value_name = "MINUTES", default_value = "5", value_parser = clap::value_parser!(u64).range(1..))]
        every: u64,
        #[command(flatten)]
        ingest: IngestArgs,
    },
    /// What the assistant has learned about you
    #[command(subcommand, arg_required_else_help = true)]
    Memory(NotesCommand),
    /// Grant the assistant access to a Google account
    #[command(after_help = "Examples:
  superstep mail login
  superstep mail login --token ~/token.json --secrets ~/secrets.json

Prints a URL to open in a browser on this machine, waits at most five minutes, and stores the token.
Without `secrets` the variable GMAIL_SECRET is used.")]
    Login(Login),
    /// Check that the account can be reached, and count its mail; changes nothing
    #[command(after_help = "Examples:
  superstep mail check
  superstep mail check --folder mail --calendar meetings --owner me@example.org --json")]
    Check {
        #[command(flatten)]
        account: AccountArgs,
    },
}

/// Which mail is processed.
#[derive(Debug, ClapArgs)]
pub(crate) struct IngestArgs {
    /// Only mail of the last N minutes
    #[arg(long, value_name = "N")]
    pub(crate) minutes_since: Option<u64>,
    /// Also mail that is marked as read
    #[arg(long)]
    pub(crate) include_read: bool,
    /// Process mail again that was processed before; drops its open questions
    #[arg(long)]
    pub(crate) rerun: bool,
    /// Only from senders whose address contains this
    #[arg(long, value_name = "TEXT")]
    pub(crate) from: Vec<String>,
    /// Only with a subject that contains this
    #[arg(long, value_name = "TEXT")]
    pub(crate) subject: Vec<String>,
    /// At most N new mails
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<usize>,
    /// Stop before this command costs more than this; threads are kept
    #[arg(long, value_name = "DOLLARS")]
    pub(crate) max_cost: Option<Money>,
    #[command(flatten)]
    pub(crate) account: AccountArgs,
}

/// Whose mail, where.
#[derive(Clone, Debug, Default, ClapArgs)]
#[command(next_help_heading = "Account")]
pub(crate) struct AccountArgs {
    /// A folder of .eml files or a Maildir, instead of the configured account
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) folder: Option<PathBuf>,
    /// A folder of .ics files
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) calendar: Option<PathBuf>,
    /// The owner of the mailbox
    #[arg(long, value_name = "ADDRESS", value_hint = ValueHint::EmailAddress)]
    pub(crate) owner: Option<String>,
    /// Send and schedule what is approved; without this it is a dry run
    #[arg(long)]
    pub(crate) send: bool,
}

impl AccountArgs {
    /// Refuses options of mail for what is not mail.
    pub(crate) fn refuse_any(&self) -> Result<(), Error> {
        let given = [
            ("--folder", self.folder.is_some()),
            ("--calendar", self.calendar.is_some()),
            ("--owner", self.owner.is_some()),
            ("--send", self.send),
        ];
        match given.iter().find(|(_, is_given)| *is_given) {
            Some((option, _)) => Err(Error::Usage(format!(
                "`{option}` is for threads of mail; this is none"
            ))),
            None => Ok(()),
        }
    }
}

/// Where the permission of Google is.
#[derive(Debug, ClapArgs)]
pub(crate) struct Login {
    /// Store the token in this file
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) token: Option<PathBuf>,
    /// The client secrets file from the Google console
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) secrets: Option<PathBuf>,
}

/// What can be done with notes.
#[derive(Debug, Subcommand)]
pub(crate) enum NotesCommand {
    /// Show the notes
    #[command(after_help = "Examples:
  superstep mail memory show
  superstep mail memory show response --json")]
    Show {
        /// Which note [default: all]
        topic: Option<Note>,
    },
    /// List the versions of a note, and why each was made
    #[command(after_help = "Examples:
  superstep mail memory versions response
  superstep mail memory versions triage --json")]
    Versions {
        /// Which note
        topic: Note,
    },
    /// Show what changed between two versions of a note
    #[command(after_help = "Examples:
  superstep mail memory diff response            the last change
  superstep mail memory diff response 1 3")]
    Diff {
        /// Which note
        topic: Note,
        /// From this version [default: the previous one]
        from: Option<u64>,
        /// To this version [default: the latest]
        to: Option<u64>,
    },
    /// Go back to the previous version
    #[command(after_help = "Examples:
  superstep mail memory undo response
  superstep mail memory undo triage --json

Undo again to go back further. No version is lost.")]
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
  superstep inbox                    all questions on one screen; ? lists the keys
  superstep inbox --send             approved actions are carried out
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
    /// Stop before this command costs more than this; threads are kept
    #[arg(long, value_name = "DOLLARS")]
    pub(crate) max_cost: Option<Money>,
    /// In a dry run, continue as if accepted actions were done: the mail is finished and nothing is ever sent
    #[arg(long, conflicts_with = "send")]
    pub(crate) rehearse: bool,
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
    /// Show a question, and the mail that it is about
    #[command(after_help = "Examples:
  superstep inbox show 6b0c
  superstep inbox show 6b0c --diff       the lines that you edited
  superstep inbox show 6b0c --json")]
    Show {
        /// The id, or a unique prefix of at least four characters
        id: String,
        /// Only the lines that you edited
        #[arg(long)]
        diff: bool,
    },
    /// Accept the proposal
    #[command(after_help = "Examples:
  superstep inbox accept 6b0c            a dry run: shows what would be sent; the question stays open
  superstep inbox accept 6b0c --send     send it")]
    Accept {
        /// The id, or a unique prefix of at least four characters
        id: String,
        #[command(flatten)]
        with: InboxArgs,
    },
    /// Accept the proposal with changed arguments
    #[command(after_help = "Examples:
  superstep inbox edit 6b0c                  in your editor
  superstep inbox edit 6b0c --set 'response_text=Thursday suits me.'
  superstep inbox edit 6b0c --file changed.json --send

The file is a JSON object of arguments; those it does not name are unchanged.")]
    Edit {
        /// The id, or a unique prefix of at least four characters
        id: String,
        /// An argument and its new value; lists are JSON or separated by commas
        #[arg(long, value_name = "KEY=VALUE")]
        set: Vec<String>,
        /// Arguments from this file
        #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
        file: Option<PathBuf>,
        #[command(flatten)]
        with: InboxArgs,
    },
    /// Answer in words, or reject a proposal and give the agent feedback
    #[command(after_help = "Examples:
  superstep inbox respond 6b0c 'Friday is better'
  superstep inbox respond 6b0c Friday is better --send
  superstep inbox respond 6b0c 2         the second of the listed answers

Words approve nothing: `accept` does.")]
    Respond {
        /// The id, or a unique prefix of at least four characters
        id: String,
        /// The words
        #[arg(required = true)]
        text: Vec<String>,
        #[command(flatten)]
        with: InboxArgs,
    },
    /// Mark a mail that was shown for information as read; this teaches the assistant nothing
    #[command(after_help = "Examples:
  superstep inbox read 6b0c
  superstep inbox read 6b0c --send")]
    Read {
        /// The id, or a unique prefix of at least four characters
        id: String,
        #[command(flatten)]
        with: InboxArgs,
    },
    /// Reject the proposal and leave it at that
    #[command(after_help = "Examples:
  superstep inbox ignore 6b0c
  superstep inbox ignore 6b0c --json")]
    Ignore {
        /// The id, or a unique prefix of at least four characters
        id: String,
        #[command(flatten)]
        with: InboxArgs,
    },
}
