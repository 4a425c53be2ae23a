//! The durable side of a running task: ask, do once, emit, call.

use std::future::Future;

use serde::{Serialize, de::DeserializeOwned};
use superstep_core::{
    error::Failure,
    event::{SpanKind, SpanStart},
    id::{TaskId, ThreadId},
    run::{EffectError, Halt, RunInput},
    value::Value,
};

use super::{
    ask::Ask,
    board::whole_state,
    call::Call,
    error::NodeError,
    graph::Graph,
    nodes::Nodes,
    snap::Snap,
    state::{State, Update},
};
use crate::{
    ctx::{self, Unknown},
    span::OpenSpan,
};

/// The durable side of a running task; cheap to clone.
#[derive(Clone)]
pub struct Ctx(pub(crate) ctx::Ctx);

impl Ctx {
    /// Asks a question. Returns the answer once there is one; until then the error ends the task
    /// (pass it on with `?`) and the run reports the question.
    ///
    /// A task that asks runs again from its top when the answer comes, so what it does before the
    /// question belongs into [`Ctx::once`].
    pub fn ask<Q: Ask>(&self, question: Q) -> Result<Q::Answer, NodeError> {
        self.ask_checked(question, |_| Ok(()))
    }

    /// [`Ctx::ask`] with a rule for answers. An answer that breaks it is given back with what is
    /// wrong, and the question stays open.
    pub fn ask_checked<Q: Ask>(
        &self,
        question: Q,
        check: impl FnOnce(&Q::Answer) -> Result<(), String>,
    ) -> Result<Q::Answer, NodeError> {
        let body = || {
            let json = serde_json::to_value(&question).map_err(Failure::from)?;
            Ok(Value::from(json))
        };
        let decode = |answer: Value| {
            let answer = serde_json::from_value(answer.to_json());
            let answer: Q::Answer = answer.map_err(|error| error.to_string())?;
            check(&answer)?;
            Ok(answer)
        };
        self.0
            .ask_as(Q::KIND, body, decode)
            .map_err(NodeError::halt)
    }

    /// Runs an effect at most once per task: journaled as started before and as done after, so
    /// that another attempt gets the result back.
    ///
    /// An error of the effect leaves its outcome unknown, as a crash does: the request may have
    /// arrived although no answer came. That is reported (SS1202), by this attempt and by every
    /// later one, and never followed by a silent second try; [`Graph::settle_done`] and
    /// [`Graph::settle_undone`] record what somebody found out. Only [`EffectError::not_done`]
    /// says that nothing happened, and that another attempt may try again.
    ///
    /// The key names the effect within its task. Another attempt that uses it means the same
    /// effect; a second effect of one attempt needs another key (SS3050).
    ///
    /// ```
    /// # use superstep_core::run::EffectError;
    /// # use superstep_engine::typed::{Ctx, NodeError};
    /// # struct Bank;
    /// # impl Bank {
    /// #     async fn connect() -> Result<Self, std::io::Error> { Ok(Self) }
    /// #     async fn transfer(&self, _: i64) -> Result<u64, std::io::Error> { Ok(42) }
    /// # }
    /// # async fn pay(ctx: Ctx) -> Result<(), NodeError> {
    /// let transfer = || async {
    ///     // No connection, no transfer: safe to try again.
    ///     let bank = Bank::connect().await.map_err(EffectError::not_done)?;
    ///     // No answer is no proof that nothing happened: `?` leaves the outcome unknown.
    ///     Ok(bank.transfer(100).await?)
    /// };
    /// let receipt: u64 = ctx.once("transfer", transfer).await?;
    /// # drop(receipt); Ok(()) }
    /// ```
    pub async fn once<T, F, Fut>(&self, key: &str, effect: F) -> Result<T, NodeError>
    where
        T: Serialize + DeserializeOwned,
        F: FnOnce() -> Fut,
        Fut: Future<Output = Result<T, EffectError>>,
    {
        let done = self.0.effect(key, Unknown::Report, effect).await;
        done.map_err(NodeError::halt)
    }

    /// [`Ctx::once`] for an idempotent target: the effect gets [`Ctx::key`] of `key` as its
    /// idempotency key, and when a crash or an error leaves its outcome unknown, another attempt
    /// runs it again with the same one. An error of the effect is the error of the node.
    pub async fn once_by_key<T, F, Fut>(&self, key: &str, effect: F) -> Result<T, NodeError>
    where
        T: Serialize + DeserializeOwned,
        F: FnOnce(String) -> Fut,
        Fut: Future<Output = Result<T, EffectError>>,
    {
        let keyed = || effect(self.key(key));
        let done = self.0.effect(key, Unknown::Repeat, keyed).await;
        done.map_err(NodeError::halt)
    }

    /// A key for the outside world that is equal on every attempt of this task.
    pub fn key(&self, name: &str) -> String {
        format!("{}/{name}", self.0.task_id())
    }

    /// Passes data to readers of the run's events.
    pub async fn emit<T: Serialize + Send + Sync + 'static>(&self, data: T) {
        self.0.emit(Value::typed(data)).await;
    }

    /// Passes a message, or a piece of one, to readers of the run's messages.
    pub async fn emit_message<T: Serialize>(&self, message: &T) -> Result<(), NodeError> {
        let message = serde_json::to_value(message)?;
        self.0.emit_message(message.into()).await;
        Ok(())
    }

    /// Starts to tell about a piece of the task's work; see [`OpenSpan`].
    pub async fn span<S: Into<SpanStart>>(
        &self,
        kind: SpanKind,
        name: &str,
        start: impl FnOnce() -> S,
    ) -> OpenSpan {
        self.0.span(kind, name, start).await
    }

    /// Tells an idle limit that the task is alive.
    pub fn heartbeat(&self) {
        self.0.heartbeat();
    }

    /// Asks the run to stop after this step; the thread can be continued.
    pub fn drain(&self, reason: impl Into<String>) {
        self.0.drain(reason);
    }

    /// The thread, if the run has one.
    pub fn thread(&self) -> Option<&ThreadId> {
        self.0.thread()
    }

    /// The step.
    pub fn step(&self) -> i64 {
        self.0.step()
    }

    /// Which attempt this is, from 1.
    pub fn attempt(&self) -> u32 {
        self.0.attempt()
    }

    /// The task's id: equal on every attempt, after a crash too.
    pub fn task_id(&self) -> TaskId {
        self.0.task_id()
    }

    /// Runs a task of this task and waits for it. It runs once: another attempt of the caller gets
    /// the stored result of its n-th call. To run several at once, await them together.
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
                let kind = superstep_core::ErrorKind::Decode {
                    what,
                    why: error.to_string(),
                };
                NodeError::halt(kind.into())
            })
        }
    }

    /// Runs another graph as part of this task and waits for it.
    pub async fn run<C: State, M: Nodes>(
        &self,
        graph: &Graph<C, M>,
        input: impl Into<C::Update>,
    ) -> Result<Snap<C>, NodeError> {
        let input = RunInput::Value(input.into().into_value());
        let output = graph
            .inner
            .run_nested(&self.0, input)
            .await
            .map_err(NodeError::halt)?;
        let state = whole_state(&output.unwrap_or_default());
        state
            .map(Snap)
            .map_err(|kind| NodeError::halt(Halt::from(kind)))
    }
}
