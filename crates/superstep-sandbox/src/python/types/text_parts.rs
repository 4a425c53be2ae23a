//! Methods of texts: what is in them, and how they are split and joined.

use super::text::own;
use crate::python::{
    fault::Res,
    value::{Args, Function, Value},
    vm::Vm,
};

pub(super) fn method(name: &str) -> Option<Function> {
    Some(match name {
        "split" => |vm, args| split(vm, args, false),
        "rsplit" => |vm, args| split(vm, args, true),
        "splitlines" => |vm, args| {
            let text = own(vm, &args)?;
            Ok(Value::list(text.lines().map(Value::str).collect()))
        },
        "join" => join,
        "replace" => replace,
        "find" => |vm, args| find(vm, &args, false, false),
        "rfind" => |vm, args| find(vm, &args, true, false),
        "index" => |vm, args| find(vm, &args, false, true),
        "rindex" => |vm, args| find(vm, &args, true, true),
        "count" => |vm, args| {
            let text = own(vm, &args)?;
            let part = vm.text_argument(&args, 1)?;
            Ok(match part.is_empty() {
                true => Value::int(text.chars().count() + 1),
                false => Value::int(text.matches(&*part).count()),
            })
        },
        "startswith" => |vm, args| affix(vm, &args, |text, part| text.starts_with(part)),
        "endswith" => |vm, args| affix(vm, &args, |text, part| text.ends_with(part)),
        "removeprefix" => |vm, args| {
            let text = own(vm, &args)?;
            let part = vm.text_argument(&args, 1)?;
            Ok(Value::str(text.strip_prefix(&*part).unwrap_or(&text)))
        },
        "removesuffix" => |vm, args| {
            let text = own(vm, &args)?;
            let part = vm.text_argument(&args, 1)?;
            Ok(Value::str(text.strip_suffix(&*part).unwrap_or(&text)))
        },
        "partition" => |vm, args| {
            let text = own(vm, &args)?;
            let part = vm.text_argument(&args, 1)?;
            Ok(three(match text.split_once(&*part) {
                Some((before, after)) => (before, &part, after),
                None => (&text, "", ""),
            }))
        },
        "rpartition" => |vm, args| {
            let text = own(vm, &args)?;
            let part = vm.text_argument(&args, 1)?;
            Ok(three(match text.rsplit_once(&*part) {
                Some((before, after)) => (before, &part, after),
                None => ("", "", &text),
            }))
        },
        _ => return None,
    })
}

fn three((before, part, after): (&str, &str, &str)) -> Value {
    Value::tuple(vec![
        Value::str(before),
        Value::str(part),
        Value::str(after),
    ])
}

fn split(vm: &mut Vm, mut args: Args, from_end: bool) -> Res<Value> {
    let text = own(vm, &args)?;
    let most = args.take(2, "maxsplit").unwrap_or(Value::Int(-1));
    let most = vm.int_argument(&most)?;
    let most = usize::try_from(most).unwrap_or(usize::MAX - 1) + 1;
    let sep = args.take(1, "sep").unwrap_or(Value::None);
    let parts: Vec<Value> = if sep.is_none() {
        let words = whitespace(&text, most, from_end);
        words.into_iter().map(Value::str).collect()
    } else {
        let Some(sep) = sep.as_str() else {
            return Err(vm.error("TypeError", "must be str or None"));
        };
        if sep.is_empty() {
            return Err(vm.error("ValueError", "empty separator"));
        }
        if from_end {
            let mut parts: Vec<Value> = text.rsplitn(most, &*sep).map(Value::str).collect();
            parts.reverse();
            parts
        } else {
            text.splitn(most, &*sep).map(Value::str).collect()
        }
    };
    Ok(Value::list(parts))
}

fn whitespace(text: &str, most: usize, from_end: bool) -> Vec<&str> {
    let mut words = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        let cut = match from_end {
            true => rest.rfind(char::is_whitespace),
            false => rest.find(char::is_whitespace),
        };
        let Some(cut) = cut.filter(|_| words.len() + 1 < most) else {
            words.push(rest);
            break;
        };
        let (before, after) = rest.split_at(cut);
        if from_end {
            words.push(after.trim());
            rest = before.trim_end();
        } else {
            words.push(before);
            rest = after.trim_start();
        }
    }
    if from_end {
        words.reverse();
    }
    words
}

fn join(vm: &mut Vm, args: Args) -> Res<Value> {
    let sep = own(vm, &args)?;
    let mut out = String::new();
    for (at, item) in vm.collect_items(&args.get(1))?.iter().enumerate() {
        if at > 0 {
            out.push_str(&sep);
        }
        match item.as_str() {
            Some(text) => out.push_str(&text),
            None => {
                let message = format!(
                    "sequence item {at}: expected str instance, {} found",
                    vm.type_name(item)
                );
                return Err(vm.error("TypeError", message));
            }
        }
        vm.room(out.len())?;
    }
    Ok(Value::str(out))
}

fn replace(vm: &mut Vm, args: Args) -> Res<Value> {
    let text = own(vm, &args)?;
    let (from, to) = (vm.text_argument(&args, 1)?, vm.text_argument(&args, 2)?);
    let count = match args.plain.get(3) {
        Some(count) => vm.int_argument(count)?,
        None => -1,
    };
    let hits = match from.is_empty() {
        true => text.len() + 1,
        false => text.len() / from.len(),
    };
    vm.room(text.len().saturating_add(hits.saturating_mul(to.len())))?;
    Ok(Value::str(match usize::try_from(count) {
        Ok(count) => text.replacen(&*from, &to, count),
        Err(_) => text.replace(&*from, &to),
    }))
}

fn find(vm: &mut Vm, args: &Args, from_end: bool, must: bool) -> Res<Value> {
    let text = own(vm, args)?;
    let part = vm.text_argument(args, 1)?;
    let length = text.chars().count();
    let bound = |vm: &mut Vm, at: usize, default: usize| -> Res<usize> {
        let value = args.get(at);
        if value.is_none() {
            return Ok(default);
        }
        let value = vm.int_argument(&value)?;
        let length = i64::try_from(length).unwrap_or(i64::MAX);
        let value = if value < 0 {
            (value + length).max(0)
        } else {
            value.min(length)
        };
        Ok(usize::try_from(value).unwrap_or(0))
    };
    let (start, end) = (bound(vm, 2, 0)?, bound(vm, 3, length)?);
    let window: String = text
        .chars()
        .skip(start)
        .take(end.saturating_sub(start))
        .collect();
    let found = match from_end {
        true => window.rfind(&*part),
        false => window.find(&*part),
    };
    match found {
        Some(at) => {
            let before = window.get(..at).unwrap_or_default().chars().count();
            Ok(Value::int(start + before))
        }
        None if must => Err(vm.error("ValueError", "substring not found")),
        None => Ok(Value::Int(-1)),
    }
}

fn affix(vm: &mut Vm, args: &Args, has: fn(&str, &str) -> bool) -> Res<Value> {
    let text = own(vm, args)?;
    let parts = match args.get(1) {
        Value::Tuple(parts) => parts.to_vec(),
        one => vec![one],
    };
    for part in parts {
        match part.as_str() {
            Some(part) if has(&text, &part) => return Ok(Value::Bool(true)),
            Some(_) => {}
            None => {
                let message = format!(
                    "first arg must be str or a tuple of str, not {}",
                    vm.type_name(&part)
                );
                return Err(vm.error("TypeError", message));
            }
        }
    }
    Ok(Value::Bool(false))
}
