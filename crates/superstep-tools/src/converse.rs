//! One call of a model from a node, told to readers as it comes.

use superstep_engine::typed::{Ctx, NodeError};
use superstep_model::{Assembly, Delta, Message, Model, Reply, Request};

/// Calls a model and passes its words on to readers of the run's messages while they come. The
/// message has an id, equal on every attempt of the task.
pub async fn converse(
    ctx: &Ctx,
    model: &dyn Model,
    request: &Request,
) -> Result<Message, NodeError> {
    let id = ctx.key("reply");
    let mut deltas = model.stream(request).await?;
    let mut reply = Assembly::new(model.id());
    while let Some(delta) = deltas.next().await {
        let delta = delta?;
        ctx.heartbeat();
        if let Delta::Text(text) = &delta {
            let piece = Message::model(text.as_str()).with_id(id.as_str());
            ctx.emit_message(&piece).await?;
        }
        reply.add(delta)?;
    }
    let reply: Reply = reply.finish()?;
    Ok(Message::from(reply).with_id(id))
}
