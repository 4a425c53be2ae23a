//! Node `secondary_request`: the same call for the second thing of a comparison.

use superstep::{Ctx, NodeError, Res, Snap};

use crate::{
    catalogue::Catalogue,
    error::Error,
    services::{Services, problem},
    state::{AtrisState, AtrisStateUpdate},
};

const NODE: &str = "secondary_request";

pub(crate) async fn secondary_request(
    state: Snap<AtrisState>,
    services: Res<Services>,
    ctx: Ctx,
) -> Result<AtrisStateUpdate, NodeError> {
    let failed = |error: &Error| AtrisState::update().error(problem(error, NODE, &state));
    let Some(second) = &state.secondary_api else {
        return Ok(AtrisState::update());
    };
    let api = second
        .api
        .as_ref()
        .map(|api| api.id.clone())
        .unwrap_or_default();
    let operation = match Catalogue::get().and_then(|it| it.require(&api)) {
        Ok(operation) => operation,
        Err(error) => return Ok(failed(&error)),
    };
    let parameters = second.parameters.clone().unwrap_or_default();
    let response = match services
        .call(&ctx, &state, operation, &parameters, 0)
        .await?
    {
        Ok(response) => response,
        Err(error) => return Ok(failed(&error)),
    };
    let mut sources = state.sources.clone().unwrap_or_default();
    sources.push(response.source.clone());
    Ok(AtrisState::update()
        .sources(sources)
        .secondary_response(response))
}
