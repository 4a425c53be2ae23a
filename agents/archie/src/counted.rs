//! A model whose replies are counted, also those that did not fit their schema: they were paid for.

use std::sync::Mutex;

use superstep::{
    future::BoxFuture,
    model::{Model, ModelError, ModelLayer, Reply, Request},
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

impl ModelLayer for Counted<'_> {
    fn inner(&self) -> &dyn Model {
        self.model
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
