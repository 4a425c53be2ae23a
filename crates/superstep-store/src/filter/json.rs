//! The JSON form of a filter, as clients send it.
//!
//! `{"key": value}` compares a field, `{"key": {"$gt": 3, "$lt": 9}}` applies operators,
//! `{"key": {"inner": value}}` goes into an object, and `$and`, `$or`, `$not` combine whole filters.
//! In this form alone null also stands for an absent field. Whatever looks like an operator and is
//! none is reported, never read as a field.

use serde_json::{Map, Value};

use super::{FieldPath, Filter, FilterError, MAX_FILTER_DEPTH};

impl Filter {
    /// Reads the JSON form.
    ///
    /// ```
    /// use superstep_store::Filter;
    /// use serde_json::json;
    ///
    /// let filter = Filter::from_json(&json!({"kind": "note", "size": {"$gt": 3}}))?;
    /// assert!(filter.matches(&json!({"kind": "note", "size": 4})));
    ///
    /// let error = Filter::from_json(&json!({"size": {"$near": 3}})).unwrap_err();
    /// assert_eq!(error.to_string(), r#"unknown filter operator "$near" at ["size"]"#);
    /// # Ok::<(), superstep_store::FilterError>(())
    /// ```
    pub fn from_json(form: &Value) -> Result<Self, FilterError> {
        let filter = whole(form, MAX_FILTER_DEPTH)?;
        filter.check_depth()?;
        Ok(filter)
    }
}

fn whole(form: &Value, depth: usize) -> Result<Filter, FilterError> {
    let depth = descend(depth)?;
    let parts = object(form)?.iter().map(|(key, operand)| {
        if !key.starts_with('$') {
            return field(FieldPath::from(key.as_str()), operand, depth);
        }
        match key.as_str() {
            "$and" => Ok(Filter::And(list(key, operand, depth)?)),
            "$or" => Ok(Filter::Or(list(key, operand, depth)?)),
            "$not" => Ok(Filter::Not(Box::new(whole(operand, depth)?))),
            _ => Err(unknown(key, &FieldPath::default())),
        }
    });
    Ok(all(parts.collect::<Result<_, _>>()?))
}

fn list(operator: &str, operand: &Value, depth: usize) -> Result<Vec<Filter>, FilterError> {
    let Some(parts) = operand.as_array() else {
        return Err(bad_operand(
            operator,
            &FieldPath::default(),
            "a list of filters",
        ));
    };
    parts.iter().map(|part| whole(part, depth)).collect()
}

fn field(path: FieldPath, form: &Value, depth: usize) -> Result<Filter, FilterError> {
    let depth = descend(depth)?;
    match form {
        Value::Object(fields) if fields.keys().any(|key| key.starts_with('$')) => {
            let parts = fields
                .iter()
                .map(|(operator, operand)| condition(&path, operator, operand));
            Ok(all(parts.collect::<Result<_, _>>()?))
        }
        Value::Object(fields) => {
            let mut parts = vec![Filter::IsObject(path.clone())];
            for (key, inner) in fields {
                parts.push(field(path.below(key), inner, depth)?);
            }
            Ok(all(parts))
        }
        Value::Array(_) => {
            if let Some(operator) = operator_within(form, depth)? {
                return Err(FilterError::OperatorInList {
                    operator: operator.to_owned(),
                    path: path.0,
                });
            }
            Ok(equals(&path, form))
        }
        _ => Ok(equals(&path, form)),
    }
}

