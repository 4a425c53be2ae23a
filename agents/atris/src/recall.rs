//! What an answer names, and which answer of a thread named something last.

use crate::{
    answer::{Answer, Fact},
    catalogue::{Catalogue, EntityType, Operation, Parameters},
    mention::{Mention, Mentions},
    question::{
        Computation, Understanding,
        continued::{self, Continued},
        earlier,
    },
    reply::clean,
    state::{AtrisState, Entity},
    tools::Response,
};

/// The most records of a list that are kept.
const MAX_LISTED: usize = 25;

/// What the answer to the question of a state names. Of a list it is what was shown: the records that the
/// answer says something of.
pub(crate) fn mentions_of(state: &AtrisState, response: &Response, facts: &[Fact]) -> Mentions {
    let second = state.secondary_api.as_ref();
    let second = second.and_then(|second| second.entity.as_ref());
    let mut subjects: Vec<Mention> = state.entity.iter().chain(second).map(known).collect();
    let api = state.best_api.as_ref();
    let operation = api.and_then(|api| Catalogue::get().ok()?.operation(&api.id));
    if let (true, Some(operation), Some(given)) =
        (subjects.is_empty(), operation, &state.parameters)
    {
        subjects.extend(given_as_it_is(operation, given));
    }
    let shown_at = |record: &serde_json::Value| {
        let at = record.get("at").and_then(|at| at.as_str())?;
        let is_of = |fact: &Fact| {
            fact.field
                .strip_prefix(at)
                .is_some_and(|it| it.starts_with('/'))
        };
        facts.iter().position(is_of)
    };
    // In the order of the answer, which may be another one than that of the reply.
    let records = response.data.iter();
    let mut shown: Vec<(usize, Mention)> = records
        .filter_map(|record| Some((shown_at(record)?, listed_as(record)?)))
        .collect();
    shown.sort_by_key(|(at, _)| *at);
    let listed: Vec<Mention> = shown.into_iter().map(|(_, mention)| mention).collect();
    // A record of one thing is what the question was about, unless it is all that a list of something has.
    let is_same = |it: &Mention, one: &Mention| match &it.id {
        Some(_) => it.id == one.id,
        None => it.handle == one.handle,
    };
    let (subjects, listed) = match (listed.as_slice(), second) {
        (_, Some(_)) => (subjects, Vec::new()),
        ([one], None) if subjects.iter().all(|it| is_same(it, one)) => {
            (vec![one.clone()], Vec::new())
        }
        _ => (subjects, listed),
    };
    let listed: Vec<Mention> = listed.into_iter().take(MAX_LISTED).collect();
    // The track that comes first of all that were compared is what `it` means from then on, not what has them.
    let is_compared = state.computation.is_some_and(Computation::is_comparison);
    let is_first = is_compared && state.first.is_none();
    let is_thing = |it: &Mention| it.entity_type != EntityType::User;
    let subjects = match listed.as_slice() {
        [one] if is_first && is_thing(one) && subjects.iter().all(is_thing) => {
            std::iter::once(one.clone()).chain(subjects).collect()
        }
        _ => subjects,
    };
    let skipped = state.parameters.as_ref().and_then(|it| it.get("offset"));
    let skipped = skipped.and_then(serde_json::Value::as_u64).unwrap_or(0);
    Mentions {
        subjects,
        listed,
        skipped: usize::try_from(skipped).unwrap_or(usize::MAX),
    }
}

/// The last answer of a thread that named anything.
pub(crate) fn last(state: &AtrisState) -> Option<&Answer> {
    let mut answers = state.message_history.iter().rev();
    answers.find(|answer| !answer.mentions.is_empty())
}

/// The last answer of a thread that a word can be about: of a place in a list, the last one that lists something.
pub(crate) fn last_for<'a>(state: &'a AtrisState, word: &str) -> Option<&'a Answer> {
    match earlier::is_listed(word) {
        true => last_list(state),
        false => last(state),
    }
}

/// The last answer of a thread that lists something.
pub(crate) fn last_list(state: &AtrisState) -> Option<&Answer> {
    let mut answers = state.message_history.iter().rev();
    answers.find(|answer| !answer.mentions.listed.is_empty() && !is_one_of_list(answer))
}

/// The last answer of a thread that lists something, or names the first of what was compared.
pub(crate) fn last_compared(state: &AtrisState) -> Option<&Answer> {
    let mut answers = state.message_history.iter().rev();
    answers.find(|answer| !answer.mentions.listed.is_empty())
}

/// Whether an answer names the first of what was compared: that is no list itself.
pub(crate) fn is_one_of_list(answer: &Answer) -> bool {
    if let Some(continued) = continued::of(&answer.question) {
        return matches!(continued, Continued::Extreme(_, None));
    }
    let understood = Understanding::of(&answer.question);
    // What the API sorts is a list.
    let mut sorts = ["sort", "sort_method"].into_iter();
    let is_sorted = sorts.any(|name| {
        let given = answer.parameters.as_ref().and_then(|it| it.get(name));
        given.is_some_and(|it| it == "plays")
    });
    understood.is_compared() && understood.first.is_none() && !is_sorted
}

pub(crate) fn known(entity: &Entity) -> Mention {
    Mention {
        entity_type: entity.entity_type,
        id: Some(entity.id.clone()),
        name: entity.name.clone(),
        handle: entity.handle.clone(),
        by: None,
    }
}

/// Something that was named as it was looked up; nothing if only its handle is known.
pub(crate) fn found(mention: &Mention) -> Option<Entity> {
    Some(Entity {
        entity_type: mention.entity_type,
        id: mention.id.clone()?,
        name: mention.name.clone(),
        handle: mention.handle.clone(),
        seen: None,
    })
}

fn listed_as(record: &serde_json::Value) -> Option<Mention> {
    let entity = entity_of(record)?;
    let owner = record.get("user").and_then(|it| it.get("name")?.as_str());
    Some(Mention {
        by: owner.map(str::to_owned),
        ..known(&entity)
    })
}

/// What a call was about whose handle or id was in the question.
fn given_as_it_is(operation: &Operation, given: &Parameters) -> Option<Mention> {
    let (entity_type, name) = operation.entity()?;
    let value = clean(given.get(name)?.as_str()?);
    let (id, handle) = match name {
        "handle" => (None, Some(value.clone())),
        _ => (Some(value.clone()), None),
    };
    Some(Mention {
        entity_type,
        name: handle.as_ref().map_or(value, |handle| format!("@{handle}")),
        id,
        handle,
        by: None,
    })
}

/// A record as somebody or something at Audius.
pub(crate) fn entity_of(record: &serde_json::Value) -> Option<Entity> {
    let text = |name: &str| record.get(name)?.as_str().map(str::to_owned);
    let (entity_type, name, handle) = match record.get("type")?.as_str()? {
        "user" => (EntityType::User, text("name")?, text("handle")),
        kind @ ("track" | "playlist") => {
            let owner = record.get("user").and_then(|it| it.get("handle"));
            let owner = owner.and_then(|it| it.as_str()).map(str::to_owned);
            let kind = match kind {
                "track" => EntityType::Track,
                _ => EntityType::Playlist,
            };
            (kind, text("title")?, owner)
        }
        _ => return None,
    };
    Some(Entity {
        entity_type,
        id: text("id")?,
        name,
        handle,
        seen: None,
    })
}
