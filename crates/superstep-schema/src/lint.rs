//! Validation of a schema itself, when it is read.

use serde_json::{Map, Value as Json};

use super::{MAX_DEPTH, Problem, check, resolve};

const TYPES: [&str; 7] = [
    "null", "boolean", "object", "array", "number", "integer", "string",
];
const NUMBERS: [&str; 5] = [
    "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf",
];
const COUNTS: [&str; 6] = [
    "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties",
];
const ONE: [&str; 4] = ["items", "additionalItems", "additionalProperties", "not"];
const LISTS: [&str; 5] = ["items", "prefixItems", "anyOf", "oneOf", "allOf"];
const MAPS: [&str; 3] = ["properties", "$defs", "definitions"];

/// The first mistake in a schema, with the place in the schema.
pub(super) fn first_mistake(root: &Json) -> Option<Problem> {
    let mistake = |pointer: String, message: String| Some(Problem { pointer, message });
    // All of it, since constants are printed and compared too.
    if check::parts(root).is_none() {
        return mistake(String::new(), format!("nested deeper than {MAX_DEPTH}"));
    }
    let mut open = vec![(root, String::new())];
    while let Some((schema, at)) = open.pop() {
        let map = match schema {
            Json::Bool(_) => continue,
            Json::Object(map) => map,
            _ => return mistake(at, "a schema is an object or a boolean".into()),
        };
        if let Some(message) = keyword_mistake(root, map) {
            return mistake(at, message);
        }
        for (key, part) in parts(map) {
            open.push((part, format!("{at}/{key}")));
        }
    }
    None
}

fn keyword_mistake(root: &Json, map: &Map<String, Json>) -> Option<String> {
    if let Some(given) = map.get("type") {
        let names: Vec<&Json> = match given {
            Json::Array(names) => names.iter().collect(),
            one => vec![one],
        };
        let known = |name: &&Json| name.as_str().is_some_and(|name| TYPES.contains(&name));
        if let Some(unknown) = names.into_iter().find(|name| !known(name)) {
            return Some(format!("no type is called {unknown}"));
        }
    }
    if let Some(reference) = map.get("$ref") {
        let found = reference.as_str().and_then(|to| resolve(root, to));
        if found.is_none() {
            return Some(format!("{reference} names nothing in this schema"));
        }
    }
    if map.get("enum").is_some_and(|list| !list.is_array()) {
        return Some("`enum` is a list".into());
    }
    if let Some(required) = map.get("required") {
        let names = required.as_array().map(Vec::as_slice);
        if !names.is_some_and(|names| names.iter().all(Json::is_string)) {
            return Some("`required` is a list of names".into());
        }
    }
    // In old schemas the exclusive bounds are booleans; those are not read.
    let no_number = |key: &&&str| {
        map.get(**key)
            .is_some_and(|n| !n.is_number() && !n.is_boolean())
    };
    if let Some(key) = NUMBERS.iter().find(no_number) {
        return Some(format!("`{key}` is a number"));
    }
    let no_count = |key: &&&str| {
        map.get(**key)
            .is_some_and(|n| n.as_f64().is_none_or(|n| n < 0.0))
    };
    if let Some(key) = COUNTS.iter().find(no_count) {
        return Some(format!("`{key}` is a count"));
    }
    let no_list = |key: &&&str| map.get(**key).is_some_and(|list| !list.is_array());
    if let Some(key) = LISTS.iter().skip(1).find(no_list) {
        return Some(format!("`{key}` is a list of schemas"));
    }
    let no_map = |key: &&&str| map.get(**key).is_some_and(|map| !map.is_object());
    let key = MAPS.iter().find(no_map)?;
    Some(format!("`{key}` is a map of schemas"))
}

/// All schemas that stand in a schema.
fn parts(map: &Map<String, Json>) -> impl Iterator<Item = (String, &Json)> {
    let ones = ONE.iter().filter_map(|key| {
        let part = map.get(*key).filter(|part| !part.is_array())?;
        Some(((*key).to_owned(), part))
    });
    let lists = LISTS.iter().flat_map(|key| {
        let list = map.get(*key).and_then(Json::as_array);
        let numbered = list.into_iter().flatten().enumerate();
        numbered.map(move |(n, part)| (format!("{key}/{n}"), part))
    });
    let maps = MAPS.iter().flat_map(|key| {
        let map = map.get(*key).and_then(Json::as_object);
        let named = map.into_iter().flatten();
        named.map(move |(name, part)| (format!("{key}/{name}"), part))
    });
    ones.chain(lists).chain(maps)
}
