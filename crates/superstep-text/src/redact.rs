//! What must not be seen: keys, passwords, tokens, and content where that is not wanted.
//!
//! A [`Redactor`] finds secrets by the name they have, by their value where it is known, and by the
//! shape of well-known keys. [`Privacy`] is what a run does to its spans before they
//! reach a log, a stream or an export. [`Secret`] is a key that does not show itself.

mod code;
mod extent;
mod lines;
mod markup;
mod name;
mod pair;
mod program;
mod secret;
mod shape;
mod types;
mod visible;
mod word;
mod work;

use std::{
    borrow::Cow,
    collections::BTreeSet,
    fmt,
    ops::Range,
    sync::{Arc, LazyLock},
};

pub use secret::Secret;

use self::visible::Visible;

use superstep_core::{
    error::Category,
    event::{Facts, Span, SpanError, SpanPhase},
    value::{Map, Value},
};

/// What is where a secret was.
pub const REDACTED: &str = "[redacted]";

/// A known value shorter than this would be found everywhere.
const SHORTEST: usize = 8;

/// How often a text with secrets is looked at again.
const MOST_PASSES: usize = 8;

/// Why a redactor cannot be made.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq, superstep_coded::Coded)]
#[non_exhaustive]
pub enum RedactError {
    /// A secret that is found in ordinary text.
    #[error("a secret of {found} bytes is too short to look for: it needs {SHORTEST}")]
    #[coded("SS3501", InvalidInput)]
    TooShort {
        /// How long it is.
        found: usize,
    },
}

/// Finds secrets and takes them out.
///
/// ```
/// use superstep_text::{REDACTED, Redactor, Secret};
///
/// # fn main() -> Result<(), superstep_text::RedactError> {
/// let key = Secret::new("correct-horse-battery");
/// let redactor = Redactor::default().with_secret(&key)?.with_name("pin");
/// let text = redactor.text("the key is correct-horse-battery.");
/// assert_eq!(text, format!("the key is {REDACTED}."));
/// assert!(redactor.hides("PIN"));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Default)]
pub struct Redactor {
    /// Besides the well-known ones.
    names: BTreeSet<String>,
    /// Longest first, so that no part of one is left when another is in it.
    values: Vec<Secret>,
}

