//! Conditions on a value, as a tree that a backend can evaluate or translate.
//!
//! [`Filter::matches`] is the meaning; a backend that translates a filter (to SQL, say) must agree
//! with it. `filter/json.rs` reads the JSON form that clients send.

mod json;

use std::cmp::Ordering;

use serde_json::Value;
use superstep_core::error::Category;

use super::compare::{equal, order};

/// How deeply the parts of a filter may be nested.
pub const MAX_FILTER_DEPTH: usize = 64;

/// A condition on a value.
///
/// An absent field equals nothing, not even null, and has no order; hence it satisfies `Ne`.
///
/// ```
/// use superstep_store::Filter;
/// use serde_json::json;
///
/// let adult = Filter::Ge("age".into(), json!(18));
/// let filter = Filter::And(vec![adult, Filter::Eq(["home", "city"].into(), json!("Rome"))]);
/// assert!(filter.matches(&json!({"age": 30, "home": {"city": "Rome"}})));
/// assert!(!filter.matches(&json!({"age": 30})));
/// ```
#[derive(Debug, Clone, PartialEq)]
pub enum Filter {
    /// The field is there and deeply equal; numbers by value, so `1` equals `1.0`.
    Eq(FieldPath, Value),
    /// Not `Eq`: the field is different or absent.
    Ne(FieldPath, Value),
    /// The field is less: both numbers, or both strings (by code point). Anything else fails.
    Lt(FieldPath, Value),
    /// The field is less or equal, under the same rule.
    Le(FieldPath, Value),
    /// The field is greater, under the same rule.
    Gt(FieldPath, Value),
    /// The field is greater or equal, under the same rule.
    Ge(FieldPath, Value),
    /// The field equals one of the values.
    In(FieldPath, Vec<Value>),
    /// The field is there; null is there.
    Exists(FieldPath),
    /// The field is an object.
    IsObject(FieldPath),
    /// All of them; none given is true.
    And(Vec<Filter>),
    /// At least one of them; none given is false.
    Or(Vec<Filter>),
    /// Not this one.
    Not(Box<Filter>),
}

impl Filter {
    /// Whether the value satisfies the condition.
    pub fn matches(&self, value: &Value) -> bool {
        match self {
            Self::Eq(path, wanted) => path.find(value).is_some_and(|field| equal(field, wanted)),
            Self::Ne(path, wanted) => !path.find(value).is_some_and(|field| equal(field, wanted)),
            Self::Lt(path, bound) => path.compare(value, bound).is_some_and(Ordering::is_lt),
            Self::Le(path, bound) => path.compare(value, bound).is_some_and(Ordering::is_le),
            Self::Gt(path, bound) => path.compare(value, bound).is_some_and(Ordering::is_gt),
            Self::Ge(path, bound) => path.compare(value, bound).is_some_and(Ordering::is_ge),
            Self::In(path, wanted) => path
                .find(value)
                .is_some_and(|field| wanted.iter().any(|one| equal(field, one))),
            Self::Exists(path) => path.find(value).is_some(),
            Self::IsObject(path) => path.find(value).is_some_and(Value::is_object),
            Self::And(parts) => parts.iter().all(|part| part.matches(value)),
            Self::Or(parts) => parts.iter().any(|part| part.matches(value)),
            Self::Not(part) => !part.matches(value),
        }
    }

    /// Refuses a filter nested deeper than [`MAX_FILTER_DEPTH`].
    pub fn check_depth(&self) -> Result<(), FilterError> {
        if self.fits_depth(MAX_FILTER_DEPTH) {
            return Ok(());
        }
        Err(FilterError::TooDeep)
    }

    fn fits_depth(&self, limit: usize) -> bool {
        let Some(below) = limit.checked_sub(1) else {
            return false;
        };
        match self {
            Self::And(parts) | Self::Or(parts) => parts.iter().all(|part| part.fits_depth(below)),
            Self::Not(part) => part.fits_depth(below),
            _ => true,
        }
    }
}

impl Default for Filter {
    /// The filter that everything matches.
    fn default() -> Self {
        Self::And(Vec::new())
    }
}

/// The keys from the value down to a field; without keys it is the value itself.
///
/// A key is taken literally: a dot in it is a character of the key. Arrays are not entered.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct FieldPath(Vec<String>);

impl FieldPath {
    /// The path along these keys.
    pub fn new<K: Into<String>>(keys: impl IntoIterator<Item = K>) -> Self {
        Self(keys.into_iter().map(Into::into).collect())
    }

    /// The keys, outermost first.
    pub fn keys(&self) -> &[String] {
        &self.0
    }

    /// The field of `value` at this path, if it is there.
    pub fn find<'v>(&self, value: &'v Value) -> Option<&'v Value> {
        self.0
            .iter()
            .try_fold(value, |value, key| value.as_object()?.get(key))
    }

    fn compare(&self, value: &Value, bound: &Value) -> Option<Ordering> {
        order(self.find(value)?, bound)
    }

    fn below(&self, key: &str) -> Self {
        let mut keys = self.0.clone();
        keys.push(key.to_owned());
        Self(keys)
    }
}

impl From<&str> for FieldPath {
    /// The field of this one key.
    fn from(key: &str) -> Self {
        Self::new([key])
    }
}

