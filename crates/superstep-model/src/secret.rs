//! A key that does not show itself.

use std::{fmt, sync::Arc};

/// A secret, such as a provider's key. It can be read in one way only, and neither debug output
/// nor an error nor a serialiser takes it.
#[derive(Clone)]
pub struct Secret(Arc<str>);

impl Secret {
    /// Keeps a secret.
    pub fn new(value: impl Into<Arc<str>>) -> Self {
        Self(value.into())
    }

    /// The secret itself, for whoever must have it.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[secret]")
    }
}

impl fmt::Display for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[secret]")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_does_not_show() {
        let key = Secret::new("sk-123");
        assert_eq!(format!("{key} {key:?}"), "[secret] [secret]");
        assert_eq!(key.expose(), "sk-123");
    }
}
