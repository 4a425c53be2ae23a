//! Limits of a value that every backend can keep.

use serde_json::Value;

/// How many arrays and objects may be nested in a value.
///
/// JSON readers refuse deep nesting to protect their stack; a value that could be written but not
/// read back would be lost, so a put refuses it first.
pub const MAX_VALUE_DEPTH: usize = 100;

pub(super) fn fits_depth(value: &Value, limit: usize) -> bool {
    let Some(below) = limit.checked_sub(1) else {
        return !matches!(value, Value::Array(_) | Value::Object(_));
    };
    match value {
        Value::Array(elements) => elements.iter().all(|element| fits_depth(element, below)),
        Value::Object(fields) => fields.values().all(|field| fits_depth(field, below)),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_deepest_value_survives_its_text() {
        let deepest = (0..MAX_VALUE_DEPTH).fold(json!(1), |inner, _| json!({"a": inner}));
        assert!(fits_depth(&deepest, MAX_VALUE_DEPTH));
        let text = deepest.to_string();
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), deepest);
    }

    #[test]
    fn depth_counts_arrays_and_objects() {
        assert!(fits_depth(&json!(1), 0));
        assert!(!fits_depth(&json!([]), 0));
        assert!(fits_depth(&json!({"a": [1]}), 2));
        assert!(!fits_depth(&json!({"a": [1]}), 1));
        assert!(!fits_depth(&json!([1, {"a": [1]}]), 2));
    }
}
