//! Whether what is there has what a search wants.

use serde_json::{Map, Value as Json};

/// Whether a value has all of another: objects by key at any depth, lists by element, the rest by
/// equality.
pub(crate) fn has_all(value: &Json, wanted: &Json) -> bool {
    match (value, wanted) {
        (Json::Object(value), Json::Object(wanted)) => has_fields(value, wanted),
        (Json::Array(values), Json::Array(wanted)) => wanted
            .iter()
            .all(|wanted| values.iter().any(|value| has_all(value, wanted))),
        _ => value == wanted,
    }
}

/// The same for the fields of two objects.
pub(crate) fn has_fields(value: &Map<String, Json>, wanted: &Map<String, Json>) -> bool {
    let has = |(key, wanted)| value.get(key).is_some_and(|value| has_all(value, wanted));
    wanted.iter().all(has)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_object_has_all_of_one_with_fewer_keys() {
        let value = json!({"a": 1, "b": {"c": [1, 2], "d": null}});
        for wanted in [
            json!({}),
            json!({"a": 1}),
            json!({"b": {"c": [2]}}),
            json!({"b": {"d": null}}),
        ] {
            assert!(has_all(&value, &wanted), "{wanted}");
        }
        for wanted in [
            json!({"a": 2}),
            json!({"x": null}),
            json!({"b": {"c": [3]}}),
            json!({"a": {"c": 1}}),
        ] {
            assert!(!has_all(&value, &wanted), "{wanted}");
        }
    }
}
