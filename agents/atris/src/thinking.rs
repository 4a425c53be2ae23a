//! What a model is asked: whom a question names, which operation answers it, with which parameters.
//!
//! Each reply is held to a schema and checked again. A model chooses among candidates and copies from the
//! question; a name, an id, a number or a text that is not in the question is dropped, so it can make nothing
//! up. `pick` is the choice for small models.

mod pick;

use serde::Deserialize;
use serde_json::{Map, Value as Json, json};
use superstep::{
    Ctx,
    model::{Message, Model, Request, Schema, structured},
    tools::Traced,
};

use crate::{
    catalogue::{Catalogue, EntityType, Fault, Kind, Operation, Parameters},
    error::Error,
    question::{Reference, earlier::is_earlier, is_number_in},
};

const UNDERSTAND: &str = include_str!("../prompts/understand.md");
const SELECT: &str = include_str!("../prompts/select.md");
const PARAMETERS: &str = include_str!("../prompts/parameters.md");

/// How often a model may correct parameters that were refused.
const REPAIRS: usize = 2;

/// How many phrases of an operation a model is told.
const MAX_PHRASES: usize = 3;

/// How many tokens a reply may have.
const MAX_TOKENS: u32 = 400;

/// A model at work in a task.
pub(crate) struct Thinker<'a> {
    pub(crate) model: &'a dyn Model,
    pub(crate) ctx: &'a Ctx,
}

#[derive(Deserialize)]
struct Named {
    entity_type: String,
    names: Vec<String>,
}

#[derive(Deserialize)]
struct Selected {
    operation: String,
}

impl Thinker<'_> {
    /// Whom or what a question names.
    pub(crate) async fn understand(
        &self,
        question: &str,
    ) -> Result<(Option<EntityType>, Vec<Reference>), Error> {
        let schema = json!({
            "type": "object",
            "properties": {
                "entity_type": {"type": "string", "enum": ["user", "track", "playlist", "none"]},
                "names": {"type": "array", "items": {"type": "string"}, "maxItems": 2},
            },
            "required": ["entity_type", "names"],
            "additionalProperties": false,
        });
        let messages = vec![Message::system(UNDERSTAND), Message::user(question)];
        let named: Named = self.ask("question", schema, messages).await?;
        let kind = match named.entity_type.as_str() {
            "user" => Some(EntityType::User),
            "track" => Some(EntityType::Track),
            "playlist" => Some(EntityType::Playlist),
            _ => None,
        };
        let names = named.names.iter().take(2);
        let names = names.filter(|name| is_said(question, name) && !is_earlier(name));
        let names: Vec<Reference> = names.map(|name| Reference::of_answer(name)).collect();
        Ok((kind.filter(|_| !names.is_empty()), names))
    }

    /// Which of these operations answers a question; none if none of them does.
    pub(crate) async fn select<'a>(
        &self,
        question: &str,
        candidates: &[&'a Operation],
    ) -> Result<Option<&'a Operation>, Error> {
        let ids = candidates.iter().map(|it| it.id.as_str()).chain(["none"]);
        let schema = json!({
            "type": "object",
            "properties": {"operation": {"type": "string", "enum": ids.collect::<Vec<_>>()}},
            "required": ["operation"],
            "additionalProperties": false,
        });
        let catalogue = Catalogue::get()?;
        let list = candidates.iter().map(|operation| {
            let phrases = catalogue.phrases(operation).iter();
            let phrases: Vec<&str> = phrases.take(MAX_PHRASES).map(String::as_str).collect();
            match phrases.is_empty() {
                true => format!("- {}: {}", operation.id, operation.id_words()),
                false => format!("- {}: {}", operation.id, phrases.join("; ")),
            }
        });
        let list = list.collect::<Vec<_>>().join("\n");
        let messages = vec![
            Message::system(format!("{SELECT}\n{list}")),
            Message::user(question),
        ];
        let selected: Selected = self.ask("operation", schema, messages).await?;
        let mut candidates = candidates.iter();
        Ok(candidates.find(|it| it.id == selected.operation).copied())
    }

    /// The parameters that a question gives. What is refused is told to the model, which may correct it.
    pub(crate) async fn parameters(
        &self,
        question: &str,
        operation: &Operation,
    ) -> Result<Parameters, Error> {
        let schema = schema_of(operation);
        if schema
            .get("properties")
            .and_then(Json::as_object)
            .is_none_or(Map::is_empty)
        {
            return Ok(Parameters::new());
        }
        let mut messages = vec![
            Message::system(format!(
                "{PARAMETERS}\nThe operation: {} {}",
                operation.id, operation.path
            )),
            Message::user(question),
        ];
        let mut last: Vec<Fault> = Vec::new();
        for _ in 0..=REPAIRS {
            let given: Parameters = self
                .ask("parameters", schema.clone(), messages.clone())
                .await?;
            let given: Parameters = given
                .into_iter()
                .filter(|(name, value)| is_allowed(question, operation, name, value))
                .collect();
            let faults = operation.check(&given).err().unwrap_or_default();
            let wrong: Vec<Fault> = faults.into_iter().filter(|it| !it.is_missing).collect();
            if wrong.is_empty() {
                return Ok(given);
            }
            let problems: Vec<String> = wrong.iter().map(ToString::to_string).collect();
            messages.push(Message::model(Json::Object(given).to_string()));
            messages.push(Message::user(format!(
                "That is refused: {}. Correct it.",
                problems.join("; ")
            )));
            last = wrong;
        }
        let why: Vec<String> = last.iter().map(ToString::to_string).collect();
        Err(Error::Parameters {
            operation: operation.id.clone(),
            why: why.join("; "),
        })
    }

    async fn ask<T: serde::de::DeserializeOwned>(
        &self,
        name: &str,
        schema: Json,
        messages: Vec<Message>,
    ) -> Result<T, Error> {
        let failed = |why: String| Error::Model { why };
        let schema = Schema::new(name, schema).map_err(|error| failed(error.to_string()))?;
        let request = Request {
            max_tokens: Some(MAX_TOKENS),
            temperature: Some(0.0),
            ..Request::new(messages)
        };
        let model = Traced {
            model: self.model,
            ctx: self.ctx,
        };
        let reply = structured::<T>(&model, request, &schema).await;
        let reply = reply.map_err(|error| failed(format!("[{}] {error}", error.code())))?;
        Ok(reply.value)
    }
}

