//! The model of an agent that has none.

use superstep::{
    future::BoxFuture,
    model::{Caps, Deltas, ErrorKind, Model, ModelError, ModelId, Request},
};

/// A model that refuses every call with a reason.
#[derive(Debug)]
pub struct NoModel {
    id: ModelId,
    why: String,
}

impl NoModel {
    /// Refuses calls with this reason.
    pub fn new(why: &str) -> Self {
        Self {
            id: ModelId::new("none", "none"),
            why: why.to_owned(),
        }
    }
}

impl Model for NoModel {
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
