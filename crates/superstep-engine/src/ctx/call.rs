//! Tasks that a running task calls.

use std::{future::Future, sync::Arc};

use superstep_core::{
    command::Output,
    error::ErrorKind,
    future::BoxFuture,
    policy::{CachePolicy, RetryPolicy, Timeouts},
    run::{CallSpec, Halt},
    value::Value,
};
use tokio::sync::oneshot;

use super::{DynCtx, run_info::Request};

/// The function of a called task.
pub type TaskBody =
    Arc<dyn Fn(DynCtx, Vec<Value>) -> BoxFuture<'static, Result<Value, Halt>> + Send + Sync>;

/// A task that nodes and entrypoints can call.
#[derive(Clone)]
pub struct CallTask {
    /// Its name.
    pub name: Arc<str>,
    /// Its function.
    pub body: TaskBody,
    /// Retries.
    pub retry: Vec<RetryPolicy>,
    /// Result cache.
    pub cache: Option<CachePolicy>,
    /// Limits.
    pub timeouts: Timeouts,
}

impl CallTask {
    /// A task from an async function of its context and arguments.
    pub fn new<F, Fut>(name: impl Into<Arc<str>>, body: F) -> Self
    where
        F: Fn(DynCtx, Vec<Value>) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Value, Halt>> + Send + 'static,
    {
        Self {
            name: name.into(),
            body: Arc::new(move |ctx, args| Box::pin(body(ctx, args))),
            retry: Vec::new(),
            cache: None,
            timeouts: Timeouts::default(),
        }
    }
}

impl DynCtx {
    /// Starts a task of this task; await what it returns. It runs once: another attempt of the
    /// caller gets the stored result of its n-th call.
    pub fn call(&self, task: &CallTask, args: Vec<Value>) -> Calling {
        self.beat_if_auto();
        let (reply, answer) = oneshot::channel();
        let Ok(mut progress) = self.progress() else {
            return Calling(answer);
        };
        let n = progress.calls;
        progress.calls += 1;
        drop(progress);
        let spec = CallSpec {
            name: task.name.clone(),
            args,
            retry: task.retry.clone(),
            cache: task.cache.clone(),
            timeouts: task.timeouts,
        };
        let body = task.body.clone();
        let _ended = self.0.step.requests.send(Request::Call {
            by: self.0.task,
            n,
            spec,
            body,
            reply,
        });
        Calling(answer)
    }
}

/// A called task on its way.
#[derive(Debug)]
pub struct Calling(oneshot::Receiver<Result<Value, Halt>>);

impl Future for Calling {
    type Output = Result<Value, Halt>;

    fn poll(
        mut self: std::pin::Pin<&mut Self>,
        cx: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Self::Output> {
        std::pin::Pin::new(&mut self.0)
            .poll(cx)
            .map(|answer| match answer {
                Ok(result) => result,
                Err(_dropped) => Err(ErrorKind::TaskEnded.into()),
            })
    }
}

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
