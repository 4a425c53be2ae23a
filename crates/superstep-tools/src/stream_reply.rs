//! A streamed model call from a node: pieces are emitted as messages while they arrive.

use std::time::{Duration, Instant};

use superstep_engine::typed::{Ctx, NodeError};
use superstep_model::{Assembly, Delta, Message, Model, ModelError, Reply, Request};

use crate::traced;

/// Calls a model and passes its words on to readers of the run's messages while they come. The
/// message has an id, equal on every attempt of the task. The call is a span of the run's trace.
pub async fn stream_reply(
    ctx: &Ctx,
    model: &dyn Model,
    request: &Request,
) -> Result<Message, NodeError> {
    let span = traced::begin(ctx, model, request).await?;
    let id = ctx.idempotency_key("reply");
    let mut first = FirstToken::new();
    let work = reply(ctx, model, request, &id, &mut first);
    let replied = traced::call(&span, work).await;
    span.end(|| {
        let mut end = traced::span_end(&replied);
        end.facts.first_token = first.micros().filter(|_| replied.is_ok());
        end
    })
    .await;
    Ok(Message::from(replied?).with_id(id))
}

/// Time to the first token.
struct FirstToken {
    asked: Instant,
    took: Option<Duration>,
}

impl FirstToken {
    fn new() -> Self {
        Self {
            asked: Instant::now(),
            took: None,
        }
    }

    fn arrived(&mut self) {
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
    first: &mut FirstToken,
) -> Result<Reply, ModelError> {
    let mut deltas = model.stream(request).await?;
    let mut reply = Assembly::new(model.id());
    while let Some(delta) = deltas.next().await {
        let delta = delta?;
        ctx.heartbeat();
        if !matches!(delta, Delta::Reading { .. }) {
            first.arrived();
        }
        if let Delta::Text(text) = &delta {
            let piece = Message::model(text.as_str()).with_id(id);
            // A piece that cannot be shown is no reason to lose the reply.
            let _shown = ctx.emit_message(&piece).await;
        }
        reply.add(delta)?;
    }
    reply.finish()
}
