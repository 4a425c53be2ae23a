//! Filters: what may stand behind `|`.

use std::sync::Arc;

use super::{
    meter::{Fault, Meter},
    operator::item,
    predicate::passes,
    value::{Value, push, push_blanks},
};

/// What a filter makes of a value.
pub(super) fn apply(
    name: &str,
    value: &Value,
    args: &[Value],
    named: &[(Arc<str>, Value)],
    meter: &Meter,
) -> Result<Value, Fault> {
    let arg = |place: usize, name: &str| {
        let by_name = named.iter().find(|(given, _)| **given == *name);
        args.get(place).or(by_name.map(|(_, value)| value))
    };
    match name {
        "safe" => Ok(value.clone()),
        "default" | "d" => {
            let is_for_false = arg(1, "boolean").is_some_and(Value::is_true);
            let is_missing = matches!(value, Value::Undefined) || is_for_false && !value.is_true();
            let empty = || Value::text("");
            Ok(match is_missing {
                true => arg(0, "default_value").cloned().unwrap_or_else(empty),
                false => value.clone(),
            })
        }
        "length" | "count" => {
            meter.pay(value.as_text().map_or(1, |text| text.len()))?;
            let length = value.len().map(|length| Value::Int(length as i64));
            length.ok_or_else(|| Fault::refused(format!("{} has no length", value.kind())))
        }
        "string" => {
            let mut text = String::new();
            value.print(&mut text, meter)?;
            Ok(Value::text(text))
        }
        "tojson" => {
            let indent = match arg(0, "indent") {
                Some(Value::None) | None => None,
                Some(width) => Some(usize::try_from(width.as_int()?).unwrap_or_default()),
            };
            let mut text = String::new();
            value.json(&mut text, indent, meter)?;
            Ok(Value::text(text))
        }
        "trim" => trimmed(
            &printed(value, meter)?,
            arg(0, "chars"),
            (true, true),
            meter,
        ),
        "upper" | "lower" | "title" | "capitalize" => cased(name, &printed(value, meter)?, meter),
        "replace" => replaced(&printed(value, meter)?, args, meter),
        "split" => split(value.as_text()?, args, meter),
        "indent" => indented(
            &printed(value, meter)?,
            arg(0, "width"),
            arg(1, "first"),
            meter,
        ),
        "int" => Ok(Value::Int(match value {
            Value::Float(number) => *number as i64,
            Value::Text(text) => text.trim().parse().unwrap_or_default(),
            other => other.as_int()?,
        })),
        "float" => Ok(Value::Float(match value {
            Value::Text(text) => text.trim().parse().unwrap_or_default(),
            other => other.as_float().unwrap_or_default(),
        })),
        "abs" => match value {
            Value::Float(number) => Ok(Value::Float(number.abs())),
            other => Ok(Value::Int(other.as_int()?.saturating_abs())),
        },
        "round" => Ok(Value::Float(value.as_float().unwrap_or_default().round())),
        _ => of_items(name, value, args, named, meter),
    }
}

/// Filters of lists and dictionaries.
fn of_items(
    name: &str,
    value: &Value,
    args: &[Value],
    named: &[(Arc<str>, Value)],
    meter: &Meter,
) -> Result<Value, Fault> {
    if let ("items" | "dictsort", Value::Dict(dict)) = (name, value) {
        meter.pay_items(dict.members.len().saturating_mul(3))?;
        let members = dict.members.iter();
        let pairs = members
            .map(|(key, value)| Value::list(vec![Value::Text(Arc::clone(key)), value.clone()]));
        let pairs = Value::list(pairs.collect::<Result<_, _>>()?)?;
        return match name {
            "items" => Ok(pairs),
            _ => sorted(&pairs, Some(&Value::Int(0)), false, meter),
        };
    }
    let known = [
        "list", "first", "last", "join", "reverse", "sort", "unique", "map", "select", "reject",
        "selectattr", "rejectattr",
    ];
    if !known.contains(&name) {
        return Err(Fault::refused(format!("there is no filter `{name}`")));
    }
    let list = value.items(meter)?;
    let items = list.items.as_slice();
    let by_name = |wanted: &str| {
        let mut named = named.iter();
        named.find(|(name, _)| **name == *wanted).map(|(_, it)| it)
    };
    let end = |item: Option<&Value>| Ok(item.cloned().unwrap_or(Value::Undefined));
    match name {
        "list" => Ok(Value::List(list)),
        "first" => end(items.first()),
        "last" => end(items.last()),
        "join" => joined(items, args.first(), by_name("attribute"), meter),
        "reverse" => {
            meter.pay_items(items.len())?;
            Value::list(items.iter().rev().cloned().collect())
        }
        "sort" => {
            let is_down = by_name("reverse")
                .or(args.first())
                .is_some_and(Value::is_true);
            sorted(value, by_name("attribute"), is_down, meter)
        }
        "unique" => {
            let mut found: Vec<Value> = Vec::new();
            'items: for item in items {
                for other in &found {
                    if other.equals(item, meter)? {
                        continue 'items;
                    }
                }
                meter.pay_items(1)?;
                found.push(item.clone());
            }
            Value::list(found)
        }
        "map" => mapped(items, args, by_name("attribute"), meter),
        _ => chosen(name, items, args, meter),
    }
}

