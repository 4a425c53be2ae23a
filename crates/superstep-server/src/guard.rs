//! Who may come in: the names the server goes by, the pages that may call it, and the login.
//!
//! A page of another site can send requests to this machine, under a name of its own that leads here
//! too. So a request must be for a name that the server knows (`Host`), and if it comes from a page
//! (`Origin`), that page must be the server's own or one that is allowed. Without a token,
//! connections of other users are closed before (`server::connections`).

pub(crate) mod ownership;

use std::{collections::HashSet, net::IpAddr, sync::Arc};

use crate::{
    owners::login::{Denied, Login},
    refusal::Refusal,
};
use axum::{
    body::Body,
    extract::{Request, State},
    http::{
        HeaderValue, Method, StatusCode,
        header::{
            ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS,
            ACCESS_CONTROL_ALLOW_ORIGIN, ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE,
            ACCESS_CONTROL_REQUEST_HEADERS, ACCESS_CONTROL_REQUEST_METHOD, CONNECTION,
            CONTENT_LENGTH, CONTENT_TYPE, HOST, ORIGIN, TRANSFER_ENCODING, VARY, WWW_AUTHENTICATE,
        },
        uri::Authority,
    },
    middleware::Next,
    response::{IntoResponse, Response},
};

/// What pages may read of an answer besides its body.
const EXPOSED: &str = "content-location, location, x-pagination-next, x-pagination-total";

/// Who may come in.
pub(crate) struct Guard {
    pub(crate) login: Arc<Login>,
    /// Names the server goes by, in lower case, without ports.
    pub(crate) hosts: HashSet<String>,
    /// Pages that may call it, such as `https://chat.example.com`.
    pub(crate) origins: HashSet<String>,
}

impl Guard {
    fn knows_host(&self, authority: &str) -> bool {
        let Ok(authority) = authority.parse::<Authority>() else {
            return false;
        };
        let host = authority.host().to_ascii_lowercase();
        let bare = host.trim_start_matches('[').trim_end_matches(']');
        let is_loopback = bare.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback());
        is_loopback || host == "localhost" || self.hosts.contains(bare)
    }
}

/// Lets requests in whose caller the login knows.
pub(crate) async fn require_login(
    State(guard): State<Arc<Guard>>,
    request: Request,
    next: Next,
) -> Response {
    let denied = match guard.login.admit(request).await {
        Ok((mut request, visitor)) => {
            request.extensions_mut().insert(visitor);
            return next.run(request).await;
        }
        Err(denied) => denied,
    };
    let is_unknown = matches!(denied, Denied::Unauthenticated(_));
    let mut response = Refusal::from(denied).into_response();
    if is_unknown {
        let headers = response.headers_mut();
        headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    }
    response
}

/// Lets requests in that are for this server and from a page that may call it.
pub(crate) async fn check_place(
    State(guard): State<Arc<Guard>>,
    request: Request,
    next: Next,
) -> Response {
    let headers = request.headers();
    if headers.get_all(HOST).iter().count() > 1 {
        // Whoever is in front of the server may have looked at the other one.
        let why = "a request is for one host: it has several `Host` headers";
        return Refusal::new(StatusCode::BAD_REQUEST, why).into_response();
    }
    let host = headers.get(HOST).and_then(|host| host.to_str().ok());
    let is_known = host.is_some_and(|host| guard.knows_host(host));
    let target = request.uri().authority().map(Authority::as_str);
    if !is_known || !target.is_none_or(|target| guard.knows_host(target)) {
        let why = "the server does not go by this name: add it to the hosts of the server";
        return Refusal::new(StatusCode::FORBIDDEN, why).into_response();
    }
    let Some(origin) = headers.get(ORIGIN).cloned() else {
        return next.run(request).await;
    };
    let page = origin.to_str().unwrap_or_default();
    let is_own = host.is_some_and(|host| page.strip_prefix("http://") == Some(host));
    if !is_own && !guard.origins.contains(page) {
        let why = "this page may not call the server: add it to the origins of the server";
        return Refusal::new(StatusCode::FORBIDDEN, why).into_response();
    }
    let wanted = headers.get(ACCESS_CONTROL_REQUEST_HEADERS).cloned();
    let is_preflight =
        request.method() == Method::OPTIONS && headers.contains_key(ACCESS_CONTROL_REQUEST_METHOD);
    let mut response = match is_preflight {
        true => StatusCode::NO_CONTENT.into_response(),
        false => next.run(request).await,
    };
    let headers = response.headers_mut();
    headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    headers.append(VARY, HeaderValue::from_static("Origin"));
    let exposed = HeaderValue::from_static(EXPOSED);
    headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, exposed);
    if is_preflight {
        let methods = HeaderValue::from_static("DELETE, GET, PATCH, POST, PUT");
        headers.insert(ACCESS_CONTROL_ALLOW_METHODS, methods);
        headers.insert(ACCESS_CONTROL_MAX_AGE, HeaderValue::from(600));
        if let Some(wanted) = wanted {
            headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, wanted);
        }
    }
    response
}

/// Gives answers that say no the body that clients expect, wherever they come from.
pub(crate) async fn error_bodies(request: Request, next: Next) -> Response {
    let headers = request.headers();
    let length = headers.get(CONTENT_LENGTH).map(HeaderValue::as_bytes);
    let has_body =
        headers.contains_key(TRANSFER_ENCODING) || length.is_some_and(|length| length != b"0");
    let mut response = next.run(request).await;
    let status = response.status();
    if has_body && matches!(status.as_u16(), 401 | 403 | 404 | 405 | 413 | 429) {
        // What is refused without being read ends the connection; the client is told.
        let close = HeaderValue::from_static("close");
        response.headers_mut().insert(CONNECTION, close);
    }
    let json = HeaderValue::from_static("application/json");
    let is_error = status.is_client_error() || status.is_server_error();
    if !is_error || response.headers().get(CONTENT_TYPE) == Some(&json) {
        return response;
    }
    let detail = status.canonical_reason().unwrap_or("refused");
    let (mut parts, _) = response.into_parts();
    let (shape, body) = Refusal::new(status, detail).into_response().into_parts();
    parts.headers.extend(shape.headers);
    parts.headers.remove("content-length");
    Response::from_parts(parts, Body::new(body))
}
