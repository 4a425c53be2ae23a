//! Facts about an agent that need no model and no account.

use serde_json::{Value as Json, json};

use crate::demo::Demo;

/// The place of a person's words in a template.
const TEXT: &str = "$text";

/// Facts about an agent. Places in its state are JSON pointers, in which `-` is the last element of a list.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Card {
    /// Its name: in commands and settings, and the prefix of the names of its threads.
    pub name: String,
    /// Other names of its graph: on a server, in a queue.
    pub graphs: Vec<String>,
    /// A sentence about it.
    pub about: String,
    /// Places of the title of a thread; the first text counts.
    pub titles: Vec<String>,
    /// Paths in its state that a run reads or writes, each behind a verb. A person agrees to them before a foreign
    /// thread runs.
    pub paths: Vec<NamedPath>,
    /// Nodes that call a model. Settings can choose a model per node.
    pub model_nodes: Vec<String>,
    /// An example input.
    pub example: Option<Json>,
    /// JSON schema of the input, for forms. It names the fields that a person fills in, which may be fewer than the state
    /// has. `x-ui` of a field is `file`, `folder`, `mail`, `advanced` or `hidden`.
    pub input_schema: Option<Json>,
    /// Template of the first input. `"$text"` is replaced by the user's text.
    pub input: Option<Json>,
    /// Template of input that continues a finished thread, with `"$text"` as in `input`.
    pub follow_up: Option<Json>,
    /// Whether it works without a model.
    pub needs_no_model: bool,
    /// A demo with a scripted model.
    pub demo: Option<Demo>,
}

/// A path in the state of a thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedPath {
    /// Verb shown before the path, such as `reads`.
    pub verb: String,
    /// Its place.
    pub place: String,
}

impl Card {
    /// A card with a name and a sentence.
    pub fn new(name: impl Into<String>, about: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            about: about.into(),
            ..Self::default()
        }
    }

    /// The same for an agent whose input is one text field. New words continue a finished thread.
    #[must_use]
    pub fn taking(mut self, field: &str) -> Self {
        let input = json!({field: TEXT});
        self.follow_up = Some(input.clone());
        self.input = Some(input);
        self
    }

    /// The same for an agent over [`AgentState`](superstep::tools::AgentState): text becomes a message of the user.
    #[must_use]
    pub fn chatting(mut self) -> Self {
        let said = json!([{"type": "human", "content": TEXT}]);
        let input = json!({"messages": said, "turns": 0, "repairs": 0, "finish": null});
        self.follow_up = Some(input.clone());
        self.input = Some(input);
        self.titles = vec!["/messages/0/content".into()];
        self
    }

    /// The same for an agent that works without a model.
    #[must_use]
    pub fn without_model(mut self) -> Self {
        self.needs_no_model = true;
        self
    }

    /// Input with these words; nothing if the agent takes none.
    pub fn input_of(&self, words: &str) -> Option<Json> {
        Some(filled(self.input.as_ref()?, words))
    }

    /// The words in an input, if it is one of the templates with words.
    pub fn words_of<'a>(&self, input: &'a Json) -> Option<&'a str> {
        let templates = [&self.input, &self.follow_up];
        let mut templates = templates.into_iter().flatten();
        templates.find_map(|template| words_in(template, input))
    }

    /// The place of the words in the input, as a JSON pointer.
    pub fn words_place(&self) -> Option<String> {
        let template = self.input.as_ref().or(self.follow_up.as_ref())?;
        place_in(template)
    }

    /// Whether the agent has a graph of this name.
    pub fn has_graph(&self, graph: &str) -> bool {
        self.name == graph || self.graphs.iter().any(|known| known == graph)
    }

    /// The title of a thread.
    pub fn title<'a>(&self, state: &'a Json) -> Option<&'a str> {
        let mut found = self.titles.iter().filter_map(|place| at(state, place));
        found.find_map(Json::as_str)
    }

    /// The paths that a thread names, each behind its verb.
    pub fn paths_in<'a>(&'a self, state: &'a Json) -> Vec<(&'a str, &'a str)> {
        let named = self.paths.iter();
        let named = named.filter_map(|it| Some((&*it.verb, at(state, &it.place)?.as_str()?)));
        named.collect()
    }
}

/// A template with its words.
fn filled(template: &Json, words: &str) -> Json {
    match template {
        Json::String(text) if text == TEXT => Json::String(words.to_owned()),
        Json::Array(items) => items.iter().map(|item| filled(item, words)).collect(),
        Json::Object(fields) => {
            let fields = fields.iter();
            let filled = fields.map(|(name, value)| (name.clone(), filled(value, words)));
            Json::Object(filled.collect())
        }
        other => other.clone(),
    }
}

/// The text at the place of a template's words.
fn words_in<'a>(template: &Json, input: &'a Json) -> Option<&'a str> {
    at(input, &place_in(template)?)?.as_str()
}

/// The place of the words in a template.
fn place_in(template: &Json) -> Option<String> {
    let below =
        |name: &dyn std::fmt::Display, part: &Json| Some(format!("/{name}{}", place_in(part)?));
    match template {
        Json::String(text) => (text == TEXT).then(String::new),
        Json::Array(items) => {
            let mut items = items.iter().enumerate();
            items.find_map(|(place, item)| below(&place, item))
        }
        Json::Object(fields) => fields.iter().find_map(|(name, part)| below(name, part)),
        _ => None,
    }
}

/// The value at a place.
fn at<'a>(state: &'a Json, place: &str) -> Option<&'a Json> {
    let mut names = place.split('/').skip(1);
    names.try_fold(state, |value, name| match value {
        Json::Object(fields) => fields.get(name),
        Json::Array(items) if name == "-" => items.last(),
        Json::Array(items) => items.get(name.parse::<usize>().ok()?),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_fill_the_input_of_an_agent() {
        let card = Card::new("poet", "").taking("topic");
        assert_eq!(card.input_of("tea"), Some(json!({"topic": "tea"})));
        assert_eq!(Card::new("poet", "").input_of("tea"), None);
    }

    #[test]
    fn words_are_found_in_the_inputs_that_they_fill() {
        let card = Card::new("poet", "").chatting();
        let input = card.input_of("tea").unwrap_or_default();
        assert_eq!(card.words_of(&input), Some("tea"));
        assert_eq!(card.words_of(&json!({"messages": "tea"})), None);
        assert_eq!(card.words_place().as_deref(), Some("/messages/0/content"));
        assert_eq!(Card::new("poet", "").words_place(), None);
    }

    #[test]
    fn the_first_place_with_a_text_is_the_title() {
        let card = Card {
            titles: vec!["/query".into(), "/history/-/question".into()],
            ..Card::new("atris", "")
        };
        let old = json!({"query": null, "history": [{"question": "a"}, {"question": "b"}]});
        assert_eq!(card.title(&old), Some("b"));
        assert_eq!(
            card.title(&json!({"query": "now", "history": []})),
            Some("now")
        );
        assert_eq!(card.title(&json!({})), None);
    }
}
