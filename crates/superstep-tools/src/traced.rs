//! Calls of a model as spans of a run's trace.

use serde::de::DeserializeOwned;
use superstep_core::{
    Value,
    event::{Facts, SpanEnd, SpanError, SpanKind, SpanStart},
    future::BoxFuture,
};
use superstep_engine::{OpenSpan, typed::Ctx};
use superstep_model::{
    Model, ModelError, ModelLayer, Reply, Request,
    call::{StructuredReply, structured},
    in_trace,
};
use superstep_schema::{JsonSchema, Schema};

/// A model whose calls are spans of the run's trace, made by [`ModelCalls::model`] for what wants a model. Conversations
/// go through [`crate::stream_reply`].
///
/// Only `invoke` is traced: the end of a stream is not seen here.
pub struct Traced<'a> {
    /// The model.
    pub model: &'a dyn Model,
    /// The task that calls it.
    pub ctx: &'a Ctx,
}

/// Calls of models by a node, in the trace and the cost of its run.
pub trait ModelCalls {
    /// The model, with its calls in the trace of the run.
    ///
    /// ```
    /// # use superstep_engine::typed::{Ctx, NodeError};
    /// # use superstep_model::{Message, Model, Request};
    /// use superstep_tools::ModelCalls;
    ///
    /// async fn draft(ctx: &Ctx, model: &dyn Model) -> Result<String, NodeError> {
    ///     let request = Request::new([Message::user("Write a line about rain.")]);
    ///     Ok(ctx.model(model).invoke(&request).await?.content.text())
    /// }
    /// # let _ = draft;
    /// ```
    fn model<'a>(&'a self, model: &'a dyn Model) -> Traced<'a>;

    /// Asks a model for a `T`, whose schema the reply must match: `superstep_model::call::structured`, traced.
    fn structured<T: DeserializeOwned + JsonSchema + Send>(
        &self,
        model: &dyn Model,
        request: Request,
    ) -> impl Future<Output = Result<StructuredReply<T>, ModelError>> + Send;
}

impl ModelCalls for Ctx {
    fn model<'a>(&'a self, model: &'a dyn Model) -> Traced<'a> {
        Traced { model, ctx: self }
    }

    async fn structured<T: DeserializeOwned + JsonSchema + Send>(
        &self,
        model: &dyn Model,
        request: Request,
    ) -> Result<StructuredReply<T>, ModelError> {
        structured(&self.model(model), request, &Schema::of::<T>()).await
    }
}

impl ModelLayer for Traced<'_> {
    fn inner(&self) -> &dyn Model {
        self.model
    }

    fn invoke<'a>(&'a self, request: &'a Request) -> BoxFuture<'a, Result<Reply, ModelError>> {
        Box::pin(async move {
            let span = begin(self.ctx, self.model, request).await?;
            let replied = call(&span, self.model.invoke(request)).await;
            span.end(|| span_end(&replied)).await;
            replied
        })
    }
}

/// The work of a call, in the trace of its run.
pub(crate) async fn call<T>(span: &OpenSpan, work: impl Future<Output = T>) -> T {
    span.within(in_trace(span.traceparent(), work)).await
}

/// Begins the span of a call, if the budget of the run has something left for it (SS5014).
pub(crate) async fn begin(
    ctx: &Ctx,
    model: &dyn Model,
    request: &Request,
) -> Result<OpenSpan, ModelError> {
    ctx.check_budget()?;
    let name = &model.id().name;
    let span = ctx.span(SpanKind::Model, name, || start(model, request));
    Ok(span.await)
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
