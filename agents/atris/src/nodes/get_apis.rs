//! Node `get_apis_node`: the operations that may fit, with their parameters.

use superstep::{NodeError, Res, Snap};

use crate::{
    catalogue::{Api, Catalogue},
    error::Error,
    question::{Understanding, choose},
    services::{Services, problem},
    state::{AtrisState, AtrisStateUpdate},
};

const NODE: &str = "get_apis_node";

pub(crate) async fn get_apis_node(
    state: Snap<AtrisState>,
    services: Res<Services>,
) -> Result<AtrisStateUpdate, NodeError> {
    match apis(&state, &services) {
        Ok(apis) => Ok(AtrisState::update().apis(apis)),
        Err(error) => Ok(AtrisState::update().error(problem(&error, NODE, &state))),
    }
}

fn apis(state: &AtrisState, services: &Services) -> Result<Vec<Api>, Error> {
    let catalogue = Catalogue::get()?;
    if let Some(list) = &state.continued {
        return Ok(vec![catalogue.require(&list.operation)?.api()]);
    }
    let question = state.query.as_deref().unwrap_or_default();
    let writes = services.settings.writes;
    let candidates = choose(catalogue, question, &understood(state), writes).candidates;
    match candidates.is_empty() {
        true => Err(Error::NoOperation),
        false => Ok(candidates.iter().map(|it| it.operation.api()).collect()),
    }
}

/// What the state says about its question.
pub(super) fn understood(state: &AtrisState) -> Understanding {
    let question = state.query.as_deref().unwrap_or_default();
    let second = state
        .secondary_api
        .as_ref()
        .map(|it| it.entity_name.clone());
    Understanding {
        query_type: state.query_type.clone().unwrap_or_default(),
        // A question that names nothing is about a kind of things, which is no clue.
        entity_type: state
            .entity_type
            .filter(|_| state.is_entity_query == Some(true)),
        references: state.entity_name.iter().cloned().chain(second).collect(),
        aspect: state.aspect,
        computation: state.computation,
        first: state.first,
        complexity: state
            .complexity
            .unwrap_or_else(|| Understanding::of(question).complexity),
    }
}
