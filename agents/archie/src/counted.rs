//! A model whose replies are counted, also those that did not fit their schema: they were paid for.

use std::sync::Mutex;

use superstep::{
    future::BoxFuture,
    model::{Caps, Deltas, Model, ModelError, ModelId, Reply, Request},
    sync::lock,
};

use crate::{prompts::Stage, usage::Spent};

/// Counts what the replies of a model cost.
pub(crate) struct Counted<'a> {
    model: &'a dyn Model,
    stage: Stage,
    spent: Mutex<Option<Spent>>,
}

impl<'a> Counted<'a> {
    pub(crate) fn new(model: &'a dyn Model, stage: Stage) -> Self {
        Self {
            model,
            stage,
            spent: Mutex::default(),
        }
    }

    /// What all replies cost together; nothing if there was none.
    pub(crate) fn spent(&self) -> Option<Spent> {
        let spent = lock(&self.spent).clone()?;
        Some(Spent {
            stage: Some(self.stage),
            ..spent
        })
    }
}

impl Model for Counted<'_> {
    fn id(&self) -> &ModelId {
        self.model.id()
    }

    fn caps(&self) -> Caps {
        self.model.caps()
    }

    fn stream<'a>(&'a self, request: &'a Request) -> BoxFuture<'a, Result<Deltas, ModelError>> {
        self.model.stream(request)
    }

    fn invoke<'a>(&'a self, request: &'a Request) -> BoxFuture<'a, Result<Reply, ModelError>> {
        Box::pin(async move {
            let reply = self.model.invoke(request).await?;
            let new = Spent::on(&reply, self.stage, 0);
            let mut spent = lock(&self.spent);
            *spent = Some(match spent.take() {
                Some(before) => before.plus(&new),
                None => new,
            });
            drop(spent);
            Ok(reply)
        })
    }
}
