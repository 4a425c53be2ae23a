//! The function of a called task.

use std::sync::Arc;

use superstep_core::{command::Output, future::BoxFuture, run::Halt, value::Value};

use super::DynCtx;

/// The function of a called task.
pub type TaskBody =
    Arc<dyn Fn(DynCtx, Vec<Value>) -> BoxFuture<'static, Result<Value, Halt>> + Send + Sync>;

/// Turns the body of a called task into a node's result.
pub(crate) fn call_body(body: &TaskBody, ctx: DynCtx) -> BoxFuture<'static, Result<Output, Halt>> {
    let args = ctx.args().to_vec();
    let running = body(ctx, args);
    Box::pin(async move {
        running.await.map(|value| Output::Final {
            value,
            save: Value::Null,
        })
    })
}
