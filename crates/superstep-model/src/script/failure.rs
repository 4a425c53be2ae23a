//! Errors that a script can give, by name.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::{
    error::{ErrorKind, ModelError, Phase},
    model_id::ModelId,
};

/// An error in place of a reply.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Failure {
    /// Which.
    pub kind: FailureKind,
    /// What the provider says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The HTTP status, where the kind has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// When to come back, or how long was waited, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after_ms: Option<u64>,
}

/// The errors a call can end with; see [`ErrorKind`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureKind {
    /// The key is refused.
    Auth,
    /// There is no such model.
    UnknownModel,
    /// The request is refused.
    Refused,
    /// The conversation is too long.
    TooLong,
    /// Too many calls.
    Limited,
    /// The provider fails.
    #[default]
    Server,
    /// No connection.
    Connect,
    /// Nothing came for too long.
    TimedOut,
    /// The reply broke off.
    Cut,
    /// The reply does not follow the protocol.
    Malformed,
    /// The reply is too large.
    TooLarge,
    /// The call was sent elsewhere.
    Redirected,
    /// The model failed too often.
    Resting,
    /// A budget is used up.
    Budget,
    /// The call would leave this machine.
    Offline,
    /// The model cannot do it.
    Unable,
    /// The local model failed.
    Local,
}

impl Failure {
    pub(super) fn error(&self, model: &ModelId) -> ModelError {
        let said = self.message.clone();
        let message = said.unwrap_or_else(|| "as the script says".into());
        let after = self.after_ms.map(Duration::from_millis);
        let host = model.to_string();
        let waited = after.unwrap_or(Duration::from_secs(60));
        let kind = match self.kind {
            FailureKind::Auth => ErrorKind::Auth {
                provider: model.provider.clone(),
                message,
            },
            FailureKind::UnknownModel => ErrorKind::UnknownModel {
                model: model.name.clone(),
                message,
            },
            FailureKind::Refused => ErrorKind::Refused {
                status: self.status.unwrap_or(400),
                message,
            },
            FailureKind::TooLong => ErrorKind::TooLong { message },
            FailureKind::Limited => ErrorKind::Limited { message, after },
            FailureKind::Server => ErrorKind::Server {
                status: self.status.unwrap_or(500),
                message,
                after,
            },
            FailureKind::Connect => ErrorKind::Connect { host, message },
            FailureKind::TimedOut => ErrorKind::TimedOut {
                phase: Phase::FirstByte,
                after: waited,
            },
            FailureKind::Cut => ErrorKind::Cut,
            FailureKind::Malformed => ErrorKind::Malformed { what: message },
            FailureKind::TooLarge => ErrorKind::TooLarge { what: message },
            FailureKind::Redirected => ErrorKind::Redirected { host },
            FailureKind::Resting => ErrorKind::CircuitOpen {
                model: host,
                failures: 1,
                wait: waited,
            },
            FailureKind::Budget => ErrorKind::Budget {
                spent: message.clone(),
                limit: message,
            },
            FailureKind::Offline => ErrorKind::Offline { host },
            FailureKind::Unable => ErrorKind::Unable {
                model: host,
                what: message,
            },
            FailureKind::Local => ErrorKind::Local { why: message },
        };
        kind.into()
    }
}
