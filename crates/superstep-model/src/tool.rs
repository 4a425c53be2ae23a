//! Tools as a model sees them, and its calls.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

/// A tool as it is described to a model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolSpec {
    /// Its name.
    pub name: String,
    /// What it does and when to use it.
    pub description: String,
    /// The JSON schema of its arguments: an object.
    pub parameters: Json,
}

/// A call a model wants made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename = "tool_call")]
pub struct ToolCall {
    /// Its identity; results refer to it.
    pub id: String,
    /// The tool.
    pub name: String,
    /// Its arguments, not yet checked against the tool's schema.
    pub args: Map<String, Json>,
}

/// A call that cannot be made, because its arguments are not a JSON object.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InvalidCall {
    /// Its identity.
    pub id: String,
    /// The tool.
    pub name: String,
    /// The arguments as they came.
    pub args: String,
    /// What is wrong with them.
    pub error: String,
}
