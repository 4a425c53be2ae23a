//! What a put demands of the item it replaces: compare-and-put.
//!
//! Whoever changes a value reads it, makes a new one of it, and puts that while expecting what was
//! read. If somebody else was faster, the put is a [conflict](super::StoreError::Conflict) and
//! changes nothing; the change is then made again, of the newer value.

use serde_json::Value;

use super::compare::equal;

/// What must be under the key of a put for it to be applied.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Expected {
    /// Whatever is there: the put always replaces.
    #[default]
    Anything,
    /// No item; one that has expired counts as none.
    Absent,
    /// An item with this value, compared as [`Filter::Eq`](super::Filter::Eq) does.
    Value(Value),
}

impl Expected {
    /// Whether a put may replace what is there; `None` is no item. Every backend asks this, inside
    /// the transaction that writes.
    ///
    /// ```
    /// use superstep_store::Expected;
    /// use serde_json::json;
    ///
    /// let draft = json!("draft");
    /// assert!(Expected::Value(draft.clone()).allows(Some(&draft)));
    /// assert!(!Expected::Absent.allows(Some(&draft)));
    /// ```
    pub fn allows(&self, current: Option<&Value>) -> bool {
        match self {
            Self::Anything => true,
            Self::Absent => current.is_none(),
            Self::Value(wanted) => current.is_some_and(|value| equal(wanted, value)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn null_is_a_value_and_not_an_absence() {
        assert!(!Expected::Absent.allows(Some(&Value::Null)));
        assert!(!Expected::Value(Value::Null).allows(None));
        assert!(Expected::Value(Value::Null).allows(Some(&Value::Null)));
        assert!(Expected::Absent.allows(None));
    }

    #[test]
    fn values_are_compared_whole_and_numbers_by_value() {
        let expected = Expected::Value(json!({"a": 1, "b": [2]}));
        assert!(expected.allows(Some(&json!({"b": [2.0], "a": 1}))));
        for other in [json!({"a": 1}), json!({"a": 1, "b": [2], "c": 3})] {
            assert!(!expected.allows(Some(&other)), "{other}");
        }
        assert!(Expected::Anything.allows(None) && Expected::Anything.allows(Some(&json!(1))));
    }
}
