//! Payloads of sends and the context of runs: declared, so that the whole graph is checked against them
//! when it is built.

use serde::{Serialize, de::DeserializeOwned};

use super::{
    builder::GraphBuilder, extract::Type, nodes::Nodes, state::State, unfit_context::unfit_context,
};

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
