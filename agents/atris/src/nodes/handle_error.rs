//! Node `handle_error`: keeps the error in the history, which is bounded.

use superstep::{NodeError, Snap};

use crate::state::{AtrisState, AtrisStateUpdate, MAX_ERRORS};

pub(crate) async fn handle_error(state: Snap<AtrisState>) -> Result<AtrisStateUpdate, NodeError> {
    let mut history = state.error_history.clone();
    history.extend(state.error.clone());
    let more = history.len().saturating_sub(MAX_ERRORS);
    history.drain(..more);
    Ok(AtrisState::update().error_history(history))
}