/// The schema of what a model may fill in: what names somebody or something is looked up instead.
fn schema_of(operation: &Operation) -> Json {
    let entity = operation.entity().map(|(_, name)| name);
    let mut properties = Map::new();
    for parameter in operation.askable() {
        let name = parameter.name.as_str();
        if Some(name) == entity || ["user_id", "no_redirect", "skip_check"].contains(&name) {
            continue;
        }
        let one = match parameter.kind {
            Kind::Text | Kind::Texts => json!({"type": "string"}),
            Kind::Number | Kind::Numbers => json!({"type": "integer"}),
            Kind::Boolean => json!({"type": "boolean"}),
        };
        let mut schema = one;
        let values: &[String] = &parameter.values;
        if let (false, Some(schema)) = (values.is_empty(), schema.as_object_mut()) {
            schema.insert("enum".into(), values.into());
        }
        if matches!(parameter.kind, Kind::Texts | Kind::Numbers) {
            schema = json!({"type": "array", "items": schema});
        }
        properties.insert(name.to_owned(), schema);
    }
    json!({"type": "object", "properties": properties, "additionalProperties": false})
}

/// Whether a model may give this value: free text, ids and numbers must be in the question.
fn is_allowed(question: &str, operation: &Operation, name: &str, value: &Json) -> bool {
    let Some(parameter) = operation.parameter(name) else {
        return true;
    };
    let is_free = parameter.values.is_empty()
        && matches!(parameter.kind, Kind::Text | Kind::Texts)
        && !["genre", "mood", "bpm_min", "bpm_max"].contains(&name);
    let one = std::slice::from_ref(value);
    let items = value.as_array().map_or(one, Vec::as_slice);
    let said = |item: &Json| match item {
        Json::String(text) => !is_free || is_said(question, text),
        Json::Number(number) => number.as_u64().is_some_and(|it| is_number_in(question, it)),
        // What is off is off anyway.
        Json::Bool(on) => *on,
        _ => true,
    };
    items.iter().all(said)
}

/// Whether a text is in the question, whatever its case and spaces.
pub(crate) fn is_said(question: &str, text: &str) -> bool {
    let plain = |text: &str| -> String {
        let words = text.to_lowercase();
        let words = words.split(|c: char| !c.is_alphanumeric());
        words
            .filter(|word| !word.is_empty())
            .collect::<Vec<_>>()
            .join(" ")
    };
    let text = plain(text);
    !text.is_empty() && crate::catalogue::has_words(&plain(question), &text)
}

/// The candidates of a state, by their ids.
pub(crate) fn operations<'a>(
    catalogue: &'a Catalogue,
    ids: impl Iterator<Item = &'a str>,
) -> Vec<&'a Operation> {
    ids.filter_map(|id| catalogue.operation(id)).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;

    #[test]
    fn only_what_a_question_says_can_be_copied_from_it() {
        let question = "Who follows Nova Kane, and what is $BEAR?";
        assert!(is_said(question, "nova  kane"));
        assert!(is_said(question, "BEAR"));
        for text in ["Nova Kan", "ova", "Orbit", "", "  "] {
            assert!(!is_said(question, text), "{text}");
        }
    }

    #[test]
    fn a_model_is_not_asked_for_ids() {
        let catalogue = Catalogue::get().unwrap();
        let schema = schema_of(catalogue.operation("getTrackComments").unwrap());
        let mut names: Vec<&str> = schema["properties"]
            .as_object()
            .unwrap()
            .keys()
            .map(|it| &**it)
            .collect();
        names.sort_unstable();
        assert_eq!(names, ["limit", "offset", "sort_method"]);
    }
}
