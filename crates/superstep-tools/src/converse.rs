//! One call of a model from a node, told to readers as it comes.

use std::time::{Duration, Instant};

use superstep_core::{
    Value,
    event::{Facts, SpanEnd, SpanError, SpanKind, SpanStart},
};
use superstep_engine::typed::{Ctx, NodeError};
use superstep_model::{Assembly, Delta, Message, Model, ModelError, Reply, Request};

/// Calls a model and passes its words on to readers of the run's messages while they come. The
/// message has an id, equal on every attempt of the task. The call is a span of the run's trace.
pub async fn converse(
    ctx: &Ctx,
    model: &dyn Model,
    request: &Request,
) -> Result<Message, NodeError> {
    let asked = model.id();
    let start = || SpanStart {
        inputs: value(request),
        facts: Facts {
            provider: Some(asked.provider.as_str().into()),
            model_asked: Some(asked.name.as_str().into()),
            ..Facts::default()
        },
    };
    let span = ctx.span(SpanKind::Model, &asked.name, start).await;
    let id = ctx.key("reply");
    let mut first = FirstPiece::new();
    let replied = reply(ctx, model, request, &id, &mut first).await;
    span.end(|| match &replied {
        Ok(reply) => told(reply, &first),
        Err(error) => SpanError::new(error.code(), error).into(),
    })
    .await;
    Ok(Message::from(replied?).with_id(id))
}

/// How long the first piece took.
struct FirstPiece {
    asked: Instant,
    took: Option<Duration>,
}

impl FirstPiece {
    fn new() -> Self {
        Self {
            asked: Instant::now(),
            took: None,
        }
    }

    fn is_here(&mut self) {
        let asked = self.asked;
        self.took.get_or_insert_with(|| asked.elapsed());
    }

    fn micros(&self) -> Option<u64> {
        u64::try_from(self.took?.as_micros()).ok()
    }
}

async fn reply(
    ctx: &Ctx,
    model: &dyn Model,
    request: &Request,
    id: &str,
    first: &mut FirstPiece,
) -> Result<Reply, ModelError> {
    let mut deltas = model.stream(request).await?;
    let mut reply = Assembly::new(model.id());
    while let Some(delta) = deltas.next().await {
        let delta = delta?;
        first.is_here();
        ctx.heartbeat();
        if let Delta::Text(text) = &delta {
            let piece = Message::model(text.as_str()).with_id(id);
            // A piece that cannot be shown is no reason to lose the reply.
            let _shown = ctx.emit_message(&piece).await;
        }
        reply.add(delta)?;
    }
    reply.finish()
}

/// What a reply says about its call.
fn told(reply: &Reply, first: &FirstPiece) -> SpanEnd {
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
        first_token: first.micros(),
        ..Facts::default()
    };
    SpanEnd {
        outputs: value(reply),
        facts,
        ..SpanEnd::default()
    }
}

/// Requests and replies are plain data; what could not be written as such is left out.
fn value<T: serde::Serialize>(data: &T) -> Value {
    serde_json::to_value(data).unwrap_or_default().into()
}
