//! Node `get_apis_node`: the operations that may fit, with their parameters.

use superstep::{NodeError, Res, Snap};

use crate::{
    catalogue::Catalogue,
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
    let failed = |error: Error| AtrisState::update().error(problem(&error, NODE, &state));
    let catalogue = match Catalogue::get() {
        Ok(catalogue) => catalogue,
        Err(error) => return Ok(failed(error)),
    };
    if let Some(list) = &state.continued {
        return Ok(match catalogue.require(&list.operation) {
            Ok(operation) => AtrisState::update().apis(vec![operation.api()]),
            Err(error) => failed(error),
        });
    }
    let question = state.query.as_deref().unwrap_or_default();
    let choice = choose(
        catalogue,
        question,
        &understood(&state),
        services.settings.writes,
    );
    if choice.candidates.is_empty() {
        return Ok(failed(Error::NoOperation));
    }
    let apis: Vec<_> = choice
        .candidates
        .iter()
        .map(|it| it.operation.api())
        .collect();
    Ok(AtrisState::update().apis(apis))
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
