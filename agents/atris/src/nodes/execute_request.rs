//! Node `execute_request_node`: the call, as a tool call. A failed call is an error, an empty reply is
//! empty; neither becomes the other.

use superstep::{Ctx, NodeError, Res, Snap};

use super::resolve_entity::{compared, with_ids};
use crate::{
    catalogue::Catalogue,
    error::Error,
    services::{Services, problem},
    state::{AtrisState, AtrisStateUpdate},
};

const NODE: &str = "execute_request_node";

pub(crate) async fn execute_request_node(
    state: Snap<AtrisState>,
    services: Res<Services>,
    ctx: Ctx,
) -> Result<AtrisStateUpdate, NodeError> {
    let failed = |error: &Error| AtrisState::update().error(problem(error, NODE, &state));
    let api = state
        .best_api
        .as_ref()
        .map(|api| api.id.clone())
        .unwrap_or_default();
    let operation = match Catalogue::get().and_then(|it| it.require(&api)) {
        Ok(operation) => operation,
        Err(error) => return Ok(failed(&error)),
    };
    let known = state.parameters.clone().unwrap_or_default();
    let parameters = with_ids(operation, &known, state.entity.as_ref());
    let parameters = match operation.check(&parameters) {
        Ok(parameters) => parameters,
        Err(faults) => {
            let why: Vec<String> = faults.iter().map(ToString::to_string).collect();
            return Ok(failed(&Error::Parameters {
                operation: operation.id.clone(),
                why: why.join("; "),
            }));
        }
    };
    let response = match services
        .call(&ctx, &state, operation, &parameters, 0)
        .await?
    {
        Ok(response) => response,
        Err(error) => return Ok(failed(&error).parameters(parameters)),
    };
    let mut sources = state.sources.clone().unwrap_or_default();
    sources.push(response.source.clone());
    // Without something to compare there is no second call.
    let second = compared(&state, operation).cloned().map(|mut second| {
        second.api = Some(operation.api());
        second.parameters = Some(with_ids(operation, &known, second.entity.as_ref()));
        second
    });
    Ok(AtrisState::update()
        .selected_host(response.source.host.clone())
        .sources(sources)
        .parameters(parameters)
        .secondary_api(second)
        .response(response))
}
