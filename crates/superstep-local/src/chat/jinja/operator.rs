//! Operators, indices and slices.

use super::{
    ast::{Comparison, Operator},
    meter::{Fault, Meter},
    value::{Value, push},
};

/// What an operator makes of two values.
pub(super) fn apply(
    operator: Operator,
    one: &Value,
    other: &Value,
    meter: &Meter,
) -> Result<Value, Fault> {
    match (operator, one, other) {
        (Operator::Concat, one, other) => {
            let mut text = String::new();
            one.print(&mut text, meter)?;
            other.print(&mut text, meter)?;
            Ok(Value::text(text))
        }
        (Operator::Add, Value::Text(one), Value::Text(other)) => {
            let mut text = String::new();
            push(&mut text, one, meter)?;
            push(&mut text, other, meter)?;
            Ok(Value::text(text))
        }
        (Operator::Add, Value::List(one), Value::List(other)) => {
            meter.pay_items(one.items.len() + other.items.len())?;
            Value::list(one.items.iter().chain(&other.items).cloned().collect())
        }
        (Operator::Multiply, Value::Text(text), Value::Int(times))
        | (Operator::Multiply, Value::Int(times), Value::Text(text)) => {
            let times = usize::try_from(*times).unwrap_or_default();
            meter.pay(text.len().saturating_mul(times).saturating_add(1))?;
            Ok(Value::text(text.repeat(times)))
        }
        (Operator::Multiply, Value::List(list), Value::Int(times)) => {
            let times = usize::try_from(*times).unwrap_or_default();
            meter.pay_items(list.items.len().saturating_mul(times))?;
            let all = std::iter::repeat_n(&list.items, times).flatten();
            Value::list(all.cloned().collect())
        }
        (operator, Value::Int(one), Value::Int(other)) => whole(operator, *one, *other),
        (operator, one, other) => match (one.as_float(), other.as_float()) {
            (Some(one), Some(other)) => float(operator, one, other),
            _ => {
                let (one, other) = (one.kind(), other.kind());
                Err(Fault::refused(format!(
                    "an operator cannot join {one} and {other}"
                )))
            }
        },
    }
}

fn whole(operator: Operator, one: i64, other: i64) -> Result<Value, Fault> {
    let result = match operator {
        Operator::Add => one.checked_add(other),
        Operator::Subtract => one.checked_sub(other),
        Operator::Multiply => one.checked_mul(other),
        // Rounded down, and the remainder has the sign of the divisor, as in Python.
        Operator::DivideDown => one.checked_div(other).and_then(|quotient| {
            let is_split = quotient.checked_mul(other) != Some(one);
            match is_split && (one < 0) != (other < 0) {
                true => quotient.checked_sub(1),
                false => Some(quotient),
            }
        }),
        Operator::Remainder => {
            one.checked_rem(other)
                .map(|rest| match rest != 0 && (rest < 0) != (other < 0) {
                    true => rest + other,
                    false => rest,
                })
        }
        Operator::Power => match u32::try_from(other) {
            Ok(other) => one.checked_pow(other),
            Err(_) => return float(operator, one as f64, other as f64),
        },
        Operator::Divide | Operator::Concat => {
            return float(operator, one as f64, other as f64);
        }
    };
    let result = result.map(Value::Int);
    result.ok_or_else(|| Fault::refused("a number is too large, or divided by nothing"))
}

fn float(operator: Operator, one: f64, other: f64) -> Result<Value, Fault> {
    let is_division = matches!(
        operator,
        Operator::Divide | Operator::DivideDown | Operator::Remainder
    );
    if is_division && other == 0.0 {
        return Err(Fault::refused("a number is divided by nothing"));
    }
    let result = match operator {
        Operator::Add => one + other,
        Operator::Subtract => one - other,
        Operator::Multiply => one * other,
        Operator::Divide => one / other,
        Operator::DivideDown => (one / other).floor(),
        Operator::Remainder => one - other * (one / other).floor(),
        Operator::Power => one.powf(other),
        Operator::Concat => return Err(Fault::refused("numbers are not joined")),
    };
    Ok(Value::Float(result))
}

