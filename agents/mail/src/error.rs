//! Errors of mailboxes and calendars, with stable codes.

use superstep::{Category, Coded, Failure};

/// Why a mailbox or a calendar refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, superstep::Coded)]
#[non_exhaustive]
pub enum MailError {
    /// It cannot be reached, or it broke off.
    #[error("{place} cannot be reached: {why}")]
    #[coded(
        "SS7001",
        Unavailable,
        hint = "check the connection, then resume; the thread is kept",
        transient
    )]
    Unreachable {
        /// Which.
        place: String,
        /// What happened.
        why: String,
    },
    /// It wants to be asked later.
    #[error("{place} wants to be asked later: {why}")]
    #[coded(
        "SS7002",
        Exhausted,
        hint = "resume later; the thread is kept",
        transient
    )]
    Busy {
        /// Which.
        place: String,
        /// What it said.
        why: String,
        /// After how many seconds, if it said so.
        retry_after: Option<u64>,
    },
    /// The credentials are wrong, have ended or were taken back.
    #[error("{place} refuses the credentials: {why}")]
    #[coded(
        "SS7003",
        Refused,
        hint = "sign in again, then resume; the thread is kept"
    )]
    Auth {
        /// Which.
        place: String,
        /// What it said.
        why: String,
    },
    /// There is no such mail, thread or event.
    #[error("{place} has no {what}")]
    #[coded("SS7004", NotFound, hint = "look whether it was moved or deleted")]
    Missing {
        /// Which.
        place: String,
        /// What is missing.
        what: String,
    },
    /// It was asked for something it cannot do, or answered what cannot be understood.
    #[error("{place} refused: {why}")]
    #[coded("SS7005", InvalidInput, hint = "see the message")]
    Refused {
        /// Which.
        place: String,
        /// What it said.
        why: String,
    },
    /// A mail or an event is not what it claims to be.
    #[error("{what} cannot be read: {why}")]
    #[coded("SS7006", InvalidInput, hint = "look at it with another program")]
    Malformed {
        /// What.
        what: String,
        /// What is wrong.
        why: String,
    },
    /// An input of the graph has no mail.
    #[error("the input has no `email_input`")]
    #[coded(
        "SS7024",
        InvalidInput,
        hint = "give the mail to handle as `email_input`"
    )]
    NoMail,
    /// A thread belongs to another mailbox than the one that is open.
    #[error("this mail belongs to the mailbox of {bound}, and the open one is that of {here}")]
    #[coded(
        "SS7025",
        Refused,
        hint = "name the account that the mail was taken from, as with --folder and --owner; nothing was done"
    )]
    OtherAccount {
        /// The owner of the mailbox that the mail came from.
        bound: String,
        /// The owner of the open mailbox.
        here: String,
    },
    /// A mail exceeds a limit, and no part of it was parsed.
    #[error("the mail is refused: {why}")]
    #[coded(
        "SS7020",
        InvalidInput,
        hint = "it is no mail that a person writes; look at it with another program, or delete it"
    )]
    TooComplex {
        /// Which limit.
        why: String,
    },
}

impl MailError {
    /// The failure of a run that stops with it; the thread is kept.
    pub(crate) fn failure(&self) -> Failure {
        let coded = Coded {
            code: self.code(),
            category: self.category(),
            hint: self.hint(),
            transient: self.is_transient(),
        };
        coded.failure("MailError", self.to_string())
    }
}
