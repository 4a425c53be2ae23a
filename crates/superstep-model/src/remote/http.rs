//! Calls of providers over the HTTP client: keys, limits on bodies, and what a failure means.

use std::time::Duration;

use serde::de::DeserializeOwned;
use serde_json::Value as Json;
use superstep_http::{
    Client, Error, RequestBuilder, Response, Url,
    header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue},
    retry_after,
};

use crate::{
    Secret,
    error::{ErrorKind, ModelError, Phase},
    remote::{
        Address,
        fault::{self, Endpoint, ProviderError},
    },
    trace_scope,
};

/// How much of an answer that is no stream is read.
pub const MAX_ANSWER: usize = 64 << 20;

/// How much of a stream is read. None of it is kept; the reply has a limit of its own.
pub const MAX_STREAM: usize = 256 << 20;

/// How much of a failure's text is read.
pub const MAX_FAILURE: usize = 64 << 10;

/// Where a provider is, and the key that opens it.
#[derive(Clone, Debug)]
pub struct Site {
    /// Its address.
    pub address: Address,
    /// Its key; local servers need none.
    pub key: Option<Secret>,
}

/// One call: where it goes, with which headers, and on whose behalf.
pub(crate) struct HttpCall<'a> {
    pub(crate) url: Url,
    pub(crate) headers: HeaderMap,
    pub(crate) endpoint: Endpoint<'a>,
}

impl HttpCall<'_> {
    /// Sends a body and gives the answer if its status says that it is one.
    pub(crate) async fn post(&self, client: &Client, body: &Json) -> Result<Response, ModelError> {
        self.send(client, self.posting(client, body)).await
    }

    /// The same, with a limit for the whole of it.
    pub(crate) async fn post_within(
        &self,
        client: &Client,
        body: &Json,
        limit: Duration,
    ) -> Result<Response, ModelError> {
        let request = self.posting(client, body).timeout(limit);
        let sent = self.send(client, request).await;
        sent.map_err(|error| within(error, limit))
    }

    /// Asks for something and reads the whole answer, within a time.
    pub(crate) async fn get<T: DeserializeOwned>(
        &self,
        client: &Client,
        limit: Duration,
    ) -> Result<T, ModelError> {
        let request = client.get(self.url.clone()).timeout(limit);
        let response = self.send(client, request).await;
        let response = response.map_err(|error| within(error, limit))?;
        self.read_json(response, limit).await
    }

    /// Reads a whole answer as JSON; the time is the one that its request was given.
    pub(crate) async fn read_json<T: DeserializeOwned>(
        &self,
        response: Response,
        limit: Duration,
    ) -> Result<T, ModelError> {
        let read = response.read(MAX_ANSWER).await;
        let bytes = read.map_err(|error| within(self.failed(error), limit))?;
        serde_json::from_slice(&bytes).map_err(|error| {
            let what = fault::scrub(&error.to_string(), self.endpoint.key);
            ErrorKind::Malformed { what }.into()
        })
    }

    fn posting(&self, client: &Client, body: &Json) -> RequestBuilder {
        client
            .post(self.url.clone())
            .header(CONTENT_TYPE, "application/json")
            .body(body.to_string())
    }

    async fn send(&self, client: &Client, request: RequestBuilder) -> Result<Response, ModelError> {
        let request = request.headers(self.headers.clone());
        let request = match trace_scope::place() {
            Some(place) => request.header("traceparent", place.to_string()),
            None => request,
        };
        let sent = client.send(request).await;
        let response = sent.map_err(|error| match error {
            Error::Connect {
                timed_out: true, ..
            } => ErrorKind::TimedOut {
                phase: Phase::Connection,
                after: client.settings().connect,
            }
            .into(),
            error => self.failed(error),
        })?;
        if response.status().is_success() {
            return Ok(response);
        }
        let status = response.status().as_u16();
        let after = retry_after(response.headers(), std::time::SystemTime::now());
        // What the provider says about its failure helps, but its lack changes nothing.
        let body = response.read_some(MAX_FAILURE).await;
        let body = String::from_utf8_lossy(&body);
        let reported = ProviderError::read(&body).unwrap_or_else(|| ProviderError::bare(&body));
        Err(fault::refusal(status, after, &reported, &self.endpoint).into())
    }

    /// What a failure of the client means.
    pub(crate) fn failed(&self, error: Error) -> ModelError {
        let scrubbed = |text: String| fault::scrub(&text, self.endpoint.key);
        let kind = match error {
            Error::Connect { message, .. } | Error::Proxy { message } => ErrorKind::Connect {
                host: self.endpoint.host.to_owned(),
                message: scrubbed(message),
            },
            // The limit is put in by whoever set it.
            Error::TimedOut => ErrorKind::TimedOut {
                phase: Phase::End,
                after: Duration::ZERO,
            },
            Error::Malformed { message } => ErrorKind::Malformed {
                what: scrubbed(message),
            },
            Error::Redirected { .. } => ErrorKind::Redirected {
                host: self.endpoint.host.to_owned(),
            },
            Error::Encoded => ErrorKind::Malformed {
                what: error.to_string(),
            },
            Error::TooLarge { .. } => ErrorKind::TooLarge {
                what: error.to_string(),
            },
            Error::Settings(_) | Error::Address { .. } | Error::Forbidden { .. } => {
                return error.into();
            }
            _ => ErrorKind::Cut,
        };
        kind.into()
    }
}

/// A client that cannot be made, or an address that cannot be used.
impl From<Error> for ModelError {
    fn from(error: Error) -> Self {
        match error {
            Error::Address { .. } => Self::settings(format!("the provider's {error}")),
            error => Self::settings(error.to_string()),
        }
    }
}

/// The header that carries a key, marked so that no log shows it.
pub(crate) fn key_header(
    headers: &mut HeaderMap,
    name: HeaderName,
    prefix: &str,
    key: Option<&Secret>,
) -> Result<(), ModelError> {
    let Some(key) = key
        .map(|key| key.expose().trim())
        .filter(|key| !key.is_empty())
    else {
        return Ok(());
    };
    let mut value = HeaderValue::from_str(&format!("{prefix}{key}"))
        .map_err(|_| ModelError::settings("the key has characters that no key has"))?;
    value.set_sensitive(true);
    headers.insert(name, value);
    Ok(())
}

/// A limit belongs to who set it: the error is made here.
pub(crate) fn within(error: ModelError, limit: Duration) -> ModelError {
    match error.kind() {
        ErrorKind::TimedOut {
            phase: Phase::End, ..
        } => ErrorKind::TimedOut {
            phase: Phase::End,
            after: limit,
        }
        .into(),
        _ => error,
    }
}
