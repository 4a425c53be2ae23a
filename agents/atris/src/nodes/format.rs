//! Node `format`: the answer in words, made of records alone, unless a strong model has answered.

use superstep::{NodeError, Snap};

use crate::{
    state::{AtrisState, AtrisStateUpdate},
    wording,
};

pub(crate) async fn format(state: Snap<AtrisState>) -> Result<AtrisStateUpdate, NodeError> {
    // A strong model has answered already, and what it said was checked.
    let answer = match (&state.answer, &state.error) {
        (Some(answer), None) => answer.clone(),
        _ => wording::of(&state),
    };
    Ok(AtrisState::update()
        .formatted_response(answer.answer.clone())
        .answer(answer))
}
