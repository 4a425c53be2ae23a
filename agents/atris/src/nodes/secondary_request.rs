//! Node `secondary_request`: the same call for the second thing of a comparison.

use superstep::{Ctx, NodeError, Res, Snap};

use super::request::request;
use crate::{
    services::Services,
    state::{AtrisState, AtrisStateUpdate},
};

const NODE: &str = "secondary_request";

pub(crate) async fn secondary_request(
    state: Snap<AtrisState>,
    services: Res<Services>,
    ctx: Ctx,
) -> Result<AtrisStateUpdate, NodeError> {
    let Some(second) = &state.secondary_api else {
        return Ok(AtrisState::update());
    };
    let known = second.parameters.clone().unwrap_or_default();
    let made = request(
        NODE,
        second.api.as_ref(),
        |_| known,
        (&state, &services, &ctx),
    );
    Ok(match made.await? {
        Ok(made) => AtrisState::update()
            .sources(made.sources)
            .secondary_response(made.response),
        Err(failed) => failed,
    })
}
