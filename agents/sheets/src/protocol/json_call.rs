//! A call that a reply writes as JSON text, instead of calling the tool: bare, in a fenced block, or in `<tool_call>` tags.

use serde_json::{Map, Value as Json};

/// Keys under which models write the name of a tool.
const NAMES: [&str; 3] = ["name", "tool", "function"];

/// Keys under which they write its arguments.
const ARGUMENTS: [&str; 4] = ["arguments", "parameters", "args", "input"];

/// The name of a tool and its arguments.
pub(super) struct JsonCall {
    pub(super) name: String,
    pub(super) args: Map<String, Json>,
}

/// The calls in a text, in their order. JSON that names no tool is none.
pub(super) fn calls(text: &str) -> Vec<JsonCall> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find('{') {
        let from = rest.get(start..).unwrap_or_default();
        let mut values = serde_json::Deserializer::from_str(from).into_iter::<Map<String, Json>>();
        let read = match values.next() {
            Some(Ok(object)) => {
                found.extend(call(object));
                values.byte_offset()
            }
            _ => 1,
        };
        rest = from.get(read..).unwrap_or_default();
    }
    found
}

/// The call that an object is: `{"name": …, "arguments": {…}}`, also within `"function"`, and with arguments as a text of
/// JSON or beside the name.
fn call(mut object: Map<String, Json>) -> Option<JsonCall> {
    let (key, named) = NAMES
        .iter()
        .find_map(|key| Some((*key, object.remove(*key)?)))?;
    let name = match named {
        Json::String(name) => name,
        Json::Object(inner) if key == "function" => return call(inner),
        _ => return None,
    };
    let args = match ARGUMENTS.iter().find_map(|key| object.remove(*key)) {
        Some(Json::Object(args)) => args,
        Some(Json::String(text)) => serde_json::from_str(&text).ok()?,
        Some(_) => return None,
        None => object,
    };
    Some(JsonCall { name, args })
}
