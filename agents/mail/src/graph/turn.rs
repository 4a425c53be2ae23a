//! The newest turn of a conversation: what the model said in it, and what was decided about its calls.

use superstep::{
    Ctx,
    model::{
        Body, Message, Reply, ToolCall,
        message::{ToolReply, ToolStatus},
    },
};

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

/// What came of a call of the newest turn, if it has come.
pub(super) fn result_of<'a>(state: &'a ReplyState, call: &ToolCall) -> Option<&'a ToolReply> {
    let newest = state.messages.iter().rev();
    let mut newest = newest.take_while(|message| message.reply().is_none());
    newest.find_map(|message| match &message.body {
        Body::Tool(reply) if reply.tool_call_id == call.id => Some(reply),
        _ => None,
    })
}

/// The reply to a call of the model.
pub(super) fn reply(call: &ToolCall, text: &str, status: ToolStatus) -> ToolReply {
    ToolReply {
        tool_call_id: call.id.clone(),
        name: call.name.clone(),
        content: text.into(),
        status,
    }
}

/// The message that tells the model what came of its call.
pub(super) fn result(
    ctx: &Ctx,
    place: usize,
    call: &ToolCall,
    text: &str,
    status: ToolStatus,
) -> Message {
    Message::from(reply(call, text, status))
        .with_id(ctx.idempotency_key(&format!("result {place}")))
}
