//! The model of an agent, watched: what its calls took is known also if the agent fails.

use std::sync::{Arc, Mutex};

use superstep::{
    future::BoxFuture,
    model::{ErrorKind, Model, ModelError, ModelLayer, Reply, Request},
    sync::lock,
    tools::refine::Spending,
};

/// What the calls of an agent took so far.
pub(crate) type Spent = Arc<Mutex<Spending>>;

pub(crate) struct Watched {
    model: Arc<dyn Model>,
    spent: Spent,
}

impl Watched {
    pub(crate) fn new(model: Arc<dyn Model>, spent: Spent) -> Self {
        Self { model, spent }
    }
}

impl ModelLayer for Watched {
    fn inner(&self) -> &dyn Model {
        &*self.model
    }

    fn invoke<'a>(&'a self, request: &'a Request) -> BoxFuture<'a, Result<Reply, ModelError>> {
        Box::pin(async move {
            let replied = self.model.invoke(request).await;
            let mut call = Spending::default();
            match &replied {
                Ok(reply) => {
                    let paid = reply.answered.as_ref().and_then(|it| it.paid.as_ref());
                    call.calls = 1;
                    call.usage = reply.usage.unwrap_or_default();
                    call.micros = paid
                        .and_then(|paid| paid.cost)
                        .map_or(0, |cost| cost.as_micros());
                }
                // These were not sent.
                Err(error)
                    if matches!(
                        error.kind(),
                        ErrorKind::Budget { .. } | ErrorKind::CircuitOpen { .. }
                    ) => {}
                Err(_) => call.calls = 1,
            }
            let mut spent = lock(&self.spent);
            *spent += call;
            drop(spent);
            replied
        })
    }
}
