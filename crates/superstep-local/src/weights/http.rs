//! The one HTTP client: https, no cookies, no credentials, and redirects that are looked at.

use std::error::Error as _;
use std::time::Duration;

use reqwest::header::{ACCEPT_ENCODING, HeaderMap, HeaderValue, LOCATION};
use reqwest::redirect::Policy;
use reqwest::{Client, Proxy, Response, Url};

use super::error::Error;

/// How many redirects are followed.
const REDIRECTS: usize = 5;
const CONNECT: Duration = Duration::from_secs(10);
/// How long a server may be silent.
const IDLE: Duration = Duration::from_secs(60);

/// A client and the server it begins with.
#[derive(Debug)]
pub(super) struct Net {
    client: Client,
    /// Plain http is allowed to this machine only, and only if it began there.
    is_loopback: bool,
}

/// An answer, and the headers of the first server on the way to it.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) response: Response,
    pub(super) first: HeaderMap,
}

impl Net {
    /// For addresses below `base`; `proxy` instead of that of the environment.
    pub(super) fn new(base: &Url, proxy: Option<&str>) -> Result<Self, Error> {
        let is_loopback = base.scheme() == "http" && is_loopback(base);
        check(base, is_loopback)?;
        // The client panics if TLS has no provider; one that somebody else chose is kept.
        if rustls::crypto::CryptoProvider::get_default().is_none() {
            let _ = rustls::crypto::ring::default_provider().install_default();
        }
        let mut builder = Client::builder()
            .redirect(Policy::none())
            .connect_timeout(CONNECT)
            .read_timeout(IDLE)
            .user_agent(concat!("superstep/", env!("CARGO_PKG_VERSION")));
        if is_loopback {
            builder = builder.no_proxy();
        }
        if let Some(proxy) = proxy {
            builder = builder.proxy(Proxy::all(proxy).map_err(|error| explain(base, error))?);
        }
        let client = builder.build().map_err(|error| explain(base, error))?;
        Ok(Self {
            client,
            is_loopback,
        })
    }

    /// Asks for `url` and follows redirects.
    pub(super) async fn get(&self, url: &Url, headers: &HeaderMap) -> Result<Answer, Error> {
        let mut url = url.clone();
        let mut first = None;
        for _ in 0..=REDIRECTS {
            check(&url, self.is_loopback)?;
            let request = self
                .client
                .get(url.clone())
                .headers(headers.clone())
                // Lengths and ranges are those of the file itself.
                .header(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
            let response = request.send().await.map_err(|error| explain(&url, error))?;
            let first_headers = first.get_or_insert_with(|| response.headers().clone());
            if !response.status().is_redirection() || response.status().as_u16() == 304 {
                let first = std::mem::take(first_headers);
                return Ok(Answer { response, first });
            }
            url = target(&url, &response)?;
        }
        Err(Error::Redirect {
            to: shown(&url),
            reason: "there were too many before it",
        })
    }
}

fn target(from: &Url, response: &Response) -> Result<Url, Error> {
    let location = response.headers().get(LOCATION);
    let location = location.and_then(|value| value.to_str().ok());
    let to = location.and_then(|location| from.join(location).ok());
    to.ok_or_else(|| Error::Redirect {
        to: location.unwrap_or("nowhere").chars().take(80).collect(),
        reason: "it is no address",
    })
}

/// Whether a request may be sent there.
fn check(url: &Url, loopback_too: bool) -> Result<(), Error> {
    let is_safe =
        url.scheme() == "https" || loopback_too && url.scheme() == "http" && is_loopback(url);
    let reason = if !is_safe {
        "it is not https"
    } else if !url.username().is_empty() || url.password().is_some() {
        "it has a user or a password"
    } else {
        return Ok(());
    };
    Err(Error::Redirect {
        to: shown(url),
        reason,
    })
}

fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let ip = host.trim_start_matches('[').trim_end_matches(']');
    let ip = ip.parse::<std::net::IpAddr>();
    host == "localhost" || ip.is_ok_and(|ip| ip.is_loopback())
}

/// An address as it may be shown: its query can hold a signature, its user a password.
pub(super) fn shown(url: &Url) -> String {
    format!("{}://{}{}", url.scheme(), host(url), url.path())
}

/// The server of an address.
pub(super) fn host(url: &Url) -> String {
    let name = url.host_str().unwrap_or("nowhere");
    url.port()
        .map_or_else(|| name.to_owned(), |port| format!("{name}:{port}"))
}

/// What a failure of the client means.
pub(super) fn explain(url: &Url, error: reqwest::Error) -> Error {
    let host = host(url);
    let error = error.without_url();
    let mut reason = error.to_string();
    let mut below = error.source();
    while let Some(cause) = below {
        let text = cause.to_string();
        if !reason.contains(&text) {
            reason = format!("{reason}: {text}");
        }
        below = cause.source();
    }
    let lower = reason.to_lowercase();
    if lower.contains("proxy") || lower.contains("tunnel") {
        return Error::Proxy { host, reason };
    }
    Error::Network { host, reason }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;

    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(text).unwrap()
    }

    #[test]
    fn only_https_without_credentials_is_asked() {
        assert!(check(&url("https://a.example/x"), false).is_ok());
        assert!(check(&url("http://127.0.0.1:1/x"), true).is_ok());
        assert!(check(&url("http://[::1]:1/x"), true).is_ok());
        for refused in [
            "http://127.0.0.1:1/x",
            "http://a.example/x",
            "ftp://a.example/x",
            "file:///x",
            "https://u:p@a.example/x",
            "https://u@a.example/x",
        ] {
            let error = check(&url(refused), false).unwrap_err();
            assert_eq!(error.code(), "SS3407", "{refused}");
        }
        assert!(check(&url("http://127.0.0.1.example/x"), true).is_err());
    }

    #[test]
    fn an_address_is_shown_without_its_secrets() {
        let address = url("https://u:p@a.example:8443/f?sig=secret#x");
        assert_eq!(shown(&address), "https://a.example:8443/f");
    }

    #[tokio::test]
    async fn a_proxy_that_refuses_is_named_as_such() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let proxy = format!("http://{}", listener.local_addr().unwrap());
        let refusing = tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut head = [0; 64];
            let count = stream.read(&mut head).await.unwrap();
            let answer = b"HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n";
            stream.write_all(answer).await.unwrap();
            String::from_utf8_lossy(&head[..count]).into_owned()
        });
        let address = url("https://hub.example/x");
        let net = Net::new(&address, Some(&proxy)).unwrap();
        let error = net.get(&address, &HeaderMap::new()).await.unwrap_err();
        assert_eq!(error.code(), "SS3405", "{error}");
        let asked = refusing.await.unwrap();
        assert!(asked.starts_with("CONNECT hub.example:443"), "{asked}");
    }
}
