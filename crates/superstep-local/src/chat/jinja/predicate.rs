//! Tests: what may stand behind `is`.

use super::{
    ast::Comparison,
    meter::{Fault, Meter},
    operator::compare,
    value::Value,
};

/// Whether a value passes a test.
pub(super) fn passes(
    name: &str,
    value: &Value,
    args: &[Value],
    meter: &Meter,
) -> Result<bool, Fault> {
    let first = || {
        let first = args.first();
        first.ok_or_else(|| Fault::refused(format!("the test `{name}` needs a value")))
    };
    let compared = |comparison| compare(comparison, value, first()?, meter);
    Ok(match name {
        "defined" => !matches!(value, Value::Undefined),
        "undefined" => matches!(value, Value::Undefined),
        "none" => matches!(value, Value::None),
        "true" => matches!(value, Value::Bool(true)),
        "false" => matches!(value, Value::Bool(false)),
        "boolean" => matches!(value, Value::Bool(_)),
        "string" => matches!(value, Value::Text(_)),
        "mapping" => matches!(value, Value::Dict(_)),
        "sequence" => matches!(value, Value::List(_) | Value::Text(_) | Value::Dict(_)),
        "iterable" => value.items(meter).is_ok(),
        "number" => matches!(value, Value::Int(_) | Value::Float(_)),
        "integer" => matches!(value, Value::Int(_)),
        "float" => matches!(value, Value::Float(_)),
        "odd" => value.as_int()?.rem_euclid(2) == 1,
        "even" => value.as_int()?.rem_euclid(2) == 0,
        "divisibleby" => {
            let rest = value.as_int()?.checked_rem(first()?.as_int()?);
            rest.ok_or_else(|| Fault::refused("a number is divided by nothing"))? == 0
        }
        "eq" | "equalto" | "sameas" | "==" => compared(Comparison::Equal)?,
        "ne" | "!=" => compared(Comparison::NotEqual)?,
        "lt" | "lessthan" | "<" => compared(Comparison::Less)?,
        "le" | "<=" => compared(Comparison::LessOrEqual)?,
        "gt" | "greaterthan" | ">" => compared(Comparison::More)?,
        "ge" | ">=" => compared(Comparison::MoreOrEqual)?,
        "in" => compared(Comparison::In)?,
        "startingwith" => {
            let part = first()?.as_text()?;
            meter.pay(part.len())?;
            value.as_text()?.starts_with(&**part)
        }
        "endingwith" => {
            let part = first()?.as_text()?;
            meter.pay(part.len())?;
            value.as_text()?.ends_with(&**part)
        }
        other => return Err(Fault::refused(format!("there is no test `{other}`"))),
    })
}
