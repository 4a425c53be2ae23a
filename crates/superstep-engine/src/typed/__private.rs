//! What generated code needs; not for people.

pub use serde_json::{Error as JsonError, Value as Json, to_value as to_json};
pub use superstep_core::{
    channel_state::{Folded, Recording},
    plan::FieldShape,
    record::Change,
    value::DecodeError,
};

pub use superstep_schema::probe;

pub use super::state::Writes;
use super::{FromTask, IntoCommand, Nodes, State};

/// What a send carries.
pub trait Payload: serde::Serialize + Clone + Send + Sync + 'static {}
impl<T: serde::Serialize + Clone + Send + Sync + 'static> Payload for T {}

/// No declared migration starts at that version.
pub fn no_migration<S: State, T>(version: u32) -> Result<T, String> {
    Err(format!(
        "no migration leads from version {version} to version {}",
        S::VERSION
    ))
}

/// Compiles if `A` is an argument of a node.
pub fn is_argument<S: State, N: Nodes, A: FromTask<S, N>>() {}

/// Compiles if `R` is the result of a node.
pub fn is_result<S: State, N: Nodes, R: IntoCommand<S, N>>() {}

/// Compiles if a future can move between threads.
pub fn is_send<F: Future + Send>(_: F) {}
