//! Equality and order of JSON values as filters see them.
//!
//! Numbers compare by their mathematical value, so `1` equals `1.0` and large integers do not round.
//! Only number with number and string with string have an order.

use std::cmp::Ordering;

use serde_json::{Number, Value};

pub(super) fn equal(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => {
            number_order(left, right) == Some(Ordering::Equal)
        }
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len() && left.iter().zip(right).all(|(l, r)| equal(l, r))
        }
        (Value::Object(left), Value::Object(right)) => {
            left.len() == right.len()
                && left
                    .iter()
                    .all(|(key, l)| right.get(key).is_some_and(|r| equal(l, r)))
        }
        _ => left == right,
    }
}

pub(super) fn order(left: &Value, right: &Value) -> Option<Ordering> {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => number_order(left, right),
        (Value::String(left), Value::String(right)) => Some(left.cmp(right)),
        _ => None,
    }
}

fn number_order(left: &Number, right: &Number) -> Option<Ordering> {
    match (integer(left), integer(right)) {
        (Some(left), Some(right)) => Some(left.cmp(&right)),
        (Some(left), None) => integer_to_float(left, right.as_f64()?),
        (None, Some(right)) => integer_to_float(right, left.as_f64()?).map(Ordering::reverse),
        (None, None) => left.as_f64()?.partial_cmp(&right.as_f64()?),
    }
}

fn integer(number: &Number) -> Option<i128> {
    number
        .as_i64()
        .map(i128::from)
        .or_else(|| number.as_u64().map(i128::from))
}

// The cast saturates, which is right here: an integer of at most 64 bits is inside both bounds.
fn integer_to_float(integer: i128, float: f64) -> Option<Ordering> {
    let whole = integer.cmp(&(float.trunc() as i128));
    if whole.is_ne() {
        return Some(whole);
    }
    0.0_f64.partial_cmp(&float.fract())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn numbers_are_equal_by_value() {
        assert!(equal(&json!(1), &json!(1.0)));
        assert!(equal(&json!({"a": [1]}), &json!({"a": [1.0]})));
        assert!(!equal(&json!(1), &json!(true)));
        assert!(!equal(&json!(1), &json!("1")));
        assert!(equal(&json!(0), &json!(-0.0)));
        assert!(!equal(&json!([1, 2]), &json!([1])));
        assert!(!equal(&json!({"a": 1}), &json!({"a": 1, "b": 1})));
        assert!(!equal(&json!({"a": 1}), &json!({"b": 1})));
    }

    #[test]
    fn large_integers_do_not_round() {
        let big = json!(9_007_199_254_740_993_i64);
        let rounded = json!(9_007_199_254_740_992.0);
        assert_eq!(order(&big, &rounded), Some(Ordering::Greater));
        assert_eq!(order(&rounded, &big), Some(Ordering::Less));
        assert_eq!(
            order(&json!(u64::MAX), &json!(i64::MIN)),
            Some(Ordering::Greater)
        );
        assert_eq!(order(&json!(u64::MAX), &json!(1e300)), Some(Ordering::Less));
        assert_eq!(
            order(&json!(i64::MIN), &json!(-1e300)),
            Some(Ordering::Greater)
        );
    }

    #[test]
    fn fractions_count_on_both_sides_of_zero() {
        assert_eq!(order(&json!(1), &json!(1.5)), Some(Ordering::Less));
        assert_eq!(order(&json!(-1), &json!(-1.5)), Some(Ordering::Greater));
        assert_eq!(order(&json!(2.5), &json!(2)), Some(Ordering::Greater));
        assert_eq!(order(&json!(0.5), &json!(0.25)), Some(Ordering::Greater));
    }

    #[test]
    fn different_kinds_have_no_order() {
        assert_eq!(order(&json!(1), &json!("1")), None);
        assert_eq!(order(&json!(null), &json!(0)), None);
        assert_eq!(order(&json!(true), &json!(false)), None);
        assert_eq!(order(&json!("a"), &json!("B")), Some(Ordering::Greater));
    }
}
