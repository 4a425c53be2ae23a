//! Tasks that a running task calls.

use std::{future::Future, sync::Arc};

use superstep_core::{
    error::ErrorKind,
    policy::{CachePolicy, RetryPolicy, Timeouts},
    run::{CallSpec, Halt},
    sync::lock,
    value::Value,
};
use tokio::sync::oneshot;

use super::{DynCtx, run_info::Request, task_body::TaskBody};

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
            let by = self.clone();
            return Calling { answer, by };
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
        Calling {
            answer,
            by: self.clone(),
        }
    }
}

/// A called task on its way.
pub struct Calling {
    answer: oneshot::Receiver<Result<Value, Halt>>,
    by: DynCtx,
}

impl Future for Calling {
    type Output = Result<Value, Halt>;

    fn poll(
        mut self: std::pin::Pin<&mut Self>,
        cx: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Self::Output> {
        let answer = std::task::ready!(std::pin::Pin::new(&mut self.answer).poll(cx));
        let result = answer.unwrap_or_else(|_dropped| Err(ErrorKind::TaskEnded.into()));
        // Whoever swallows it ends with an error: the question would be gone.
        if let Err(Halt::Suspended(suspension)) = &result {
            lock(&self.by.0.progress).suspend(suspension);
        }
        std::task::Poll::Ready(result)
    }
}