fn condition(path: &FieldPath, operator: &str, operand: &Value) -> Result<Filter, FilterError> {
    let bound = || match operand {
        Value::Number(_) | Value::String(_) => Ok(operand.clone()),
        _ => Err(bad_operand(operator, path, "a number or a string")),
    };
    let path_owned = || path.clone();
    match operator {
        "$eq" => Ok(equals(path, operand)),
        "$ne" if operand.is_null() => Ok(Filter::Not(Box::new(equals(path, operand)))),
        "$ne" => Ok(Filter::Ne(path_owned(), operand.clone())),
        "$gt" => Ok(Filter::Gt(path_owned(), bound()?)),
        "$gte" => Ok(Filter::Ge(path_owned(), bound()?)),
        "$lt" => Ok(Filter::Lt(path_owned(), bound()?)),
        "$lte" => Ok(Filter::Le(path_owned(), bound()?)),
        "$in" => match operand {
            Value::Array(values) => Ok(Filter::In(path_owned(), values.clone())),
            _ => Err(bad_operand(operator, path, "a list of values")),
        },
        "$exists" => match operand {
            Value::Bool(true) => Ok(Filter::Exists(path_owned())),
            Value::Bool(false) => Ok(Filter::Not(Box::new(Filter::Exists(path_owned())))),
            _ => Err(bad_operand(operator, path, "true or false")),
        },
        _ => Err(unknown(operator, path)),
    }
}

fn equals(path: &FieldPath, wanted: &Value) -> Filter {
    let equal = Filter::Eq(path.clone(), wanted.clone());
    if !wanted.is_null() {
        return equal;
    }
    let absent = Filter::Not(Box::new(Filter::Exists(path.clone())));
    Filter::Or(vec![equal, absent])
}

fn all(mut parts: Vec<Filter>) -> Filter {
    if parts.len() == 1
        && let Some(only) = parts.pop()
    {
        return only;
    }
    Filter::And(parts)
}

fn operator_within(form: &Value, depth: usize) -> Result<Option<&str>, FilterError> {
    let depth = descend(depth)?;
    let inner: Vec<&Value> = match form {
        Value::Array(elements) => elements.iter().collect(),
        Value::Object(fields) => {
            if let Some(operator) = fields.keys().find(|key| key.starts_with('$')) {
                return Ok(Some(operator));
            }
            fields.values().collect()
        }
        _ => return Ok(None),
    };
    for form in inner {
        if let Some(operator) = operator_within(form, depth)? {
            return Ok(Some(operator));
        }
    }
    Ok(None)
}

fn descend(depth: usize) -> Result<usize, FilterError> {
    depth.checked_sub(1).ok_or(FilterError::TooDeep)
}

fn object(form: &Value) -> Result<&Map<String, Value>, FilterError> {
    let found = match form {
        Value::Object(fields) => return Ok(fields),
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
    };
    Err(FilterError::NotAnObject { found })
}

fn unknown(operator: &str, path: &FieldPath) -> FilterError {
    FilterError::UnknownOperator {
        operator: operator.to_owned(),
        path: path.keys().to_vec(),
    }
}

