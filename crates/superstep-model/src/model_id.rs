//! Model ids: provider and name.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Whose model and which: `provider:name`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ModelId {
    /// Whose: `openai`, `anthropic`, `local`, `script`, ...
    pub provider: String,
    /// Its name there.
    pub name: String,
}

impl ModelId {
    /// An id.
    pub fn new(provider: impl Into<String>, name: impl Into<String>) -> Self {
        Self {
            provider: provider.into(),
            name: name.into(),
        }
    }
}

impl fmt::Display for ModelId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.provider, self.name)
    }
}
