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

impl Ctx {
    /// Runs a task of this task and waits for it. It runs once: another attempt of the caller gets
    /// the stored result of its n-th call. To run several at once, await them together.
    ///
    /// ```
    /// # use serde::{Deserialize, Serialize};
    /// # use superstep::prelude::*;
    /// # #[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
    /// # struct Mail { subject: String, reply: String, #[reduce(Append)] log: Vec<String> }
    /// # #[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
    /// # enum Node { Draft, Check, Send }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use superstep::Call;
    ///
    /// /// A durable function: after a crash of the node, its stored result is used.
    /// fn length() -> Call<String, usize> {
    ///     Call::new("length", |_ctx, text: String| async move { Ok(text.len()) })
    /// }
    ///
    /// async fn draft(mail: Snap<Mail>, ctx: Ctx) -> Result<MailUpdate, NodeError> {
    ///     let n = ctx.call(&length(), mail.subject.clone()).await?;
    ///     Ok(Mail::update().log([format!("{n} letters")]))
    /// }
    /// # let graph = Graph::<Mail, Node>::builder()
    /// #     .node(Node::Draft, draft).node(Node::Check, || async {}).node(Node::Send, || async {})
    /// #     .start(Node::Draft).edge(Node::Draft, Node::Check).edge(Node::Check, Node::Send)
    /// #     .finish(Node::Send).build()?;
    /// let outcome = graph.run("t", Mail::update().subject("rain")).await?;
    /// assert_eq!(outcome.state().log, ["4 letters"]);
    /// # Ok(()) }
    /// ```
    pub fn call<A, R>(
        &self,
        call: &Call<A, R>,
        argument: A,
    ) -> impl Future<Output = Result<R, NodeError>> + Send + use<A, R>
    where
        A: Serialize + Send + Sync + 'static,
        R: DeserializeOwned + Clone + Send + Sync + 'static,
    {
        let calling = self.0.call(&call.task, vec![Value::typed(argument)]);
        let name = call.task.name.clone();
        async move {
            let value = calling.await.map_err(NodeError::halt)?;
            value.take().map_err(|error| {
                let what = format!("the result of task `{name}`");
                let kind = ErrorKind::Decode {
                    what,
                    why: error.to_string(),
                };
                NodeError::halt(kind.into())
            })
        }
    }
}
