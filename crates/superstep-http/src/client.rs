//! The client: how connections are made, and what is checked about each request.
//!
//! - Redirects are refused unless asked for, and each one that is followed is checked as the first
//!   address was; headers marked as sensitive do not follow to another host.
//! - Plain HTTP never goes through a proxy, as it would read along; see [`Proxy`].
//! - No compression is asked for, and HTTP/2 is not built in.

use std::{fmt, time::Duration};

use reqwest::{
    Method, Request, RequestBuilder, Url,
    header::{HeaderMap, LOCATION},
    redirect,
};

use crate::{
    egress::{Egress, without_secrets},
    error::Error,
    response::Response,
    tls,
};

/// The most characters of a redirect's target that an error repeats.
const SHOWN: usize = 80;

/// What can be chosen about a client.
#[derive(Clone, Debug)]
pub struct Settings {
    /// How long a connection may take, TLS included.
    pub connect: Duration,
    /// How long the server may be silent, if that is limited.
    pub idle: Option<Duration>,
    /// Which proxy it uses.
    pub proxy: Proxy,
    /// Where requests may go.
    pub egress: Egress,
    /// How many redirects of a GET are followed.
    pub redirects: usize,
}

/// Which proxy requests go through. Only HTTPS does: the proxy passes bytes on and reads none.
/// Plain HTTP, and so all of this machine, is reached directly.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Proxy {
    /// The one in `HTTPS_PROXY`, but not for hosts in `NO_PROXY`.
    #[default]
    FromEnvironment,
    /// The one at this address, whatever the environment says.
    At(String),
    /// None, whatever the environment says.
    None,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            idle: None,
            proxy: Proxy::FromEnvironment,
            egress: Egress::default(),
            redirects: 0,
        }
    }
}

/// An HTTP client. Clones share their connections; one is enough for a process.
#[derive(Clone)]
pub struct Client {
    http: reqwest::Client,
    settings: Settings,
}

impl Client {
    /// Makes a client.
    pub fn new(settings: &Settings) -> Result<Self, Error> {
        let tls = tls::config(Vec::new()).map_err(|error| Error::settings(&error))?;
        let mut builder = reqwest::Client::builder()
            .tls_backend_preconfigured(tls)
            .redirect(redirect::Policy::none())
            .referer(false)
            .no_proxy()
            .connect_timeout(settings.connect)
            .pool_idle_timeout(Duration::from_secs(30))
            .user_agent(concat!("superstep/", env!("CARGO_PKG_VERSION")));
        if let Some(idle) = settings.idle {
            builder = builder.read_timeout(idle);
        }
        if let Some(proxy) = settings.proxy.resolve()? {
            builder = builder.proxy(proxy);
        }
        let http = builder.build().map_err(|error| Error::settings(&error))?;
        let settings = settings.clone();
        Ok(Self { http, settings })
    }

    /// The settings it was made with.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Begins a request; [`Client::send`] sends it.
    pub fn request(&self, method: Method, url: Url) -> RequestBuilder {
        self.http.request(method, url)
    }

    /// Begins a GET.
    pub fn get(&self, url: Url) -> RequestBuilder {
        self.request(Method::GET, url)
    }

    /// Begins a POST.
    pub fn post(&self, url: Url) -> RequestBuilder {
        self.request(Method::POST, url)
    }

    /// Sends a request, once. An answer with any status is an answer, but for redirects.
    pub async fn send(&self, request: RequestBuilder) -> Result<Response, Error> {
        let mut request = request.build()?;
        let mut left = match *request.method() {
            Method::GET => self.settings.redirects,
            _ => 0,
        };
        let mut first = None;
        loop {
            self.settings.egress.check(request.url())?;
            let next = if left > 0 { request.try_clone() } else { None };
            let response = self.http.execute(request).await?;
            let status = response.status().as_u16();
            if !response.status().is_redirection() || status == 304 {
                return Ok(Response::new(response, first));
            }
            let to = target(&response)?;
            request = match next {
                Some(next) => redirected(next, to),
                None => {
                    let to = without_secrets(&to);
                    let why = match self.settings.redirects {
                        0 => "redirects are not allowed here",
                        _ => "there were too many before it",
                    };
                    return Err(Error::Redirected { status, to, why });
                }
            };
            left -= 1;
            first.get_or_insert_with(|| response.headers().clone());
        }
    }
}

/// The request for where a redirect leads. Keys do not go to another host.
fn redirected(mut request: Request, to: Url) -> Request {
    if request.url().origin() != to.origin() {
        let headers = std::mem::take(request.headers_mut());
        let public = headers.iter().filter(|(_, value)| !value.is_sensitive());
        let public = public.map(|(name, value)| (name.clone(), value.clone()));
        *request.headers_mut() = public.collect::<HeaderMap>();
    }
    *request.url_mut() = to;
    request
}

fn target(response: &reqwest::Response) -> Result<Url, Error> {
    let location = response.headers().get(LOCATION);
    let location = location.and_then(|value| value.to_str().ok());
    let to = location.and_then(|location| response.url().join(location).ok());
    to.ok_or_else(|| Error::Redirected {
        status: response.status().as_u16(),
        to: location.unwrap_or("nowhere").chars().take(SHOWN).collect(),
        why: "it is no address",
    })
}

impl Proxy {
    fn resolve(&self) -> Result<Option<reqwest::Proxy>, Error> {
        // The address may hold a password: it is not repeated.
        let wrong = |name: &str| Error::Settings(format!("{name} is no address of a proxy"));
        match self {
            Self::None => Ok(None),
            Self::At(address) => {
                let proxy = reqwest::Proxy::https(address).map_err(|_| wrong("it"))?;
                Ok(Some(proxy))
            }
            Self::FromEnvironment => {
                let address = ["HTTPS_PROXY", "https_proxy"]
                    .iter()
                    .find_map(|name| std::env::var(name).ok().filter(|value| !value.is_empty()));
                let Some(address) = address else {
                    return Ok(None);
                };
                let proxy = reqwest::Proxy::https(address).map_err(|_| wrong("HTTPS_PROXY"))?;
                Ok(Some(proxy.no_proxy(reqwest::NoProxy::from_env())))
            }
        }
    }
}

/// A proxy's address may hold a password, so little is shown.
impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client")
            .field("connect", &self.settings.connect)
            .field("egress", &self.settings.egress)
            .finish_non_exhaustive()
    }
}
