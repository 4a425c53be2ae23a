//! Errors of Atris, with stable codes. Codes are listed in `docs/errors.md`.
//!
//! Most of them end no run: they are put into the state, shown to the person, and kept in the error history.

use serde::{Deserialize, Serialize};
use superstep::{Category, Coded};

/// Why a question has no answer.
#[derive(
    Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error, superstep::Coded,
)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Error {
    /// The catalogue inside the program cannot be read.
    #[error("the catalogue cannot be read: {why}")]
    #[coded("SS8001", Internal, hint = "report it: this is a mistake in superstep")]
    Catalogue {
        /// Why.
        why: String,
    },
    /// There is no such operation.
    #[error("there is no operation `{id}`{hint}")]
    #[coded(
        "SS8002",
        NotFound,
        hint = "choose one of the operations that are listed"
    )]
    UnknownOperation {
        /// Its id, as given.
        id: String,
        /// The nearest one.
        hint: String,
    },
    /// Parameters are wrong or missing.
    #[error("{operation}: {why}")]
    #[coded(
        "SS8003",
        InvalidInput,
        hint = "correct the parameters that the message names"
    )]
    Parameters {
        /// The operation.
        operation: String,
        /// All that is wrong.
        why: String,
    },
    /// Nothing in the catalogue fits the question.
    #[error("no operation of Audius fits the question")]
    #[coded(
        "SS8004",
        NotFound,
        hint = "ask about tracks, artists, playlists, coins, contests or genres on Audius"
    )]
    NoOperation,
    /// The operation changes something, is private or answers with a file.
    #[error("{operation} is not called: {why}")]
    #[coded(
        "SS8005",
        Refused,
        hint = "see the message; what anybody may read needs neither --writes nor a token"
    )]
    Refused {
        /// The operation.
        operation: String,
        /// Why.
        why: String,
    },
    /// No host answers.
    #[error("no host of Audius answers: {why}")]
    #[coded(
        "SS8006",
        Unavailable,
        hint = "check the connection or --host, then ask again",
        transient
    )]
    Unreachable {
        /// What happened at each host.
        why: String,
    },
    /// The hosts limit the rate of calls.
    #[error("Audius limits the rate of calls: {why}")]
    #[coded("SS8007", Exhausted, hint = "ask again later", transient)]
    RateLimited {
        /// What it said.
        why: String,
        /// After how many seconds, if it said so.
        retry_after: Option<u64>,
    },
    /// There is no such thing at Audius.
    #[error("Audius does not have {what}")]
    #[coded("SS8008", NotFound, hint = "check the name, the id or the link")]
    Missing {
        /// What is missing.
        what: String,
    },
    /// Audius refuses the call.
    #[error("Audius refuses {operation} (status {status}): {why}")]
    #[coded("SS8009", Refused, hint = "see the message")]
    Denied {
        /// The operation.
        operation: String,
        /// The status.
        status: u16,
        /// What it said.
        why: String,
    },
    /// The reply is not what the API promises.
    #[error("the reply to {operation} cannot be used: {why}")]
    #[coded("SS8010", Unavailable, hint = "ask again, or try another host")]
    Malformed {
        /// The operation.
        operation: String,
        /// What is wrong with it.
        why: String,
    },
    /// The model failed, or gave replies that cannot be used.
    #[error("the model: {why}")]
    #[coded(
        "SS8011",
        Unavailable,
        hint = "ask again, or use --no-model",
        transient
    )]
    Model {
        /// Why.
        why: String,
    },
    /// The person was asked something and has not answered.
    #[error("a question waits for an answer: {question}")]
    #[coded(
        "SS8013",
        Conflict,
        hint = "answer it with `superstep atris answer THREAD ANSWER`"
    )]
    Unanswered {
        /// What was asked.
        question: String,
    },
    /// Nobody knows whether a call that changes something happened.
    #[error("whether {operation} happened is unknown: {why}")]
    #[coded(
        "SS8014",
        Conflict,
        hint = "look at Audius whether it happened before you ask for it again"
    )]
    UnknownOutcome {
        /// The operation.
        operation: String,
        /// What is known.
        why: String,
    },
    /// The question says something that no call can do.
    #[error("not understood: {what}")]
    #[coded("SS8015", InvalidInput, hint = "ask without it, or in other words")]
    NotUnderstood {
        /// What is not.
        what: String,
    },
    /// A call that was to be approved, or a question that was asked, for another host.
    #[error("it was asked for {asked}, and here is {here}")]
    #[coded(
        "SS8016",
        Conflict,
        hint = "answer with the --host or --fake that it was asked with; the question is still open"
    )]
    OtherHost {
        /// The host that the question names.
        asked: String,
        /// The hosts that would be asked now.
        here: String,
    },
    /// Settings or a question that make no sense.
    #[error("{why}")]
    #[coded("SS8012", InvalidInput, hint = "see the message")]
    Settings {
        /// What is wrong.
        why: String,
    },
}

impl Error {
    /// The code with its hint, as runs carry it.
    pub fn coded(&self) -> Coded {
        Coded {
            code: self.code(),
            category: self.category(),
            hint: self.hint(),
            transient: self.is_transient(),
        }
    }
}