fn printed(value: &Value, meter: &Meter) -> Result<Arc<str>, Fault> {
    match value {
        Value::Text(text) => Ok(Arc::clone(text)),
        other => {
            let mut text = String::new();
            other.print(&mut text, meter)?;
            Ok(text.into())
        }
    }
}

/// A text without blanks, or without these letters, at its beginning and its end.
pub(super) fn trimmed(
    text: &str,
    letters: Option<&Value>,
    (at_start, at_end): (bool, bool),
    meter: &Meter,
) -> Result<Value, Fault> {
    let letters = match letters {
        Some(Value::None) | None => None,
        Some(letters) => Some(letters.as_text()?),
    };
    let width = letters.map_or(1, |letters| letters.len());
    meter.pay(text.len().saturating_mul(width.saturating_add(1)))?;
    let is_out = |letter: char| match letters {
        Some(letters) => letters.contains(letter),
        None => letter.is_whitespace(),
    };
    let text = if at_start {
        text.trim_start_matches(is_out)
    } else {
        text
    };
    let text = if at_end {
        text.trim_end_matches(is_out)
    } else {
        text
    };
    Ok(Value::text(text))
}

fn cased(name: &str, text: &str, meter: &Meter) -> Result<Value, Fault> {
    // A letter may become three.
    meter.pay(text.len().saturating_mul(3))?;
    Ok(Value::text(match name {
        "upper" => text.to_uppercase(),
        "lower" => text.to_lowercase(),
        _ => {
            let mut is_first = true;
            let mut cased = String::with_capacity(text.len());
            for letter in text.chars() {
                match is_first {
                    true => cased.extend(letter.to_uppercase()),
                    false => cased.extend(letter.to_lowercase()),
                }
                is_first = name == "title" && !letter.is_alphanumeric();
            }
            cased
        }
    }))
}

fn replaced(text: &str, args: &[Value], meter: &Meter) -> Result<Value, Fault> {
    let (Some(from), Some(to)) = (args.first(), args.get(1)) else {
        return Err(Fault::refused("`replace` needs two texts"));
    };
    let (from, to) = (from.as_text()?, to.as_text()?);
    meter.pay(text.len() + from.len())?;
    let most = match args.get(2) {
        Some(Value::None) | None => usize::MAX,
        Some(most) => usize::try_from(most.as_int()?).unwrap_or(usize::MAX),
    };
    let count = text.matches(&**from).count().min(most);
    meter.pay(count.saturating_mul(to.len()).saturating_add(text.len()))?;
    Ok(Value::text(text.replacen(&**from, to, count)))
}

/// The parts of a text between these texts, or between blanks.
pub(super) fn split(text: &str, args: &[Value], meter: &Meter) -> Result<Value, Fault> {
    let most = match args.get(1) {
        Some(most) => usize::try_from(most.as_int()?).unwrap_or(usize::MAX),
        None => usize::MAX,
    };
    let parts: Vec<&str> = match args.first() {
        Some(Value::None) | None => {
            meter.pay_items(text.len() / 2 + 1)?;
            text.split_whitespace().collect()
        }
        Some(between) => {
            let between = between.as_text()?;
            if between.is_empty() {
                return Err(Fault::refused("a text cannot be split at nothing"));
            }
            meter.pay(text.len() + between.len())?;
            meter.pay_items(text.matches(&**between).count() + 1)?;
            text.splitn(most.saturating_add(1), &**between).collect()
        }
    };
    meter.pay(text.len())?;
    Value::list(parts.into_iter().map(Value::text).collect())
}

