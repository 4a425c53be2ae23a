//! The caller of a request, as the login found them.

use axum::{
    extract::FromRequestParts,
    http::{StatusCode, request::Parts},
};
use superstep::Caller;

use crate::refusal::Refusal;

/// The sender of a request: an owner with their roles, or the user of the whole server, who is local to nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Visitor(Caller);

impl Visitor {
    /// The server itself and its user, who see every thread.
    pub(crate) const SERVER: Self = Self(Caller::local());

    pub(crate) fn new(caller: Caller) -> Self {
        Self(caller)
    }

    /// An owner without roles, or the user of the whole server.
    pub(crate) fn of(owner: Option<String>) -> Self {
        Self(owner.map_or(Caller::local(), Caller::new))
    }

    /// The caller that nodes see.
    pub(crate) fn caller(&self) -> &Caller {
        &self.0
    }

    pub(crate) fn owner(&self) -> Option<String> {
        self.name().map(str::to_owned)
    }

    pub(crate) fn is_owner(&self) -> bool {
        !self.0.is_local()
    }

    /// The owner's name.
    pub(crate) fn name(&self) -> Option<&str> {
        self.0.owner()
    }

    /// Whether an assistant may be read and run, by its owner: everybody's, or the caller's own.
    pub(crate) fn may_use(&self, owner: Option<&str>) -> bool {
        owner.is_none() || self.sees(owner)
    }

    /// Whether something is shown, by whose it is.
    pub(crate) fn sees(&self, owner: Option<&str>) -> bool {
        !self.is_owner() || self.name() == owner
    }
}

impl<S: Sync> FromRequestParts<S> for Visitor {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Refusal> {
        // A route that forgot the login is open to nobody.
        let nobody = || Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, "this route has no login");
        parts.extensions.get().cloned().ok_or_else(nobody)
    }
}
