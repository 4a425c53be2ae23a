//! Methods of texts: case, kinds of characters, padding.

use std::rc::Rc;

use unicode_properties::UnicodeGeneralCategory as _;

use super::codec;
use crate::python::{
    fault::Res,
    text::is_printable,
    value::{Args, Dict, Function, Value},
    vm::Vm,
};

pub(super) fn method(name: &str) -> Option<Function> {
    Some(match name {
        "upper" => |vm, args| map(vm, &args, |text| text.to_uppercase()),
        "lower" => |vm, args| map(vm, &args, |text| text.to_lowercase()),
        "casefold" => |vm, args| {
            map(vm, &args, |text| {
                let folded = text.chars().flat_map(|c| match c {
                    // It is no variant of `i`.
                    'ı' => vec![c],
                    c => c.to_uppercase().flat_map(char::to_lowercase).collect(),
                });
                folded.collect()
            })
        },
        "title" => |vm, args| map(vm, &args, title),
        "capitalize" => |vm, args| {
            map(vm, &args, |text| {
                let mut chars = text.chars();
                let first: String = chars.next().map(in_title).unwrap_or_default();
                first + &chars.as_str().to_lowercase()
            })
        },
        "swapcase" => |vm, args| {
            map(vm, &args, |text| {
                text.chars()
                    .flat_map(|c| match c.is_uppercase() {
                        true => c.to_lowercase().collect::<Vec<_>>(),
                        false => c.to_uppercase().collect(),
                    })
                    .collect()
            })
        },
        "strip" => |vm, args| strip(vm, args, true, true),
        "lstrip" => |vm, args| strip(vm, args, true, false),
        "rstrip" => |vm, args| strip(vm, args, false, true),
        "isdecimal" => |vm, args| all(vm, &args, is_decimal),
        "isdigit" => |vm, args| {
            all(vm, &args, |c| {
                is_decimal(c)
                    || matches!(c, '²' | '³' | '¹' | '⁰' | '⁴'..='⁹' | '₀'..='₉' | '①'..='⑨')
            })
        },
        "isnumeric" => |vm, args| all(vm, &args, char::is_numeric),
        "isalpha" => |vm, args| all(vm, &args, char::is_alphabetic),
        "isalnum" => |vm, args| all(vm, &args, char::is_alphanumeric),
        "isspace" => |vm, args| all(vm, &args, is_space),
        "isascii" => |vm, args| {
            let text = own(vm, &args)?;
            Ok(Value::Bool(text.is_ascii()))
        },
        "isprintable" => |vm, args| {
            let text = own(vm, &args)?;
            Ok(Value::Bool(text.chars().all(is_printable)))
        },
        "isupper" => |vm, args| {
            let text = own(vm, &args)?;
            let has_cased = text.chars().any(char::is_uppercase);
            Ok(Value::Bool(
                has_cased && !text.chars().any(char::is_lowercase),
            ))
        },
        "islower" => |vm, args| {
            let text = own(vm, &args)?;
            let has_cased = text.chars().any(char::is_lowercase);
            Ok(Value::Bool(
                has_cased && !text.chars().any(char::is_uppercase),
            ))
        },
        "istitle" => |vm, args| {
            let text = own(vm, &args)?;
            let has_cased = text.chars().any(|c| c.is_uppercase() || c.is_lowercase());
            Ok(Value::Bool(has_cased && title(&text) == *text))
        },
        "isidentifier" => |vm, args| {
            let text = own(vm, &args)?;
            let mut chars = text.chars();
            let is_start = chars.next().is_some_and(|c| c.is_alphabetic() || c == '_');
            Ok(Value::Bool(
                is_start && chars.all(|c| c.is_alphanumeric() || c == '_'),
            ))
        },
        "ljust" => |vm, args| pad(vm, &args, |missing, _| (0, missing)),
        "rjust" => |vm, args| pad(vm, &args, |missing, _| (missing, 0)),
        "center" => |vm, args| {
            pad(vm, &args, |missing, width| {
                let left = missing / 2 + (missing & width & 1);
                (left, missing - left)
            })
        },
        "zfill" => |vm, args| {
            let text = own(vm, &args)?;
            let width = vm.int_argument(&args.get(1))?;
            let width = usize::try_from(width).unwrap_or(0);
            vm.room(width)?;
            let missing = width.saturating_sub(text.chars().count());
            let (sign, digits) = match text.strip_prefix(['-', '+']) {
                Some(rest) => text.split_at(text.len() - rest.len()),
                None => ("", &*text),
            };
            Ok(Value::str(format!("{sign}{}{digits}", "0".repeat(missing))))
        },
        "expandtabs" => |vm, mut args| {
            let size = args.take(1, "tabsize").unwrap_or(Value::Int(8));
            let size = usize::try_from(vm.int_argument(&size)?).unwrap_or(0);
            let text = own(vm, &args)?;
            vm.room(text.len().saturating_mul(size.max(1)))?;
            let (mut out, mut column) = (String::new(), 0_usize);
            for c in text.chars() {
                match c {
                    '\t' => {
                        let missing = column.checked_rem(size).map_or(0, |used| size - used);
                        out.push_str(&" ".repeat(missing));
                        column += missing;
                    }
                    '\n' | '\r' => {
                        out.push(c);
                        column = 0;
                    }
                    c => {
                        out.push(c);
                        column += 1;
                    }
                }
            }
            Ok(Value::str(out))
        },
        "translate" => translate,
        "encode" => |vm, mut args| {
            let encoding = args.take(1, "encoding").and_then(|it| it.as_str());
            let errors = args.take(2, "errors").and_then(|it| it.as_str());
            let text = own(vm, &args)?;
            let encoding = encoding.unwrap_or_else(|| "utf-8".into());
            let errors = errors.unwrap_or_else(|| "strict".into());
            let bytes = codec::encoded(vm, &text, &encoding, &errors)?;
            Ok(Value::Bytes(bytes.into()))
        },
        "format_map" => |vm, args| {
            let text = own(vm, &args)?;
            let named = Args {
                plain: Vec::new(),
                named: vec![("".into(), args.get(1))],
            };
            vm.format_text(&text, &named).map(Value::str)
        },
        "format" => |vm, mut args| {
            let text = own(vm, &args)?;
            args.plain.remove(0);
            Ok(Value::str(vm.format_text(&text, &args)?))
        },
        "__len__" => |vm, args| vm.length(&args.get(0).plain()).map(Value::int),
        "__contains__" => |vm, args| {
            Ok(Value::Bool(
                vm.contains(&args.get(0).plain(), &args.get(1))?,
            ))
        },
        _ => return None,
    })
}

