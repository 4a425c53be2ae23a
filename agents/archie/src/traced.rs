//! A model whose calls are told to the trace of a run.
//!
//! Conversations go through `superstep::tools::converse`; an answer that is data is got by
//! `superstep::model::structured`, which wants a model.

use serde_json::to_value;
use superstep::{
    Ctx, Facts, SpanEnd, SpanError, SpanKind, SpanStart,
    model::{Caps, Deltas, Model, ModelError, ModelId, Reply, Request},
    saver::BoxFuture,
};

/// A model and the task that calls it.
pub(crate) struct Traced<'a> {
    pub(crate) model: &'a dyn Model,
    pub(crate) ctx: &'a Ctx,
}

impl Model for Traced<'_> {
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
            let id = self.model.id();
            let start = || SpanStart {
                inputs: to_value(request).unwrap_or_default().into(),
                facts: Facts {
                    provider: Some(id.provider.as_str().into()),
                    model_asked: Some(id.name.as_str().into()),
                    ..Facts::default()
                },
            };
            let span = self.ctx.span(SpanKind::Model, &id.name, start).await;
            let replied = self.model.invoke(request).await;
            span.end(|| match &replied {
                Ok(reply) => told(reply),
                Err(error) => SpanError::new(error.code(), error).into(),
            })
            .await;
            replied
        })
    }
}

fn told(reply: &Reply) -> SpanEnd {
    let answered = reply.answered.as_ref();
    let paid = answered.and_then(|it| it.paid.as_ref());
    let usage = reply.usage;
    let facts = Facts {
        attempts: paid.map(|it| it.attempts),
        cost: paid.and_then(|it| it.cost).map(|cost| cost.as_micros()),
        prices: paid.map(|it| it.prices.as_str().into()),
        model_answered: answered.map(|it| it.model.as_str().into()),
        model_hash: answered.and_then(|it| it.weights.as_deref().map(Into::into)),
        finish: answered.map(|it| it.finish.to_string().into()),
        input_tokens: usage.map(|it| it.input),
        cached_tokens: usage.map(|it| it.cached),
        output_tokens: usage.map(|it| it.output),
        reasoning_tokens: usage.map(|it| it.reasoning),
        ..Facts::default()
    };
    SpanEnd {
        outputs: to_value(reply).unwrap_or_default().into(),
        facts,
        ..SpanEnd::default()
    }
}
