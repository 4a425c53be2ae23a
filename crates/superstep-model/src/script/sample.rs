//! Smallest value that matches a JSON schema, for scripted replies without one.
//!
//! It knows what schemas of graphs use: types, `enum`, `const`, `required`, `anyOf`, bounds, local
//! `$ref`. What it does not know it leaves out; a caller that checks answers will say so.

use serde_json::{Map, Value as Json};

/// How deep schemas may refer to themselves before null ends it.
const DEPTH: usize = 16;

pub(super) fn of(schema: &Json) -> Json {
    value(schema, schema, DEPTH)
}

fn value(schema: &Json, root: &Json, depth: usize) -> Json {
    let Some(depth) = depth.checked_sub(1) else {
        return Json::Null;
    };
    let target = schema.get("$ref").and_then(Json::as_str);
    if let Some(target) = target.and_then(|path| root.pointer(path.strip_prefix('#')?)) {
        return value(target, root, depth);
    }
    if let Some(only) = schema.get("const") {
        return only.clone();
    }
    let listed = |key: &str| schema.get(key).and_then(Json::as_array);
    if let Some(first) = listed("enum").and_then(|values| values.first()) {
        return first.clone();
    }
    for key in ["anyOf", "oneOf", "allOf"] {
        if let Some(first) = listed(key).and_then(|schemas| schemas.first()) {
            return value(first, root, depth);
        }
    }
    let kind = schema.get("type");
    let kind = kind.and_then(|kind| match kind {
        Json::Array(kinds) => kinds.first().and_then(Json::as_str),
        kind => kind.as_str(),
    });
    let least = |key: &str| schema.get(key).and_then(Json::as_u64).unwrap_or(0);
    match kind {
        Some("object") | None => {
            let required = listed("required").into_iter().flatten();
            let fields = required.filter_map(Json::as_str).map(|name| {
                let field = schema.get("properties").and_then(|all| all.get(name));
                let field = field.map_or(Json::Null, |field| value(field, root, depth));
                (name.to_owned(), field)
            });
            Json::Object(fields.collect::<Map<_, _>>())
        }
        Some("array") => {
            let item = schema.get("items").unwrap_or(&Json::Null);
            let count = least("minItems").min(8);
            (0..count).map(|_| value(item, root, depth)).collect()
        }
        Some("string") => {
            let length = usize::try_from(least("minLength").min(64)).unwrap_or_default();
            Json::String("x".repeat(length))
        }
        Some("integer" | "number") => schema.get("minimum").cloned().unwrap_or(Json::from(0)),
        Some("boolean") => Json::Bool(false),
        Some(_) => Json::Null,
    }
}
