//! Why a request to an MCP server has no result, and whether the server may have got it.

use std::fmt;

use super::wire::Refusal;

/// Why a request has no result.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Fault {
    /// The server did not get it, or says that it did not take it up.
    Unsent(String),
    /// The server may have got it.
    Lost(String),
    /// The server answered that it will not.
    Refused(Refusal),
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unsent(why) | Self::Lost(why) => f.write_str(why),
            Self::Refused(refusal) => {
                let Refusal { code, message } = refusal;
                write!(f, "it answered with error {code}: {message}")
            }
        }
    }
}
