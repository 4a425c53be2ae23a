//! The base address of an interface, and whether a key may go there.

use std::fmt;

use reqwest::Url;

use crate::{
    egress::{self, Egress},
    error::Error,
};

/// The base address of an interface: a scheme, a host, perhaps a port and a path.
///
/// Keys go there, so anything but this machine is reached over HTTPS; see [`Address::given`] for the
/// exception.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Address(Url);

impl Address {
    /// Reads an address that the program has chosen. Without a scheme it is HTTPS, or HTTP on this
    /// machine; plain HTTP to another machine is refused.
    pub fn new(text: &str) -> Result<Self, Error> {
        let address = Self::read(text)?;
        if Egress::HttpsOrLoopback.check(&address.0).is_err() {
            return Err(wrong(
                text,
                "keys and conversations go to other machines over https only",
            ));
        }
        Ok(address)
    }

    /// Reads an address that a person wrote down, scheme and all: plain HTTP is taken as meant. A
    /// client sends there only with [`Egress::Any`].
    pub fn given(text: &str) -> Result<Self, Error> {
        Self::read(text)
    }

    /// Whether it is on this machine.
    pub fn is_local(&self) -> bool {
        egress::is_loopback(&self.0)
    }

    /// The host and, if it is not the scheme's own, the port.
    pub fn host(&self) -> String {
        egress::host(&self.0)
    }

    /// The port.
    pub fn port(&self) -> Option<u16> {
        self.0.port_or_known_default()
    }

    /// An address below this one. A version such as `/v1` is put between if the address has no
    /// path of its own, and is not doubled if it has it.
    pub fn below(&self, version: &str, path: &str) -> Url {
        let own = self.0.path().trim_end_matches('/');
        let whole = if own.is_empty() {
            format!("/{version}/{path}")
        } else {
            format!("{own}/{path}")
        };
        self.at(&whole)
    }

    /// A path of the same host.
    pub fn at(&self, path: &str) -> Url {
        let mut url = self.0.clone();
        url.set_path(path);
        url
    }

    /// Its own path, without a slash at the end.
    pub fn path(&self) -> &str {
        self.0.path().trim_end_matches('/')
    }

    fn read(text: &str) -> Result<Self, Error> {
        let text = text.trim();
        let url = if text.contains("://") {
            Url::parse(text)
        } else {
            // What is on this machine rarely has a certificate, what is not always should.
            let guess = Url::parse(&format!("http://{text}"));
            match guess {
                Ok(url) if Self(url.clone()).is_local() => Ok(url),
                Ok(_) => Url::parse(&format!("https://{text}")),
                Err(error) => Err(error),
            }
        };
        let url = url.map_err(|error| wrong("", &error.to_string()))?;
        if !url.username().is_empty() || url.password().is_some() {
            return Err(wrong("", "an address must not hold a name or a password"));
        }
        if !matches!(url.scheme(), "http" | "https") {
            return Err(wrong(text, "an address begins with http:// or https://"));
        }
        if url.query().is_some() || url.fragment().is_some() {
            return Err(wrong("", "an address ends with its path"));
        }
        Ok(Self(url))
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.as_str().trim_end_matches('/'))
    }
}

/// An address that may hold a secret is not repeated: then `text` is empty.
fn wrong(text: &str, why: &str) -> Error {
    Error::Address {
        text: text.to_owned(),
        why: why.to_owned(),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;

    fn url(address: &str) -> String {
        let address = Address::new(address).unwrap();
        address.below("v1", "chat/completions").to_string()
    }

    #[test]
    fn the_version_is_put_in_once() {
        for base in ["https://a.test", "https://a.test/", "https://a.test/v1/"] {
            assert_eq!(url(base), "https://a.test/v1/chat/completions");
        }
        let other = url("https://a.test/openai/v2");
        assert_eq!(other, "https://a.test/openai/v2/chat/completions");
    }

    #[test]
    fn without_a_scheme_only_this_machine_is_plain() {
        assert_eq!(
            url("localhost:11434"),
            "http://localhost:11434/v1/chat/completions"
        );
        assert_eq!(url("[::1]:9"), "http://[::1]:9/v1/chat/completions");
        assert_eq!(url("a.test:9"), "https://a.test:9/v1/chat/completions");
    }

    #[test]
    fn plain_http_elsewhere_must_be_meant() {
        for far in [
            "http://a.test", "http://10.0.0.1", "http://localhost.a.test", "http://0.0.0.0:1",
        ] {
            assert!(Address::new(far).is_err(), "{far}");
            assert!(!Address::given(far).unwrap().is_local(), "{far}");
        }
        for near in [
            "http://127.0.0.1:1", "http://127.9.9.9", "http://[::1]", "http://[::ffff:127.0.0.1]",
            "http://2130706433",
        ] {
            assert!(Address::new(near).unwrap().is_local(), "{near}");
        }
    }

    #[test]
    fn an_address_holds_no_secrets() {
        for text in [
            "https://me:pw@a.test", "https://pw@a.test", "https://a.test/?key=pw", "ftp://a.test",
            "",
        ] {
            let error = Address::given(text).unwrap_err();
            assert!(!error.to_string().contains("pw"), "{error}");
        }
    }
}
