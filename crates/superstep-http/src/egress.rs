//! Egress rules: which addresses a request may be sent to, and how an address may be shown.

use std::net::IpAddr;

use reqwest::Url;

use crate::error::Error;

/// Where requests may go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Egress {
    /// To `https` only, and to no address with a user or a password.
    Https,
    /// The same, and to `http` on this machine.
    #[default]
    HttpsOrLoopback,
    /// To any address: `http` elsewhere, where others can read along, and credentials are meant.
    Any,
}

impl Egress {
    /// Whether a request may be sent there.
    pub fn check(self, url: &Url) -> Result<(), Error> {
        let is_allowed = match url.scheme() {
            "https" => true,
            "http" => match self {
                Self::Https => false,
                Self::HttpsOrLoopback => is_loopback(url),
                Self::Any => true,
            },
            _ => false,
        };
        let why = if !is_allowed {
            "it is not https"
        } else if self != Self::Any && has_credentials(url) {
            "it has a user or a password"
        } else {
            return Ok(());
        };
        let to = without_secrets(url);
        Err(Error::Forbidden { to, why })
    }
}

fn has_credentials(url: &Url) -> bool {
    !url.username().is_empty() || url.password().is_some()
}

/// Whether the host of an address is this machine.
pub fn is_loopback(url: &Url) -> bool {
    let Some(host) = url.host_str() else {
        return false;
    };
    // Browsers and the standard take this name for the loopback interface.
    host == "localhost"
        || host
            .trim_matches(['[', ']'])
            .parse::<IpAddr>()
            .is_ok_and(|ip| ip.to_canonical().is_loopback())
}

/// The host and, unless it is the scheme's own, the port.
pub fn host(url: &Url) -> String {
    let host = url.host_str().unwrap_or("nowhere");
    match url.port() {
        Some(port) => format!("{host}:{port}"),
        None => host.to_owned(),
    }
}

/// An address as it may be shown: a query can hold a signature, a user name a password.
pub fn without_secrets(url: &Url) -> String {
    format!("{}://{}{}", url.scheme(), host(url), url.path())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;

    fn may(egress: Egress, text: &str) -> bool {
        egress.check(&Url::parse(text).unwrap()).is_ok()
    }

    #[test]
    fn plain_http_goes_to_this_machine_unless_anywhere_is_meant() {
        for near in [
            "http://127.0.0.1:1/x", "http://127.9.9.9", "http://localhost", "http://[::1]:1/x",
            "http://[::ffff:127.0.0.1]", "http://2130706433",
        ] {
            assert!(may(Egress::HttpsOrLoopback, near), "{near}");
            assert!(!may(Egress::Https, near), "{near}");
        }
        for far in [
            "http://a.test/x", "http://10.0.0.1", "http://localhost.a.test",
            "http://127.0.0.1.a.test", "http://0.0.0.0:1",
        ] {
            assert!(!may(Egress::HttpsOrLoopback, far), "{far}");
            assert!(may(Egress::Any, far), "{far}");
        }
        assert!(may(Egress::Https, "https://a.test"));
    }

    #[test]
    fn other_schemes_and_credentials_are_refused() {
        for odd in ["ftp://a.test", "file:///x"] {
            assert!(!may(Egress::Any, odd), "{odd}");
        }
        for secret in ["https://u:p@a.test/x", "https://u@a.test/x"] {
            assert!(!may(Egress::HttpsOrLoopback, secret), "{secret}");
        }
    }

    #[test]
    fn an_address_is_shown_without_its_secrets() {
        let url = Url::parse("https://u:p@a.test:8443/f?sig=secret#x").unwrap();
        assert_eq!(without_secrets(&url), "https://a.test:8443/f");
    }
}
