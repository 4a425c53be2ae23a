//! What a node of the dynamic layer is: an async function of a [`DynCtx`].

use std::{
    future::Future,
    pin::Pin,
    task::{Context, Poll},
};

use pin_project_lite::pin_project;
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
        Box::pin(IntoOutput { running: self(ctx) })
    }
}

pin_project! {
    /// A node's own future, which an `async` block around it would have room for twice.
    struct IntoOutput<Fut> {
        #[pin]
        running: Fut,
    }
}

impl<Fut, Out> Future for IntoOutput<Fut>
where
    Fut: Future<Output = Result<Out, Halt>>,
    Out: Into<Output>,
{
    type Output = Result<Output, Halt>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let running = self.project().running;
        running.poll(cx).map_ok(Into::into)
    }
}
