//! Calls of a model as spans of a run's trace.

use superstep_core::{
    Value,
    event::{Facts, SpanEnd, SpanError, SpanKind, SpanStart},
    future::BoxFuture,
};
use superstep_engine::{OpenSpan, typed::Ctx};
use superstep_model::{Model, ModelError, ModelLayer, Reply, Request};

/// A model whose calls are spans of the run's trace, for what wants a model, such as
/// `superstep_model::structured`. Conversations go through [`crate::stream_reply`].
///
/// Only `invoke` is traced: the end of a stream is not seen here.
pub struct Traced<'a> {
    /// The model.
    pub model: &'a dyn Model,
    /// The task that calls it.
    pub ctx: &'a Ctx,
}

impl ModelLayer for Traced<'_> {
    fn inner(&self) -> &dyn Model {
        self.model
    }

    fn invoke<'a>(&'a self, request: &'a Request) -> BoxFuture<'a, Result<Reply, ModelError>> {
        Box::pin(async move {
            let span = begin(self.ctx, self.model, request).await;
            let replied = self.model.invoke(request).await;
            span.end(|| span_end(&replied)).await;
            replied
        })
    }
}

/// Begins the span of a call.
pub(crate) async fn begin(ctx: &Ctx, model: &dyn Model, request: &Request) -> OpenSpan {
    let name = &model.id().name;
    ctx.span(SpanKind::Model, name, || start(model, request))
        .await
}

/// Begins the span of a call that is part of another one.
pub(crate) async fn begin_within(
    span: &OpenSpan,
    model: &dyn Model,
    request: &Request,
) -> OpenSpan {
    let name = &model.id().name;
    span.span(SpanKind::Model, name, || start(model, request))
        .await
}

fn start(model: &dyn Model, request: &Request) -> SpanStart {
    let asked = model.id();
    SpanStart {
        inputs: value(request),
        facts: Facts {
            provider: Some(asked.provider.as_str().into()),
            model_asked: Some(asked.name.as_str().into()),
            ..Facts::default()
        },
    }
}

/// The end of a call's span.
pub(crate) fn span_end(replied: &Result<Reply, ModelError>) -> SpanEnd {
    let reply = match replied {
        Ok(reply) => reply,
        Err(error) => return failed(error),
    };
    let answered = reply.answered.as_ref();
    let usage = reply.usage;
    let paid = answered.and_then(|it| it.paid.as_ref());
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
        outputs: value(reply),
        facts,
        ..SpanEnd::default()
    }
}

/// The end of a call that failed, with what its attempts took.
fn failed(error: &ModelError) -> SpanEnd {
    let mut end = SpanEnd::from(SpanError::new(error.code(), error));
    if let Some(lost) = error.lost() {
        end.facts.cost = lost.cost.map(|cost| cost.as_micros());
        end.facts.input_tokens = Some(lost.usage.input);
        end.facts.cached_tokens = Some(lost.usage.cached);
        end.facts.output_tokens = Some(lost.usage.output);
        end.facts.reasoning_tokens = Some(lost.usage.reasoning);
    }
    end
}

/// Requests and replies are plain data; what could not be written as such is left out.
fn value<T: serde::Serialize>(data: &T) -> Value {
    serde_json::to_value(data).unwrap_or_default().into()
}