pub(super) fn own(vm: &mut Vm, args: &Args) -> Res<Rc<str>> {
    match args.get(0).as_str() {
        Some(text) => Ok(text),
        None => {
            let message = format!(
                "descriptor requires a 'str' object but received '{}'",
                vm.type_name(&args.get(0))
            );
            Err(vm.error("TypeError", message))
        }
    }
}

fn map(vm: &mut Vm, args: &Args, change: fn(&str) -> String) -> Res<Value> {
    let text = own(vm, args)?;
    Ok(Value::str(change(&text)))
}

fn all(vm: &mut Vm, args: &Args, is: fn(char) -> bool) -> Res<Value> {
    let text = own(vm, args)?;
    Ok(Value::Bool(!text.is_empty() && text.chars().all(is)))
}

/// A letter as a title has it: only the first one of several is large.
fn in_title(c: char) -> String {
    let mut letters = c.to_uppercase();
    let first = letters.next();
    let rest = letters.flat_map(char::to_lowercase);
    first.into_iter().chain(rest).collect()
}

fn title(text: &str) -> String {
    let mut out = String::new();
    let mut begins = true;
    for c in text.chars() {
        match (c.is_alphabetic(), begins) {
            (true, true) => out.push_str(&in_title(c)),
            (true, false) => out.extend(c.to_lowercase()),
            _ => out.push(c),
        }
        begins = !c.is_alphabetic();
    }
    out
}

