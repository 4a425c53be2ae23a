//! Room for a reply: whether a limit of tokens cut it before it was of use, and a wider limit for the second try.

use crate::{
    error::{ErrorKind, ModelError},
    message::Reply,
    model_id::ModelId,
    request::Request,
    usage::Finish,
};

/// How much wider the limit of the second try is.
const WIDER: u32 = 4;

/// The request with a wider limit; nothing if it has no limit.
pub(super) fn wider(request: &Request) -> Option<Request> {
    let limit = request.max_tokens?.saturating_mul(WIDER);
    Some(Request {
        max_tokens: Some(limit),
        ..request.clone()
    })
}

/// Whether a reply was cut before its first word or call. Reasoning may have used up the limit.
pub(super) fn is_lost(reply: &Reply) -> bool {
    is_cut(reply)
        && reply.tool_calls.is_empty()
        && reply.invalid_tool_calls.is_empty()
        && reply.content.text().trim().is_empty()
}

/// Whether a reply ended at a limit of tokens.
pub(super) fn is_cut(reply: &Reply) -> bool {
    let answered = reply.answered.as_ref();
    answered.is_some_and(|answered| answered.finish == Finish::Length)
}

/// The error for a reply that was lost. The limit is named, as a person may raise it.
pub(super) fn used_up(model: &ModelId, limit: Option<u32>) -> ModelError {
    let model = model.to_string();
    ErrorKind::OutOfRoom { model, limit }.into()
}
