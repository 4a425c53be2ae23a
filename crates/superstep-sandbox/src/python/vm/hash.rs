//! What dicts and sets find values by.

use std::{
    hash::{DefaultHasher, Hash, Hasher},
    rc::Rc,
};

use num_bigint::{BigInt, Sign};

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
                let own = object.class.find("__hash__");
                let is_mutable = matches!(object.class.kind, Kind::List | Kind::Dict | Kind::Set);
                if matches!(own, Some(Value::None)) || own.is_none() && is_mutable {
                    let message = format!("unhashable type: '{}'", object.class.name);
                    return Err(self.error("TypeError", message));
                }
                if let Some(hash) = self.special(value, "__hash__", Vec::new())? {
                    return match hash.as_int() {
                        Some(hash) => self.number_of(value, hash).map(Key::Own),
                        None => self.key(&hash),
                    };
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

    /// The number that a value shares with all that it says it equals.
    fn number_of(&mut self, value: &Value, hash: i64) -> Res<usize> {
        let known = self.numbered.get(&hash).cloned().unwrap_or_default();
        for (other, number) in known {
            if self.equal(value, &other)? {
                return Ok(number);
            }
        }
        let number = self.numbered.values().map(Vec::len).sum();
        let same = self.numbered.entry(hash).or_default();
        same.push((value.clone(), number));
        Ok(number)
    }

    /// `hash()` of a value: integers are their own, the rest is mixed.
    pub(crate) fn hash(&mut self, value: &Value) -> Res<i64> {
        if let Value::Object(_) = value
            && let Some(Value::Int(hash)) = self.special(value, "__hash__", Vec::new())?
        {
            return Ok(hash);
        }
        Ok(match self.key(value)? {
            Key::Int(it) => number_hash(&it.into(), &1.into()),
            Key::Big(it) => number_hash(&it, &1.into()),
            Key::Float(bits) => match crate::python::number::ratio(f64::from_bits(bits)) {
                Some((top, below)) => number_hash(&top, &below),
                None if f64::from_bits(bits) == f64::INFINITY => 314_159,
                None => -314_159,
            },
            key => hash_of(&key),
        })
    }
}

/// The hash of a quotient, modulo a prime: equal numbers have the same, whatever their types are.
fn number_hash(top: &BigInt, below: &BigInt) -> i64 {
    let prime = (BigInt::from(1) << 61) - 1;
    let inverse = below.modpow(&(&prime - 2), &prime);
    let size = BigInt::from(top.magnitude().clone()) * inverse % &prime;
    let size = i64::try_from(size).unwrap_or(0);
    match (top.sign(), size) {
        (Sign::Minus, 1) => -2,
        (Sign::Minus, size) => -size,
        (_, size) => size,
    }
}

fn float_key(value: f64) -> Key {
    let is_whole = value.fract() == 0.0 && value.abs() < 9.0e18;
    match is_whole {
        true => Key::Int(value as i64),
        false if value.is_finite() && value.fract() == 0.0 => {
            Key::Big(Rc::new(crate::python::number::float_to_big(value)))
        }
        false => Key::Float(value.to_bits()),
    }
}

fn hash_of(key: &Key) -> i64 {
    let mut hasher = DefaultHasher::new();
    key.hash(&mut hasher);
    hasher.finish() as i64
}
