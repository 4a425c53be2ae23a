//! What a caller must show to use a route.

/// What a caller must show to use a route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Nothing: probes of health come without a token.
    Open,
    /// A token, if the server has any. Owners see what is theirs.
    Token,
    /// The token of the whole server, if it has any: owners are refused.
    Whole,
}
