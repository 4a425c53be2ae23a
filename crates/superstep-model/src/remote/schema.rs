//! Schemas as providers take them, who hold a model to less than a schema can say.
//!
//! What a provider does not check is left out of what it is sent, never out of what is checked:
//! answers are held against the whole schema by the caller.

use serde_json::{Map, Value as Json, json};

/// Words that OpenAI's strict mode does not take.
pub(crate) const NOT_OPENAI: &[&str] = &["$schema", "default"];

/// Words that Anthropic's structured output does not take.
pub(crate) const NOT_ANTHROPIC: &[&str] = &[
    "$schema", "default", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum",
    "multipleOf", "minLength", "maxLength", "minItems", "maxItems", "uniqueItems",
];

/// Formats that are hints of Rust types and no part of JSON schema.
const RUST: &[&str] = &[
    "int8", "int16", "int32", "int64", "int", "uint8", "uint16", "uint32", "uint64", "uint",
    "float", "double",
];

/// A schema whose objects have the listed properties and no others, without the words given.
/// Nothing if it has objects with other properties, which strict ways cannot say.
pub(crate) fn closed(schema: &Json, left_out: &[&str]) -> Option<Json> {
    match schema {
        Json::Object(words) => closed_object(words, left_out).map(Json::Object),
        other => Some(other.clone()),
    }
}

/// Whether all properties of all objects are required, which OpenAI's strict mode wants.
pub(crate) fn requires_all(schema: &Json) -> bool {
    let Json::Object(words) = schema else {
        return true;
    };
    if let Some(Json::Object(properties)) = words.get("properties") {
        let required = words.get("required").and_then(Json::as_array);
        let is_required = |name: &String| {
            required.is_some_and(|required| required.iter().any(|r| r.as_str() == Some(name)))
        };
        if !properties.keys().all(is_required) {
            return false;
        }
    }
    words
        .iter()
        .all(|(word, below)| match (word.as_str(), below) {
            ("properties" | "$defs" | "definitions", Json::Object(named)) => {
                named.values().all(requires_all)
            }
            ("anyOf" | "oneOf" | "allOf" | "prefixItems", Json::Array(several)) => {
                several.iter().all(requires_all)
            }
            ("items", one) => requires_all(one),
            _ => true,
        })
}

fn closed_object(words: &Map<String, Json>, left_out: &[&str]) -> Option<Map<String, Json>> {
    let mut out = Map::new();
    for (word, below) in words {
        if left_out.contains(&word.as_str()) {
            continue;
        }
        let below = match (word.as_str(), below) {
            // Here the keys are names of the user's, not words of the language.
            ("properties" | "$defs" | "definitions", Json::Object(named)) => {
                let mut all = Map::new();
                for (name, one) in named {
                    all.insert(name.clone(), closed(one, left_out)?);
                }
                Json::Object(all)
            }
            ("anyOf" | "oneOf" | "allOf" | "prefixItems", Json::Array(several)) => {
                let all: Option<Vec<Json>> =
                    several.iter().map(|one| closed(one, left_out)).collect();
                Json::Array(all?)
            }
            ("items", one) => closed(one, left_out)?,
            ("format", Json::String(format)) if RUST.contains(&format.as_str()) => continue,
            ("additionalProperties", Json::Bool(false)) => below.clone(),
            ("additionalProperties", _) => return None,
            _ => below.clone(),
        };
        out.insert(word.clone(), below);
    }
    let is_object = out.get("type") == Some(&json!("object")) || out.contains_key("properties");
    if is_object {
        if !out.contains_key("properties") {
            return None;
        }
        out.insert("additionalProperties".into(), json!(false));
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_are_closed_all_the_way_down() {
        let schema = json!({
            "$schema": "x", "type": "object", "required": ["a", "minimum"],
            "properties": {
                "a": {"type": "array", "items": {"$ref": "#/$defs/B"}},
                "minimum": {"type": "integer", "format": "uint32", "minimum": 0},
            },
            "$defs": {"B": {"type": "object", "properties": {}}},
        });
        let sent = json!({
            "type": "object", "required": ["a", "minimum"], "additionalProperties": false,
            "properties": {
                "a": {"type": "array", "items": {"$ref": "#/$defs/B"}},
                "minimum": {"type": "integer"},
            },
            "$defs": {"B": {"type": "object", "properties": {}, "additionalProperties": false}},
        });
        assert_eq!(closed(&schema, NOT_ANTHROPIC), Some(sent));
    }

    #[test]
    fn a_map_cannot_be_closed() {
        for schema in [
            json!({"type": "object", "additionalProperties": {"type": "string"}}),
            json!({"type": "object"}),
            json!({"items": {"type": "object", "properties": {}, "additionalProperties": true}}),
        ] {
            assert_eq!(closed(&schema, NOT_OPENAI), None, "{schema}");
        }
    }

    #[test]
    fn an_optional_property_is_seen_at_any_depth() {
        let inner = json!({"type": "object", "properties": {"x": {}}});
        assert!(!requires_all(&inner));
        let outer = json!({"anyOf": [{"type": "null"}, {"items": inner}]});
        assert!(!requires_all(&outer));
        let all = json!({"type": "object", "properties": {"x": {}}, "required": ["x"]});
        assert!(requires_all(&all));
    }
}
