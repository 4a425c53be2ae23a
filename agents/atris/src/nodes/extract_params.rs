//! Node `extract_params_node`: the parameters that the question gives, checked; what is missing is asked
//! for, never guessed.

use serde_json::json;
use superstep::{Ctx, NodeError, Res, Snap};

use super::get_apis::understood;
use crate::{
    catalogue::{Catalogue, EntityType, MAX_LIMIT, Operation, Parameters},
    error::Error,
    question::{Account, Reference, name_of_new, page_in, said_kind, values_of},
    reply::clean,
    services::{Services, problem},
    state::{AtrisState, AtrisStateUpdate, Pending},
    thinking::Thinker,
};

const NODE: &str = "extract_params_node";

pub(crate) async fn extract_params_node(
    state: Snap<AtrisState>,
    services: Res<Services>,
    ctx: Ctx,
) -> Result<AtrisStateUpdate, NodeError> {
    match extract(&state, &services, &ctx).await {
        Ok((parameters, pending, reading)) => Ok(AtrisState::update()
            .parameters(parameters)
            .pending(pending)
            .reading(reading)),
        Err(error) => Ok(AtrisState::update().error(problem(&error, NODE, &state))),
    }
}

async fn extract(
    state: &AtrisState,
    services: &Services,
    ctx: &Ctx,
) -> Result<(Parameters, Option<Pending>, Vec<String>), Error> {
    let catalogue = Catalogue::get()?;
    let api = state.best_api.as_ref().ok_or(Error::NoOperation)?;
    let operation = catalogue.require(&api.id)?;
    let question = state.query.as_deref().unwrap_or_default();
    let mut reading = state.reading.clone().unwrap_or_default();
    let mut parameters = match services.reader() {
        Some(model) => {
            let thinker = Thinker { model, ctx };
            thinker.parameters(question, operation).await?
        }
        None => {
            let account = Account::of(catalogue, question, &understood(state), operation);
            if !account.vague.is_empty() {
                let rest = clean(&account.vague.join(", "));
                reading.push(format!("left out: {rest}"));
            }
            values_of(question, operation)
        }
    };
    if operation.parameter("limit").is_some() && !parameters.contains_key("limit") {
        // Whatever is worked out is worked out from as much as there is.
        let limit = match state.computation {
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
        // An id alone may be one of anything: it is looked up.
        (Some(_), Some(Reference::Id(_))) if is_bare_id(state, operation) => {}
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
    let (parameters, pending) = fill(operation, parameters, &looked_up(state, operation))?;
    let pending = pending.or_else(|| {
        is_empty_search.then(|| Pending::Missing {
            parameter: "query".to_owned(),
            entity_type: None,
            word: None,
        })
    });
    Ok((parameters, pending, reading))
}

/// Whether nothing says what an id is one of.
fn is_bare_id(state: &AtrisState, operation: &Operation) -> bool {
    let question = state.query.as_deref().unwrap_or_default();
    let is_said = said_kind(question, state.entity_name.as_slice()).is_some();
    let is_record = ["getUser", "getTrack", "getPlaylist"].contains(&operation.id.as_str());
    is_record && state.aspect.is_none() && state.secondary_api.is_none() && !is_said
}

/// The parameters that something named in the question is looked up for.
fn looked_up(state: &AtrisState, operation: &Operation) -> Vec<String> {
    let entity = operation.entity().filter(|_| state.entity_name.is_some());
    entity
        .map(|(_, name)| name.to_owned())
        .into_iter()
        .collect()
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
    for parameter in operation.askable() {
        if let (None, Some(value)) = (parameters.get(&parameter.name), parameter.default_value()) {
            parameters.insert(parameter.name.clone(), value);
        }
    }
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
