//! Model of a read-only agent: every call is refused.

use superstep::{
    future::BoxFuture,
    model::{Caps, Deltas, ErrorKind, Model, ModelError, ModelId, Request, Structured},
};

/// Refuses every call.
#[derive(Debug)]
pub(super) struct Absent(ModelId);

impl Default for Absent {
    fn default() -> Self {
        Self(ModelId::new("none", "none"))
    }
}

impl Model for Absent {
    fn id(&self) -> &ModelId {
        &self.0
    }

    fn caps(&self) -> Caps {
        Caps {
            tools: true,
            structured: Structured::Schema,
            images: false,
            context: None,
            local: true,
        }
    }

    fn stream<'a>(&'a self, _: &'a Request) -> BoxFuture<'a, Result<Deltas, ModelError>> {
        let why = "the thread was opened read-only".to_owned();
        Box::pin(async move { Err(ErrorKind::NoModel { why }.into()) })
    }
}
