//! Values that travel through channels.
//!
//! A [`Value`] is JSON-shaped data whose parts are shared, so that a clone costs a reference
//! count, or one typed cell of the typed layer ([`Value::Typed`]), which stays a Rust value until
//! somebody needs its JSON form. Conversions to and from JSON live in [`mod@json`].

mod finite;
pub mod json;
pub mod map;

use std::{any::Any, any::type_name, fmt, sync::Arc};

pub use finite::loses_number;
pub use map::Map;
use serde::{Serialize, de::DeserializeOwned};

/// How deep lists and objects of a value may be nested. What is deeper is refused when it is stored;
/// what is stored can be read, exported and imported.
pub const MAX_DEPTH: usize = 256;

/// Data in a channel, in an update, in a question or in an answer.
#[derive(Clone, Default)]
pub enum Value {
    /// JSON null; a value like any other.
    #[default]
    Null,
    /// A boolean.
    Bool(bool),
    /// An integer that fits 64 bits with sign.
    Int(i64),
    /// An integer above `i64::MAX`.
    UInt(u64),
    /// Any other number.
    Float(f64),
    /// Text.
    Str(Arc<str>),
    /// A list; appending in place is free while nobody else holds it.
    List(Arc<Vec<Value>>),
    /// An object.
    Map(Arc<Map>),
    /// A value of the typed layer.
    Typed(Arc<dyn Cell>),
}

/// A Rust value inside a [`Value`]: anything that serializes.
pub trait Cell: Any + Send + Sync {
    /// The JSON form.
    fn to_json(&self) -> Result<serde_json::Value, serde_json::Error>;
    /// The Rust type, for messages.
    fn type_name(&self) -> &'static str;
    /// Whether it holds a number that JSON has no form for, which is null in the JSON form.
    fn loses_number(&self) -> bool;
    /// Whether its JSON form has all that is in it, with lists and objects nested so many levels deep at most.
    fn fits(&self, levels: usize) -> bool;
}

impl<T: Serialize + Send + Sync + 'static> Cell for T {
    fn to_json(&self) -> Result<serde_json::Value, serde_json::Error> {
        serde_json::to_value(self)
    }
    fn type_name(&self) -> &'static str {
        type_name::<T>()
    }
    fn loses_number(&self) -> bool {
        finite::loses_number(self)
    }
    fn fits(&self, levels: usize) -> bool {
        finite::fits(self, levels)
    }
}

/// A value did not have the shape that was asked for.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
#[error("expected {expected}: {why}")]
pub struct DecodeError {
    /// The Rust type that was asked for.
    pub expected: &'static str,
    /// The decoder's message.
    pub why: String,
}

