//! What can go wrong with a request, sorted by what its sender can do about it.
//!
//! Texts come from the innermost cause: the causes above it name addresses, which may hold keys, and
//! say little.

use std::error::Error as StdError;

/// Why a request has no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The client cannot be made of its settings.
    #[error("{0}")]
    Settings(String),
    /// A text is no address, or none that may be used.
    #[error("address{}: {why}", quoted(text))]
    Address {
        /// The text; empty if it may hold a secret.
        text: String,
        /// What is wrong with it.
        why: String,
    },
    /// The egress rules forbid the address.
    #[error("{to} is not asked: {why}")]
    Forbidden {
        /// The address, without what may be secret.
        to: String,
        /// The rule.
        why: &'static str,
    },
    /// No connection was made: the request was not sent.
    #[error("{message}")]
    Connect {
        /// The cause.
        message: String,
        /// Whether it took too long.
        timed_out: bool,
    },
    /// The proxy did not let the request through: it was not sent.
    #[error("{message}")]
    Proxy {
        /// The cause.
        message: String,
    },
    /// The answer, or its next part, did not come in time.
    #[error("no answer came in time")]
    TimedOut,
    /// What came is no HTTP.
    #[error("{message}")]
    Malformed {
        /// The cause.
        message: String,
    },
    /// The connection broke.
    #[error("{message}")]
    Cut {
        /// The cause.
        message: String,
    },
    /// The server redirects, and that is not followed.
    #[error("a redirect ({status}) to {to} is not followed: {why}")]
    Redirected {
        /// The status of the redirect.
        status: u16,
        /// Where to, without what may be secret.
        to: String,
        /// Why it is not followed.
        why: &'static str,
    },
    /// The body is compressed, which was not asked for: there is no limit on what it unpacks to.
    #[error("an encoding that was not asked for")]
    Encoded,
    /// The body is larger than what is read of it.
    #[error("more than {limit} bytes")]
    TooLarge {
        /// How much is read.
        limit: usize,
    },
}

impl Error {
    /// Whether the server did not get the request, so that it had no effect.
    pub fn is_unsent(&self) -> bool {
        matches!(
            self,
            Self::Settings(_)
                | Self::Address { .. }
                | Self::Forbidden { .. }
                | Self::Connect { .. }
                | Self::Proxy { .. }
        )
    }

    pub(crate) fn settings(error: &(dyn StdError + 'static)) -> Self {
        Self::Settings(innermost(error))
    }
}

impl From<reqwest::Error> for Error {
    fn from(error: reqwest::Error) -> Self {
        let error = error.without_url();
        let message = innermost(&error);
        let timed_out = error.is_timeout();
        if error.is_builder() {
            Self::Settings(message)
        } else if error.is_connect() && says(&error, &["proxy", "tunnel"]) {
            Self::Proxy { message }
        } else if error.is_connect() {
            Self::Connect { message, timed_out }
        } else if timed_out {
            Self::TimedOut
        } else if says(&error, &["invalid http", "message head is too large"]) {
            Self::Malformed { message }
        } else {
            Self::Cut { message }
        }
    }
}

fn innermost(error: &(dyn StdError + 'static)) -> String {
    let mut last = error;
    while let Some(cause) = last.source() {
        last = cause;
    }
    last.to_string()
}

/// Whether one of the causes has one of the words, which is all that some of them can be recognized by.
fn says(error: &(dyn StdError + 'static), words: &[&str]) -> bool {
    let mut next = Some(error);
    while let Some(error) = next {
        let text = error.to_string().to_lowercase();
        if words.iter().any(|word| text.contains(word)) {
            return true;
        }
        next = error.source();
    }
    false
}

fn quoted(text: &str) -> String {
    match text {
        "" => String::new(),
        text => format!(" `{text}`"),
    }
}
