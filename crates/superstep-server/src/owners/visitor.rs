//! The caller of a request, as the login found them.

use axum::{
    extract::FromRequestParts,
    http::{StatusCode, request::Parts},
};
use superstep::{Caller, TraceParent};

use crate::refusal::Refusal;

/// The sender of a request: an owner with their roles, or the user of the whole server, who is local to nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Visitor {
    caller: Caller,
    traceparent: Option<TraceParent>,
}

impl Visitor {
    /// The server itself and its user, who see every thread.
    pub(crate) const SERVER: Self = Self {
        caller: Caller::local(),
        traceparent: None,
    };

    pub(crate) fn new(caller: Caller) -> Self {
        Self {
            caller,
            traceparent: None,
        }
    }

    /// An owner without roles, or the user of the whole server.
    pub(crate) fn of(owner: Option<String>) -> Self {
        Self::new(owner.map_or(Caller::local(), Caller::new))
    }

    /// The caller that nodes see.
    pub(crate) fn caller(&self) -> &Caller {
        &self.caller
    }

    /// The span of the sender that the request is part of.
    pub(crate) fn traceparent(&self) -> Option<TraceParent> {
        self.traceparent
    }

    pub(crate) fn owner(&self) -> Option<String> {
        self.name().map(str::to_owned)
    }

    pub(crate) fn is_owner(&self) -> bool {
        !self.caller.is_local()
    }

    /// The owner's name.
    pub(crate) fn name(&self) -> Option<&str> {
        self.caller.owner()
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
        let visitor = parts.extensions.get::<Self>().cloned();
        let traceparent = parts.headers.get("traceparent");
        // One that cannot be read is ignored, as W3C Trace Context has it.
        let traceparent = traceparent.and_then(|header| header.to_str().ok()?.parse().ok());
        let visitor = visitor.map(|visitor| Self {
            traceparent,
            ..visitor
        });
        visitor.ok_or_else(nobody)
    }
}
