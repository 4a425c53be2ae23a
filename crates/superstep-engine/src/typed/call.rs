//! Tasks that a node calls: durable functions with one argument.

use std::{future::Future, marker::PhantomData, sync::Arc};

use serde::{Serialize, de::DeserializeOwned};
use superstep_core::{
    error::ErrorKind,
    policy::{CachePolicy, RetryPolicy, Timeouts},
    value::Value,
};

use super::{ctx::Ctx, error::NodeError};
use crate::ctx::CallTask;

/// A durable function that nodes call with [`Ctx::call`].
///
/// ```
/// use superstep::{Call, Ctx, NodeError, RetryPolicy};
///
/// let fetch: Call<String, usize> = Call::new("fetch", |_ctx: Ctx, url: String| async move {
///     Ok(url.len())
/// })
/// .retry(RetryPolicy::default());
///
/// # let _ = |ctx: Ctx| async move {
/// let lengths = tokio::try_join!(
///     ctx.call(&fetch, "https://example.com/a".to_owned()),
///     ctx.call(&fetch, "https://example.com/b".to_owned()),
/// )?;
/// # Ok::<_, NodeError>(lengths) };
/// ```
#[derive(Clone)]
pub struct Call<A, R> {
    pub(crate) task: CallTask,
    types: PhantomData<fn(A) -> R>,
}

impl<A, R> Call<A, R>
where
    A: DeserializeOwned + Clone + Send + Sync + 'static,
    R: Serialize + Send + Sync + 'static,
{
    /// A task from an async function of its context and its argument.
    pub fn new<F, Fut>(name: impl Into<Arc<str>>, body: F) -> Self
    where
        F: Fn(Ctx, A) -> Fut + Clone + Send + Sync + 'static,
        Fut: Future<Output = Result<R, NodeError>> + Send + 'static,
    {
        let task = CallTask::new(name, move |ctx, mut args: Vec<Value>| {
            let body = body.clone();
            async move {
                let argument = args.pop().unwrap_or_default().take().map_err(|error| {
                    let what = format!("the argument of task `{}`", ctx.node());
                    ErrorKind::Decode {
                        what,
                        why: error.to_string(),
                    }
                })?;
                let running = body(Ctx(ctx), argument);
                running
                    .await
                    .map(Value::typed)
                    .map_err(NodeError::into_halt)
            }
        });
        Self {
            task,
            types: PhantomData,
        }
    }

    /// Tries again after failures.
    #[must_use]
    pub fn retry(mut self, policy: RetryPolicy) -> Self {
        self.task.retry.push(policy);
        self
    }

    /// Keeps results for equal arguments.
    #[must_use]
    pub fn cache(mut self, policy: CachePolicy) -> Self {
        self.task.cache = Some(policy);
        self
    }

    /// Limits an attempt.
    #[must_use]
    pub fn timeouts(mut self, timeouts: Timeouts) -> Self {
        self.task.timeouts = timeouts;
        self
    }
}
