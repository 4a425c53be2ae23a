//! The newest turn of a conversation: what the model said in it, and what was decided about its calls.

use superstep::model::{Message, Reply};

use super::{Decided, ReplyState};

/// What the model said last.
pub(super) fn last_turn(messages: &[Message]) -> Option<(&Message, &Reply)> {
    let mut all = messages.iter().rev();
    all.find_map(|message| Some((message, message.reply()?)))
}

/// What was decided about the calls of this turn.
pub(super) fn of_turn(state: &ReplyState) -> impl Iterator<Item = &Decided> {
    state.decided.iter().filter(|it| it.turn == state.turn)
}
