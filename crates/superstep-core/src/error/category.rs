//! What kind of fault an error is, for those who answer others: a server, a queue. Each error says it beside its code.

use serde::{Deserialize, Serialize};

/// What kind of fault an error is.
///
/// ```
/// use superstep_core::error::{Category, Error, ErrorKind};
///
/// let error = Error::from(ErrorKind::NoSaver);
/// assert_eq!(error.category(), Category::Internal);
/// assert_eq!(error.category().http_status(), 500);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Category {
    /// What was asked for makes no sense, or does not have the form it must have.
    InvalidInput,
    /// There is no such thing.
    NotFound,
    /// It does not go together with what is there, or with what somebody else does now.
    Conflict,
    /// Somebody must allow it first: a key, a consent, an approval.
    Refused,
    /// A limit is reached: a rate, a budget.
    Exhausted,
    /// A service or a medium does not answer; trying again later may help.
    Unavailable,
    /// It took too long.
    TimedOut,
    /// The program, its graph or its storage is at fault.
    Internal,
}

impl Category {
    /// The HTTP status that says the same.
    pub fn http_status(self) -> u16 {
        match self {
            Self::InvalidInput => 422,
            Self::NotFound => 404,
            Self::Conflict => 409,
            Self::Refused => 403,
            Self::Exhausted => 429,
            Self::Unavailable => 503,
            Self::TimedOut => 504,
            Self::Internal => 500,
        }
    }
}
