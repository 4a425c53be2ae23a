//! Node `extract_category_node`: what the question is about, by rules, unless a strong model reads it. It begins with nothing of the
//! question before, whoever gave the input, and however far that question came.

use superstep::{NodeError, Res, Snap, model::Message};

use super::{
    continued::{Begun, ListBegun, begin},
    reset_state::{cleared, thread_before},
};
use crate::{
    catalogue::{Catalogue, EntityType, Operation},
    error::Error,
    problem::Problem,
    question::{
        Complexity, MAX_QUESTION, Maker, Reference, Understanding, beyond, changes_contents,
        choose, earlier, maker_of, wants_write, wants_yes_or_no,
    },
    recall,
    reply::clean,
    research::Research,
    services::Services,
    state::{AtrisState, AtrisStateUpdate, Secondary},
};

const NODE: &str = "extract_category_node";

pub(crate) async fn extract_category_node(
    state: Snap<AtrisState>,
    services: Res<Services>,
) -> Result<AtrisStateUpdate, NodeError> {
    let question = state.query.clone().unwrap_or_default();
    let cleared = || {
        cleared()
            .asked_of(services.client.names())
            .initial_state(thread_before(&state))
    };
    let failed = |error: Error| cleared().error(Problem::new(&error, NODE, None));
    if question.trim().is_empty() {
        let why = "the question is empty".to_owned();
        return Ok(failed(Error::Settings { why }));
    }
    let length = question.chars().count();
    if length > MAX_QUESTION {
        let why =
            format!("the question has {length} characters, and at most {MAX_QUESTION} are read");
        return Ok(failed(Error::Settings { why }));
    }
    // A strong model reads, and orders are read by rules: what they change is approved word by word.
    let is_order = services.settings.writes && wants_write(&question);
    if services.strong_model().is_some() && !is_order {
        return Ok(cleared().query(question).research(Research::default()));
    }
    if let Some(what) = changes_contents(&question) {
        return Ok(failed(Error::NotUnderstood { what }));
    }
    if wants_write(&question) && !services.settings.writes {
        let why = "the question wants something changed, and that is switched off; --writes allows \
                   it, and asks you first";
        let why = why.to_owned();
        let operation = "a write".to_owned();
        return Ok(failed(Error::Refused { operation, why }));
    }
    let catalogue = match Catalogue::get() {
        Ok(catalogue) => catalogue,
        Err(error) => return Ok(failed(error)),
    };
    let (question, taken_as) = match begin(&state, &question) {
        Ok(Begun::Whole(question, told)) => (question, told),
        Ok(Begun::List(list)) => return Ok(of_list(*list, &question, cleared())),
        Err(error) => return Ok(failed(error)),
    };
    let mut understood = Understanding::of(&question);
    // `its artist` is asked about, not `it`.
    let maker = maker_of(&question, &understood.references);
    let is_maker = matches!(maker, Some(Maker::Subject(_)));
    if let (false, Some(kind)) = (is_maker, earlier_kind(&state, &understood.references)) {
        understood.entity_type = Some(kind);
    }
    if let Some(what) = beyond(&question, &understood) {
        let what = clean(&what);
        return Ok(failed(Error::NotUnderstood { what }));
    }
    if let Some(what) = too_many(&question, &understood.references) {
        return Ok(failed(Error::NotUnderstood { what }));
    }
    let choice = choose(catalogue, &question, &understood, services.settings.writes);
    let candidates = choice.candidates;
    let best = choice.best.or(candidates.first().map(|it| it.operation));
    // What a question without a name is about is what the likeliest operation is about.
    let kind = understood.entity_type.or(best.and_then(|it| it.tag_type()));
    let query_type = match (best, understood.aspect, understood.references.is_empty()) {
        (Some(best), _, true) | (Some(best), None, false) => subject(best),
        _ => understood.query_type.clone(),
    };
    let categories: Vec<String> = candidates
        .iter()
        .map(|it| it.operation.api().tool_name)
        .collect();
    let mut reading: Vec<String> = taken_as.into_iter().collect();
    if wants_yes_or_no(&question, &understood) {
        let told = "it asks for yes or no, which is not worked out: this is what Audius says";
        reading.push(told.to_owned());
    }
    let mut names = understood.references.iter().cloned();
    let first = names.next();
    let second = names.next().map(|entity_name| Secondary {
        api: None,
        entity_name,
        entity: None,
        parameters: None,
    });
    Ok(cleared()
        .query(question.clone())
        .query_type(query_type)
        .entity_type(kind)
        .is_entity_query(first.is_some())
        .entity_name(first)
        .secondary_api(second)
        .aspect(understood.aspect)
        .computation(understood.computation)
        .first(understood.first)
        .reading(reading)
        .complexity(understood.complexity)
        .categories(categories)
        .messages(vec![Message::user(question)]))
}

/// The begin of a question about the list of an earlier answer: which call that is, is known.
fn of_list(begun: ListBegun, question: &str, update: AtrisStateUpdate) -> AtrisStateUpdate {
    let operation = begun.operation;
    update
        .query_type(subject(operation))
        .entity_type(operation.entity().map(|it| it.0).or(operation.tag_type()))
        .is_entity_query(begun.entity.is_some())
        .entity(begun.entity)
        .computation(begun.computation)
        .first(begun.first)
        .continued(begun.list)
        .reading(vec![begun.told])
        .complexity(Complexity::Simple)
        .categories(vec![operation.api().tool_name])
        .messages(vec![Message::user(question)])
}

/// That a question names more than one call can be about: all but the first would be left out.
fn too_many(question: &str, references: &[Reference]) -> Option<String> {
    let most = match wants_write(question) {
        true => 1,
        false => 2,
    };
    let names: Vec<&str> = references.iter().map(Reference::text).collect();
    (names.len() > most).then(|| {
        let names = clean(&names.join(", "));
        match most {
            1 => format!("several names in one order ({names}): give one order for each"),
            _ => format!("more than two names ({names}): two can be compared, or ask about each"),
        }
    })
}

/// What an operation is about in one word: `getTrendingTracks` is `trending_tracks`.
fn subject(operation: &Operation) -> String {
    let words = operation.id_words();
    let words = words.strip_prefix("get ").unwrap_or(&words);
    words.replace(' ', "_")
}

/// What `it` and `the second one` stand for: the kind of what the last answer named.
fn earlier_kind(state: &AtrisState, references: &[Reference]) -> Option<EntityType> {
    let Some(Reference::Earlier(word)) = references.first() else {
        return None;
    };
    if earlier::kind(word).is_some() {
        return None;
    }
    let mentions = &recall::last_for(state, word)?.mentions;
    // A person is no `it`.
    let is_thing = ["it", "its"].contains(&word.as_str());
    let subjects = mentions
        .subjects
        .iter()
        .filter(|_| !earlier::is_listed(word));
    let mut named = subjects.chain(&mentions.listed);
    let named = named.find(|it| !is_thing || it.entity_type != EntityType::User);
    named.map(|it| it.entity_type)
}
