//! Node `execute_request_node`: the call, as a tool call. A failed call is an error, an empty reply is
//! empty; neither becomes the other.

use superstep::{Ctx, NodeError, Res, Snap};

use super::{
    request::request,
    resolve_entity::{compared, with_ids},
};
use crate::{
    services::Services,
    state::{AtrisState, AtrisStateUpdate},
};

const NODE: &str = "execute_request_node";

pub(crate) async fn execute_request_node(
    state: Snap<AtrisState>,
    services: Res<Services>,
    ctx: Ctx,
) -> Result<AtrisStateUpdate, NodeError> {
    let known = state.parameters.clone().unwrap_or_default();
    let made = request(
        NODE,
        state.best_api.as_ref(),
        |operation| with_ids(operation, &known, state.entity.as_ref()),
        (&state, &services, &ctx),
    );
    let mut made = match made.await? {
        Ok(made) => made,
        Err(failed) => return Ok(failed),
    };
    // Of an earlier list those records count that it showed.
    if let Some(list) = state.continued.as_ref().filter(|it| !it.among.is_empty()) {
        made.response.data.retain(|record| {
            let id = record.get("id").and_then(|id| id.as_str());
            id.is_some_and(|id| list.among.iter().any(|known| known == id))
        });
    }
    let operation = made.operation;
    // Without something to compare there is no second call.
    let second = compared(&state, operation).cloned().map(|mut second| {
        second.api = Some(operation.api());
        second.parameters = Some(with_ids(operation, &known, second.entity.as_ref()));
        second
    });
    let host = Some(made.response.source.host.clone()).filter(|host| !host.is_empty());
    Ok(AtrisState::update()
        .selected_host(host.or(state.selected_host.clone()))
        .sources(made.sources)
        .parameters(made.parameters)
        .secondary_api(second)
        .response(made.response))
}
