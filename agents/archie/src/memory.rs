//! Long-term memory: what a person decided and told about a folder of documents.
//!
//! It is a JSON file that people may read and edit, one for each folder of documents, or, where Archie is served, an item
//! of the run's store (`kept`). Everything in it says where it comes from. `place` says which files a thread reads and
//! writes, `file` reads and writes one, `statement` is what a model takes from a conversation and how it is checked, and
//! `relevant` makes a short text of a memory for a query. Entities and relationships are from earlier versions, or of
//! people: they are told and not added to.

mod file;
mod place;
mod relevant;
mod statement;
mod store_items;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

pub use file::{Loaded, load, update};
pub use place::MemoryPlace;
pub(crate) use place::{Recalled, label};
pub(crate) use relevant::relevant;
pub(crate) use statement::{Stated, schema};
pub use statement::{Statement, StatementKind};
pub(crate) use store_items::{keep, recall as recall_kept};

/// What is remembered.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Memory {
    /// The version of the file's form.
    pub version: u32,
    /// What people stated in conversations.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub statements: Vec<Statement>,
    /// What there is.
    pub entities: Vec<Entity>,
    /// How it works together.
    pub relationships: Vec<Relationship>,
    /// The documents that earlier versions looked through, by hash.
    pub documents: BTreeMap<String, ReadDocument>,
    /// Fields of others; they stay as they are.
    #[serde(flatten)]
    pub other: Map<String, Json>,
}

/// The form of the file this version writes.
pub const VERSION: u32 = 1;

/// Something a system is made of.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Entity {
    /// Its name.
    pub name: String,
    /// What it is, in a sentence.
    pub description: String,
    /// What kind of thing it is.
    #[serde(rename = "type")]
    pub kind: String,
    /// Words it can be found by.
    pub tags: Vec<String>,
    /// Anything else.
    pub properties: Map<String, Json>,
    /// Where this is known from.
    pub sources: Vec<Source>,
}

/// What one entity does with another.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Relationship {
    /// Which entity.
    pub from: String,
    /// With which other one.
    pub to: String,
    /// What it does.
    #[serde(rename = "type")]
    pub kind: String,
    /// Anything else.
    pub properties: Map<String, Json>,
    /// Where this is known from.
    pub sources: Vec<Source>,
}

/// Where something is known from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Source {
    /// The thread that learned it.
    pub thread: String,
    /// The hash of the document that says so, or `user` for a person.
    pub document: String,
}

/// A document that was looked through.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ReadDocument {
    /// What it was called.
    pub path: String,
    /// By which thread.
    pub thread: String,
}
