//! Methods of bytes. Most do what those of texts do, with a character for every byte.

use super::{codec, text, text_parts};
use crate::python::{
    fault::Res,
    value::{Args, Function, Value},
    vm::Vm,
};

pub(super) fn method(name: &str) -> Option<Function> {
    Some(match name {
        "decode" => |vm, mut args| {
            let encoding = args.take(1, "encoding").and_then(|it| it.as_str());
            let errors = args.take(2, "errors").and_then(|it| it.as_str());
            let Value::Bytes(bytes) = args.get(0) else {
                return Err(vm.error("TypeError", "descriptor requires a 'bytes' object"));
            };
            let encoding = encoding.unwrap_or_else(|| "utf-8".into());
            let errors = errors.unwrap_or_else(|| "strict".into());
            codec::decoded(vm, &bytes, &encoding, &errors).map(Value::str)
        },
        "hex" => |vm, args| match (args.get(0), args.plain.len()) {
            (Value::Bytes(bytes), 1) => {
                let text: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
                Ok(Value::str(text))
            }
            _ => Err(vm.error("TypeError", "hex() takes no separator in this sandbox")),
        },
        "upper" => |_, args| Ok(changed(&args, <[u8]>::to_ascii_uppercase)),
        "lower" => |_, args| Ok(changed(&args, <[u8]>::to_ascii_lowercase)),
        "split" => |vm, args| as_text(vm, args, "split"),
        "rsplit" => |vm, args| as_text(vm, args, "rsplit"),
        "splitlines" => |vm, args| as_text(vm, args, "splitlines"),
        "strip" => |vm, args| as_text(vm, args, "strip"),
        "lstrip" => |vm, args| as_text(vm, args, "lstrip"),
        "rstrip" => |vm, args| as_text(vm, args, "rstrip"),
        "replace" => |vm, args| as_text(vm, args, "replace"),
        "find" => |vm, args| as_text(vm, args, "find"),
        "rfind" => |vm, args| as_text(vm, args, "rfind"),
        "index" => |vm, args| as_text(vm, args, "index"),
        "count" => |vm, args| as_text(vm, args, "count"),
        "startswith" => |vm, args| as_text(vm, args, "startswith"),
        "endswith" => |vm, args| as_text(vm, args, "endswith"),
        "partition" => |vm, args| as_text(vm, args, "partition"),
        "join" => |vm, args| as_text(vm, args, "join"),
        _ => return None,
    })
}

pub(super) fn from_hex(vm: &mut Vm, args: Args) -> Res<Value> {
    let text = vm.text_argument(&args, 1)?;
    let digits: Vec<char> = text.chars().filter(|c| !c.is_ascii_whitespace()).collect();
    let bytes: Option<Vec<u8>> = digits
        .chunks(2)
        .map(|pair| match pair {
            [high, low] => u8::try_from(high.to_digit(16)? * 16 + low.to_digit(16)?).ok(),
            _ => None,
        })
        .collect();
    match bytes {
        Some(bytes) => Ok(Value::Bytes(bytes.into())),
        None => Err(vm.error(
            "ValueError",
            "non-hexadecimal number found in fromhex() arg",
        )),
    }
}

fn changed(args: &Args, change: fn(&[u8]) -> Vec<u8>) -> Value {
    match args.get(0) {
        Value::Bytes(bytes) => Value::Bytes(change(&bytes).into()),
        other => other,
    }
}

fn as_text(vm: &mut Vm, mut args: Args, name: &str) -> Res<Value> {
    for (at, value) in args.plain.iter_mut().enumerate() {
        match value {
            Value::Str(_) => {
                return Err(vm.error("TypeError", "a bytes-like object is required, not 'str'"));
            }
            Value::List(_) | Value::Tuple(_) if at > 0 => {
                let items = vm.collect_items(value)?;
                *value = Value::tuple(items.iter().map(to_text).collect());
            }
            _ => *value = to_text(value),
        }
    }
    match text::method(name).or_else(|| text_parts::method(name)) {
        Some(call) => Ok(to_bytes(&call(vm, args)?)),
        None => Ok(Value::None),
    }
}

fn to_text(value: &Value) -> Value {
    match value {
        Value::Bytes(bytes) => Value::str(
            bytes
                .iter()
                .map(|byte| char::from(*byte))
                .collect::<String>(),
        ),
        other => other.clone(),
    }
}

fn to_bytes(value: &Value) -> Value {
    match value {
        Value::Str(text) => {
            let bytes = text.chars().filter_map(|c| u8::try_from(u32::from(c)).ok());
            Value::Bytes(bytes.collect())
        }
        Value::List(items) => Value::list(items.borrow().iter().map(to_bytes).collect()),
        Value::Tuple(items) => Value::tuple(items.iter().map(to_bytes).collect()),
        other => other.clone(),
    }
}
