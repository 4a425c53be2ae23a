//! Estimates of token counts, for budgets when the model reports none.

use crate::{
    delta::Delta,
    message::{Body, Content, Message, Part},
    request::Request,
};

const BYTES_PER_TOKEN: u64 = 4;
const TOKENS_PER_IMAGE: u64 = 1_000;

/// About as many tokens as a model reads for a request.
pub(super) fn request(request: &Request) -> u64 {
    let messages: u64 = request.messages.iter().map(message).sum();
    let tools = request.tools.iter().map(|tool| {
        let schema = tool.parameters.to_string().len();
        (tool.name.len() + tool.description.len() + schema) as u64
    });
    let output = request.output.as_ref();
    let output = output.map_or(0, |output| output.schema.to_string().len() as u64);
    messages.saturating_add(tokens(tools.sum::<u64>().saturating_add(output)))
}

/// Tokens of so many bytes.
pub(super) fn tokens(bytes: u64) -> u64 {
    bytes.div_ceil(BYTES_PER_TOKEN)
}

/// Bytes that a piece of a reply adds.
pub(super) fn bytes(delta: &Delta) -> u64 {
    let length = match delta {
        Delta::Text(text) | Delta::Reasoning(text) => text.len(),
        Delta::Call { name, .. } => name.len(),
        Delta::Args { json, .. } => json.len(),
        Delta::ReasoningEnd { hidden, .. } => hidden.as_ref().map_or(0, String::len),
        Delta::Reading { .. }
        | Delta::From { .. }
        | Delta::Usage(_)
        | Delta::Finish(_)
        | Delta::Paid(_) => 0,
    };
    length as u64
}

/// About as many tokens as a model reads for a message.
pub(crate) fn message(message: &Message) -> u64 {
    let said = match message.content() {
        Content::Text(text) => tokens(text.len() as u64),
        Content::Parts(parts) => parts.iter().map(part).sum(),
    };
    let Body::Model(reply) = &message.body else {
        return said;
    };
    let calls = reply.tool_calls.iter().map(|call| {
        let args = serde_json::to_string(&call.args).map_or(0, |args| args.len());
        (call.name.len() + args) as u64
    });
    said.saturating_add(tokens(calls.sum()))
}

fn part(part: &Part) -> u64 {
    match part {
        Part::Text { text } => tokens(text.len() as u64),
        Part::Image { .. } => TOKENS_PER_IMAGE,
    }
}
