//! Errors of model calls, with stable codes.
//!
//! A [`ModelError`] gives its [`Coded`] as its source, so a node that passes it on with `?` fails
//! with the same code and is retried only where that can help. Codes are listed in
//! `docs/errors.md`.

use std::{error::Error as StdError, fmt, time::Duration};

use superstep_core::{
    error::{Category, Coded},
    runs::BudgetSpent,
};
use superstep_schema::SchemaError;

use crate::{money::Money, usage::Lost};

/// A call to a model without a reply.
#[derive(Clone)]
pub struct ModelError {
    kind: Box<ErrorKind>,
    coded: Coded,
    lost: Option<Box<Lost>>,
}

/// What happened.
#[derive(Clone, Debug, PartialEq, thiserror::Error, superstep_coded::Coded)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The provider does not accept the key, or there is none.
    #[error("{}", auth(.provider, .message))]
    #[coded(
        "SS5001",
        Refused,
        hint = "check the key in the environment or the config file"
    )]
    Auth {
        /// Whose model.
        provider: String,
        /// What it said.
        message: String,
    },
    /// The provider has no such model.
    #[error("no model `{model}`: {message}")]
    #[coded("SS5002", NotFound, hint = "see `superstep model list`")]
    UnknownModel {
        /// The model asked for.
        model: String,
        /// What the provider said.
        message: String,
    },
    /// The provider does not accept the request.
    #[error("the request was refused ({status}): {message}")]
    #[coded("SS5003", InvalidInput)]
    Refused {
        /// The HTTP status.
        status: u16,
        /// What the provider said.
        message: String,
    },
    /// The conversation is longer than the model can read.
    #[error("the conversation is too long for the model: {message}")]
    #[coded(
        "SS5004",
        InvalidInput,
        hint = "shorten the conversation, or choose a model that reads more"
    )]
    TooLong {
        /// What is known about it.
        message: String,
    },
    /// Too many calls.
    #[error("the provider limits calls: {message}")]
    #[coded(
        "SS5005",
        Exhausted,
        hint = "resume later; the thread is kept",
        transient
    )]
    Limited {
        /// What it said.
        message: String,
        /// When it says to come back.
        after: Option<Duration>,
    },
    /// The provider failed.
    #[error("the provider failed ({status}): {message}")]
    #[coded(
        "SS5006",
        Unavailable,
        hint = "resume later; the thread is kept",
        transient
    )]
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
    #[coded(
        "SS5007",
        Unavailable,
        hint = "check the address and the network, and that the server is running",
        transient
    )]
    Connect {
        /// The host.
        host: String,
        /// What failed.
        message: String,
    },
    /// Nothing came for too long.
    #[error("no {phase} within {after:?}")]
    #[coded(
        "SS5008",
        TimedOut,
        hint = "resume without input to try again",
        transient
    )]
    TimedOut {
        /// What was waited for.
        phase: Phase,
        /// How long.
        after: Duration,
    },
    /// The reply broke off.
    #[error("the reply broke off before its end")]
    #[coded(
        "SS5009",
        Unavailable,
        hint = "resume without input to try again",
        transient
    )]
    Cut,
    /// The reply does not follow the protocol.
    #[error("the reply is not what the protocol says: {what}")]
    #[coded("SS5010", Unavailable, transient)]
    Malformed {
        /// What is wrong with it.
        what: String,
    },
    /// The reply is larger than any reply should be.
    #[error("the reply is too large: {what}")]
    #[coded("SS5011", Unavailable)]
    TooLarge {
        /// What is too large.
        what: String,
    },
    /// The provider sent the call elsewhere; keys do not follow.
    #[error("{host} redirects to another place, which is not followed")]
    #[coded("SS5012", Unavailable, hint = "set the provider's final address")]
    Redirected {
        /// Where the call went.
        host: String,
    },
    /// The model failed too often lately; no call was made.
    #[error(
        "{model} failed {failures} times in a row, so it is not called for another {} s",
        wait.as_secs().max(1)
    )]
    #[coded(
        "SS5013",
        Unavailable,
        hint = "resume later, or choose another model",
        transient
    )]
    CircuitOpen {
        /// The model.
        model: String,
        /// How often it failed.
        failures: u32,
        /// For how long calls are held back.
        wait: Duration,
    },
    /// A budget is used up; no call was made.
    #[error("the budget is used up: {spent} of {limit}")]
    #[coded(
        "SS5014",
        Exhausted,
        hint = "raise the budget and resume; the thread is kept"
    )]
    Budget {
        /// What was spent, with its unit.
        spent: String,
        /// The limit, with its unit.
        limit: String,
    },
    /// The answer does not have the shape that was asked for, after repairs.
    #[error(
        "the model's reply does not match the schema `{schema}`, even after {repairs} repair attempts: {why}"
    )]
    #[coded(
        "SS5015",
        Unavailable,
        hint = "try a stronger model; the thread is kept"
    )]
    Unfit {
        /// The schema's name.
        schema: String,
        /// How often the model was asked to repair it.
        repairs: u32,
        /// What is wrong with the last one.
        why: String,
    },
    /// No model can be had.
    #[error("no model: {why}")]
    #[coded(
        "SS5016",
        NotFound,
        hint = "set a provider's key, start a local server, or run `superstep model pull`"
    )]
    NoModel {
        /// Why each way to one was not taken.
        why: String,
    },
    /// The script of a scripted model is wrong, or has no step for the call.
    #[error("script: {why}")]
    #[coded("SS5017", Internal)]
    Script {
        /// What is wrong.
        why: String,
    },
    /// The recording has no reply for the call.
    #[error("recording: {why}")]
    #[coded("SS5018", Internal, hint = "record the call, or fix the request")]
    Unrecorded {
        /// What is missing.
        why: String,
    },
    /// Settings that make no sense.
    #[error("settings: {why}")]
    #[coded("SS5019", InvalidInput)]
    Settings {
        /// What is wrong, and where it was set.
        why: String,
    },
    /// The call would leave this machine, which was forbidden.
    #[error("{host} is not on this machine, and the run is offline")]
    #[coded(
        "SS5020",
        Refused,
        hint = "choose a local model, or leave out `--offline`"
    )]
    Offline {
        /// Where the call would go.
        host: String,
    },
    /// The model cannot do what the request asks.
    #[error("{model} cannot {what}")]
    #[coded("SS5021", InvalidInput)]
    Unable {
        /// The model.
        model: String,
        /// What it cannot do.
        what: String,
    },
    /// The reply was cut before its first word, also with more room.
    #[error("{model} {} before its first word", room(*.limit))]
    #[coded(
        "SS5026",
        Exhausted,
        hint = "raise `max_tokens` or lower `effort` in [providers.NAME] of config.toml"
    )]
    OutOfRoom {
        /// The model.
        model: String,
        /// The limit of tokens; the provider's own if absent.
        limit: Option<u32>,
    },
    /// The chat template of the weights does not end, or writes more than a conversation needs.
    #[error("the chat template of `{model}` was stopped: {why}")]
    #[coded(
        "SS5030",
        Internal,
        hint = "the weights file is faulty or hostile; use another one"
    )]
    Template {
        /// The model.
        model: String,
        /// What it did.
        why: String,
    },
    /// The local model failed.
    #[error("local model: {why}")]
    #[coded("SS5022", Internal)]
    Local {
        /// What failed.
        why: String,
    },
    /// The project's settings file needs a consent that nobody gave.
    #[error("{file} is not trusted: {why}")]
    #[coded(
        "SS5023",
        Refused,
        hint = "`superstep trust` shows what the file asks for, and trusts or ignores it"
    )]
    Untrusted {
        /// The file.
        file: String,
        /// The key, and what it does; or what is wrong with the file itself.
        why: String,
    },
    /// The project's settings file names a path outside of its folder.
    #[error("{origin}: `{key}` names `{path}`: {why}")]
    #[coded(
        "SS5024",
        Refused,
        hint = "a project's file names files of its own folder only; other paths belong in your \
                 config.toml, or on the command line"
    )]
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
    #[coded(
        "SS5025",
        Internal,
        hint = "record to another file, or move this one away"
    )]
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
    /// A sign that the model still reads the conversation.
    Reading,
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
            Self::Reading => "progress in reading the prompt",
            Self::NextPiece => "further piece",
            Self::End => "end of the reply",
        })
    }
}

