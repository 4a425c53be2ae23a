//! A key that does not show itself.

use std::{fmt, sync::Arc};

/// A key, password or token: it can be used, but not printed, logged or serialized by accident.
///
/// ```
/// use superstep_text::Secret;
///
/// let key = Secret::new("correct-horse-battery");
/// assert!(!format!("{key:?}").contains("horse"));
/// assert_eq!(key.expose(), "correct-horse-battery");
/// ```
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

impl From<String> for Secret {
    fn from(value: String) -> Self {
        Self::new(value)
    }
}

impl From<&str> for Secret {
    fn from(value: &str) -> Self {
        Self::new(value)
    }
}
