//! Values as JSON, for operations, and back.

use serde_json::{Map, Number as JsonNumber, Value as Json};

use crate::python::{
    fault::Res,
    number::Number,
    value::{Dict, Key, Value},
    vm::Vm,
};

pub(super) fn to_json(vm: &mut Vm, value: &Value, depth: usize) -> Res<Json> {
    if depth > 20 {
        return Err(vm.error("ValueError", "nested too deeply"));
    }
    Ok(match value {
        Value::None => Json::Null,
        Value::Bool(it) => Json::Bool(*it),
        Value::Int(it) => Json::from(*it),
        Value::Big(_) | Value::Float(_) => {
            let float = Number::of(value).map_or(f64::NAN, |it| it.to_float());
            JsonNumber::from_f64(float).map_or(Json::Null, Json::Number)
        }
        Value::Str(text) => Json::String(text.to_string()),
        Value::List(_) | Value::Tuple(_) => {
            let mut items = Vec::new();
            for item in vm.collect_items(value)? {
                items.push(to_json(vm, &item, depth + 1)?);
            }
            Json::Array(items)
        }
        Value::Dict(_) => {
            let mut map = Map::new();
            for (key, value) in vm.pairs(value)? {
                let name = vm.text_of(&key)?;
                map.insert(name, to_json(vm, &value, depth + 1)?);
            }
            Json::Object(map)
        }
        other => {
            let message = format!("'{}' cannot be written to a workbook", vm.type_name(other));
            return Err(vm.error("TypeError", message));
        }
    })
}

pub(super) fn from_json(json: &Json) -> Value {
    match json {
        Json::Null => Value::None,
        Json::Bool(it) => Value::Bool(*it),
        Json::Number(number) => match number.as_i64() {
            Some(it) => Value::Int(it),
            None => Value::Float(number.as_f64().unwrap_or(f64::NAN)),
        },
        Json::String(text) => Value::str(text.as_str()),
        Json::Array(items) => Value::list(items.iter().map(from_json).collect()),
        Json::Object(map) => {
            let mut dict = Dict::new();
            for (name, value) in map {
                let entry = (Value::str(name.as_str()), from_json(value));
                dict.insert(Key::Str(name.as_str().into()), entry);
            }
            Value::dict(dict)
        }
    }
}
