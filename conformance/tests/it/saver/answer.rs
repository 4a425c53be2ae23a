//! Answers of the memory saver, which come at once.

use superstep_core::{error::SaverError, future::MaybeReady};

pub(crate) type Answer<T> = Result<T, SaverError>;

/// The memory saver answers at once.
pub(crate) fn now<T>(reply: MaybeReady<'_, T>) -> Answer<T> {
    match reply {
        MaybeReady::Now(Some(answer)) => answer,
        _ => Err(SaverError::Io("not an answer at once".into())),
    }
}
