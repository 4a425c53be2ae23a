//! A question as data for screens: its kind, what to know before answering, and the answers to choose from.

mod call;
mod choices;

use serde::Serialize;
use serde_json::Value as Json;
use superstep::{OpenAsk, text::reveal};

use self::call::Call;

pub use self::choices::Choices;

/// The most characters of a title.
const TITLE: usize = 200;

/// Fields of a question that hold its text.
const TEXTS: [&str; 4] = ["question", "query", "prompt", "message"];

/// A question as data for screens.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct QuestionView {
    /// Its kind: it decides which controls suit it.
    pub kind: QuestionKind,
    /// The heading, on one line.
    pub title: String,
    /// What a person should see before answering.
    pub warnings: Vec<QuestionWarning>,
    /// What is asked about: the recipients of a mail, the arguments of a call.
    pub facts: Vec<QuestionFact>,
    /// The answers to choose from.
    pub options: Vec<QuestionOption>,
    /// The JSON schema of an answer, if the question has one.
    pub schema: Option<Json>,
    /// The label of the button that accepts a call, which names its effect.
    pub accept_label: Option<String>,
}

/// Kind of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum QuestionKind {
    /// Words are the answer.
    Text,
    /// One of several answers, or a yes or no.
    Choice,
    /// Whether a call is made, or whether it was.
    Approval,
    /// Whether a mail is sent.
    Mail,
    /// Whether a meeting is scheduled.
    Meeting,
    /// Whether changes are made that lose something.
    Changes,
}

/// A warning.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct QuestionWarning {
    /// How serious it is.
    pub level: WarningLevel,
    /// A sentence.
    pub text: String,
}

/// How serious a warning is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum WarningLevel {
    /// Good to know.
    Info,
    /// Easily overlooked.
    Warn,
    /// Something is lost, or cannot be taken back.
    Danger,
}

/// A fact with its label.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct QuestionFact {
    /// The label.
    pub label: String,
    /// The value.
    pub value: String,
}

/// An answer to choose.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct QuestionOption {
    /// The label of its button.
    pub label: String,
    /// The answer, as the question takes it.
    pub answer: Json,
    /// Whether it has an effect that cannot be taken back.
    pub danger: bool,
}

impl QuestionView {
    /// The view of any question, by its form and its schema.
    pub fn of(ask: &OpenAsk) -> Self {
        if let Some(call) = Call::of(&ask.body) {
            return call.view(ask.schema.clone());
        }
        let options = Choices::of(ask).options;
        Self {
            kind: match options.is_empty() {
                true => QuestionKind::Text,
                false => QuestionKind::Choice,
            },
            title: title(ask),
            warnings: Vec::new(),
            facts: facts(&ask.body),
            options,
            schema: ask.schema.clone(),
            accept_label: None,
        }
    }
}

impl QuestionFact {
    /// A fact whose hidden characters are visible.
    fn new(label: impl AsRef<str>, value: impl AsRef<str>) -> Self {
        Self {
            label: revealed(label.as_ref()),
            value: revealed(value.as_ref()),
        }
    }
}

/// The first line of the text of a question; without a text, its kind in words: `may_send` is `May send`.
fn title(ask: &OpenAsk) -> String {
    if let Some((_, text)) = text_of(&ask.body) {
        return line(text);
    }
    let kind = ask.kind.replace('_', " ");
    let mut letters = kind.chars();
    match letters.next() {
        Some(first) => first.to_uppercase().chain(letters).collect(),
        None => line(&ask.body.to_string()),
    }
}

/// The text of a question, with the name of its field.
fn text_of(body: &Json) -> Option<(&'static str, &str)> {
    let of = |name: &'static str| Some((name, body.get(name)?.as_str()?));
    match body {
        Json::String(text) => Some(("", text)),
        _ => TEXTS.into_iter().find_map(of),
    }
}

/// A text whose hidden characters are visible.
fn revealed(text: &str) -> String {
    let lines: Vec<_> = text.lines().map(reveal).collect();
    lines.join("\n")
}

/// The first line of a text, cut where it is too long for a heading.
fn line(text: &str) -> String {
    let mut lines = text.lines().map(str::trim);
    let first = lines.find(|line| !line.is_empty()).unwrap_or_default();
    let first = revealed(first);
    match first.char_indices().nth(TITLE) {
        Some((end, _)) => format!("{}…", first.get(..end).unwrap_or_default()),
        None => first,
    }
}

/// The fields of a question beside its text and its options.
fn facts(body: &Json) -> Vec<QuestionFact> {
    let text = text_of(body).map(|(name, _)| name);
    let fields = body.as_object().into_iter().flatten();
    let fields = fields.filter(|(name, value)| {
        Some(name.as_str()) != text && !choices::FIELDS.contains(&name.as_str()) && !value.is_null()
    });
    fields
        .map(|(name, value)| QuestionFact::new(name, shown(value)))
        .collect()
}

/// A value as text.
fn shown(value: &Json) -> String {
    match value {
        Json::String(text) => text.clone(),
        other => other.to_string(),
    }
}
