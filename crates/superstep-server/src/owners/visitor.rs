//! The caller of a request, by the token that it shows.

use std::{convert::Infallible, sync::Arc};

use axum::{extract::FromRequestParts, http::request::Parts};

/// A caller: an owner, or the user of the whole server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Visitor(Option<Arc<str>>);

impl Visitor {
    /// The server itself and its user, who see every thread.
    pub(crate) const SERVER: Self = Self(None);

    pub(crate) fn of(owner: Option<String>) -> Self {
        Self(owner.map(Into::into))
    }

    pub(crate) fn named(owner: Option<Arc<str>>) -> Self {
        Self(owner)
    }

    pub(crate) fn owner(&self) -> Option<String> {
        self.0.as_deref().map(str::to_owned)
    }

    pub(crate) fn is_owner(&self) -> bool {
        self.0.is_some()
    }

    /// The owner's name.
    pub(crate) fn name(&self) -> Option<&Arc<str>> {
        self.0.as_ref()
    }

    /// Whether an assistant may be read and run, by its owner: everybody's, or the caller's own.
    pub(crate) fn may_use(&self, owner: Option<&str>) -> bool {
        owner.is_none() || self.sees(owner)
    }

    /// Whether something is shown, by whose it is.
    pub(crate) fn sees(&self, owner: Option<&str>) -> bool {
        self.0.is_none() || self.0.as_deref() == owner
    }
}

impl<S: Sync> FromRequestParts<S> for Visitor {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(parts.extensions.get().cloned().unwrap_or_default())
    }
}
