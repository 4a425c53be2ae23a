//! What a node of the dynamic layer is: an async function of a [`DynCtx`].

use std::future::Future;

use superstep_core::{command::Output, future::BoxFuture, run::Halt};

use crate::ctx::DynCtx;

/// Runs as a node. Implemented for async functions of a [`DynCtx`].
pub trait Node: Send + Sync + 'static {
    /// Runs one attempt.
    fn run(&self, ctx: DynCtx) -> BoxFuture<'static, Result<Output, Halt>>;
}

impl<F, Fut, Out> Node for F
where
    F: Fn(DynCtx) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<Out, Halt>> + Send + 'static,
    Out: Into<Output>,
{
    fn run(&self, ctx: DynCtx) -> BoxFuture<'static, Result<Output, Halt>> {
        let running = self(ctx);
        Box::pin(async move { running.await.map(Into::into) })
    }
}
