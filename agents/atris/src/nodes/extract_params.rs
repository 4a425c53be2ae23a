//! Node `extract_params_node`: the parameters that the question gives, checked; what is missing is asked
//! for, never guessed.

use serde_json::json;
use superstep::{NodeError, Res, Snap};

use super::get_apis::understood;
use crate::{
    catalogue::{Catalogue, EntityType, MAX_LIMIT, Operation, Parameters, has_words},
    error::Error,
    question::{
        Account, Aspect, Comparison, Computation, Reference, name_of_new, own_words, page_in,
        said_kind, values_of,
    },
    reply::clean,
    services::{Services, problem},
    state::{ACTING, AtrisState, AtrisStateUpdate, Pending},
};

const NODE: &str = "extract_params_node";

pub(crate) async fn extract_params_node(
    state: Snap<AtrisState>,
    services: Res<Services>,
) -> Result<AtrisStateUpdate, NodeError> {
    match extract(&state, &services) {
        Ok(read) => Ok(AtrisState::update()
            .parameters(read.parameters)
            .pending(read.pending)
            .reading(read.reading)
            .computation(read.computation)
            .first(read.first)
            .acting(read.acting)),
        Err(error) => Ok(AtrisState::update().error(problem(&error, NODE, &state))),
    }
}

/// What a question says for its call, and what is done with the reply.
struct ParametersRead {
    parameters: Parameters,
    pending: Option<Pending>,
    reading: Vec<String>,
    computation: Option<Computation>,
    first: Option<u64>,
    acting: Option<Reference>,
}

fn extract(state: &AtrisState, services: &Services) -> Result<ParametersRead, Error> {
    let catalogue = Catalogue::get()?;
    let api = state.best_api.as_ref().ok_or(Error::NoOperation)?;
    let operation = catalogue.require(&api.id)?;
    let question = state.query.as_deref().unwrap_or_default();
    let mut reading = state.reading.clone().unwrap_or_default();
    // The list of an earlier answer is called as it was, but for its page.
    if let Some(list) = &state.continued {
        let (parameters, pending) = fill(operation, list.parameters.clone(), &[])?;
        return Ok(ParametersRead {
            parameters,
            pending,
            reading,
            computation: state.computation,
            first: state.first,
            acting: None,
        });
    }
    let account = Account::of(catalogue, question, &understood(state), operation);
    if !account.vague.is_empty() {
        let rest = clean(&account.vague.join(", "));
        reading.push(format!("left out: {rest}"));
    }
    if operation.id.starts_with("getTopUsers") && has_words(&question.to_lowercase(), "trending") {
        reading.push("Audius has no list of trending artists: these are its top users".to_owned());
    }
    let mut parameters = values_of(question, operation);
    let (computation, first) = compared(state, services, &parameters)?;
    if let (Some(Computation::Most(Aspect::Plays) | Computation::Least(Aspect::Plays)), Some(time)) =
        (computation, values_of(question, operation).get("time"))
        && time != "allTime"
    {
        reading.push("plays are counted since a track came out, whatever the time".to_owned());
    }
    if operation.parameter("limit").is_some() && !parameters.contains_key("limit") {
        // Whatever is worked out is worked out from as much as there is.
        let limit = match computation {
            Some(_) => Some(MAX_LIMIT),
            None => services.settings.limit,
        };
        parameters.extend(limit.map(|limit| ("limit".to_owned(), limit.into())));
    }
    // A page is as long as the lists are.
    let limit = parameters.get("limit").and_then(serde_json::Value::as_u64);
    if let (Some(page), Some(limit), true) = (
        page_in(question),
        limit,
        operation.parameter("offset").is_some(),
    ) {
        let skipped = page.saturating_sub(1).saturating_mul(limit);
        parameters.insert("offset".into(), skipped.into());
    }
    // A handle and an id need no looking up, and a link is asked about as it is.
    match (operation.entity(), &state.entity_name) {
        (Some((_, "handle")), Some(Reference::Handle(handle))) => {
            parameters.insert("handle".into(), handle.clone().into());
        }
        // An id alone may be one of anything, or a name: it is looked up.
        (Some(_), Some(Reference::Id(_))) if is_bare_id(state) => {}
        (Some((_, name)), Some(Reference::Id(id))) => {
            parameters.insert(name.into(), id.clone().into());
        }
        (None, Some(Reference::Url(url))) if operation.parameter("url").is_some() => {
            parameters.insert("url".into(), url.clone().into());
        }
        _ => {}
    }
    if operation.id == "createPlaylist"
        && let Some(name) = name_of_new(question)
    {
        parameters.insert("body".into(), json!({"playlist_name": name}));
    }
    // A search for nothing finds everything.
    let is_search = operation.id.starts_with("search") && operation.parameter("query").is_some();
    let has_filter = |name: &String| !["limit", "offset"].contains(&name.as_str());
    let is_empty_search = is_search && !parameters.keys().any(has_filter);
    let mut known = looked_up(state, operation);
    let (mut parameters, mut pending) = fill(operation, parameters, &known)?;
    // Who the person is was said before in this thread.
    let is_asked =
        matches!(&pending, Some(Pending::Missing { parameter, .. }) if parameter == ACTING);
    let acting = state.signed_as.clone().filter(|_| is_asked);
    if acting.is_some() {
        known.push(ACTING.to_owned());
        (parameters, pending) = fill(operation, parameters, &known)?;
    }
    let pending = pending.or_else(|| {
        is_empty_search.then(|| Pending::Missing {
            parameter: "query".to_owned(),
            entity_type: None,
            word: None,
        })
    });
    Ok(ParametersRead {
        parameters,
        pending,
        reading,
        computation,
        first,
        acting,
    })
}

