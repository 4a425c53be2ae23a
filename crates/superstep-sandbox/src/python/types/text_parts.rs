//! Methods of texts: what is in them, and how they are split and joined.

use super::text::{is_space, own};
use crate::python::{
    fault::Res,
    value::{Args, Function, Value},
    vm::Vm,
};

pub(super) fn method(name: &str) -> Option<Function> {
    Some(match name {
        "split" => |vm, args| split(vm, args, false),
        "rsplit" => |vm, args| split(vm, args, true),
        "splitlines" => |vm, mut args| {
            let keeps = args.take(1, "keepends").unwrap_or(Value::Bool(false));
            let keeps = vm.truth(&keeps)?;
            let text = own(vm, &args)?;
            Ok(Value::list(lines(&text, keeps)))
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
            Ok(match (window(vm, &text, &args)?, part.is_empty()) {
                (None, _) => Value::Int(0),
                (Some((some, _)), true) => Value::int(some.chars().count() + 1),
                (Some((some, _)), false) => Value::int(some.matches(&*part).count()),
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
            let part = separator(vm, &args)?;
            Ok(three(match text.split_once(&*part) {
                Some((before, after)) => (before, &part, after),
                None => (&text, "", ""),
            }))
        },
        "rpartition" => |vm, args| {
            let text = own(vm, &args)?;
            let part = separator(vm, &args)?;
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

fn separator(vm: &mut Vm, args: &Args) -> Res<std::rc::Rc<str>> {
    let part = vm.text_argument(args, 1)?;
    match part.is_empty() {
        true => Err(vm.error("ValueError", "empty separator")),
        false => Ok(part),
    }
}

fn split(vm: &mut Vm, mut args: Args, from_end: bool) -> Res<Value> {
    let text = own(vm, &args)?;
    let most = args.take(2, "maxsplit").unwrap_or(Value::Int(-1));
    let most = vm.int_argument(&most)?;
    let most = usize::try_from(most).unwrap_or(usize::MAX - 1) + 1;
    let sep = args.take(1, "sep").unwrap_or(Value::None);
    let parts: Vec<Value> = if sep.is_none() {
        let words = words(&text, most, from_end);
        words.into_iter().map(Value::str).collect()
    } else {
        let Some(sep) = sep.as_str() else {
            let message = format!("must be str or None, not {}", vm.type_name(&sep));
            return Err(vm.error("TypeError", message));
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

/// What is between white space; the last part keeps the space within and behind it.
fn words(text: &str, most: usize, from_end: bool) -> Vec<&str> {
    let mut words = Vec::new();
    let mut rest = text;
    loop {
        rest = match from_end {
            true => rest.trim_end_matches(is_space),
            false => rest.trim_start_matches(is_space),
        };
        if rest.is_empty() {
            break;
        }
        if words.len() + 1 >= most {
            words.push(rest);
            break;
        }
        let (word, more) = if from_end {
            let mut places = rest.char_indices().rev();
            let cut = places.find(|(_, c)| is_space(*c));
            let cut = cut.map_or(0, |(at, c)| at + c.len_utf8());
            let (more, word) = rest.split_at(cut);
            (word, more)
        } else {
            rest.split_at(rest.find(is_space).unwrap_or(rest.len()))
        };
        words.push(word);
        rest = more;
    }
    if from_end {
        words.reverse();
    }
    words
}

fn lines(text: &str, keeps: bool) -> Vec<Value> {
    let mut lines = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let is_end = |c: char| {
            matches!(
                c,
                '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{1c}'
                    ..='\u{1e}' | '\u{85}' | '\u{2028}' | '\u{2029}'
            )
        };
        let at = rest.find(is_end).unwrap_or(rest.len());
        let after = rest.get(at..).unwrap_or_default();
        let mark = match after.starts_with("\r\n") {
            true => 2,
            false => after.chars().next().map_or(0, char::len_utf8),
        };
        let end = if keeps { at + mark } else { at };
        lines.push(Value::str(rest.get(..end).unwrap_or_default()));
        rest = rest.get(at + mark..).unwrap_or_default();
    }
    lines
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

/// The part of a text between two places that the arguments from the second on name, and how many characters are
/// before it.
fn window<'a>(vm: &mut Vm, text: &'a str, args: &Args) -> Res<Option<(&'a str, usize)>> {
    if args.plain.len() < 3 {
        return Ok(Some((text, 0)));
    }
    let length = text.chars().count();
    let mut bound = |at: usize, default: usize| -> Res<usize> {
        let value = args.get(at);
        if value.is_none() {
            return Ok(default);
        }
        let value = vm.int_argument(&value)?;
        let from_end = i64::try_from(length).unwrap_or(i64::MAX);
        let value = if value < 0 { value + from_end } else { value };
        Ok(usize::try_from(value).unwrap_or(0))
    };
    let (start, end) = (bound(2, 0)?, bound(3, length)?.min(length));
    if start > end {
        return Ok(None);
    }
    let place = |count: usize| {
        let mut places = text.char_indices().map(|(at, _)| at);
        places.nth(count).unwrap_or(text.len())
    };
    Ok(text.get(place(start)..place(end)).map(|some| (some, start)))
}

fn find(vm: &mut Vm, args: &Args, from_end: bool, must: bool) -> Res<Value> {
    let text = own(vm, args)?;
    let part = vm.text_argument(args, 1)?;
    let found = window(vm, &text, args)?.and_then(|(some, start)| {
        let at = match from_end {
            true => some.rfind(&*part),
            false => some.find(&*part),
        };
        let before = some.get(..at?)?.chars().count();
        Some(start + before)
    });
    match found {
        Some(at) => Ok(Value::int(at)),
        None if must => Err(vm.error("ValueError", "substring not found")),
        None => Ok(Value::Int(-1)),
    }
}

fn affix(vm: &mut Vm, args: &Args, has: fn(&str, &str) -> bool) -> Res<Value> {
    let text = own(vm, args)?;
    let some = window(vm, &text, args)?.map(|(some, _)| some);
    let parts = match args.get(1) {
        Value::Tuple(parts) => parts.to_vec(),
        one => vec![one],
    };
    for part in parts {
        match part.as_str() {
            Some(part) if some.is_some_and(|some| has(some, &part)) => {
                return Ok(Value::Bool(true));
            }
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
