//! JSON at the edges: [`Value`] to and from `serde_json::Value`, and serde for [`Value`] itself.

use std::{fmt, sync::Arc};

use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{MapAccess, SeqAccess, Visitor},
    ser::{Error as _, SerializeMap, SerializeSeq},
};
use serde_json::Value as Json;

use super::{Map, Value};

impl Value {
    /// The JSON form. A typed cell that refuses to serialize becomes an object that says so, since
    /// this form is for people; [`Value::take`] and serde report the error instead.
    pub fn to_json(&self) -> Json {
        match self {
            Self::Null => Json::Null,
            Self::Bool(b) => Json::Bool(*b),
            Self::Int(n) => Json::from(*n),
            Self::UInt(n) => Json::from(*n),
            Self::Float(n) => Json::from(*n),
            Self::Str(text) => Json::from(&**text),
            Self::List(items) => items.iter().map(Self::to_json).collect(),
            Self::Map(map) => map.iter().map(|(k, v)| (k.to_string(), v.to_json())).collect(),
            Self::Typed(cell) => cell.to_json().unwrap_or_else(|error| {
                serde_json::json!({ "$unserialisable": cell.type_name(), "why": error.to_string() })
            }),
        }
    }
}

impl From<Json> for Value {
    fn from(json: Json) -> Self {
        match json {
            Json::Null => Self::Null,
            Json::Bool(b) => Self::Bool(b),
            Json::Number(n) => match (n.as_i64(), n.as_u64()) {
                (Some(n), _) => Self::Int(n),
                (None, Some(n)) => Self::UInt(n),
                (None, None) => Self::Float(n.as_f64().unwrap_or(f64::NAN)),
            },
            Json::String(text) => Self::Str(text.into()),
            Json::Array(items) => Self::list(items.into_iter().map(Into::into)),
            Json::Object(map) => Self::map(map.into_iter().map(|(k, v)| (k, v.into()))),
        }
    }
}

impl From<&Json> for Value {
    fn from(json: &Json) -> Self {
        json.clone().into()
    }
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => out.serialize_unit(),
            Self::Bool(b) => out.serialize_bool(*b),
            Self::Int(n) => out.serialize_i64(*n),
            Self::UInt(n) => out.serialize_u64(*n),
            Self::Float(n) => out.serialize_f64(*n),
            Self::Str(text) => out.serialize_str(text),
            Self::List(items) => {
                let mut seq = out.serialize_seq(Some(items.len()))?;
                for item in items.iter() {
                    seq.serialize_element(item)?;
                }
                seq.end()
            }
            Self::Map(map) => {
                let mut object = out.serialize_map(Some(map.len()))?;
                for (key, value) in map.iter() {
                    object.serialize_entry(&**key, value)?;
                }
                object.end()
            }
            Self::Typed(cell) => cell.to_json().map_err(S::Error::custom)?.serialize(out),
        }
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        input.deserialize_any(AnyValue)
    }
}

/// Reads an optional field that is left out when there is no value: null is a value like any other.
pub(crate) fn some<'de, D: Deserializer<'de>>(input: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(input).map(Some)
}

struct AnyValue;

impl<'de> Visitor<'de> for AnyValue {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON-shaped data")
    }
    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }
    fn visit_none<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }
    fn visit_some<D: Deserializer<'de>>(self, input: D) -> Result<Value, D::Error> {
        Value::deserialize(input)
    }
    fn visit_bool<E>(self, b: bool) -> Result<Value, E> {
        Ok(Value::Bool(b))
    }
    fn visit_i64<E>(self, n: i64) -> Result<Value, E> {
        Ok(Value::Int(n))
    }
    fn visit_u64<E>(self, n: u64) -> Result<Value, E> {
        Ok(i64::try_from(n).map_or(Value::UInt(n), Value::Int))
    }
    fn visit_f64<E>(self, n: f64) -> Result<Value, E> {
        Ok(Value::Float(n))
    }
    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(Value::from(text))
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Value, A::Error> {
        let mut items = Vec::with_capacity(seq.size_hint().unwrap_or(0).min(1024));
        while let Some(item) = seq.next_element()? {
            items.push(item);
        }
        Ok(Value::List(Arc::new(items)))
    }
    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Value, A::Error> {
        let mut entries: Vec<(Arc<str>, Value)> = Vec::new();
        while let Some((key, value)) = object.next_entry::<String, Value>()? {
            entries.push((key.into(), value));
        }
        Ok(Value::Map(Arc::new(Map::from_iter(entries))))
    }
}