fn bad_operand(operator: &str, path: &FieldPath, wanted: &'static str) -> FilterError {
    FilterError::Operand {
        operator: operator.to_owned(),
        path: path.keys().to_vec(),
        wanted,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn keys_matching(form: Value) -> Vec<&'static str> {
        let filter = Filter::from_json(&form).unwrap();
        let values = [
            (
                "1",
                json!({"n": 1, "s": "x", "d": {"e": {"f": 1}}, "l": [1, 2], "z": null}),
            ),
            (
                "2",
                json!({"n": 2, "s": "y", "d": {"e": {"f": 2}}, "l": [3]}),
            ),
            ("3", json!({"n": "3", "s": null, "d": 4})),
        ];
        values
            .into_iter()
            .filter(|(_, value)| filter.matches(value))
            .map(|(key, _)| key)
            .collect()
    }

    #[test]
    fn the_forms_that_clients_send_mean_what_they_did() {
        let cases = [
            (json!({}), vec!["1", "2", "3"]),
            (json!({"n": 1}), vec!["1"]),
            (json!({"n": 1.0}), vec!["1"]),
            (json!({"n": {"$gte": 1, "$lt": 2}}), vec!["1"]),
            (json!({"n": {"$gt": 1}}), vec!["2"]),
            (json!({"n": {"$lte": 2}}), vec!["1", "2"]),
            (json!({"n": {"$ne": 1}}), vec!["2", "3"]),
            (json!({"n": {"$eq": 1}}), vec!["1"]),
            (json!({"s": {"$gt": "x"}}), vec!["2"]),
            (json!({"z": null}), vec!["1", "2", "3"]),
            (json!({"s": null}), vec!["3"]),
            (json!({"s": {"$ne": null}}), vec!["1", "2"]),
            (json!({"missing": null}), vec!["1", "2", "3"]),
            (json!({"missing": {"$ne": 1}}), vec!["1", "2", "3"]),
            (json!({"missing": {"$ne": null}}), vec![]),
            (json!({"d": {"e": {"f": 1}}}), vec!["1"]),
            (json!({"d": {"e": {"f": {"$gt": 1}}}}), vec!["2"]),
            (json!({"d": {}}), vec!["1", "2"]),
            (json!({"d": {"no": null}}), vec!["1", "2"]),
            (json!({"d": {"$eq": {"e": {"f": 1}}}}), vec!["1"]),
            (json!({"d": {"$eq": {}}}), vec![]),
            (json!({"d.e.f": 1}), vec![]),
            (json!({"l": [1, 2]}), vec!["1"]),
            (json!({"l": [1]}), vec![]),
            (json!({"n": 1, "s": "y"}), vec![]),
            (json!({"n": {"$in": [2, "3"]}}), vec!["2", "3"]),
            (json!({"z": {"$exists": true}}), vec!["1"]),
            (json!({"z": {"$exists": false}}), vec!["2", "3"]),
            (json!({"$or": [{"n": 1}, {"s": "y"}]}), vec!["1", "2"]),
            (json!({"$and": [{"n": 1}, {"s": "y"}]}), vec![]),
            (json!({"$not": {"n": 1}}), vec!["2", "3"]),
        ];
        for (form, expected) in cases {
            assert_eq!(keys_matching(form.clone()), expected, "{form}");
        }
    }

    #[test]
    fn what_is_wrong_is_reported() {
        let code = |form: Value| Filter::from_json(&form).unwrap_err().code();
        assert_eq!(code(json!([])), "SS3020");
        assert_eq!(code(json!({"$not": 3})), "SS3020");
        assert_eq!(code(json!({"$nor": []})), "SS3021");
        assert_eq!(code(json!({"n": {"$foo": 1}})), "SS3021");
        assert_eq!(code(json!({"n": {"$gt": 1, "x": 1}})), "SS3021");
        assert_eq!(code(json!({"n": {"$gt": null}})), "SS3022");
        assert_eq!(code(json!({"n": {"$in": 1}})), "SS3022");
        assert_eq!(code(json!({"n": {"$exists": 1}})), "SS3022");
        assert_eq!(code(json!({"$or": {}})), "SS3022");
        assert_eq!(code(json!({"l": [{"$gt": 1}, 2]})), "SS3023");
        assert_eq!(code(json!({"l": [{"a": [{"$gt": 1}]}]})), "SS3023");
    }

    #[test]
    fn an_unknown_operator_says_where_it_stands() {
        let error = Filter::from_json(&json!({"a": {"b": {"$near": 1}}})).unwrap_err();
        assert_eq!(
            error,
            FilterError::UnknownOperator {
                operator: "$near".into(),
                path: vec!["a".into(), "b".into()],
            }
        );
    }

    #[test]
    fn a_filter_that_was_read_is_never_too_deep_to_use() {
        let mut form = json!(null);
        let mut read = 0;
        for _ in 0..MAX_FILTER_DEPTH * 2 {
            form = json!({"a": form});
            if let Ok(filter) = Filter::from_json(&form) {
                assert_eq!(filter.check_depth(), Ok(()));
                read += 1;
            }
        }
        assert!((50..MAX_FILTER_DEPTH).contains(&read), "{read}");
    }

    #[test]
    fn a_hostile_depth_is_refused_in_every_position() {
        let nest = |around: fn(Value) -> Value| (0..500).fold(json!({}), |form, _| around(form));
        let towers = [
            nest(|form| json!({"a": form})),
            nest(|form| json!({"$not": form})),
            nest(|form| json!({"$or": [form]})),
            json!({"a": nest(|form| json!([form]))}),
        ];
        for tower in towers {
            assert_eq!(Filter::from_json(&tower), Err(FilterError::TooDeep));
        }
    }
}
