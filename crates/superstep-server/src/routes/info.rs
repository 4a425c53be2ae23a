//! A path that is served.

use axum::http::Method;

use super::access::Access;

/// A path that is served.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RouteInfo {
    /// With this method.
    pub method: Method,
    /// The path, with the names of its variable parts in braces.
    pub path: &'static str,
    /// What a caller must show.
    pub access: Access,
}
