//! The one constructor of the HTTP client, and what every call has in common.
//!
//! - TLS is rustls with ring, given to the client directly, so no process-wide provider is needed
//!   or changed. Certificates are checked the machine's way, which knows the roots an
//!   administrator added or took away (`SSL_CERT_FILE` included); a machine without any, such as a
//!   bare container, gets the built-in list of the web.
//! - No redirect is followed: a key goes where it was meant to go.
//! - Plain HTTP never goes through a proxy, as it would read along; see [`Proxy`].
//! - Nothing is compressed: no encoding is asked for, and an answer with one is refused, so there
//!   is no bomb to unpack. HTTP/2 is not built in.
//! - Bodies are read to a limit and no further.

use std::{fmt, sync::Arc, time::Duration};

use reqwest::{
    RequestBuilder, Response, Url,
    header::{self, HeaderMap, HeaderName, HeaderValue},
    redirect,
};
use serde::de::DeserializeOwned;
use serde_json::Value as Json;

use crate::{
    Secret,
    error::{ErrorKind, ModelError, Phase},
    remote::{
        address::Address,
        fault::{self, Told, Whence},
    },
};

/// How much of an answer that is no stream is read.
pub const MAX_ANSWER: usize = 64 << 20;

/// How much of a stream is read. None of it is kept; the reply has a limit of its own.
pub const MAX_STREAM: usize = 256 << 20;

/// How much of a failure's text is read.
pub const MAX_FAILURE: usize = 64 << 10;

/// The HTTP client of all providers. Clones share their connections.
#[derive(Clone)]
pub struct Client {
    http: reqwest::Client,
    connect: Duration,
}

/// What can be chosen about the client.
#[derive(Clone, Debug)]
pub struct Settings {
    /// How long a connection may take, TLS included.
    pub connect: Duration,
    /// Which proxy it uses.
    pub proxy: Proxy,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            proxy: Proxy::FromEnvironment,
        }
    }
}

/// Which proxy calls go through. Only HTTPS does: the proxy passes bytes on and reads none. Plain
/// HTTP, and so all of this machine, is reached directly.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Proxy {
    /// The one in `HTTPS_PROXY`, but not for hosts in `NO_PROXY`.
    #[default]
    FromEnvironment,
    /// None, whatever the environment says.
    None,
}

/// Where a provider is, and the key that opens it.
#[derive(Clone, Debug)]
pub struct Site {
    /// Its address.
    pub address: Address,
    /// Its key; local servers need none.
    pub key: Option<Secret>,
}

impl Client {
    /// Makes the client. One is enough for a process.
    pub fn new(settings: &Settings) -> Result<Self, ModelError> {
        let mut builder = reqwest::Client::builder()
            .tls_backend_preconfigured(tls()?)
            .redirect(redirect::Policy::none())
            .referer(false)
            .no_proxy()
            .connect_timeout(settings.connect)
            .pool_idle_timeout(Duration::from_secs(30))
            .user_agent(concat!("superstep/", env!("CARGO_PKG_VERSION")));
        if settings.proxy == Proxy::FromEnvironment
            && let Some(proxy) = environment_proxy()?
        {
            builder = builder.proxy(proxy);
        }
        let http = builder
            .build()
            .map_err(|error| settings_error(&fault::innermost(&error)))?;
        Ok(Self {
            http,
            connect: settings.connect,
        })
    }

    /// The client itself, for what is not spoken to providers.
    pub fn raw(&self) -> &reqwest::Client {
        &self.http
    }

    /// Sends a body and gives the answer if its status says that it is one.
    pub(crate) async fn post(&self, call: &Call<'_>, body: &Json) -> Result<Response, ModelError> {
        self.send(call, self.posting(call, body)).await
    }

    /// The same, with a limit for the whole of it.
    pub(crate) async fn post_within(
        &self,
        call: &Call<'_>,
        body: &Json,
        limit: Duration,
    ) -> Result<Response, ModelError> {
        let request = self.posting(call, body).timeout(limit);
        self.send(call, request).await
    }

    /// Asks for something and reads the whole answer, within a time.
    pub(crate) async fn get<T: DeserializeOwned>(
        &self,
        call: &Call<'_>,
        limit: Duration,
    ) -> Result<T, ModelError> {
        let request = self.http.get(call.url.clone()).timeout(limit);
        let response = self.send(call, request).await;
        let response = response.map_err(|error| within(error, limit))?;
        let read = read_json(response, call).await;
        read.map_err(|error| within(error, limit))
    }

    fn posting(&self, call: &Call<'_>, body: &Json) -> RequestBuilder {
        self.http
            .post(call.url.clone())
            .header(header::CONTENT_TYPE, "application/json")
            .body(body.to_string())
    }

