//! Numbers that JSON cannot say: infinities and what is not a number.
//!
//! Such a float is written as `{"$f64": "7ff0000000000000"}`, its bits in hexadecimal digits, and an
//! object that happens to look like that gets one more `$` in front. A typed cell has turned them
//! into null before anybody sees them, as everywhere in its JSON form.

use crate::value::{Map, Value};

const MARK: &str = "$f64";

/// The value in the form of an archive, if that is different.
pub(super) fn spelled(value: &Value) -> Option<Value> {
    match value {
        Value::Float(n) if !n.is_finite() => {
            let bits = format!("{:016x}", n.to_bits());
            Some(Value::map([(MARK, Value::from(bits))]))
        }
        Value::List(items) => {
            let changed = items.iter().map(spelled);
            rebuilt(items.iter(), changed).map(Value::list)
        }
        Value::Map(map) => match marked(map) {
            Some((key, inner)) => {
                let inner = spelled(inner).unwrap_or_else(|| inner.clone());
                Some(Value::map([(format!("${key}"), inner)]))
            }
            None => {
                let values = rebuilt(map.values(), map.values().map(spelled))?;
                Some(Value::map(map.keys().cloned().zip(values)))
            }
        },
        // What its JSON form refuses is refused when the line is written.
        Value::Typed(cell) => {
            let plain = Value::from(cell.to_json().ok()?);
            Some(spelled(&plain).unwrap_or(plain))
        }
        _ => None,
    }
}

/// Whether what an archive holds is nested at most so deep, once it is read.
pub(super) fn is_readable(spelled: &Value, levels: usize) -> bool {
    let mut inside: Box<dyn Iterator<Item = &Value>> = match spelled {
        Value::List(items) => Box::new(items.iter()),
        Value::Map(map) if marked(map).is_some_and(|(key, _)| key == MARK) => return true,
        Value::Map(map) => Box::new(map.values()),
        _ => return true,
    };
    match levels.checked_sub(1) {
        Some(levels) => inside.all(|value| is_readable(value, levels)),
        None => false,
    }
}

/// The value that an archive means, if its form is different.
pub(super) fn meant(value: &Value) -> Result<Option<Value>, String> {
    Ok(match value {
        Value::List(items) => {
            let changed: Result<Vec<_>, _> = items.iter().map(meant).collect();
            rebuilt(items.iter(), changed?.into_iter()).map(Value::list)
        }
        Value::Map(map) => match marked(map) {
            Some((MARK, bits)) => {
                let digits = bits.as_str().filter(|text| text.len() == 16);
                let bits = digits.and_then(|text| u64::from_str_radix(text, 16).ok());
                let bits = bits.ok_or_else(|| format!("`{MARK}` is not followed by 16 digits"))?;
                Some(Value::Float(f64::from_bits(bits)))
            }
            Some((key, inner)) => {
                let inner = meant(inner)?.unwrap_or_else(|| inner.clone());
                Some(Value::map([(key.strip_prefix('$').unwrap_or(key), inner)]))
            }
            None => {
                let changed: Result<Vec<_>, _> = map.values().map(meant).collect();
                let values = rebuilt(map.values(), changed?.into_iter());
                values.map(|values| Value::map(map.keys().cloned().zip(values)))
            }
        },
        _ => None,
    })
}

/// The only entry of an object, if its key is the mark behind any number of `$`.
fn marked(map: &Map) -> Option<(&str, &Value)> {
    let mut entries = map.iter();
    let (Some((key, value)), None) = (entries.next(), entries.next()) else {
        return None;
    };
    let bare = key.trim_start_matches('$');
    (MARK.strip_prefix('$') == Some(bare) && key.len() >= MARK.len()).then_some((&**key, value))
}

/// All items with their changes, if there are any.
fn rebuilt<'a>(
    items: impl Iterator<Item = &'a Value>,
    changed: impl Iterator<Item = Option<Value>>,
) -> Option<Vec<Value>> {
    let changed: Vec<Option<Value>> = changed.collect();
    if changed.iter().all(Option::is_none) {
        return None;
    }
    let pairs = items.zip(changed);
    Some(
        pairs
            .map(|(item, changed)| changed.unwrap_or_else(|| item.clone()))
            .collect(),
    )
}
