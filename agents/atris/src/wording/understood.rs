//! What a question was understood as, in words: a misreading is seen by whoever asked.

use serde_json::Value as Json;

use super::{both::named, lines};
use crate::{catalogue::Catalogue, question::Aspect, state::AtrisState};

/// The operation, what it is about and its parameters; nothing if no operation was chosen.
pub(crate) fn of(state: &AtrisState) -> Option<String> {
    let api = state.best_api.as_ref()?;
    let catalogue = Catalogue::get().ok()?;
    let operation = catalogue.operation(&api.id)?;
    let mut text = catalogue.in_words(operation);
    let second = state.secondary_api.as_ref();
    let mut names = Vec::new();
    if state.entity.is_some() || state.entity_name.is_some() {
        names.push(named(state.entity.as_ref(), state.entity_name.as_ref()));
    }
    names.extend(second.map(|it| named(it.entity.as_ref(), Some(&it.entity_name))));
    if !names.is_empty() {
        text.push_str(&format!(": {}", names.join(" and ")));
    }
    let mut more = Vec::new();
    more.extend(state.aspect.map(Aspect::label));
    more.extend(state.computation.map(|it| it.name()));
    more.extend(state.first.map(|count| format!("the first {count}")));
    let entity = operation.entity().map(|(_, name)| name);
    let given = state.parameters.iter().flatten();
    // An id that a name was found to be says nothing to people.
    let given = given.filter(|(name, _)| names.is_empty() || Some(name.as_str()) != entity);
    more.extend(given.map(|(name, value)| said(name, value)));
    if !more.is_empty() {
        text.push_str(&format!("; {}", more.join(", ")));
    }
    Some(crate::reply::clean(&text))
}

fn said(name: &str, value: &Json) -> String {
    let value = match value {
        Json::Object(_) => value.to_string(),
        plain => lines::text(plain),
    };
    format!("{} {value}", name.replace('_', " "))
}
