//! The error for a run without the context that its graph wants.

use superstep_core::{
    error::ErrorKind,
    value::{DecodeError, Value},
};

/// The error for a context of another type than is wanted, or for none.
pub(super) fn unfit_context(context: &Value, error: &DecodeError) -> ErrorKind {
    let wanted = error.expected;
    let why = match context.is_null() {
        true => {
            format!("the run has none, and a {wanted} is wanted: `graph.with_context(..)` gives it")
        }
        false => error.to_string(),
    };
    let what = "the context of the run".to_owned();
    ErrorKind::Decode { what, why }
}
