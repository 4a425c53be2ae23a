//! Why a call to a model has no reply, with stable codes.
//!
//! A [`ModelError`] gives its [`Coded`] as its source, so a node that passes it on with `?` fails
//! with the same code and is retried only where that can help. Codes are listed in
//! `docs/errors.md`.

use std::{error::Error as StdError, fmt, time::Duration};

use superstep_core::error::Coded;

/// A call to a model without a reply.
#[derive(Clone)]
pub struct ModelError {
    kind: Box<ErrorKind>,
    coded: Coded,
}

/// What happened.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The provider does not accept the key, or there is none.
    #[error("{provider} refused the key: {message}")]
    Auth {
        /// Whose model.
        provider: String,
        /// What it said.
        message: String,
    },
    /// The provider has no such model.
    #[error("no model `{model}`: {message}")]
    UnknownModel {
        /// The model asked for.
        model: String,
        /// What the provider said.
        message: String,
    },
    /// The provider does not accept the request.
    #[error("the request was refused ({status}): {message}")]
    Refused {
        /// The HTTP status.
        status: u16,
        /// What the provider said.
        message: String,
    },
    /// The conversation is longer than the model can read.
    #[error("the conversation is too long for the model: {message}")]
    TooLong {
        /// What is known about it.
        message: String,
    },
    /// Too many calls.
    #[error("the provider limits calls: {message}")]
    Limited {
        /// What it said.
        message: String,
        /// When it says to come back.
        after: Option<Duration>,
    },
    /// The provider failed.
    #[error("the provider failed ({status}): {message}")]
    Server {
        /// The HTTP status.
        status: u16,
        /// What it said.
        message: String,
        /// When it says to come back.
        after: Option<Duration>,
    },
    /// No connection.
    #[error("cannot reach {host}: {message}")]
    Connect {
        /// The host.
        host: String,
        /// What failed.
        message: String,
    },
    /// Nothing came for too long.
    #[error("no {phase} within {after:?}")]
    TimedOut {
        /// What was waited for.
        phase: Phase,
        /// How long.
        after: Duration,
    },
    /// The reply broke off.
    #[error("the reply broke off before its end")]
    Cut,
    /// The reply does not follow the protocol.
    #[error("the reply is not what the protocol says: {what}")]
    Malformed {
        /// What is wrong with it.
        what: String,
    },
    /// The reply is larger than any reply should be.
    #[error("the reply is too large: {what}")]
    TooLarge {
        /// What is too large.
        what: String,
    },
    /// The provider sent the call elsewhere; keys do not follow.
    #[error("{host} redirects to another place, which is not followed")]
    Redirected {
        /// Where the call went.
        host: String,
    },
    /// The model failed too often lately; no call was made.
    #[error("{model} failed {failures} times in a row; waiting {wait:?} before the next call")]
    Resting {
        /// The model.
        model: String,
        /// How often it failed.
        failures: u32,
        /// For how long calls are held back.
        wait: Duration,
    },
    /// A budget is used up; no call was made.
    #[error("the budget is used up: {spent} of {limit}")]
    Budget {
        /// What was spent, with its unit.
        spent: String,
        /// The limit, with its unit.
        limit: String,
    },
    /// The answer does not have the shape that was asked for, after repairs.
    #[error("the answer does not fit `{schema}` after {repairs} repairs: {why}")]
    Unfit {
        /// The schema's name.
        schema: String,
        /// How often the model was asked to mend it.
        repairs: u32,
        /// What is wrong with the last one.
        why: String,
    },
    /// No model can be had.
    #[error("no model: {why}")]
    NoModel {
        /// Why each way to one was not taken.
        why: String,
    },
    /// The script of a scripted model is wrong, or has no step for the call.
    #[error("script: {why}")]
    Script {
        /// What is wrong.
        why: String,
    },
    /// The recording has no reply for the call.
    #[error("recording: {why}")]
    Unrecorded {
        /// What is missing.
        why: String,
    },
    /// Settings that make no sense.
    #[error("settings: {why}")]
    Settings {
        /// What is wrong, and where it was set.
        why: String,
    },
    /// The call would leave this machine, which was forbidden.
    #[error("{host} is not on this machine, and the run is offline")]
    Offline {
        /// Where the call would go.
        host: String,
    },
    /// The model cannot do what the request asks.
    #[error("{model} cannot {what}")]
    Unable {
        /// The model.
        model: String,
        /// What it cannot do.
        what: String,
    },
    /// The chat template of the weights does not end, or writes more than a conversation needs.
    #[error("the chat template of `{model}` was stopped: {why}")]
    Template {
        /// The model.
        model: String,
        /// What it did.
        why: String,
    },
    /// The local model failed.
    #[error("local model: {why}")]
    Local {
        /// What failed.
        why: String,
    },
    /// The project's settings file needs a consent that nobody gave.
    #[error("{file} is not trusted: {why}")]
    Untrusted {
        /// The file.
        file: String,
        /// The key, and what it does; or what is wrong with the file itself.
        why: String,
    },
    /// The project's settings file names a path outside of its folder.
    #[error("{origin}: `{key}` names `{path}`: {why}")]
    Outside {
        /// The file and the line.
        origin: String,
        /// The key.
        key: String,
        /// The path as it is written.
        path: String,
        /// Where it leads.
        why: String,
    },
    /// A file that is to be recorded to holds something else. It was not changed.
    #[error("{file} is not a recording ({why}) and was left as it is")]
    NotARecording {
        /// The file.
        file: String,
        /// What is in it.
        why: String,
    },
}