/// A key that is missing was refused by nobody.
fn auth(provider: &str, message: &str) -> String {
    match message.strip_prefix(NO_KEY) {
        Some(variable) => format!("no API key for {provider}: {variable} is not set"),
        None => format!("{provider} refused the key: {message}"),
    }
}

/// The limit of tokens that a reply reached.
fn room(limit: Option<u32>) -> String {
    match limit {
        Some(limit) => format!("used up the limit of {limit} output tokens"),
        None => "used up the provider's limit of output tokens".into(),
    }
}

/// How the message begins where there is no key; the variable follows.
const NO_KEY: &str = "there is no key in ";

impl ModelError {
    /// Settings that make no sense.
    pub(crate) fn settings(why: impl Into<String>) -> Self {
        ErrorKind::Settings { why: why.into() }.into()
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

    /// What failed attempts took before it.
    pub fn lost(&self) -> Option<&Lost> {
        self.lost.as_deref()
    }

    /// The same, with what failed attempts took before it.
    #[must_use]
    pub(crate) fn costing(mut self, lost: Lost) -> Self {
        if lost.usage.total() > 0 {
            let mut all = self.lost.take().map_or_else(Lost::default, |lost| *lost);
            all.add(lost.usage, lost.cost);
            self.lost = Some(Box::new(all));
        }
        self
    }

    /// Whether the same call may work a little later.
    pub fn is_transient(&self) -> bool {
        self.coded.transient
    }
}

/// The budget of a run or its thread is spent.
impl From<BudgetSpent> for ModelError {
    fn from(BudgetSpent { spent, limit }: BudgetSpent) -> Self {
        ErrorKind::Budget { spent, limit }.into()
    }
}

impl From<ErrorKind> for ModelError {
    fn from(kind: ErrorKind) -> Self {
        let coded = Coded {
            code: kind.code(),
            category: kind.category(),
            hint: kind.hint(),
            transient: kind.is_transient(),
        };
        Self {
            kind: Box::new(kind),
            coded,
            lost: None,
        }
    }
}

impl fmt::Display for ModelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.kind.fmt(f)?;
        // Attempts of a free model are in the trace.
        let costs = |lost: &&Lost| lost.cost != Some(Money::default());
        let Some(lost) = self.lost().filter(costs) else {
            return Ok(());
        };
        write!(f, " (it took {} tokens", lost.usage.total())?;
        if let Some(cost) = lost.cost {
            write!(f, ", {cost}")?;
        }
        f.write_str(")")
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

impl From<SchemaError> for ModelError {
    fn from(error: SchemaError) -> Self {
        let why = error.to_string();
        ErrorKind::Settings { why }.into()
    }
}
