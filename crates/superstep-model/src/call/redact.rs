//! Redaction of errors: what providers report may quote keys.

use superstep_text::Redactor;

use crate::error::{ErrorKind, ModelError};

/// The error without secrets in the texts that come from outside.
pub(super) fn error(error: ModelError, redactor: &Redactor) -> ModelError {
    let mut kind = error.kind().clone();
    let Some(words) = words(&mut kind) else {
        return error;
    };
    let redacted = redactor.text(words).into_owned();
    if redacted == *words {
        return error;
    }
    *words = redacted;
    kind.into()
}

/// The part of an error that comes from outside.
fn words(kind: &mut ErrorKind) -> Option<&mut String> {
    match kind {
        ErrorKind::Auth { message, .. }
        | ErrorKind::UnknownModel { message, .. }
        | ErrorKind::Refused { message, .. }
        | ErrorKind::TooLong { message }
        | ErrorKind::Limited { message, .. }
        | ErrorKind::Server { message, .. }
        | ErrorKind::Connect { message, .. } => Some(message),
        ErrorKind::Malformed { what }
        | ErrorKind::TooLarge { what }
        | ErrorKind::Unable { what, .. } => Some(what),
        ErrorKind::NoModel { why }
        | ErrorKind::Script { why }
        | ErrorKind::Unrecorded { why }
        | ErrorKind::Settings { why }
        | ErrorKind::Local { why }
        | ErrorKind::Template { why, .. }
        | ErrorKind::Unfit { why, .. } => Some(why),
        _ => None,
    }
}
