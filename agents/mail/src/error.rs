//! Errors of mailboxes and calendars, with stable codes.

use superstep::{Coded, Failure};

/// Why a mailbox or a calendar refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MailError {
    /// It cannot be reached, or it broke off.
    #[error("{place} cannot be reached: {why}")]
    Unreachable {
        /// Which.
        place: String,
        /// What happened.
        why: String,
    },
    /// It wants to be asked later.
    #[error("{place} wants to be asked later: {why}")]
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
    Auth {
        /// Which.
        place: String,
        /// What it said.
        why: String,
    },
    /// There is no such mail, thread or event.
    #[error("{place} has no {what}")]
    Missing {
        /// Which.
        place: String,
        /// What is missing.
        what: String,
    },
    /// It was asked for something it cannot do, or answered what cannot be understood.
    #[error("{place} refused: {why}")]
    Refused {
        /// Which.
        place: String,
        /// What it said.
        why: String,
    },
    /// A mail or an event is not what it claims to be.
    #[error("{what} cannot be read: {why}")]
    Malformed {
        /// What.
        what: String,
        /// What is wrong.
        why: String,
    },
    /// A mail exceeds a limit, and no part of it was parsed.
    #[error("the mail is refused: {why}")]
    TooComplex {
        /// Which limit.
        why: String,
    },
}

impl MailError {
    /// The stable code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Unreachable { .. } => "SS7001",
            Self::Busy { .. } => "SS7002",
            Self::Auth { .. } => "SS7003",
            Self::Missing { .. } => "SS7004",
            Self::Refused { .. } => "SS7005",
            Self::Malformed { .. } => "SS7006",
            Self::TooComplex { .. } => "SS7020",
        }
    }

    /// What to do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Unreachable { .. } => "check the connection, then go on; the thread is kept",
            Self::Busy { .. } => "go on later; the thread is kept",
            Self::Auth { .. } => "sign in again, then go on; the thread is kept",
            Self::Missing { .. } => "look whether it was moved or deleted",
            Self::Refused { .. } => "see the message",
            Self::Malformed { .. } => "look at it with another program",
            Self::TooComplex { .. } => {
                "it is no mail that a person writes; look at it with another program, or delete it"
            }
        }
    }

    /// Whether the same call may succeed later.
    pub fn may_pass(&self) -> bool {
        matches!(self, Self::Unreachable { .. } | Self::Busy { .. })
    }

    /// The failure of a run that stops with it; the thread is kept.
    pub(crate) fn failure(&self) -> Failure {
        let coded = Coded {
            code: self.code(),
            hint: Some(self.hint()),
            transient: self.may_pass(),
        };
        Failure {
            transient: coded.transient,
            coded: Some(Box::new(coded)),
            ..Failure::new("MailError", self.to_string())
        }
    }
}
