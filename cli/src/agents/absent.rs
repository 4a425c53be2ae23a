//! Model of an agent that has none: every call is refused, and told why.

use superstep::{
    future::BoxFuture,
    model::{Caps, Deltas, ErrorKind, Model, ModelError, ModelId, Request},
};

/// Refuses every call.
#[derive(Debug)]
pub(super) struct Absent {
    id: ModelId,
    why: String,
}

impl Absent {
    pub(super) fn new(why: &str) -> Self {
        Self {
            id: ModelId::new("none", "none"),
            why: why.to_owned(),
        }
    }
}

impl Model for Absent {
    fn id(&self) -> &ModelId {
        &self.id
    }

    fn caps(&self) -> Caps {
        Caps::local()
    }

    fn stream<'a>(&'a self, _: &'a Request) -> BoxFuture<'a, Result<Deltas, ModelError>> {
        let why = self.why.clone();
        Box::pin(async move { Err(ErrorKind::NoModel { why }.into()) })
    }
}
