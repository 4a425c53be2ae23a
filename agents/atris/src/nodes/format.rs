//! Node `format`: the answer in words, made of records alone. No model writes here.

use superstep::{NodeError, Snap};

use crate::{
    state::{AtrisState, AtrisStateUpdate},
    wording,
};

pub(crate) async fn format(state: Snap<AtrisState>) -> Result<AtrisStateUpdate, NodeError> {
    let answer = wording::of(&state);
    Ok(AtrisState::update()
        .formatted_response(answer.answer.clone())
        .answer(answer))
}
