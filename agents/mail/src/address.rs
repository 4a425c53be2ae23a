//! A mail address.

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
