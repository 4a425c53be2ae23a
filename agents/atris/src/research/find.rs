//! The search of the catalogue for a model: operations with their parameters and what they answer with.

use std::{collections::BTreeMap, sync::OnceLock};

use serde_json::{Value as Json, json};

use super::is_offered;
use crate::{
    catalogue::{Catalogue, Clues, GENRES, MOODS, Operation, Parameter},
    error::Error,
    reply::fields_of,
};

/// The most operations of one search.
const MOST: usize = 6;

const MEANINGS: &str = include_str!("../../data/parameters.json");

/// The operations that fit words best, as a model reads them. An operation that is named by its id comes first.
pub(crate) fn found(words: &str, has_token: bool) -> Result<String, Error> {
    let catalogue = Catalogue::get()?;
    let ids = words.split(|c: char| !c.is_alphanumeric());
    let mut found: Vec<&Operation> = ids.filter_map(|id| catalogue.operation(id)).collect();
    let others = catalogue.search(words, &Clues::default(), MOST * 2);
    found.extend(others.into_iter().map(|it| it.operation));
    let mut operations: Vec<&Operation> = Vec::new();
    for operation in found {
        let is_new = !operations.iter().any(|it| it.id == operation.id);
        if is_new && is_offered(operation, has_token) {
            operations.push(operation);
        }
    }
    operations.truncate(MOST);
    let shown: Vec<Json> = operations
        .into_iter()
        .map(|operation| described(catalogue, operation))
        .collect();
    Ok(match shown.as_slice() {
        [] => "no operation fits these words; other words may, or one of the listed ids".to_owned(),
        shown => Json::from(shown).to_string(),
    })
}

fn described(catalogue: &Catalogue, operation: &Operation) -> Json {
    let parameters = operation.askable().filter(|it| is_told(it));
    let parameters: serde_json::Map<String, Json> = parameters
        .map(|it| (it.name.clone(), meaning(it).into()))
        .collect();
    let mut shown = json!({
        "operation": operation.id,
        "gives": catalogue.in_words(operation),
        "path": operation.path,
        "parameters": parameters,
    });
    if let (true, Some(shown)) = (operation.is_private(), shown.as_object_mut()) {
        let who = "one signed-in person, who is asked before it is called";
        shown.insert("is_for".into(), who.into());
    }
    let fields = catalogue.answered_model(operation);
    let fields = fields.map(|(models, name)| fields_of(models, name).join(", "));
    let fields = fields.filter(|fields| !fields.is_empty());
    if let (Some(fields), Some(shown)) = (fields, shown.as_object_mut()) {
        shown.insert("records_have".into(), fields.into());
    }
    shown
}

/// Parameters that matter to an answer: the viewer of a public list does not.
fn is_told(parameter: &Parameter) -> bool {
    parameter.required || !["user_id", "with_users"].contains(&parameter.name.as_str())
}

/// The type of a parameter, its values and what it means.
fn meaning(parameter: &Parameter) -> String {
    let mut text = parameter.kind.name().to_owned();
    if parameter.required {
        text.push_str(", required");
    }
    let values = match parameter.name.as_str() {
        "genre" => GENRES.join(" | "),
        "mood" => MOODS.join(" | "),
        _ => parameter.values.join(" | "),
    };
    if !values.is_empty() {
        text.push_str(&format!("; one of {values}"));
    }
    if let Some(default) = parameter.default_value() {
        text.push_str(&format!("; {default} if absent"));
    }
    if let Some(meaning) = meanings().get(&parameter.name) {
        text.push_str(&format!("; {meaning}"));
    }
    text
}

/// Meanings of parameters by their names.
fn meanings() -> &'static BTreeMap<String, String> {
    static READ: OnceLock<BTreeMap<String, String>> = OnceLock::new();
    READ.get_or_init(|| serde_json::from_str(MEANINGS).unwrap_or_default())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;

    #[test]
    fn every_meaning_is_of_a_parameter() {
        let known: BTreeMap<String, String> = serde_json::from_str(MEANINGS).unwrap();
        let catalogue = Catalogue::get().unwrap();
        for name in known.keys() {
            let mut operations = catalogue.operations().iter();
            assert!(operations.any(|it| it.parameter(name).is_some()), "{name}");
        }
    }

    #[test]
    fn operations_are_found_by_words_and_by_ids_with_their_parameters() {
        let found: Vec<Json> =
            serde_json::from_str(&found("searchTracks verified techno", false).unwrap()).unwrap();
        assert_eq!(found[0]["operation"], "searchTracks");
        let bpm = found[0]["parameters"]["bpm_min"].as_str().unwrap();
        assert!(bpm.contains("at least this many beats"), "{bpm}");
        for operation in found {
            let id = operation["operation"].as_str().unwrap();
            assert!(Catalogue::get().unwrap().operation(id).unwrap().is_read());
        }
    }
}
