//! The answers that a question lists, to choose from by name or by number.

use serde_json::{Value as Json, json};
use superstep::OpenAsk;

use super::{QuestionOption, line, shown};

/// Fields of a question with its options, and with the answer that each stands for.
pub(super) const FIELDS: [&str; 2] = ["options", "answers"];

/// The answers that a question lists (`options`, with what each stands for in `answers`) or that its schema names.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Choices {
    /// The answers.
    pub options: Vec<QuestionOption>,
    /// Whether there are no others.
    is_closed: bool,
    is_boolean: bool,
    /// Whether the question itself lists them.
    is_listed: bool,
}

impl Choices {
    /// The choices of a question, which may have none.
    pub fn of(ask: &OpenAsk) -> Self {
        let option = |label: &Json, answer: &Json| QuestionOption {
            label: line(&shown(label)),
            answer: answer.clone(),
            danger: false,
        };
        let schema = ask.schema.as_ref();
        let kind = schema.and_then(|schema| schema.get("type")?.as_str());
        let named = schema.and_then(|schema| schema.get("enum")?.as_array());
        let [labels, answers] = FIELDS.map(|name| ask.body.get(name).and_then(Json::as_array));
        // Of another type than a text, what is listed is no answer by itself.
        let has_type = schema.is_some_and(|schema| schema.get("type").is_some());
        let is_answer = answers.is_some() || kind == Some("string") || !has_type;
        let labels = labels.filter(|labels| is_answer && !labels.is_empty());
        let mut choices = Self {
            is_closed: true,
            ..Self::default()
        };
        match (labels, named, kind) {
            (Some(labels), ..) => {
                choices.is_listed = true;
                let answer = |at: usize| answers.and_then(|answers| answers.get(at));
                let both = labels.iter().enumerate();
                let options = both.map(|(at, label)| option(label, answer(at).unwrap_or(label)));
                choices.options = options.collect();
                // A node that takes a text, or a type of its own, may read other answers too.
                let is_untyped = ask.kind.is_empty() || answers.is_some();
                choices.is_closed = named.is_some() || is_untyped && kind != Some("string");
            }
            (_, Some(values), _) => {
                let options = values.iter().map(|value| option(value, value));
                choices.options = options.collect();
            }
            (_, _, Some("boolean")) => {
                let both = [("Yes", true), ("No", false)];
                let options = both.map(|(label, is)| option(&json!(label), &json!(is)));
                choices.options = options.into();
                choices.is_boolean = true;
            }
            _ => return Self::default(),
        }
        choices
    }

    /// The answer that a text chooses: by its label, as it is, or by its number.
    pub fn chosen(&self, text: &str) -> Option<&Json> {
        let text = text.trim().to_lowercase();
        let text = match (self.is_boolean, text.as_str()) {
            (true, "y") => "yes",
            (true, "n") => "no",
            (_, text) => text,
        };
        let is_it = |option: &&QuestionOption| {
            let names = [&option.label, &shown(&option.answer)];
            names.iter().any(|name| name.to_lowercase() == text)
        };
        let numbered = || {
            let number = text.parse::<usize>().ok()?;
            self.options.get(number.checked_sub(1)?)
        };
        let found = self.options.iter().find(is_it).or_else(numbered);
        found.map(|option| &option.answer)
    }

    /// The answers that a question takes which takes no others.
    pub(crate) fn expected(&self) -> Option<String> {
        let labels = self.options.iter().map(|option| option.label.as_str());
        match (self.is_closed, self.is_boolean) {
            (false, _) => None,
            (true, true) => Some("y or n".to_owned()),
            (true, false) => {
                let labels: Vec<_> = labels.collect();
                Some(format!(
                    "one of these, or its number: {}",
                    labels.join(", ")
                ))
            }
        }
    }

    /// Whether a field of the question is one of its lists.
    pub(crate) fn has_field(&self, name: &str) -> bool {
        self.is_listed && FIELDS.contains(&name)
    }

    /// The options in a line each, with their numbers. A yes or no has none.
    pub(crate) fn lines(&self) -> impl Iterator<Item = String> {
        let options = self.options.iter().filter(|_| !self.is_boolean);
        let numbered = (1..).zip(options);
        numbered.map(|(number, option): (u32, _)| format!("  {number}. {}", option.label))
    }
}
