//! Node `handle_error`: keeps the error in the history, which is bounded.

use superstep::{NodeError, Snap};

use crate::{
    problem::Problem,
    state::{AtrisState, AtrisStateUpdate, MAX_ERRORS},
};

pub(crate) async fn handle_error(state: Snap<AtrisState>) -> Result<AtrisStateUpdate, NodeError> {
    Ok(match state.error.clone() {
        Some(problem) => AtrisState::update().error_history(with_problem(&state, problem)),
        None => AtrisState::update(),
    })
}

/// The history with another error in it.
pub(super) fn with_problem(state: &AtrisState, problem: Problem) -> Vec<Problem> {
    let mut history = state.error_history.clone();
    history.push(problem);
    let more = history.len().saturating_sub(MAX_ERRORS);
    history.drain(..more);
    history
}
