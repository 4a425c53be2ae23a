//! Methods of texts and dictionaries, as Python has them.

use super::{
    filter::{split, trimmed},
    meter::{Fault, Meter},
    value::Value,
};

/// What a method gives.
pub(super) fn call(
    value: &Value,
    name: &str,
    args: &[Value],
    meter: &Meter,
) -> Result<Value, Fault> {
    match (value, name) {
        (Value::Text(text), "strip" | "lstrip" | "rstrip") => {
            let sides = (name != "rstrip", name != "lstrip");
            trimmed(text, args.first(), sides, meter)
        }
        (Value::Text(text), "split") => split(text, args, meter),
        (Value::Text(text), "startswith" | "endswith") => {
            let Some(parts) = args.first() else {
                return Err(Fault::refused(format!("`{name}` needs a text")));
            };
            let one = [parts.clone()];
            let parts = match parts {
                Value::List(parts) => parts.items.as_slice(),
                _ => &one,
            };
            for part in parts {
                let part = part.as_text()?;
                meter.pay(part.len().saturating_add(1))?;
                let is_there = match name {
                    "startswith" => text.starts_with(&**part),
                    _ => text.ends_with(&**part),
                };
                if is_there {
                    return Ok(Value::Bool(true));
                }
            }
            Ok(Value::Bool(false))
        }
        (Value::Text(_), "upper" | "lower" | "title" | "capitalize" | "replace")
        | (Value::Dict(_), "items") => super::filter::apply(name, value, args, &[], meter),
        (Value::Text(text), "find") => {
            let part = args.first().unwrap_or(&Value::Undefined).as_text()?;
            meter.pay(text.len() + part.len())?;
            let before = text.split_once(&**part).map(|(before, _)| before);
            let place = before.map(|before| before.chars().count() as i64);
            Ok(Value::Int(place.unwrap_or(-1)))
        }
        (Value::Dict(dict), "keys" | "values") => {
            meter.pay_items(dict.members.len())?;
            let members = dict.members.iter().map(|(key, value)| match name {
                "keys" => Value::Text(key.clone()),
                _ => value.clone(),
            });
            Value::list(members.collect())
        }
        (Value::Dict(_), "get") => {
            let key = args.first().unwrap_or(&Value::Undefined).as_text()?;
            let default = || args.get(1).cloned().unwrap_or(Value::None);
            Ok(value.member(key, meter)?.unwrap_or_else(default))
        }
        _ => {
            let kind = value.kind();
            Err(Fault::refused(format!("{kind} has no method `{name}`")))
        }
    }
}
