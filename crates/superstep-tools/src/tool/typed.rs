//! What `#[tool]` makes of a function's arguments.

use schemars::{JsonSchema, generate::SchemaSettings};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value as Json};
use superstep_model::ToolSpec;

use super::ToolError;

/// The description of a tool whose arguments are the fields of `A`.
pub fn spec<A: JsonSchema>(name: &str, description: &str) -> ToolSpec {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let mut schema = settings.into_generator().into_root_schema_for::<A>();
    // The name of a generated type tells a model nothing.
    schema.remove("title");
    ToolSpec {
        name: name.to_owned(),
        description: description.to_owned(),
        parameters: schema.to_value(),
    }
}

/// The arguments as their type.
pub fn decode<A: DeserializeOwned>(args: Map<String, Json>) -> Result<A, ToolError> {
    serde_json::from_value(Json::Object(args)).map_err(ToolError::failed)
}

/// What is wrong with arguments.
pub fn check<A: DeserializeOwned>(args: &Map<String, Json>) -> Result<(), Vec<String>> {
    match serde_json::from_value::<A>(Json::Object(args.clone())) {
        Ok(_) => Ok(()),
        Err(error) => Err(vec![error.to_string()]),
    }
}
