//! What a caller must show to use a route.

/// What a caller must show to use a route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Nothing: probes of health come without a token.
    Open,
    /// The token, if the server has one.
    Token,
}