impl Redactor {
    /// One that knows names and shapes, shared by all who know no more.
    pub fn standard() -> &'static Arc<Self> {
        static STANDARD: LazyLock<Arc<Redactor>> = LazyLock::new(Arc::default);
        &STANDARD
    }

    /// Looks for this value too, wherever it is.
    pub fn with_secret(mut self, secret: &Secret) -> Result<Self, RedactError> {
        let found = secret.expose().len();
        if found < SHORTEST {
            return Err(RedactError::TooShort { found });
        }
        self.values.push(secret.clone());
        self.values
            .sort_by_key(|secret| std::cmp::Reverse(secret.expose().len()));
        Ok(self)
    }

    /// Takes what has this name for a secret too. Case does not matter, nor does `-` or `_`.
    #[must_use]
    pub fn with_name(mut self, name: &str) -> Self {
        self.names.insert(name::plain(name));
        self
    }

    /// Whether what has this name is a secret.
    pub fn hides(&self, name: &str) -> bool {
        let plain = name::plain(name);
        name::is_known(&plain) || name::matches(&plain, self.names.iter().map(String::as_str))
    }

    /// The text without secrets. Done again, it changes nothing.
    pub fn text<'a>(&self, text: &'a str) -> Cow<'a, str> {
        self.marked(text, Kind::Any, LeftOver::Mark)
    }

    /// The text without secrets, each line where it was: of a key over many lines their ends stay.
    ///
    /// ```
    /// use superstep_text::Redactor;
    ///
    /// let key = "-----BEGIN PRIVATE KEY-----\nMIIEvQ\n-----END PRIVATE KEY-----\nafter";
    /// let shown = Redactor::standard().lines(key);
    /// assert_eq!(shown.lines().nth(3), Some("after"));
    /// assert!(!shown.contains("MIIEvQ"));
    /// ```
    pub fn lines<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let clean = self.marked(text, Kind::Any, LeftOver::MarkAndLines);
        // Data may hide behind a name what is no text; then the document is made anew, and its lines are others.
        let is_data = clean.trim_start().starts_with(['{', '[']);
        let data = is_data.then(|| serde_json::from_str::<serde_json::Value>(&clean).ok());
        match data.flatten().map(Value::from) {
            Some(data) if self.value(&data) != data => {
                Cow::Owned(self.document(&clean).into_owned())
            }
            _ => clean,
        }
    }

    /// Program text without secrets, each line where it was. Literals and well-known keys are taken out, and names never:
    /// `token = self.token` is code.
    ///
    /// ```
    /// use superstep_text::Redactor;
    ///
    /// let shown = Redactor::standard().program("token = self.token\npassword = \"hunter2\"");
    /// assert_eq!(shown, "token = self.token\npassword = \"[redacted]\"");
    /// ```
    pub fn program<'a>(&self, text: &'a str) -> Cow<'a, str> {
        self.marked(text, Kind::Program, LeftOver::MarkAndLines)
    }

    fn marked<'a>(&self, text: &'a str, kind: Kind, left: LeftOver) -> Cow<'a, str> {
        let mut clean = without(text, self.find(text, kind), left);
        for _ in 0..MOST_PASSES {
            // A mark may leave a word that now ends its line.
            let again = match &clean {
                Cow::Owned(once) => without(once, self.find(once, kind), left).into_owned(),
                Cow::Borrowed(_) => break,
            };
            if again == clean {
                break;
            }
            clean = Cow::Owned(again);
        }
        clean
    }

    /// Where secrets stand.
    fn find(&self, text: &str, kind: Kind) -> Vec<Range<usize>> {
        let mut found = self.find_as_written(text, kind);
        // As it is read, it may say more.
        if let Some(visible) = Visible::of(text) {
            let seen = self.find_as_written(&visible.text, kind).into_iter();
            found.extend(seen.map(|range| visible.original(range)));
        }
        found
    }

    fn find_as_written(&self, text: &str, kind: Kind) -> Vec<Range<usize>> {
        let mut found: Vec<Range<usize>> = Vec::new();
        for secret in &self.values {
            let places = text.match_indices(secret.expose());
            found.extend(places.map(|(at, value)| at..at + value.len()));
        }
        shape::find(text, &mut found);
        let hides = |name: &str| self.hides(name);
        if kind == Kind::Program {
            let mut literals = Vec::new();
            program::find(text, &hides, &mut literals);
            code::find(text, &hides, &mut literals);
            literals.retain(|range| {
                let value = text.get(range.clone()).unwrap_or_default();
                value != REDACTED && program::is_secret(value, &hides)
            });
            found.extend(literals);
            return found;
        }
        pair::find(text, &hides, &mut found);
        code::find(text, &hides, &mut found);
        markup::find(text, &hides, &mut found);
        found
    }

    /// A text that may be a JSON document, without secrets. Data is searched as data: a secret may be
    /// a number or a list behind its name, and is written with escapes in text.
    ///
    /// ```
    /// use superstep_text::Redactor;
    ///
    /// let shown = Redactor::standard().document(r#"{"password": "hunter2", "user": "ada"}"#);
    /// assert!(!shown.contains("hunter2"));
    /// assert!(shown.contains("ada"));
    /// ```
    pub fn document<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let data = match text.trim_start().starts_with(['{', '[']) {
            true => serde_json::from_str::<serde_json::Value>(text).ok(),
            false => None,
        };
        let clean = data.and_then(|data| {
            let data = Value::from(data);
            let clean = self.value(&data);
            (clean != data).then(|| clean.to_json().to_string())
        });
        match clean {
            Some(clean) => Cow::Owned(self.text(&clean).into_owned()),
            None => self.text(text),
        }
    }

    /// The value without secrets.
    pub fn value(&self, value: &Value) -> Value {
        match value {
            Value::Str(text) => match self.text(text) {
                Cow::Borrowed(_) => value.clone(),
                Cow::Owned(clean) => clean.into(),
            },
            Value::List(items) => Value::list(items.iter().map(|item| self.value(item))),
            Value::Map(map) => {
                let clean: Map = map
                    .iter()
                    .map(|(key, value)| self.member(key, value))
                    .collect();
                Value::Map(Arc::new(clean))
            }
            Value::Typed(_) => self.value(&value.to_json().into()),
            plain => plain.clone(),
        }
    }

    fn member(&self, key: &Arc<str>, value: &Value) -> (Arc<str>, Value) {
        let value = match value {
            Value::Null | Value::Bool(_) => value.clone(),
            _ if self.hides(key) => REDACTED.into(),
            other => self.value(other),
        };
        let key = match self.text(key) {
            Cow::Borrowed(_) => key.clone(),
            Cow::Owned(clean) => clean.into(),
        };
        (key, value)
    }
}

impl fmt::Debug for Redactor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Redactor")
            .field("names", &self.names)
            .field("values", &self.values.len())
            .finish()
    }
}

/// The kind of a text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Any,
    /// The source of a program, in which values stand in quotes.
    Program,
}

/// What is left of a secret.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LeftOver {
    Mark,
    MarkAndLines,
}

