//! The engine's errors under the names the recordings use.

use serde_json::{Value as Json, json};
use superstep_core::{
    error::{Error, ErrorKind, Limit, SaverError, Unmatched},
    record::StoredError,
    run::Halt,
};

use crate::{expr::KINDS, program::Stop};

/// The recorded name of an error.
pub fn kind(error: &ErrorKind) -> &str {
    match error {
        ErrorKind::Failed(failure) | ErrorKind::Reduce { failure, .. } => &failure.kind,
        ErrorKind::TimedOut { .. } => "NodeTimeoutError",
        ErrorKind::RouteMissing { .. } => "KeyError",
        ErrorKind::RouteInvalid | ErrorKind::BadArgument { .. } => "ValueError",
        ErrorKind::BadReturn { .. }
        | ErrorKind::Conflict { .. }
        | ErrorKind::DoubleOverwrite { .. }
        | ErrorKind::SendToEnd
        | ErrorKind::AmbiguousUpdate
        | ErrorKind::BadUpdate { .. } => "InvalidUpdateError",
        ErrorKind::NoParent => "ParentCommand",
        ErrorKind::EmptyInput => "EmptyInputError",
        ErrorKind::StepLimit { .. } => "GraphRecursionError",
        ErrorKind::Drained { .. } => "GraphDrained",
        ErrorKind::AmbiguousResume { .. } | ErrorKind::ResumeWithoutSaver => "RuntimeError",
        ErrorKind::UnknownAsk { .. } => "UnknownInterruptError",
        ErrorKind::NoSaver => "ValueError",
        ErrorKind::Saver(SaverError::Busy { .. }) => "Busy",
        other => other.code(),
    }
}

/// An error as an operation's result.
pub fn render(error: &Error) -> Json {
    let name = kind(&error.kind);
    match &*error.kind {
        ErrorKind::Failed(failure) | ErrorKind::Reduce { failure, .. } => {
            json!({ "kind": name, "message": failure.message })
        }
        ErrorKind::TimedOut { limit, .. } => {
            let limit = limit_name(*limit);
            let node = error.place.node.as_deref();
            json!({ "kind": name, "engine": true, "timeout_kind": limit, "node": node })
        }
        ErrorKind::Drained { reason } => {
            json!({ "kind": name, "engine": true, "reason": reason })
        }
        ErrorKind::UnknownAsk { reason, .. } => {
            let reason = match reason {
                Unmatched::NotPending => "not_pending",
                Unmatched::EmptyMap => "empty_map",
                Unmatched::Ambiguous => "ambiguous",
            };
            json!({ "kind": name, "engine": true, "reason": reason })
        }
        _ => json!({ "kind": name, "engine": true, "_message": error.to_string() }),
    }
}

fn limit_name(limit: Limit) -> &'static str {
    match limit {
        Limit::Run => "run",
        Limit::Idle => "idle",
    }
}

/// A stored error's recorded name.
pub fn stored_kind(error: &StoredError) -> &str {
    match error.code.as_str() {
        "SS1001" | "SS1007" => &error.class,
        "SS1003" => "NodeTimeoutError",
        "SS1008" => "KeyError",
        "SS1009" => "ValueError",
        "SS1004" | "SS1005" | "SS1006" | "SS1010" | "SS1110" => "InvalidUpdateError",
        "SS1102" => "GraphRecursionError",
        other => other,
    }
}

/// An error of a task in a snapshot or event.
pub fn render_stored(error: &StoredError) -> Json {
    let name = stored_kind(error);
    if KINDS.contains(&name) {
        json!({ "kind": name, "message": error.message })
    } else {
        json!({ "kind": name, "engine": true })
    }
}

/// What an error of the engine is to a program that called into it.
pub fn to_stop(halt: Halt) -> Stop {
    match halt {
        Halt::Error(error) => match &*error.kind {
            ErrorKind::Failed(failure) | ErrorKind::Reduce { failure, .. } => {
                let (kind, message) = (failure.kind.to_string(), failure.message.clone());
                Stop::Raised { kind, message }
            }
            ErrorKind::Drained { .. } | ErrorKind::NoParent => Stop::Bubble(Box::new(error)),
            other => Stop::Engine {
                kind: kind(other).to_owned(),
                message: other.to_string(),
                extra: Json::Null,
            },
        },
        other => Stop::Bubble(Box::new(other)),
    }
}
