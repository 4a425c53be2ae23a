//! Payloads of sends and the context of runs: declared, so that the whole graph is checked against them
//! when it is built.

use serde::{Serialize, de::DeserializeOwned};
use superstep_core::{
    error::ErrorKind,
    value::{DecodeError, Value},
};

use super::{builder::GraphBuilder, extract::Type, nodes::Nodes, state::State};

impl<S: State, N: Nodes> GraphBuilder<S, N> {
    /// [`GraphBuilder::may_send`] with the type of the payload: a target that takes another one is a mistake
    /// (SS4021).
    ///
    #[doc = include_str!("docs/builder/may_send_as.md")]
    #[must_use]
    pub fn may_send_as<T: Serialize + 'static>(mut self, from: N, targets: &[N]) -> Self {
        let sent = targets.iter().map(|to| (from, *to, Type::of::<T>()));
        self.payloads.extend(sent);
        self.may_send(from, targets)
    }

    /// Remembers the type of the context.
    pub(super) fn context_type<T>(&mut self)
    where
        T: DeserializeOwned + Clone + Send + Sync + 'static,
    {
        self.context = Some(Type::of::<T>());
        self.check_context = Some(|context| {
            let read = context.clone().take::<T>();
            read.map(drop)
                .map_err(|error| unfit_context(context, &error))
        });
    }
}

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