/// The text with a mark in place of these parts.
fn without(text: &str, mut found: Vec<Range<usize>>, left: LeftOver) -> Cow<'_, str> {
    if found.is_empty() {
        return Cow::Borrowed(text);
    }
    found.sort_by_key(|range| (range.start, range.end));
    let mut parts: Vec<Range<usize>> = Vec::new();
    for range in found {
        match parts.last_mut() {
            Some(last) if range.start <= last.end => last.end = range.end.max(last.end),
            _ => parts.push(range),
        }
    }
    let mut clean = String::with_capacity(text.len());
    let mut kept = 0;
    for part in parts {
        clean.push_str(text.get(kept..part.start).unwrap_or_default());
        clean.push_str(REDACTED);
        if left == LeftOver::MarkAndLines {
            let ends = text.get(part.clone()).unwrap_or_default().matches('\n');
            clean.extend(ends);
        }
        kept = part.end;
    }
    clean.push_str(text.get(kept..).unwrap_or_default());
    Cow::Owned(clean)
}

/// Whether spans show what went into models and tools and what came out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Capture {
    /// They do, without secrets.
    #[default]
    Full,
    /// They say how much it was, and nothing of what it said.
    None,
}

/// What a run does to its spans before anybody sees them.
#[derive(Clone, Debug, Default)]
pub struct Privacy {
    /// Whether content is shown.
    pub capture: Capture,
    /// What finds secrets; [`Redactor::standard`] by default.
    pub redactor: Option<Arc<Redactor>>,
}

impl Privacy {
    /// What finds secrets.
    pub fn redactor(&self) -> &Redactor {
        self.redactor.as_ref().unwrap_or(Redactor::standard())
    }

    /// Content, as it may be shown.
    pub fn value(&self, value: &Value) -> Value {
        match (self.capture, value) {
            (_, Value::Null) => Value::Null,
            (Capture::Full, value) => self.redactor().value(value),
            (Capture::None, value) if is_extent(value) => value.clone(),
            (Capture::None, value) => extent(value),
        }
    }

    /// What an error said, as it may be shown.
    pub fn message(&self, message: &str) -> String {
        match self.capture {
            Capture::Full => self.redactor().text(message).into_owned(),
            Capture::None if is_size(message) => message.to_owned(),
            Capture::None => format!("[{} bytes]", message.len()),
        }
    }

    /// Makes a span one that may be shown.
    pub fn redact(&self, span: &mut Span) {
        let text = |text: &mut Arc<str>| {
            if let Cow::Owned(clean) = self.redactor().text(text) {
                *text = clean.into();
            }
        };
        text(&mut span.name);
        let facts = match &mut span.phase {
            SpanPhase::Started(start) => {
                start.inputs = self.value(&start.inputs);
                &mut start.facts
            }
            SpanPhase::Ended(end) => {
                end.outputs = self.value(&end.outputs);
                if let Some(SpanError { code, message }) = &mut end.error {
                    text(code);
                    *message = self.message(message);
                }
                &mut end.facts
            }
        };
        self.redact_facts(facts);
    }

    fn redact_facts(&self, facts: &mut Facts) {
        if facts.labels.is_empty() {
            return;
        }
        let labels = std::mem::take(&mut facts.labels).into_iter();
        let clean = labels.map(|(key, label)| {
            let (key, label) = self.redactor().member(&key, &Value::Str(label));
            (key, label.as_str().unwrap_or(REDACTED).into())
        });
        facts.labels = clean.collect();
    }
}

/// Whether a value says how much there was already.
fn is_extent(value: &Value) -> bool {
    let kinds = ["null", "boolean", "number", "text", "list", "object"];
    let number = |key| value.get(key).and_then(Value::as_i64).is_some();
    let kind = value.get("omitted").and_then(Value::as_str);
    value.as_map().is_some_and(|map| map.len() == 3)
        && kind.is_some_and(|kind| kinds.contains(&kind))
        && number("count")
        && number("bytes")
}

/// Whether a message says how long it was already.
fn is_size(message: &str) -> bool {
    let size = message
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(" bytes]"));
    size.is_some_and(|size| size.bytes().all(|byte| byte.is_ascii_digit()))
}

/// How much a value is.
fn extent(value: &Value) -> Value {
    let json = value.to_json();
    let (kind, count) = match &json {
        serde_json::Value::Null => ("null", 0),
        serde_json::Value::Bool(_) => ("boolean", 1),
        serde_json::Value::Number(_) => ("number", 1),
        serde_json::Value::String(text) => ("text", text.chars().count()),
        serde_json::Value::Array(items) => ("list", items.len()),
        serde_json::Value::Object(members) => ("object", members.len()),
    };
    Value::map([
        ("omitted", Value::from(kind)),
        ("count", count.into()),
        ("bytes", json.to_string().len().into()),
    ])
}

#[cfg(test)]
mod code_tests;
#[cfg(test)]
mod tests;