/// What a call waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// A connection.
    Connection,
    /// The first byte of the reply.
    FirstByte,
    /// The next piece of the reply.
    NextPiece,
    /// The end of the call.
    End,
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Connection => "connection",
            Self::FirstByte => "first byte",
            Self::NextPiece => "further piece",
            Self::End => "end of the reply",
        })
    }
}

impl ModelError {
    /// Settings that make no sense.
    pub(crate) fn settings(why: impl Into<String>) -> Self {
        ErrorKind::Settings { why: why.into() }.into()
    }
}

impl ErrorKind {
    fn code(&self) -> &'static str {
        match self {
            Self::Auth { .. } => "SS5001",
            Self::UnknownModel { .. } => "SS5002",
            Self::Refused { .. } => "SS5003",
            Self::TooLong { .. } => "SS5004",
            Self::Limited { .. } => "SS5005",
            Self::Server { .. } => "SS5006",
            Self::Connect { .. } => "SS5007",
            Self::TimedOut { .. } => "SS5008",
            Self::Cut => "SS5009",
            Self::Malformed { .. } => "SS5010",
            Self::TooLarge { .. } => "SS5011",
            Self::Redirected { .. } => "SS5012",
            Self::Resting { .. } => "SS5013",
            Self::Budget { .. } => "SS5014",
            Self::Unfit { .. } => "SS5015",
            Self::NoModel { .. } => "SS5016",
            Self::Script { .. } => "SS5017",
            Self::Unrecorded { .. } => "SS5018",
            Self::Settings { .. } => "SS5019",
            Self::Offline { .. } => "SS5020",
            Self::Unable { .. } => "SS5021",
            Self::Local { .. } => "SS5022",
            Self::Untrusted { .. } => "SS5023",
            Self::Outside { .. } => "SS5024",
            Self::NotARecording { .. } => "SS5025",
            Self::Template { .. } => "SS5030",
        }
    }

    fn hint(&self) -> Option<&'static str> {
        Some(match self {
            Self::Auth { .. } => "check the key in the environment or the config file",
            Self::UnknownModel { .. } => "see `superstep model list`",
            Self::TooLong { .. } => "shorten the conversation, or choose a model that reads more",
            Self::Limited { .. } | Self::Server { .. } => "go on later; the thread is kept",
            Self::Connect { .. } => "check the address and the network; the thread is kept",
            Self::TimedOut { .. } | Self::Cut => "go on without input to try again",
            Self::Redirected { .. } => "set the provider's final address",
            Self::Resting { .. } => "go on later, or choose another model",
            Self::Budget { .. } => "raise the budget and go on; the thread is kept",
            Self::Unfit { .. } => "try a stronger model; the thread is kept",
            Self::NoModel { .. } => {
                "set a provider's key, start a local server, or run `superstep model pull`"
            }
            Self::Unrecorded { .. } => "record the call, or mend the request",
            Self::Template { .. } => "the weights file is faulty or hostile; use another one",
            Self::Offline { .. } => "choose a local model, or leave out `--offline`",
            Self::Untrusted { .. } => {
                "`superstep trust` shows what the file asks for, and trusts or ignores it"
            }
            Self::Outside { .. } => {
                "a project's file names files of its own folder only; other paths belong in your \
                 config.toml, or on the command line"
            }
            Self::NotARecording { .. } => "record to another file, or move this one away",
            _ => return None,
        })
    }

    /// Whether the same call may work a little later.
    fn transient(&self) -> bool {
        matches!(
            self,
            Self::Limited { .. }
                | Self::Server { .. }
                | Self::Connect { .. }
                | Self::TimedOut { .. }
                | Self::Cut
                | Self::Malformed { .. }
                | Self::Resting { .. }
        )
    }
}

impl ModelError {
    /// What happened.
    pub fn kind(&self) -> &ErrorKind {
        &self.kind
    }

    /// The stable code.
    pub fn code(&self) -> &'static str {
        self.coded.code
    }

    /// What to do about it, where there is something to say.
    pub fn hint(&self) -> Option<&'static str> {
        self.coded.hint
    }

    /// Whether the same call may work a little later.
    pub fn is_transient(&self) -> bool {
        self.coded.transient
    }
}

impl From<ErrorKind> for ModelError {
    fn from(kind: ErrorKind) -> Self {
        let coded = Coded {
            code: kind.code(),
            hint: kind.hint(),
            transient: kind.transient(),
        };
        let kind = Box::new(kind);
        Self { kind, coded }
    }
}

impl fmt::Display for ModelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.kind.fmt(f)
    }
}

impl fmt::Debug for ModelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{}] {}", self.coded.code, self.kind)
    }
}

impl StdError for ModelError {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        Some(&self.coded)
    }
}