fn indented(
    text: &str,
    width: Option<&Value>,
    first: Option<&Value>,
    meter: &Meter,
) -> Result<Value, Fault> {
    let width = width.map_or(Ok(4), Value::as_int)?;
    let width = usize::try_from(width).unwrap_or_default();
    let mut result = String::new();
    for (number, line) in text.split('\n').enumerate() {
        push(&mut result, if number == 0 { "" } else { "\n" }, meter)?;
        let is_first = number == 0 && !first.is_some_and(Value::is_true);
        if !is_first && !line.is_empty() {
            push_blanks(&mut result, width, meter)?;
        }
        push(&mut result, line, meter)?;
    }
    Ok(Value::text(result))
}

fn joined(
    items: &[Value],
    between: Option<&Value>,
    attribute: Option<&Value>,
    meter: &Meter,
) -> Result<Value, Fault> {
    let mut text = String::new();
    for (number, part) in items.iter().enumerate() {
        meter.pay(1)?;
        if let Some(between) = between.filter(|_| number > 0) {
            between.print(&mut text, meter)?;
        }
        match attribute {
            Some(attribute) => item(part, attribute, meter)?.print(&mut text, meter)?,
            None => part.print(&mut text, meter)?,
        }
    }
    Ok(Value::text(text))
}

/// Sorts texts, whatever their case, or numbers.
fn sorted(
    value: &Value,
    attribute: Option<&Value>,
    is_down: bool,
    meter: &Meter,
) -> Result<Value, Fault> {
    let list = value.items(meter)?;
    let mut longest = 1;
    let mut keyed = Vec::new();
    for part in &list.items {
        meter.pay_items(2)?;
        let key = match attribute {
            Some(attribute) => item(part, attribute, meter)?,
            None => part.clone(),
        };
        let key = match key {
            Value::Text(text) => {
                meter.pay(text.len().saturating_mul(3))?;
                let text = text.to_lowercase();
                longest = longest.max(text.len());
                (text, 0.0)
            }
            other => match other.as_float() {
                Some(number) => (String::new(), number),
                None => return Err(Fault::refused(format!("{} has no order", other.kind()))),
            },
        };
        keyed.push((key, part.clone()));
    }
    let rounds = keyed.len().checked_ilog2().unwrap_or_default() as usize + 1;
    meter.pay(keyed.len().saturating_mul(rounds).saturating_mul(longest))?;
    keyed.sort_by(|((text, number), _), ((other, than), _)| {
        let order = text.cmp(other).then_with(|| number.total_cmp(than));
        if is_down { order.reverse() } else { order }
    });
    Value::list(keyed.into_iter().map(|(_, item)| item).collect())
}

fn mapped(
    items: &[Value],
    args: &[Value],
    attribute: Option<&Value>,
    meter: &Meter,
) -> Result<Value, Fault> {
    meter.pay_items(items.len())?;
    let results = items.iter().map(|part| {
        meter.pay(1)?;
        match (attribute, args.split_first()) {
            (Some(attribute), _) => item(part, attribute, meter),
            (None, Some((name, args))) => apply(name.as_text()?, part, args, &[], meter),
            (None, None) => Err(Fault::refused("`map` needs a filter or an attribute")),
        }
    });
    Value::list(results.collect::<Result<_, _>>()?)
}

/// `select`, `reject`, `selectattr`, `rejectattr`.
fn chosen(name: &str, items: &[Value], args: &[Value], meter: &Meter) -> Result<Value, Fault> {
    let wanted = name.starts_with("select");
    let (attribute, args) = match (name.ends_with("attr"), args.split_first()) {
        (true, Some((attribute, args))) => (Some(attribute), args),
        (true, None) => return Err(Fault::refused(format!("`{name}` needs an attribute"))),
        (false, _) => (None, args),
    };
    let mut found = Vec::new();
    for part in items {
        meter.pay(1)?;
        let value = match attribute {
            Some(attribute) => item(part, attribute, meter)?,
            None => part.clone(),
        };
        let is_so = match args.split_first() {
            Some((test, args)) => passes(test.as_text()?, &value, args, meter)?,
            None => value.is_true(),
        };
        if is_so == wanted {
            meter.pay_items(1)?;
            found.push(part.clone());
        }
    }
    Value::list(found)
}