impl<K: Into<String>, const N: usize> From<[K; N]> for FieldPath {
    fn from(keys: [K; N]) -> Self {
        Self::new(keys)
    }
}

/// Why a filter is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, superstep_coded::Coded)]
#[non_exhaustive]
pub enum FilterError {
    /// The filter, or a part of it that must be one, is no object.
    #[error("a filter must be an object, not {found}")]
    #[coded(
        "SS3020",
        InvalidInput,
        hint = "write {\"key\": value} or {\"key\": {\"$gt\": 3}}"
    )]
    NotAnObject {
        /// What it is instead.
        found: &'static str,
    },
    /// No operator has this name.
    #[error("unknown filter operator {operator:?} at {path:?}")]
    #[coded(
        "SS3021",
        InvalidInput,
        hint = "fields know $eq $ne $gt $gte $lt $lte $in $exists; filters know $and $or $not"
    )]
    UnknownOperator {
        /// The name.
        operator: String,
        /// The keys down to where it is.
        path: Vec<String>,
    },
    /// The operator cannot work with this operand.
    #[error("filter operator {operator:?} at {path:?} needs {wanted}")]
    #[coded(
        "SS3022",
        InvalidInput,
        hint = "compare with a value of the kind that the field has"
    )]
    Operand {
        /// The operator.
        operator: String,
        /// The keys down to where it is.
        path: Vec<String>,
        /// What it could work with.
        wanted: &'static str,
    },
    /// An operator is inside a list, where values are compared as they are.
    #[error("filter operator {operator:?} at {path:?} is inside a list")]
    #[coded(
        "SS3023",
        InvalidInput,
        hint = "compare the whole list, or use $or over fields"
    )]
    OperatorInList {
        /// The operator.
        operator: String,
        /// The keys down to the list.
        path: Vec<String>,
    },
    /// The filter is nested too deeply.
    #[error("the filter is nested deeper than {MAX_FILTER_DEPTH} levels")]
    #[coded(
        "SS3024",
        InvalidInput,
        hint = "split the filter, or filter the results further yourself"
    )]
    TooDeep,
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_absent_field_equals_nothing_and_has_no_order() {
        let value = json!({"there": null});
        assert!(Filter::Eq("there".into(), json!(null)).matches(&value));
        assert!(!Filter::Eq("gone".into(), json!(null)).matches(&value));
        assert!(Filter::Ne("gone".into(), json!(null)).matches(&value));
        assert!(!Filter::Le("gone".into(), json!(0)).matches(&value));
        assert!(!Filter::Ge("gone".into(), json!(0)).matches(&value));
        assert!(Filter::Exists("there".into()).matches(&value));
        assert!(!Filter::Exists("gone".into()).matches(&value));
    }

    #[test]
    fn the_bounds_are_sharp() {
        let value = json!({"n": 2});
        let results = |bound: i64| {
            let (path, bound): (FieldPath, _) = ("n".into(), json!(bound));
            [
                Filter::Lt(path.clone(), bound.clone()).matches(&value),
                Filter::Le(path.clone(), bound.clone()).matches(&value),
                Filter::Gt(path.clone(), bound.clone()).matches(&value),
                Filter::Ge(path, bound).matches(&value),
            ]
        };
        assert_eq!(results(1), [false, false, true, true]);
        assert_eq!(results(2), [false, true, false, true]);
        assert_eq!(results(3), [true, true, false, false]);
    }

    #[test]
    fn a_path_takes_keys_literally_and_does_not_enter_arrays() {
        let value = json!({"a.b": 1, "a": {"b": 2}, "l": [3]});
        assert_eq!(FieldPath::from("a.b").find(&value), Some(&json!(1)));
        assert_eq!(FieldPath::from(["a", "b"]).find(&value), Some(&json!(2)));
        assert_eq!(FieldPath::from(["l", "0"]).find(&value), None);
        assert_eq!(FieldPath::default().find(&value), Some(&value));
    }

    #[test]
    fn no_parts_mean_true_for_and_false_for_or() {
        assert!(Filter::default().matches(&json!(1)));
        assert!(!Filter::Or(vec![]).matches(&json!(1)));
        assert!(Filter::Not(Box::new(Filter::Or(vec![]))).matches(&json!(1)));
    }

    #[test]
    fn in_and_is_object_look_at_the_field() {
        let value = json!({"n": 2, "o": {}});
        assert!(Filter::In("n".into(), vec![json!(1), json!(2.0)]).matches(&value));
        assert!(!Filter::In("n".into(), vec![]).matches(&value));
        assert!(!Filter::In("gone".into(), vec![json!(null)]).matches(&value));
        assert!(Filter::IsObject("o".into()).matches(&value));
        assert!(!Filter::IsObject("n".into()).matches(&value));
    }

    #[test]
    fn a_tower_of_nots_is_refused() {
        let tower = |height: usize| {
            (0..height).fold(Filter::default(), |inner, _| Filter::Not(Box::new(inner)))
        };
        assert_eq!(tower(MAX_FILTER_DEPTH - 1).check_depth(), Ok(()));
        assert_eq!(
            tower(MAX_FILTER_DEPTH).check_depth(),
            Err(FilterError::TooDeep)
        );
    }
}
