//! JSON schemas of Rust types, and validation as far as plain types need it.
//!
//! [`Schema::of`] is the schema of a type, for models, forms and clients. Models write values that look
//! right and are not, so everything a model hands over as data is checked here before anything reads
//! it: answers and arguments of tools. So are answers of people that come in as JSON. The keywords are
//! those that derived schemas of Rust types use; `pattern` and most formats are not checked, other
//! keywords are ignored. The walk itself is in `check`, what is wrong with a schema in `lint`; [`probe`]
//! is for macros.
//!
//! Schemas and values may both be hostile. Nesting ends at [`MAX_DEPTH`], and the work is bounded
//! by the size of the value, whatever the schema refers to.

mod check;
mod lint;
mod number;
#[doc(hidden)]
pub mod probe;

use std::fmt;

use schemars::generate::SchemaSettings;
use serde_json::Value as Json;

pub use schemars::{self, JsonSchema};

/// How deep values and schemas may be nested.
pub const MAX_DEPTH: usize = 128;

/// How many problems are reported at once.
pub const MAX_PROBLEMS: usize = 32;

/// A JSON schema that has been read and makes sense.
#[derive(Clone, Debug, PartialEq)]
pub struct Schema {
    name: String,
    json: Json,
}

/// Something in a value that is not as its schema says.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Problem {
    /// Where: a JSON pointer, empty for the value itself.
    pub pointer: String,
    /// What is wrong, in words a model can act on.
    pub message: String,
}

/// A schema that makes no sense.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
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

/// What a person should see when a program ends with this error.
impl fmt::Debug for SchemaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
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

    /// The schema of a type.
    ///
    /// ```
    /// use superstep_schema::{JsonSchema, Schema};
    ///
    /// /// Where a parcel goes.
    /// #[derive(JsonSchema)]
    /// struct Address {
    ///     /// With the number of the house.
    ///     street: String,
    ///     zip: Option<u32>,
    /// }
    ///
    /// let schema = Schema::of::<Address>();
    /// assert_eq!(schema.name(), "Address");
    /// assert_eq!(schema.json()["properties"]["street"]["description"], "With the number of the house.");
    /// let problems = schema.check(&serde_json::json!({"zip": "none"}));
    /// assert_eq!(problems.len(), 2); // no street, and no number
    /// ```
    pub fn of<T: JsonSchema + ?Sized>() -> Self {
        Self {
            name: T::schema_name().into_owned(),
            json: json_of::<T>(),
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
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.pointer.is_empty() {
            return f.write_str(&self.message);
        }
        write!(f, "{}: {}", self.pointer, self.message)
    }
}

/// The part of a schema that a reference names. Only places in the same document can be named.
fn resolve<'a>(root: &'a Json, reference: &str) -> Option<&'a Json> {
    root.pointer(reference.strip_prefix('#')?)
}

/// The schema of a type, whole: without references but for types that contain themselves, and without
/// the name of the draft, which tells a reader nothing.
pub fn json_of<T: JsonSchema + ?Sized>() -> Json {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    settings
        .into_generator()
        .into_root_schema_for::<T>()
        .to_value()
}
