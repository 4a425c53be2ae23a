//! Methods of texts: case, kinds of characters, padding; and those of bytes.

use std::rc::Rc;

use crate::python::{
    fault::Res,
    value::{Args, Dict, Function, Value},
    vm::Vm,
};

pub(super) fn method(name: &str) -> Option<Function> {
    Some(match name {
        "upper" => |vm, args| map(vm, &args, |text| text.to_uppercase()),
        "lower" | "casefold" => |vm, args| map(vm, &args, |text| text.to_lowercase()),
        "title" => |vm, args| map(vm, &args, title),
        "capitalize" => |vm, args| {
            map(vm, &args, |text| {
                let mut chars = text.chars();
                let first: String = chars
                    .next()
                    .map(|c| c.to_uppercase().collect())
                    .unwrap_or_default();
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
        "isdigit" | "isdecimal" => |vm, args| all(vm, &args, |c| c.is_ascii_digit()),
        "isnumeric" => |vm, args| all(vm, &args, char::is_numeric),
        "isalpha" => |vm, args| all(vm, &args, char::is_alphabetic),
        "isalnum" => |vm, args| all(vm, &args, char::is_alphanumeric),
        "isspace" => |vm, args| all(vm, &args, char::is_whitespace),
        "isascii" => |vm, args| {
            let text = own(vm, &args)?;
            Ok(Value::Bool(text.is_ascii()))
        },
        "isprintable" => |vm, args| {
            let text = own(vm, &args)?;
            Ok(Value::Bool(!text.chars().any(char::is_control)))
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
            Ok(Value::Bool(!text.is_empty() && title(&text) == *text))
        },
        "isidentifier" => |vm, args| {
            let text = own(vm, &args)?;
            let mut chars = text.chars();
            let is_start = chars.next().is_some_and(|c| c.is_alphabetic() || c == '_');
            Ok(Value::Bool(
                is_start && chars.all(|c| c.is_alphanumeric() || c == '_'),
            ))
        },
        "ljust" => |vm, args| pad(vm, &args, |missing| (0, missing)),
        "rjust" => |vm, args| pad(vm, &args, |missing| (missing, 0)),
        "center" => |vm, args| pad(vm, &args, |missing| (missing / 2, missing - missing / 2)),
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
        "expandtabs" => |vm, args| map(vm, &args, |text| text.replace('\t', "        ")),
        "translate" => translate,
        "encode" => |vm, args| {
            let text = own(vm, &args)?;
            Ok(Value::Bytes(text.as_bytes().into()))
        },
        "format" => |vm, mut args| {
            let text = own(vm, &args)?;
            args.plain.remove(0);
            Ok(Value::str(vm.format_text(&text, &mut args)?))
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

pub(super) fn bytes_method(name: &str) -> Option<Function> {
    Some(match name {
        "decode" => |vm, args| match args.get(0) {
            Value::Bytes(bytes) => match std::str::from_utf8(&bytes) {
                Ok(text) => Ok(Value::str(text)),
                Err(_) => {
                    Err(vm.error("UnicodeDecodeError", "'utf-8' codec can't decode the bytes"))
                }
            },
            _ => Ok(Value::None),
        },
        "hex" => |_, args| match args.get(0) {
            Value::Bytes(bytes) => {
                let text: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
                Ok(Value::str(text))
            }
            _ => Ok(Value::None),
        },
        _ => return None,
    })
}

pub(super) fn from_hex(vm: &mut Vm, args: Args) -> Res<Value> {
    let text = vm.text_argument(&args, 1)?;
    let digits: Vec<u32> = text.chars().filter_map(|c| c.to_digit(16)).collect();
    let bytes: Vec<u8> = digits
        .chunks(2)
        .filter_map(|pair| match pair {
            [high, low] => u8::try_from(high * 16 + low).ok(),
            _ => None,
        })
        .collect();
    Ok(Value::Bytes(bytes.into()))
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

fn title(text: &str) -> String {
    let mut out = String::new();
    let mut begins = true;
    for c in text.chars() {
        match (c.is_alphabetic(), begins) {
            (true, true) => out.extend(c.to_uppercase()),
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
        None => c.is_whitespace(),
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

fn pad(vm: &mut Vm, args: &Args, sides: fn(usize) -> (usize, usize)) -> Res<Value> {
    let text = own(vm, args)?;
    let width = vm.int_argument(&args.get(1))?;
    let width = usize::try_from(width).unwrap_or(0);
    vm.room(width)?;
    let fill = args.get(2).as_str().unwrap_or_else(|| " ".into());
    let (left, right) = sides(width.saturating_sub(text.chars().count()));
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
    let Value::Dict(table) = args.get(1) else {
        return Err(vm.error("TypeError", "translate() needs a table of str.maketrans()"));
    };
    let mut out = String::new();
    for c in text.chars() {
        let key = vm.key(&Value::Int(i64::from(u32::from(c))))?;
        let found = table.borrow().get(&key).map(|(_, value)| value.clone());
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