/// What is worked out from the reply, and how much of it is shown. What the API sorts by is not worked out.
fn compared(
    state: &AtrisState,
    services: &Services,
    parameters: &Parameters,
) -> Result<(Option<Computation>, Option<u64>), Error> {
    let mut sorts = ["sort", "sort_method"].into_iter();
    let is_sorted = sorts.any(|name| parameters.get(name).is_some_and(|it| it == "plays"));
    if is_sorted && state.computation == Some(Computation::Most(Aspect::Plays)) {
        return Ok((None, None));
    }
    let question = state.query.as_deref().unwrap_or_default();
    let names: Vec<Reference> = state.entity_name.iter().cloned().collect();
    let said = Comparison::of(&own_words(question, &names), !names.is_empty());
    let said = said.and_then(|it| it.first);
    let first = match (state.first, said) {
        (Some(_), None) => services.settings.limit.or(state.first),
        (first, _) => first,
    };
    match first {
        Some(0) => Err(Error::NotUnderstood {
            what: "\"0\": how many are wanted is at least 1".to_owned(),
        }),
        first => Ok((state.computation, first)),
    }
}

/// Whether nothing says what an id is one of.
fn is_bare_id(state: &AtrisState) -> bool {
    let question = state.query.as_deref().unwrap_or_default();
    said_kind(question, state.entity_name.as_slice()).is_none()
}

/// The parameters that something named in the question is looked up for.
fn looked_up(state: &AtrisState, operation: &Operation) -> Vec<String> {
    let entity = operation.entity().filter(|_| state.entity_name.is_some());
    entity
        .map(|(_, name)| name.to_owned())
        .into_iter()
        .collect()
}

/// The parameters for another operation that asks the same: those that it has, and its defaults.
pub(super) fn refit(mut parameters: Parameters, operation: &Operation) -> Parameters {
    parameters.retain(|name, _| operation.parameter(name).is_some());
    add_defaults(operation, &mut parameters);
    parameters
}

fn add_defaults(operation: &Operation, parameters: &mut Parameters) {
    for parameter in operation.askable() {
        if let (None, Some(value)) = (parameters.get(&parameter.name), parameter.default_value()) {
            parameters.insert(parameter.name.clone(), value);
        }
    }
}

/// The field of a body that a person can be asked for.
pub(super) const NEW_NAME: &str = "playlist_name";

/// The parameters with their defaults, and what a person has to be asked for.
pub(super) fn fill(
    operation: &Operation,
    mut parameters: Parameters,
    looked_up: &[String],
) -> Result<(Parameters, Option<Pending>), Error> {
    let wrong = |why: Vec<String>| Error::Parameters {
        operation: operation.id.clone(),
        why: why.join("; "),
    };
    let faults = match operation.check(&parameters) {
        Ok(checked) => {
            let pending = unnamed(operation, &checked);
            return Ok((checked, pending));
        }
        Err(faults) => faults,
    };
    let broken: Vec<String> = faults
        .iter()
        .filter(|fault| !fault.is_missing)
        .map(ToString::to_string)
        .collect();
    if !broken.is_empty() {
        return Err(wrong(broken));
    }
    add_defaults(operation, &mut parameters);
    let mut faults = faults.into_iter();
    let missing = faults.find(|fault| !looked_up.contains(&fault.parameter));
    let pending = missing.map(|fault| Pending::Missing {
        entity_type: kind_of(operation, &fault.parameter),
        parameter: fault.parameter,
        word: None,
    });
    let pending = pending.or_else(|| unnamed(operation, &parameters));
    Ok((parameters, pending))
}

/// That something new has no name yet.
fn unnamed(operation: &Operation, parameters: &Parameters) -> Option<Pending> {
    let body = parameters.get("body");
    let is_named = body.is_some_and(|body| body.get(NEW_NAME).is_some());
    (operation.id == "createPlaylist" && !is_named).then(|| Pending::Missing {
        parameter: NEW_NAME.to_owned(),
        entity_type: None,
        word: None,
    })
}

fn kind_of(operation: &Operation, parameter: &str) -> Option<EntityType> {
    let (kind, name) = operation.entity()?;
    (name == parameter).then_some(kind)
}
