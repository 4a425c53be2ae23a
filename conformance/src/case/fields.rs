//! Reading typed values out of JSON while remembering the way to each field, so that a flaw in a
//! case file is reported as `graphs.main.nodes[2].retry: expected an object, found a string`.

use std::collections::BTreeMap;
use std::fmt;

use serde_json::{Map, Value as Json};

/// A type that can be read from a JSON value of a case file.
pub(super) trait Read: Sized {
    /// Reads the value, or says what is wrong with it.
    fn read(value: &Json) -> Result<Self, Flaw>;
}

/// What is wrong in a case file, and where.
///
/// The way to the spot is collected innermost first, while the error travels up.
#[derive(Debug)]
pub(super) struct Flaw {
    way: Vec<Step>,
    why: String,
}

#[derive(Debug)]
enum Step {
    Key(String),
    Index(usize),
}

impl Flaw {
    pub(super) fn new(why: impl Into<String>) -> Self {
        Flaw {
            way: Vec::new(),
            why: why.into(),
        }
    }

    pub(super) fn under(mut self, key: &str) -> Self {
        self.way.push(Step::Key(key.to_owned()));
        self
    }

    pub(super) fn at(mut self, index: usize) -> Self {
        self.way.push(Step::Index(index));
        self
    }

    pub(super) fn why(&self) -> &str {
        &self.why
    }

    /// The field as a dotted path; the file itself if the flaw is not inside a field.
    pub(super) fn field(&self) -> String {
        if self.way.is_empty() {
            return "the file".to_owned();
        }
        let mut path = String::new();
        for step in self.way.iter().rev() {
            match step {
                Step::Key(key) if path.is_empty() => path.push_str(key),
                Step::Key(key) => {
                    path.push('.');
                    path.push_str(key);
                }
                Step::Index(index) => path.push_str(&format!("[{index}]")),
            }
        }
        path
    }
}

/// One JSON object of a case file.
pub(super) struct Fields<'a>(&'a Map<String, Json>);

impl<'a> Fields<'a> {
    pub(super) fn of(value: &'a Json) -> Result<Self, Flaw> {
        match value {
            Json::Object(map) => Ok(Fields(map)),
            other => Err(expected("an object", other)),
        }
    }

    /// Refuses fields outside the given groups; names beginning with `_` are notes and pass.
    pub(super) fn only(&self, groups: &[&[&str]]) -> Result<(), Flaw> {
        let known = |key: &String| groups.iter().any(|group| group.contains(&key.as_str()));
        match self
            .0
            .keys()
            .find(|key| !key.starts_with('_') && !known(key))
        {
            Some(key) => Err(Flaw::new("unknown field").under(key)),
            None => Ok(()),
        }
    }

    /// The raw value of a field, null included.
    pub(super) fn raw(&self, key: &str) -> Option<&'a Json> {
        self.0.get(key)
    }

    /// A field that must be there.
    pub(super) fn need<T: Read>(&self, key: &str) -> Result<T, Flaw> {
        let Some(value) = self.0.get(key) else {
            return Err(Flaw::new("missing").under(key));
        };
        T::read(value).map_err(|flaw| flaw.under(key))
    }

    /// A field that may be absent; null counts as absent.
    pub(super) fn maybe<T: Read>(&self, key: &str) -> Result<Option<T>, Flaw> {
        match self.0.get(key) {
            None | Some(Json::Null) => Ok(None),
            Some(value) => T::read(value).map(Some).map_err(|flaw| flaw.under(key)),
        }
    }

    /// A field with a default.
    pub(super) fn or<T: Read>(&self, key: &str, default: T) -> Result<T, Flaw> {
        Ok(self.maybe(key)?.unwrap_or(default))
    }

    /// A field whose absence means empty.
    pub(super) fn or_empty<T: Read + Default>(&self, key: &str) -> Result<T, Flaw> {
        self.or(key, T::default())
    }
}

/// The flaw of a value that has the wrong type.
pub(super) fn expected(what: &str, found: &Json) -> Flaw {
    Flaw::new(format!("expected {what}, found {}", Described(found)))
}

struct Described<'a>(&'a Json);

impl fmt::Display for Described<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Json::Null => out.write_str("null"),
            Json::Bool(value) => write!(out, "{value}"),
            Json::Number(value) => write!(out, "the number {value}"),
            Json::String(value) => write!(out, "the string {value:?}"),
            Json::Array(_) => out.write_str("a list"),
            Json::Object(_) => out.write_str("an object"),
        }
    }
}

impl Read for Json {
    fn read(value: &Json) -> Result<Self, Flaw> {
        Ok(value.clone())
    }
}

impl Read for Map<String, Json> {
    fn read(value: &Json) -> Result<Self, Flaw> {
        value
            .as_object()
            .cloned()
            .ok_or_else(|| expected("an object", value))
    }
}

impl Read for String {
    fn read(value: &Json) -> Result<Self, Flaw> {
        value
            .as_str()
            .map(str::to_owned)
            .ok_or_else(|| expected("a string", value))
    }
}

impl Read for bool {
    fn read(value: &Json) -> Result<Self, Flaw> {
        value
            .as_bool()
            .ok_or_else(|| expected("true or false", value))
    }
}

impl Read for u64 {
    fn read(value: &Json) -> Result<Self, Flaw> {
        value
            .as_u64()
            .ok_or_else(|| expected("a whole number", value))
    }
}

impl Read for usize {
    fn read(value: &Json) -> Result<Self, Flaw> {
        let wide = u64::read(value)?;
        usize::try_from(wide).map_err(|_| Flaw::new(format!("{wide} is too large")))
    }
}

impl Read for u32 {
    fn read(value: &Json) -> Result<Self, Flaw> {
        let wide = u64::read(value)?;
        u32::try_from(wide).map_err(|_| Flaw::new(format!("{wide} is too large")))
    }
}

impl Read for i64 {
    fn read(value: &Json) -> Result<Self, Flaw> {
        value.as_i64().ok_or_else(|| expected("an integer", value))
    }
}

impl Read for f64 {
    fn read(value: &Json) -> Result<Self, Flaw> {
        value.as_f64().ok_or_else(|| expected("a number", value))
    }
}

impl<T: Read> Read for Vec<T> {
    fn read(value: &Json) -> Result<Self, Flaw> {
        let Json::Array(items) = value else {
            return Err(expected("a list", value));
        };
        let read = |(index, item)| T::read(item).map_err(|flaw| flaw.at(index));
        items.iter().enumerate().map(read).collect()
    }
}

impl<T: Read> Read for BTreeMap<String, T> {
    fn read(value: &Json) -> Result<Self, Flaw> {
        let Json::Object(map) = value else {
            return Err(expected("an object", value));
        };
        let read = |(key, item): (&String, &Json)| {
            let item = T::read(item).map_err(|flaw| flaw.under(key))?;
            Ok((key.clone(), item))
        };
        map.iter().map(read).collect()
    }
}
