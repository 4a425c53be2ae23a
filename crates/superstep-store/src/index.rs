//! Which parts of a value are embedded for similarity search.

use std::fmt;
use std::str::FromStr;

use serde_json::Value;

use super::StoreError;

/// Which fields of a put value are embedded.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Index {
    /// The fields that the store is set up with.
    #[default]
    Default,
    /// None: similarity search does not find the item.
    Off,
    /// These.
    Fields(Vec<IndexPath>),
}

/// A path to texts in a value.
///
/// `$` is the whole value, `a.b` a field, `a[0]` and `a[-1]` an element, `a[*].b` a field of each
/// element.
///
/// ```
/// use superstep_store::IndexPath;
/// use serde_json::json;
///
/// let path: IndexPath = "notes[*].text".parse()?;
/// let value = json!({"notes": [{"text": "one"}, {"text": "two"}]});
/// assert_eq!(path.texts(&value), ["one", "two"]);
/// # Ok::<(), superstep_store::StoreError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct IndexPath(Vec<Segment>);

impl IndexPath {
    /// The path of the whole value.
    pub fn whole() -> Self {
        Self::default()
    }

    /// The texts at this path: strings, numbers and booleans as they read, the rest as JSON.
    ///
    /// Null, blank and absent fields have no text.
    pub fn texts(&self, value: &Value) -> Vec<String> {
        let mut reached = vec![value];
        for segment in &self.0 {
            reached = reached
                .into_iter()
                .flat_map(|value| segment.select(value))
                .collect();
        }
        reached.into_iter().filter_map(text).collect()
    }
}

impl FromStr for IndexPath {
    type Err = StoreError;

    fn from_str(path: &str) -> Result<Self, StoreError> {
        if path == "$" {
            return Ok(Self::whole());
        }
        let refused = |reason| StoreError::IndexPath {
            path: path.to_owned(),
            reason,
        };
        if path.contains(['{', '}']) {
            return Err(refused("give one path for each field instead of braces"));
        }
        let mut segments = Vec::new();
        for part in path.split('.') {
            let (key, brackets) = match part.split_once('[') {
                Some((key, rest)) => (key, Some(rest)),
                None => (part, None),
            };
            if key.is_empty() {
                return Err(refused("a key is empty"));
            }
            segments.push(Segment::Key(key.to_owned()));
            let Some(brackets) = brackets else { continue };
            let Some(inside) = brackets.strip_suffix(']') else {
                return Err(refused("a bracket is not closed"));
            };
            for position in inside.split("][") {
                let segment = match position {
                    "*" => Segment::Each,
                    number => Segment::At(
                        number
                            .parse()
                            .map_err(|_| refused("brackets hold a number or `*`"))?,
                    ),
                };
                segments.push(segment);
            }
        }
        Ok(Self(segments))
    }
}

impl fmt::Display for IndexPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("$");
        }
        for (place, segment) in self.0.iter().enumerate() {
            match segment {
                Segment::Key(key) if place == 0 => f.write_str(key)?,
                Segment::Key(key) => write!(f, ".{key}")?,
                Segment::Each => f.write_str("[*]")?,
                Segment::At(position) => write!(f, "[{position}]")?,
            }
        }
        Ok(())
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Segment {
    Key(String),
    Each,
    At(isize),
}

impl Segment {
    fn select<'v>(&self, value: &'v Value) -> Vec<&'v Value> {
        match (self, value) {
            (Self::Key(key), Value::Object(fields)) => fields.get(key).into_iter().collect(),
            (Self::Each, Value::Array(elements)) => elements.iter().collect(),
            (Self::At(position), Value::Array(elements)) => {
                let place = match usize::try_from(*position) {
                    Ok(from_start) => Some(from_start),
                    Err(_) => elements.len().checked_add_signed(*position),
                };
                place
                    .and_then(|place| elements.get(place))
                    .into_iter()
                    .collect()
            }
            _ => Vec::new(),
        }
    }
}

fn text(value: &Value) -> Option<String> {
    let text = match value {
        Value::Null => return None,
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    (!text.trim().is_empty()).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn texts(path: &str, value: &Value) -> Vec<String> {
        path.parse::<IndexPath>().unwrap().texts(value)
    }

    #[test]
    fn paths_select_texts() {
        let value = json!({
            "t": "x", "n": 1, "b": true, "z": null, "e": " ",
            "o": {"p": "y"}, "l": [["a", "b"], ["c"]]
        });
        assert_eq!(texts("t", &value), ["x"]);
        assert_eq!(texts("n", &value), ["1"]);
        assert_eq!(texts("b", &value), ["true"]);
        assert!(texts("z", &value).is_empty());
        assert!(texts("e", &value).is_empty());
        assert!(texts("gone", &value).is_empty());
        assert_eq!(texts("o.p", &value), ["y"]);
        assert_eq!(texts("o", &value), [r#"{"p":"y"}"#]);
        assert_eq!(texts("l[*][0]", &value), ["a", "c"]);
        assert_eq!(texts("l[0][-1]", &value), ["b"]);
        assert!(texts("l[0][-3]", &value).is_empty());
        assert!(texts("t[0]", &value).is_empty());
        assert_eq!(texts("$", &json!("all")), ["all"]);
    }

    #[test]
    fn a_bad_path_is_refused() {
        for path in ["", "a..b", "a[", "a[x]", "a[*]b", "[0]", "{a,b}", "a[]"] {
            let error = path.parse::<IndexPath>().unwrap_err();
            assert_eq!(error.code(), "SS3030", "{path}");
        }
    }

    #[test]
    fn a_path_is_written_as_it_was_read() {
        for path in ["$", "a", "a.b", "a[*].b", "a[0][-1].c"] {
            assert_eq!(path.parse::<IndexPath>().unwrap().to_string(), path);
        }
    }
}