/// Whether a comparison of two values holds.
pub(super) fn compare(
    comparison: Comparison,
    one: &Value,
    other: &Value,
    meter: &Meter,
) -> Result<bool, Fault> {
    match comparison {
        Comparison::Equal => one.equals(other, meter),
        Comparison::NotEqual => one.equals(other, meter).map(|is| !is),
        Comparison::In => other.contains(one, meter),
        Comparison::NotIn => other.contains(one, meter).map(|is| !is),
        Comparison::Less => one.order(other, meter).map(|order| order.is_lt()),
        Comparison::LessOrEqual => one.order(other, meter).map(|order| order.is_le()),
        Comparison::More => one.order(other, meter).map(|order| order.is_gt()),
        Comparison::MoreOrEqual => one.order(other, meter).map(|order| order.is_ge()),
    }
}

/// The item at an index, or the member of a name.
pub(super) fn item(value: &Value, index: &Value, meter: &Meter) -> Result<Value, Fault> {
    let found = match (value, index) {
        (Value::Dict(_), Value::Text(key)) => value.member(key, meter)?,
        (Value::List(list), Value::Int(index)) => {
            let place = from_end(*index, list.items.len());
            place.and_then(|place| list.items.get(place).cloned())
        }
        (Value::Text(text), Value::Int(index)) => {
            meter.pay(text.len())?;
            let place = from_end(*index, text.chars().count());
            let letter = place.and_then(|place| text.chars().nth(place));
            letter.map(|letter| Value::text(letter.to_string()))
        }
        (Value::Undefined, _) => {
            let kind = value.kind();
            return Err(Fault::refused(format!("{kind} has no parts")));
        }
        _ => None,
    };
    Ok(found.unwrap_or(Value::Undefined))
}

fn from_end(index: i64, length: usize) -> Option<usize> {
    match usize::try_from(index) {
        Ok(index) => Some(index),
        Err(_) => length.checked_sub(usize::try_from(index.unsigned_abs()).ok()?),
    }
}

/// A part of a list or a text, with Python's rules.
pub(super) fn slice(
    value: &Value,
    [from, to, step]: [Option<i64>; 3],
    meter: &Meter,
) -> Result<Value, Fault> {
    let step = step.unwrap_or(1);
    if step == 0 {
        return Err(Fault::refused("a slice has steps of nothing"));
    }
    match value {
        Value::List(list) => {
            let places = places(from, to, step, list.items.len());
            meter.pay_items(places.len())?;
            let items = places.into_iter();
            let items = items.filter_map(|place| list.items.get(place).cloned());
            Value::list(items.collect())
        }
        Value::Text(text) => {
            meter.pay_items(text.len())?;
            let letters: Vec<char> = text.chars().collect();
            let places = places(from, to, step, letters.len());
            let part = places
                .into_iter()
                .filter_map(|place| letters.get(place).copied());
            Ok(Value::text(part.collect::<String>()))
        }
        Value::Undefined => Ok(Value::Undefined),
        other => {
            let kind = other.kind();
            Err(Fault::refused(format!("{kind} has no slices")))
        }
    }
}

/// The places that a slice takes, in its order.
fn places(from: Option<i64>, to: Option<i64>, step: i64, length: usize) -> Vec<usize> {
    let length = i64::try_from(length).unwrap_or(i64::MAX);
    // Backwards, places begin at the last one and end in front of the first.
    let (low, high) = match step > 0 {
        true => (0, length),
        false => (-1, length - 1),
    };
    let place = |given: Option<i64>, default: i64| match given {
        None => default,
        Some(given) if given < 0 => given.saturating_add(length).clamp(low, high),
        Some(given) => given.clamp(low, high),
    };
    let (from, to) = match step > 0 {
        true => (place(from, low), place(to, high)),
        false => (place(from, high), place(to, low)),
    };
    let mut places = Vec::new();
    let mut at = from;
    while (step > 0 && at < to) || (step < 0 && at > to) {
        places.extend(usize::try_from(at).ok());
        at = at.saturating_add(step);
    }
    places
}
