//! What the store gives back.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Namespace, UnixMillis};

/// A stored document and when it was written.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Item {
    /// Where the item lives.
    pub namespace: Namespace,
    /// Its name there.
    pub key: String,
    /// The document: any JSON value.
    pub value: Value,
    /// When the item was first put; a replace keeps it.
    pub created_at: UnixMillis,
    /// When the item was last put.
    pub updated_at: UnixMillis,
}

/// An item that a search found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SearchHit {
    /// The item.
    #[serde(flatten)]
    pub item: Item,
    /// How well it answers the query, higher is better; `None` if there was no query.
    pub score: Option<f64>,
}
