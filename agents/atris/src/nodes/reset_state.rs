//! Node `reset_state_node`: clears everything about the question. The host, the errors and the answers
//! stay; the answer becomes the last entry of the history.

use serde_json::{Value as Json, json};
use superstep::{NodeError, Snap};

use crate::state::{AtrisState, AtrisStateUpdate, MAX_ANSWERS};

pub(crate) async fn reset_state_node(
    state: Snap<AtrisState>,
) -> Result<AtrisStateUpdate, NodeError> {
    let mut history = state.message_history.clone();
    history.extend(state.answer.clone());
    let more = history.len().saturating_sub(MAX_ANSWERS);
    history.drain(..more);
    Ok(cleared().query(None).message_history(history))
}

/// Nothing in all fields that are about one question, but for the question itself.
pub(crate) fn cleared() -> AtrisStateUpdate {
    AtrisState::update()
        .query_type(None)
        .categories(None)
        .apis(None)
        .best_api(None)
        .parameters(None)
        .response(None)
        .complexity(None)
        .is_entity_query(None)
        .entity_name(None)
        .entity_type(None)
        .error(None)
        .messages(None)
        .entity(None)
        .secondary_api(None)
        .secondary_response(None)
        .initial_state(None)
        .formatted_response(None)
        .aspect(None)
        .computation(None)
        .first(None)
        .continued(None)
        .reading(None)
        .pending(None)
        .was_asked(None)
        .acting(None)
        .asked_of(None)
        .bound_host(None)
        .sources(None)
        .research(None)
        .answer(None)
}

/// What a thread has before a question.
pub(crate) fn thread_before(state: &AtrisState) -> Json {
    json!({
        "selectedHost": state.selected_host,
        "answers": state.message_history.len(),
        "errors": state.error_history.len(),
    })
}
