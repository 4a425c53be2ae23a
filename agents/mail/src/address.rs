//! A mail address.

use std::fmt;

use serde::{Deserialize, Serialize};

/// An address with the name somebody gave it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Address {
    /// The name, as it was written; says nothing about who it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// `user@domain`.
    pub email: String,
}

impl Address {
    /// An address without a name.
    pub fn new(email: impl Into<String>) -> Self {
        Self {
            name: None,
            email: email.into(),
        }
    }

    /// Whether mail to both arrives at the same place.
    pub fn is_same(&self, other: &Self) -> bool {
        self.email.trim().eq_ignore_ascii_case(other.email.trim())
    }
}

impl fmt::Display for Address {
    /// As a person would write it. A name that could be taken for an address, a list or a header is
    /// quoted.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_plain = |c: char| c.is_alphanumeric() || " .'’-_&/+".contains(c);
        match &self.name {
            None => f.write_str(&self.email),
            Some(name) if name.chars().all(is_plain) => write!(f, "{name} <{}>", self.email),
            Some(name) => {
                let quoted = name.replace('\\', "\\\\").replace('"', "\\\"");
                write!(f, "\"{quoted}\" <{}>", self.email)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_look_like_addresses_or_headers_are_quoted() {
        let shown = |name: &str| {
            let name = Some(name.to_owned());
            let email = "m@evil.example".into();
            Address { name, email }.to_string()
        };
        assert_eq!(
            shown("Dr. Ann O'Neil-Groß"),
            "Dr. Ann O'Neil-Groß <m@evil.example>"
        );
        for name in [
            "ann@example.org, boss", "To: ann", "a <b", "(c)", "x，y", "a;b",
        ] {
            assert_eq!(shown(name), format!("\"{name}\" <m@evil.example>"));
        }
        assert_eq!(shown("a\" <b>, \\"), "\"a\\\" <b>, \\\\\" <m@evil.example>");
    }
}
