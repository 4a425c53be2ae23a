//! JSON Schema validation, as far as plain types need it.
//!
//! Models write values that look right and are not, so everything a model hands over as data is
//! checked here before anything reads it: answers (`call::structured`) and arguments of tools. The
//! keywords are those that derived schemas of Rust types use; `pattern` and most formats are not
//! checked, other keywords are ignored. The walk itself is in `check`, what is wrong with a schema
//! in `lint`.
//!
//! Schemas and values may both be hostile. Nesting ends at [`MAX_DEPTH`], and the work is bounded
//! by the size of the value, whatever the schema refers to.

mod check;
mod lint;
mod number;

use std::fmt;

use serde_json::Value as Json;

use crate::{
    error::{ErrorKind, ModelError},
    request::OutputSchema,
};

/// How deep values and schemas may be nested.
pub const MAX_DEPTH: usize = 128;

/// How many problems are told at once.
pub const MAX_PROBLEMS: usize = 32;

/// A JSON schema that has been read and makes sense.
#[derive(Clone, Debug, PartialEq)]
pub struct Schema {
    name: String,
    json: Json,
}

/// Something in a value that is not as its schema says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Where: a JSON pointer, empty for the value itself.
    pub pointer: String,
    /// What is wrong, in words a model can act on.
    pub message: String,
}

/// A schema that makes no sense.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("schema `{name}` at `{pointer}`: {message}")]
#[non_exhaustive]
pub struct SchemaError {
    /// The schema's name.
    pub name: String,
    /// Where in the schema: a JSON pointer.
    pub pointer: String,
    /// What is wrong.
    pub message: String,
}

impl Schema {
    /// Reads a schema. Its name is what models and errors call it.
    pub fn new(name: impl Into<String>, json: Json) -> Result<Self, SchemaError> {
        let name = name.into();
        match lint::first_mistake(&json) {
            None => Ok(Self { name, json }),
            Some(Problem { pointer, message }) => Err(SchemaError {
                name,
                pointer,
                message,
            }),
        }
    }

    /// What it is called.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The schema itself.
    pub fn json(&self) -> &Json {
        &self.json
    }

    /// What is wrong with a value: nothing if it fits, at most [`MAX_PROBLEMS`] otherwise.
    pub fn check(&self, value: &Json) -> Vec<Problem> {
        check::problems(&self.json, value)
    }

    /// As a request asks for it, with a name that every provider takes.
    pub fn output(&self) -> OutputSchema {
        let allowed = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        let name: String = self
            .name
            .chars()
            .map(|c| if allowed(c) { c } else { '_' })
            .take(64)
            .collect();
        OutputSchema {
            name: if name.is_empty() {
                "answer".into()
            } else {
                name
            },
            schema: self.json.clone(),
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.pointer.is_empty() {
            return f.write_str(&self.message);
        }
        write!(f, "{}: {}", self.pointer, self.message)
    }
}

impl From<SchemaError> for ModelError {
    fn from(error: SchemaError) -> Self {
        let why = error.to_string();
        ErrorKind::Settings { why }.into()
    }
}

/// The part of a schema that a reference names. Only places in the same document can be named.
fn resolve<'a>(root: &'a Json, reference: &str) -> Option<&'a Json> {
    root.pointer(reference.strip_prefix('#')?)
}