impl Value {
    /// Wraps a Rust value without serializing it.
    pub fn typed<T: Serialize + Send + Sync + 'static>(value: T) -> Self {
        Self::Typed(Arc::new(value))
    }

    /// A list of values.
    pub fn list(items: impl IntoIterator<Item = Value>) -> Self {
        Self::List(Arc::new(items.into_iter().collect()))
    }

    /// An object of key-value pairs.
    pub fn map<K: Into<Arc<str>>>(pairs: impl IntoIterator<Item = (K, Value)>) -> Self {
        let pairs = pairs.into_iter().map(|(key, value)| (key.into(), value));
        Self::Map(Arc::new(pairs.collect()))
    }

    /// Takes the Rust value out: moved when this is the only holder, cloned or decoded otherwise.
    pub fn take<T>(self) -> Result<T, DecodeError>
    where
        T: DeserializeOwned + Clone + Send + Sync + 'static,
    {
        let json = match self {
            Self::Typed(cell) => {
                let any: Arc<dyn Any + Send + Sync> = cell.clone();
                match any.downcast::<T>() {
                    Ok(found) => {
                        drop(cell);
                        return Ok(Arc::try_unwrap(found).unwrap_or_else(|held| T::clone(&held)));
                    }
                    Err(_) => cell.to_json().map_err(|error| DecodeError {
                        expected: type_name::<T>(),
                        why: error.to_string(),
                    })?,
                }
            }
            other => other.to_json(),
        };
        serde_json::from_value(json).map_err(|error| DecodeError {
            expected: type_name::<T>(),
            why: error.to_string(),
        })
    }

    /// Whether it can be stored: lists and objects are nested at most [`MAX_DEPTH`] deep, and cells of the typed
    /// layer can be read back from their JSON form.
    pub fn fits(&self) -> bool {
        let nests = |item: &&Value| matches!(item, Self::List(_) | Self::Map(_) | Self::Typed(_));
        let mut left = Vec::new();
        // Most values hold no others, and need no list of what is left.
        let mut next = Some((self, 0)).filter(|(value, _)| nests(value));
        while let Some((value, depth)) = next {
            let items: &mut dyn Iterator<Item = &Value> = match value {
                Self::List(items) => &mut items.iter(),
                Self::Map(map) => &mut map.values(),
                Self::Typed(cell) if !cell.fits(MAX_DEPTH - depth) => return false,
                _ => {
                    next = left.pop();
                    continue;
                }
            };
            if depth == MAX_DEPTH {
                return false;
            }
            left.extend(items.filter(nests).map(|item| (item, depth + 1)));
            next = left.pop();
        }
        true
    }

    /// The integer, if this is one.
    pub fn as_i64(&self) -> Option<i64> {
        match self {
            Self::Int(n) => Some(*n),
            _ => None,
        }
    }

    /// The truth value, if this is one.
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Self::Bool(b) => Some(*b),
            _ => None,
        }
    }

    /// The number, if this is one.
    pub fn as_f64(&self) -> Option<f64> {
        match self {
            Self::Int(n) => Some(*n as f64),
            Self::UInt(n) => Some(*n as f64),
            Self::Float(n) => Some(*n),
            _ => None,
        }
    }

    /// The text, if this is text.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::Str(text) => Some(text),
            _ => None,
        }
    }

    /// The items, if this is a list.
    pub fn as_list(&self) -> Option<&[Value]> {
        match self {
            Self::List(items) => Some(items),
            _ => None,
        }
    }

    /// The object, if this is one.
    pub fn as_map(&self) -> Option<&Map> {
        match self {
            Self::Map(map) => Some(map),
            _ => None,
        }
    }

    /// The member `key` of an object.
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.as_map()?.get(key)
    }

    /// Whether this is null.
    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// A word for the kind of value, for messages.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "a boolean",
            Self::Int(_) | Self::UInt(_) | Self::Float(_) => "a number",
            Self::Str(_) => "a string",
            Self::List(_) => "a list",
            Self::Map(_) => "an object",
            Self::Typed(cell) => cell.type_name(),
        }
    }
}

impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Null, Self::Null) => true,
            (Self::Bool(a), Self::Bool(b)) => a == b,
            (Self::Int(a), Self::Int(b)) => a == b,
            (Self::UInt(a), Self::UInt(b)) => a == b,
            (Self::Float(a), Self::Float(b)) => a == b,
            (Self::Int(a), Self::Float(b)) | (Self::Float(b), Self::Int(a)) => *a as f64 == *b,
            (Self::Str(a), Self::Str(b)) => a == b,
            (Self::List(a), Self::List(b)) => a == b,
            (Self::Map(a), Self::Map(b)) => a == b,
            (Self::Typed(a), Self::Typed(b)) if Arc::ptr_eq(a, b) => true,
            (Self::Typed(_), _) | (_, Self::Typed(_)) => self.to_json() == other.to_json(),
            _ => false,
        }
    }
}

impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.to_json(), f)
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.to_json(), f)
    }
}

impl From<()> for Value {
    fn from((): ()) -> Self {
        Self::Null
    }
}
impl From<bool> for Value {
    fn from(b: bool) -> Self {
        Self::Bool(b)
    }
}
impl From<i64> for Value {
    fn from(n: i64) -> Self {
        Self::Int(n)
    }
}
impl From<u32> for Value {
    fn from(n: u32) -> Self {
        Self::Int(n.into())
    }
}
impl From<u64> for Value {
    fn from(n: u64) -> Self {
        i64::try_from(n).map_or(Self::UInt(n), Self::Int)
    }
}
impl From<usize> for Value {
    fn from(n: usize) -> Self {
        Self::from(n as u64)
    }
}
impl From<i32> for Value {
    fn from(n: i32) -> Self {
        Self::Int(n.into())
    }
}
impl From<f64> for Value {
    fn from(n: f64) -> Self {
        Self::Float(n)
    }
}
impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Str(text.into())
    }
}
impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Str(text.into())
    }
}
impl From<Arc<str>> for Value {
    fn from(text: Arc<str>) -> Self {
        Self::Str(text)
    }
}
impl<T: Into<Value>> From<Vec<T>> for Value {
    fn from(items: Vec<T>) -> Self {
        Self::list(items.into_iter().map(Into::into))
    }
}
impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(item: Option<T>) -> Self {
        item.map_or(Self::Null, Into::into)
    }
}