    async fn send(&self, call: &Call<'_>, request: RequestBuilder) -> Result<Response, ModelError> {
        let sent = request.headers(call.headers.clone()).send().await;
        let response = sent.map_err(|error| self.failed(&error, call))?;
        let status = response.status().as_u16();
        if response.status().is_redirection() {
            let host = call.whence.host.to_owned();
            return Err(ErrorKind::Redirected { host }.into());
        }
        if let Some(encoding) = response.headers().get(header::CONTENT_ENCODING)
            && encoding != "identity"
        {
            let what = "an encoding that was not asked for".into();
            return Err(ErrorKind::Malformed { what }.into());
        }
        if response.status().is_success() {
            return Ok(response);
        }
        let after = fault::retry_after(response.headers(), std::time::SystemTime::now());
        // What the provider says about its failure helps, but its lack changes nothing.
        let body = read_some(response, MAX_FAILURE).await;
        let told = Told::read(&body).unwrap_or_else(|| Told::bare(&body));
        Err(fault::refusal(status, after, &told, &call.whence).into())
    }

    fn failed(&self, error: &reqwest::Error, call: &Call<'_>) -> ModelError {
        let message = fault::scrub(&fault::innermost(error), call.whence.key);
        let kind = if error.is_connect() && error.is_timeout() {
            ErrorKind::TimedOut {
                phase: Phase::Connection,
                after: self.connect,
            }
        } else if error.is_connect() {
            ErrorKind::Connect {
                host: call.whence.host.to_owned(),
                message,
            }
        } else if error.is_timeout() {
            // The limit is put in by whoever set it.
            ErrorKind::TimedOut {
                phase: Phase::End,
                after: Duration::ZERO,
            }
        } else if fault::is_garbage(error) {
            ErrorKind::Malformed { what: message }
        } else {
            ErrorKind::Cut
        };
        kind.into()
    }
}

/// A proxy's address may hold a password, so little is shown.
impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client")
            .field("connect", &self.connect)
            .finish_non_exhaustive()
    }
}

/// One call: where it goes, with which headers, and on whose behalf.
pub(crate) struct Call<'a> {
    pub(crate) url: Url,
    pub(crate) headers: HeaderMap,
    pub(crate) whence: Whence<'a>,
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
        .map_err(|_| settings_error("the key has characters that no key has"))?;
    value.set_sensitive(true);
    headers.insert(name, value);
    Ok(())
}

/// Reads a whole answer as JSON.
pub(crate) async fn read_json<T: DeserializeOwned>(
    mut response: Response,
    call: &Call<'_>,
) -> Result<T, ModelError> {
    let mut bytes = Vec::new();
    loop {
        match response.chunk().await {
            Ok(Some(chunk)) => bytes.extend_from_slice(&chunk),
            Ok(None) => break,
            Err(error) if error.is_timeout() => {
                return Err(ErrorKind::TimedOut {
                    phase: Phase::End,
                    after: Duration::ZERO,
                }
                .into());
            }
            Err(_) => return Err(ErrorKind::Cut.into()),
        }
        if bytes.len() > MAX_ANSWER {
            let what = format!("more than {MAX_ANSWER} bytes");
            return Err(ErrorKind::TooLarge { what }.into());
        }
    }
    serde_json::from_slice(&bytes).map_err(|error| {
        let what = fault::scrub(&error.to_string(), call.whence.key);
        ErrorKind::Malformed { what }.into()
    })
}

/// A limit belongs to who set it: the error is told here.
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

async fn read_some(mut response: Response, limit: usize) -> String {
    let mut bytes = Vec::new();
    while let Ok(Some(chunk)) = response.chunk().await {
        bytes.extend_from_slice(&chunk);
        if bytes.len() >= limit {
            bytes.truncate(limit);
            break;
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn tls() -> Result<rustls::ClientConfig, ModelError> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = rustls::ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(|error| settings_error(&error.to_string()))?;
    let config = match rustls_platform_verifier::Verifier::new(provider) {
        Ok(verifier) => builder
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(verifier)),
        Err(_) => builder.with_root_certificates(rustls::RootCertStore {
            roots: webpki_roots::TLS_SERVER_ROOTS.to_vec(),
        }),
    };
    Ok(config.with_no_client_auth())
}

fn environment_proxy() -> Result<Option<reqwest::Proxy>, ModelError> {
    let named = ["HTTPS_PROXY", "https_proxy"]
        .iter()
        .find_map(|name| std::env::var(name).ok().filter(|value| !value.is_empty()));
    let Some(address) = named else {
        return Ok(None);
    };
    // The address may hold a password: it is not repeated.
    let proxy = reqwest::Proxy::https(address)
        .map_err(|_| settings_error("HTTPS_PROXY is no address of a proxy"))?;
    Ok(Some(proxy.no_proxy(reqwest::NoProxy::from_env())))
}

fn settings_error(why: &str) -> ModelError {
    ErrorKind::Settings { why: why.into() }.into()
}
