//! Login: the caller of a request, by what its head shows.
//!
//! Tokens come first, then the hook of the program, which is asked about every request that shows none of them.

use std::{future::Future, sync::Arc};

use axum::{
    extract::Request,
    http::{HeaderMap, HeaderName, StatusCode, header::AUTHORIZATION, request::Parts},
};
use superstep::{Caller, store::BoxFuture};

use super::{check_name, tokens::Tokens, visitor::Visitor};
use crate::{error::ServerError, refusal::Refusal};

/// The refusal of a caller by [`Server::authenticate`](crate::Server::authenticate), with the reason that the caller reads.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Denied {
    /// The request shows nothing, or something wrong, to tell its caller by: 401.
    #[error("{0}")]
    Unauthenticated(String),
    /// The caller is known and may not use the server: 403.
    #[error("{0}")]
    Forbidden(String),
    /// The caller cannot be checked now: 503.
    #[error("{0}")]
    Unavailable(String),
}

impl From<Denied> for Refusal {
    fn from(denied: Denied) -> Self {
        let status = match denied {
            Denied::Unauthenticated(_) => StatusCode::UNAUTHORIZED,
            Denied::Forbidden(_) => StatusCode::FORBIDDEN,
            Denied::Unavailable(_) => StatusCode::SERVICE_UNAVAILABLE,
        };
        Self::new(status, denied.to_string())
    }
}

type Hook = dyn Fn(Parts) -> BoxFuture<'static, Result<Caller, Denied>> + Send + Sync;

/// The hook of a program that knows its users.
#[derive(Clone)]
pub(crate) struct LoginHook(Arc<Hook>);

impl LoginHook {
    pub(crate) fn new<F>(hook: impl Fn(Parts) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Result<Caller, Denied>> + Send + 'static,
    {
        Self(Arc::new(move |parts| Box::pin(hook(parts))))
    }
}

/// The ways in which callers show who they are.
#[derive(Default)]
pub(crate) struct Login {
    pub(crate) tokens: Tokens,
    pub(crate) hook: Option<LoginHook>,
}

impl Login {
    /// Whether nobody needs to log in.
    pub(crate) fn is_open(&self) -> bool {
        self.hook.is_none() && self.tokens.is_empty()
    }

    /// Refuses to answer other machines unless they must show a token that cannot be guessed, or pass the hook.
    pub(crate) fn check_public(&self, address: std::net::SocketAddr) -> Result<(), ServerError> {
        if self.hook.is_none() && !self.tokens.has_whole() {
            return Err(ServerError::NoToken { address });
        }
        self.tokens.check_length(address)
    }

    /// Whether only the user of the process may connect.
    pub(crate) fn is_private(&self) -> bool {
        self.hook.is_none() && !self.tokens.has_whole()
    }

    /// Whether runs of an owner can be run here: the owner has a token, or may come by the hook.
    pub(crate) fn knows(&self, owner: &str) -> bool {
        self.hook.is_some() || self.tokens.owners().any(|known| known == owner)
    }

    /// The request with its caller. A request that shows no token of a server that has some is refused.
    pub(crate) async fn admit(&self, request: Request) -> Result<(Request, Visitor), Denied> {
        if self.is_open() {
            return Ok((request, Visitor::SERVER));
        }
        if let Some(visitor) = self.by_token(request.headers()) {
            return Ok((request, visitor));
        }
        let Some(LoginHook(hook)) = &self.hook else {
            let why =
                "the token is missing or wrong: send it as `Authorization: Bearer` or `x-api-key`";
            return Err(Denied::Unauthenticated(why.to_owned()));
        };
        let (head, body) = request.into_parts();
        let caller = hook(head.clone()).await?;
        if let Some(name) = caller.owner() {
            check_name(name).map_err(Denied::Forbidden)?;
        }
        let request = Request::from_parts(head, body);
        Ok((request, Visitor::new(caller)))
    }

    fn by_token(&self, headers: &HeaderMap) -> Option<Visitor> {
        let text = |name: HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
        let bearer = text(AUTHORIZATION).and_then(|value| {
            let (scheme, given) = value.split_once(' ')?;
            let is_bearer = scheme.eq_ignore_ascii_case("bearer");
            is_bearer.then(|| given.trim())
        });
        let key = text(HeaderName::from_static("x-api-key"));
        let given = [bearer, key].into_iter().flatten();
        let found = given.map(|given| self.tokens.caller(given));
        // All of them are looked at.
        found.fold(None, |found, next| found.or(next))
    }
}