fn strip(vm: &mut Vm, args: Args, left: bool, right: bool) -> Res<Value> {
    let text = own(vm, &args)?;
    let chars = args.get(1);
    let some = match chars.is_none() {
        true => None,
        false => Some(vm.text_argument(&args, 1)?),
    };
    let is = |c: char| match &some {
        Some(some) => some.contains(c),
        None => is_space(c),
    };
    let mut rest = &*text;
    if left {
        rest = rest.trim_start_matches(is);
    }
    if right {
        rest = rest.trim_end_matches(is);
    }
    Ok(Value::str(rest))
}

pub(super) fn is_space(c: char) -> bool {
    c.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&c)
}

fn is_decimal(c: char) -> bool {
    c.is_ascii_digit()
        || !c.is_ascii()
            && c.general_category() == unicode_properties::GeneralCategory::DecimalNumber
}

fn pad(vm: &mut Vm, args: &Args, sides: fn(usize, usize) -> (usize, usize)) -> Res<Value> {
    let text = own(vm, args)?;
    let width = vm.int_argument(&args.get(1))?;
    let width = usize::try_from(width).unwrap_or(0);
    vm.room(width)?;
    let fill = match args.plain.get(2) {
        Some(_) => vm.text_argument(args, 2)?,
        None => " ".into(),
    };
    if fill.chars().count() != 1 {
        let message = "The fill character must be exactly one character long";
        return Err(vm.error("TypeError", message));
    }
    let (left, right) = sides(width.saturating_sub(text.chars().count()), width);
    Ok(Value::str(format!(
        "{}{text}{}",
        fill.repeat(left),
        fill.repeat(right)
    )))
}

pub(super) fn make_table(vm: &mut Vm, args: Args) -> Res<Value> {
    let mut dict = Dict::new();
    if args.plain.len() == 2 {
        for (key, value) in vm.pairs(&args.get(1))? {
            let key = match key.as_str().and_then(|text| text.chars().next()) {
                Some(c) => Value::Int(i64::from(u32::from(c))),
                None => key,
            };
            dict.insert(vm.key(&key)?, (key, value));
        }
        return Ok(Value::dict(dict));
    }
    let (from, to) = (vm.text_argument(&args, 1)?, vm.text_argument(&args, 2)?);
    if from.chars().count() != to.chars().count() {
        let message = "the first two maketrans arguments must have equal length";
        return Err(vm.error("ValueError", message));
    }
    let removed = args.get(3).as_str().unwrap_or_else(|| "".into());
    let pairs = from
        .chars()
        .zip(to.chars())
        .map(|(from, to)| (from, Value::str(to.to_string())));
    let pairs = pairs.chain(removed.chars().map(|c| (c, Value::None)));
    for (from, to) in pairs {
        let key = Value::Int(i64::from(u32::from(from)));
        dict.insert(vm.key(&key)?, (key, to));
    }
    Ok(Value::dict(dict))
}

fn translate(vm: &mut Vm, args: Args) -> Res<Value> {
    let text = own(vm, &args)?;
    let table = args.get(1);
    let mut out = String::new();
    for c in text.chars() {
        let found = match vm.get_item(&table, &Value::Int(i64::from(u32::from(c)))) {
            Err(fault) if vm.is_fault(&fault, "LookupError") => None,
            found => Some(found?),
        };
        match found {
            None => out.push(c),
            Some(Value::None) => {}
            Some(Value::Int(code)) => {
                out.extend(u32::try_from(code).ok().and_then(char::from_u32));
            }
            Some(value) => out.push_str(&vm.text_of(&value)?),
        }
    }
    Ok(Value::str(out))
}
