//! What dicts and sets find values by.

use std::{
    hash::{DefaultHasher, Hash, Hasher},
    rc::Rc,
};

use super::Vm;
use crate::python::{
    fault::Res,
    value::{Key, Kind, Value},
};

impl Vm {
    pub(crate) fn key(&mut self, value: &Value) -> Res<Key> {
        Ok(match value {
            Value::None => Key::None,
            Value::Bool(it) => Key::Int(i64::from(*it)),
            Value::Int(it) => Key::Int(*it),
            Value::Big(it) => Key::Big(Rc::clone(it)),
            Value::Float(it) => float_key(*it),
            Value::Str(it) => Key::Str(Rc::clone(it)),
            Value::Bytes(it) => Key::Bytes(Rc::clone(it)),
            Value::Tuple(items) => {
                let keys: Res<Vec<Key>> =
                    self.deeper(|vm| items.iter().map(|item| vm.key(item)).collect());
                Key::Tuple(keys?)
            }
            Value::FrozenSet(set) => {
                let mut keys: Vec<Key> = set.keys().cloned().collect();
                keys.sort_by_cached_key(hash_of);
                Key::Frozen(keys)
            }
            Value::Range(range) => Key::Tuple(vec![
                Key::Int(range.start),
                Key::Int(range.stop),
                Key::Int(range.step),
            ]),
            Value::List(_) | Value::Dict(_) | Value::Set(_) => {
                let message = format!("unhashable type: '{}'", self.type_name(value));
                return Err(self.error("TypeError", message));
            }
            Value::Object(object) => {
                if let Some(hash) = self.special(value, "__hash__", Vec::new())? {
                    return match hash.as_int() {
                        Some(hash) => Ok(Key::Own(hash)),
                        None => self.key(&hash),
                    };
                }
                let is_mutable = matches!(object.class.kind, Kind::List | Kind::Dict | Kind::Set);
                if is_mutable || object.class.find("__eq__").is_some() {
                    let message = format!("unhashable type: '{}'", object.class.name);
                    return Err(self.error("TypeError", message));
                }
                let payload = object.payload.borrow().clone();
                match payload {
                    Value::None => Key::Identity(value.address().unwrap_or(0)),
                    payload => self.key(&payload)?,
                }
            }
            other => Key::Identity(other.address().unwrap_or(0)),
        })
    }

    /// `hash()` of a value: integers are their own, the rest is mixed.
    pub(crate) fn hash(&mut self, value: &Value) -> Res<i64> {
        Ok(match self.key(value)? {
            Key::Int(it) | Key::Own(it) => it,
            key => hash_of(&key),
        })
    }
}

fn float_key(value: f64) -> Key {
    let is_whole = value.fract() == 0.0 && value.abs() < 9.0e18;
    match is_whole {
        true => Key::Int(value as i64),
        false => Key::Float(value.to_bits()),
    }
}

fn hash_of(key: &Key) -> i64 {
    let mut hasher = DefaultHasher::new();
    key.hash(&mut hasher);
    hasher.finish() as i64
}
