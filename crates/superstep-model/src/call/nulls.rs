//! Nulls in place of absent properties: providers that require all properties let optional ones be null.

use serde_json::{Map, Value as Json};

/// How many references and levels are followed.
const DEEPEST: usize = 64;

/// The value without nulls of properties that may be absent.
pub(super) fn as_absent(schema: &Json, mut value: Json) -> Json {
    take_out(schema, schema, &mut value, 0);
    value
}

fn take_out(root: &Json, schema: &Json, value: &mut Json, depth: usize) {
    let Json::Object(words) = schema else { return };
    if depth > DEEPEST || !(value.is_object() || value.is_array()) {
        return;
    }
    if let Some(Json::String(reference)) = words.get("$ref") {
        let target = reference.strip_prefix('#').and_then(|it| root.pointer(it));
        if let Some(target) = target {
            take_out(root, target, value, depth + 1);
        }
        return;
    }
    for branches in ["anyOf", "oneOf", "allOf"] {
        if let Some(Json::Array(branches)) = words.get(branches) {
            for branch in branches {
                take_out(root, branch, value, depth + 1);
            }
        }
    }
    match value {
        Json::Object(fields) => properties(root, words, fields, depth),
        Json::Array(items) => {
            if let Some(schema) = words.get("items") {
                for item in items {
                    take_out(root, schema, item, depth + 1);
                }
            }
        }
        _ => {}
    }
}

fn properties(
    root: &Json,
    words: &Map<String, Json>,
    fields: &mut Map<String, Json>,
    depth: usize,
) {
    let Some(Json::Object(properties)) = words.get("properties") else {
        return;
    };
    let required = words.get("required").and_then(Json::as_array);
    let may_be_absent = |name: &str| {
        properties.contains_key(name)
            && required.is_none_or(|all| all.iter().all(|it| it.as_str() != Some(name)))
    };
    fields.retain(|name, value| !value.is_null() || !may_be_absent(name));
    for (name, value) in fields {
        if let Some(schema) = properties.get(name) {
            take_out(root, schema, value, depth + 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_nulls_of_optional_properties_go() {
        let schema = json!({
            "type": "object", "required": ["must", "list"],
            "properties": {
                "must": {"type": "string"},
                "may": {"type": "string"},
                "list": {"type": "array", "items": {"$ref": "#/$defs/Item"}},
            },
            "$defs": {"Item": {"properties": {"x": {"type": "integer"}}}},
        });
        let given = json!({"must": null, "may": null, "other": null, "list": [{"x": null}, null]});
        assert_eq!(
            as_absent(&schema, given),
            json!({"must": null, "other": null, "list": [{}, null]})
        );
    }
}
