//! The durable side of a running task: ask, do once, emit, call.

mod time;

use std::{future::Future, sync::Arc, time::Duration};

use serde::{Serialize, de::DeserializeOwned};
use superstep_core::{
    caller::Caller,
    event::{SpanKind, SpanStart, TraceParent},
    id::{TaskId, ThreadId},
    run::{EffectError, Halt},
    runs::BudgetSpent,
    value::Value,
};

use super::{
    ask::Ask,
    channel_state::{TypedState, whole_state},
    error::NodeError,
    graph::Graph,
    nodes::Nodes,
    snap::Snap,
    state::{State, Update},
    unfit_context::unfit_context,
};
use crate::{
    ctx::{self, Unknown},
    span::OpenSpan,
    store::Store,
};

/// The durable side of a running task; cheap to clone.
///
/// ```
/// # use serde::{Deserialize, Serialize};
/// # use superstep::prelude::*;
/// # #[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
/// # struct Mail { subject: String, reply: String, #[reduce(Append)] log: Vec<String> }
/// # #[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
/// # enum Node { Draft, Check, Send }
/// # #[derive(Debug, Serialize, Deserialize, Ask)]
/// # #[ask(answer = bool)]
/// # struct Approve { text: String }
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// async fn send(mail: Snap<Mail>, ctx: Ctx) -> Result<MailUpdate, NodeError> {
///     if !ctx.ask(Approve { text: mail.reply.clone() })? {
///         return Ok(Mail::update());
///     }
///     let receipt: u32 = ctx.once("send", || async { Ok(7) }).await?;
///     ctx.emit(receipt).await;
///     Ok(Mail::update().log([format!("sent as {receipt}")]))
/// }
/// # let _ = send;
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct Ctx(pub(crate) ctx::DynCtx);

impl Ctx {
    /// Asks a question. Returns the answer once there is one; until then the error ends the task
    /// (pass it on with `?`) and the run reports the question.
    ///
    /// A task that asks runs again from its top when the answer comes, so what it does before the
    /// question belongs into [`Ctx::once`]. An answer is for the question that was shown: if the task then asks
    /// something else, the answer is refused (SS1015) and the new question is open ([`Ask::about`]). So what a question says
    /// comes from the state or from `once`, and not from a clock or from a model that is called again.
    ///
    /// ```
    /// # use serde::{Deserialize, Serialize};
    /// # use superstep::prelude::*;
    /// # #[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
    /// # struct Mail { subject: String, reply: String, #[reduce(Append)] log: Vec<String> }
    /// # #[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
    /// # enum Node { Draft, Check, Send }
    /// # #[derive(Debug, Serialize, Deserialize, Ask)]
    /// # #[ask(answer = bool)]
    /// # struct Approve { text: String }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// async fn send(mail: Snap<Mail>, ctx: Ctx) -> Result<MailUpdate, NodeError> {
    ///     let approved = ctx.ask(Approve { text: mail.reply.clone() })?;
    ///     Ok(Mail::update().log([format!("approved: {approved}")]))
    /// }
    /// # let graph = Graph::<Mail, Node>::builder().saver(MemorySaver::default())
    /// #     .node(Node::Draft, || async {}).node(Node::Check, || async {}).node(Node::Send, send)
    /// #     .start(Node::Draft).edge(Node::Draft, Node::Check).edge(Node::Check, Node::Send)
    /// #     .finish(Node::Send).build()?;
    /// let outcome = graph.run("t", Mail::update().reply("hello")).await?;
    /// let answer = outcome.asks()[0].answer::<Approve>(&true)?;
    /// let outcome = graph.answer("t", [answer]).await?;
    /// assert_eq!(outcome.state().log, ["approved: true"]);
    /// # Ok(()) }
    /// ```
    pub fn ask<Q: Ask>(&self, question: Q) -> Result<Q::Answer, NodeError> {
        self.ask_checked(question, |_| Ok(()))
    }

    /// [`Ctx::ask`] with a rule for answers. An answer that breaks it is given back with what is
    /// wrong, and the question stays open.
    ///
    /// ```
    /// # use serde::{Deserialize, Serialize};
    /// # use superstep::prelude::*;
    /// # #[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
    /// # struct Mail { subject: String, reply: String, #[reduce(Append)] log: Vec<String> }
    /// # #[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
    /// # enum Node { Draft, Check, Send }
    /// #[derive(Serialize, Ask)]
    /// #[ask(answer = String)]
    /// struct WhichDay;
    ///
    /// async fn send(ctx: Ctx) -> Result<MailUpdate, NodeError> {
    ///     let day = ctx.ask_checked(WhichDay, |day| match day.as_str() {
    ///         "monday" | "tuesday" => Ok(()),
    ///         other => Err(format!("{other} is not free")),
    ///     })?;
    ///     Ok(Mail::update().reply(day))
    /// }
    /// # let _ = send;
    /// ```
    pub fn ask_checked<Q: Ask>(
        &self,
        question: Q,
        check: impl FnOnce(&Q::Answer) -> Result<(), String>,
    ) -> Result<Q::Answer, NodeError> {
        let body = serde_json::to_value(&question)?;
        let about = Value::from(question.about()?);
        let decode = |answer: Value| {
            let answer = decoded::<Q>(&answer)?;
            check(&answer)?;
            Ok(answer)
        };
        self.0
            .ask_as(
                Q::KIND,
                &about,
                || Q::schema().map(Value::from),
                body.into(),
                decode,
            )
            .map_err(NodeError::halt)
    }

    /// [`Ctx::ask`] with a deadline: nothing once so much time is over without an answer.
    ///
    /// The deadline is stored first, and what came of it is decided once: an answer that was given in time
    /// counts even if it gets here later, and one that comes too late is refused (SS1124). To remind somebody,
    /// ask the same again: that is the same question with a new deadline, under the same id. Who wakes the
    /// thread then is as for [`Ctx::sleep`].
    ///
    /// ```
    /// # use serde::{Deserialize, Serialize};
    /// # use superstep::prelude::*;
    /// # #[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
    /// # struct Mail { subject: String, reply: String, #[reduce(Append)] log: Vec<String> }
    /// #[derive(Serialize, Ask)]
    /// #[ask(answer = bool)]
    /// struct Delivered;
    ///
    /// async fn send(ctx: Ctx) -> Result<MailUpdate, NodeError> {
    ///     let days = |n: u64| std::time::Duration::from_secs(n * 24 * 3600);
    ///     let answer = match ctx.ask_within(Delivered, days(3)).await? {
    ///         Some(answer) => Some(answer),
    ///         None => {
    ///             ctx.once("remind", || async { Ok(()) }).await?;
    ///             ctx.ask_within(Delivered, days(7)).await?
    ///         }
    ///     };
    ///     Ok(Mail::update().log([format!("delivered: {answer:?}")]))
    /// }
    /// # let _ = send;
    /// ```
    pub async fn ask_within<Q: Ask>(
        &self,
        question: Q,
        within: Duration,
    ) -> Result<Option<Q::Answer>, NodeError> {
        let body = serde_json::to_value(&question)?;
        let about = Value::from(question.about()?);
        let schema = || Q::schema().map(Value::from);
        let decode = |answer: Value| decoded::<Q>(&answer);
        self.0
            .ask_as_within(Q::KIND, &about, schema, body.into(), within, decode)
            .await
            .map_err(NodeError::halt)
    }

    /// The answer that the next question of this task gets, if one of that type is on record. For a task that
    /// decides by it whether to ask.
    pub fn known_answer<Q: Ask>(&self) -> Result<Option<Q::Answer>, NodeError> {
        let known = self.0.known_answer().map_err(NodeError::halt)?;
        Ok(known.and_then(|answer| serde_json::from_value(answer.to_json()).ok()))
    }

    /// Whether an effect of this task was started by an earlier attempt: what became of it is on record, or
    /// nobody knows it.
    pub fn has_started(&self, key: &str) -> Result<bool, NodeError> {
        self.0.has_started(key).map_err(NodeError::halt)
    }

    /// Runs an effect at most once per task: journaled as started before and as done after, so
    /// that another attempt gets the result back.
    ///
    /// An error of the effect leaves its outcome unknown, as a crash does: the request may have
    /// arrived although no answer came. That is reported (SS1202), by this attempt and by every
    /// later one, and never followed by a silent second try; [`Graph::settle_done`] and
    /// [`Graph::settle_undone`] record what somebody found out. Only [`EffectError::not_done`]
    /// states that nothing happened, and that another attempt may try again.
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

    /// [`Ctx::once`] for an idempotent target: the effect gets [`Ctx::idempotency_key`] of `key` as its
    /// idempotency key, and when a crash or an error leaves its outcome unknown, another attempt
    /// runs it again with the same one. An error of the effect is the error of the node.
    ///
    /// ```
    /// # use serde::{Deserialize, Serialize};
    /// # use superstep::prelude::*;
    /// # #[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
    /// # struct Mail { subject: String, reply: String, #[reduce(Append)] log: Vec<String> }
    /// # #[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
    /// # enum Node { Draft, Check, Send }
    /// # async fn post(_body: &str, _idempotency_key: &str) -> std::io::Result<u32> { Ok(7) }
    /// async fn send(mail: Snap<Mail>, ctx: Ctx) -> Result<MailUpdate, NodeError> {
    ///     let receipt: u32 = ctx
    ///         .once_idempotent("send", |key| async move { Ok(post("hello", &key).await?) })
    ///         .await?;
    ///     Ok(Mail::update().log([format!("{} sent as {receipt}", mail.subject)]))
    /// }
    /// # let _ = send;
    /// ```
    pub async fn once_idempotent<T, F, Fut>(&self, key: &str, effect: F) -> Result<T, NodeError>
    where
        T: Serialize + DeserializeOwned,
        F: FnOnce(String) -> Fut,
        Fut: Future<Output = Result<T, EffectError>>,
    {
        let keyed = || effect(self.idempotency_key(key));
        let done = self.0.effect(key, Unknown::Repeat, keyed).await;
        done.map_err(NodeError::halt)
    }

    /// A key for the outside world that is equal on every attempt of this task.
    ///
    /// ```
    /// # use serde::{Deserialize, Serialize};
    /// # use superstep::prelude::*;
    /// # #[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
    /// # struct Mail { subject: String, reply: String, #[reduce(Append)] log: Vec<String> }
    /// # #[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
    /// # enum Node { Draft, Check, Send }
    /// async fn send(ctx: Ctx) -> MailUpdate {
    ///     // Equal on every attempt, after a crash too; different for every task.
    ///     Mail::update().log([ctx.idempotency_key("message-id")])
    /// }
    /// # let _ = send;
    /// ```
    pub fn idempotency_key(&self, name: &str) -> String {
        format!("{}/{name}", self.0.task_id())
    }

    /// Passes data to readers of the run's events.
    ///
    /// ```
    /// # use serde::{Deserialize, Serialize};
    /// # use superstep::{Event, prelude::*};
    /// # #[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
    /// # struct Mail { subject: String, reply: String, #[reduce(Append)] log: Vec<String> }
    /// # #[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
    /// # enum Node { Draft, Check, Send }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// #[derive(Clone, Serialize, Deserialize)]
    /// struct Progress(u8);
    ///
    /// async fn draft(ctx: Ctx) {
    ///     ctx.emit(Progress(50)).await;
    /// }
    /// # let graph = Graph::<Mail, Node>::builder()
    /// #     .node(Node::Draft, draft).node(Node::Check, || async {}).node(Node::Send, || async {})
    /// #     .start(Node::Draft).edge(Node::Draft, Node::Check).edge(Node::Check, Node::Send)
    /// #     .finish(Node::Send).build()?;
    /// let mut stream = graph.stream("t", Mail::default());
    /// while let Some(event) = stream.next().await {
    ///     if let Event::Custom(data) = event {
    ///         assert_eq!(data.take::<Progress>()?.0, 50);
    ///     }
    /// }
    /// # Ok(()) }
    /// ```
    pub async fn emit<T: Serialize + Send + Sync + 'static>(&self, data: T) {
        self.0.emit(Value::typed(data)).await;
    }

    /// Passes a message, or a piece of one, to readers of the run's messages.
    ///
    /// ```
    /// # use serde::{Deserialize, Serialize};
    /// # use superstep::prelude::*;
    /// # #[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
    /// # struct Mail { subject: String, reply: String, #[reduce(Append)] log: Vec<String> }
    /// # #[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
    /// # enum Node { Draft, Check, Send }
    /// async fn draft(ctx: Ctx) -> Result<(), NodeError> {
    ///     for word in ["Dear ", "Ann"] {
    ///         ctx.emit_message(&word).await?;
    ///     }
    ///     Ok(())
    /// }
    /// # let _ = draft;
    /// ```
    pub async fn emit_message<T: Serialize>(&self, message: &T) -> Result<(), NodeError> {
        let message = serde_json::to_value(message)?;
        self.0.emit_message(message.into()).await;
        Ok(())
    }

    /// Starts a span: a piece of the task's work; see [`OpenSpan`].
    ///
    /// ```
    /// # use serde::{Deserialize, Serialize};
    /// # use superstep::prelude::*;
    /// # #[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
    /// # struct Mail { subject: String, reply: String, #[reduce(Append)] log: Vec<String> }
    /// # #[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
    /// # enum Node { Draft, Check, Send }
    /// use superstep::{SpanEnd, SpanKind, Value};
    ///
    /// # async fn search(_query: &str) -> std::io::Result<String> { Ok("rain".to_owned()) }
    /// async fn draft(mail: Snap<Mail>, ctx: Ctx) -> Result<MailUpdate, NodeError> {
    ///     let span = ctx.span(SpanKind::Tool, "search", || Value::from(&*mail.subject)).await;
    ///     let found = search(&mail.subject).await?;
    ///     span.end(|| SpanEnd { outputs: found.as_str().into(), ..SpanEnd::default() }).await;
    ///     Ok(Mail::update().reply(found))
    /// }
    /// # let _ = draft;
    /// ```
    pub async fn span<S: Into<SpanStart>>(
        &self,
        kind: SpanKind,
        name: &str,
        start: impl FnOnce() -> S,
    ) -> OpenSpan {
        self.0.span(kind, name, start).await
    }

    /// Whether the budget of the run and its thread ([`RunOptions::budget`]) has something left for another call of a
    /// model. `superstep::tools` checks it before each call.
    ///
    /// [`RunOptions::budget`]: crate::RunOptions::budget
    pub fn check_budget(&self) -> Result<(), BudgetSpent> {
        self.0.check_budget()
    }

    /// Where the task is in the trace of its run, for the `traceparent` header of requests to other services. Nothing if
    /// the run is in no trace: it neither logs spans nor was started with one ([`RunOptions::traceparent`]).
    ///
    /// [`RunOptions::traceparent`]: crate::RunOptions::traceparent
    pub fn traceparent(&self) -> Option<TraceParent> {
        self.0.traceparent()
    }

    /// Tells an idle limit that the task is alive.
    ///
    /// ```
    /// # use serde::{Deserialize, Serialize};
    /// # use superstep::prelude::*;
    /// # #[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
    /// # struct Mail { subject: String, reply: String, #[reduce(Append)] log: Vec<String> }
    /// # #[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
    /// # enum Node { Draft, Check, Send }
    /// async fn draft(mail: Snap<Mail>, ctx: Ctx) {
    ///     for _word in mail.subject.split(' ') {
    ///         ctx.heartbeat(); // the node's idle timeout starts anew
    ///     }
    /// }
    /// # let _ = draft;
    /// ```
    pub fn heartbeat(&self) {
        self.0.heartbeat();
    }

    /// Asks the run to stop after this step; the thread can be continued.
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
    /// # let graph = Graph::<Mail, Node>::builder().saver(MemorySaver::default())
    /// #     .node(Node::Draft, draft).node(Node::Check, || async {}).node(Node::Send, || async {})
    /// #     .start(Node::Draft).edge(Node::Draft, Node::Check).edge(Node::Check, Node::Send)
    /// #     .finish(Node::Send).build()?;
    /// async fn draft(ctx: Ctx) {
    ///     ctx.drain("the machine restarts");
    /// }
    ///
    /// let error = graph.run("t", Mail::default()).await.err().ok_or("it stops")?;
    /// assert_eq!(error.code(), "SS1103");
    /// assert_eq!(graph.state("t").await?.next, [Node::Check]); // `graph.resume` continues here
    /// # Ok(()) }
    /// ```
    pub fn drain(&self, reason: impl Into<String>) {
        self.0.drain(reason);
    }

    /// The context of the run; [`Context`](super::Context) is the same as an argument of a node. Behind a server
    /// the client sends it; [`Ctx::caller`] says who that is.
    pub fn context<T>(&self) -> Result<T, NodeError>
    where
        T: DeserializeOwned + Clone + Send + Sync + 'static,
    {
        let context = self.0.context();
        let read = context.clone().take();
        read.map_err(|error| NodeError::halt(unfit_context(context, &error).into()))
    }

    /// The context of the run, if it was given one; `Option<Context<T>>` is the same as an argument of a node.
    pub fn find_context<T>(&self) -> Result<Option<T>, NodeError>
    where
        T: DeserializeOwned + Clone + Send + Sync + 'static,
    {
        match self.0.context().is_null() {
            true => Ok(None),
            false => self.context().map(Some),
        }
    }

    /// The caller of the run, whom the program that started it has authenticated; [`Caller`] is the same as an
    /// argument of a node.
    pub fn caller(&self) -> &Caller {
        self.0.caller()
    }

    /// The long-term store, if the graph has one; [`Store`](super::Store) is the same as an argument
    /// of a node.
    pub fn store(&self) -> Option<Arc<dyn Store>> {
        self.0.store().cloned()
    }

    /// The state when the step began, if it is of this type.
    pub fn state<S: State>(&self) -> Option<Snap<S>> {
        let channels = self.0.channels().as_any().downcast_ref::<TypedState<S>>()?;
        Some(Snap(channels.state()))
    }

    /// The thread, if the run has one.
    ///
    /// ```
    /// # use serde::{Deserialize, Serialize};
    /// # use superstep::prelude::*;
    /// # #[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
    /// # struct Mail { subject: String, reply: String, #[reduce(Append)] log: Vec<String> }
    /// # #[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
    /// # enum Node { Draft, Check, Send }
    /// async fn draft(ctx: Ctx) -> MailUpdate {
    ///     let thread = ctx.thread().map(ToString::to_string).unwrap_or_default();
    ///     Mail::update().log([format!("{thread}, step {}, attempt {}", ctx.step(), ctx.attempt())])
    /// }
    /// # let _ = draft;
    /// ```
    pub fn thread(&self) -> Option<&ThreadId> {
        self.0.thread()
    }

    /// The step.
    ///
    /// ```
    /// # use serde::{Deserialize, Serialize};
    /// # use superstep::prelude::*;
    /// # #[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
    /// # struct Mail { subject: String, reply: String, #[reduce(Append)] log: Vec<String> }
    /// # #[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
    /// # enum Node { Draft, Check, Send }
    /// async fn draft(ctx: Ctx) -> MailUpdate {
    ///     Mail::update().log([format!("step {}", ctx.step())])
    /// }
    /// # let _ = draft;
    /// ```
    pub fn step(&self) -> i64 {
        self.0.step()
    }

    /// Which attempt this is, from 1.
    ///
    /// ```
    /// # use serde::{Deserialize, Serialize};
    /// # use superstep::prelude::*;
    /// # #[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
    /// # struct Mail { subject: String, reply: String, #[reduce(Append)] log: Vec<String> }
    /// # #[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
    /// # enum Node { Draft, Check, Send }
    /// async fn draft(ctx: Ctx) -> Result<MailUpdate, NodeError> {
    ///     if ctx.attempt() < 3 {
    ///         return Err(NodeError::msg("busy"));
    ///     }
    ///     Ok(Mail::update().reply("the third attempt"))
    /// }
    /// # let _ = draft;
    /// ```
    pub fn attempt(&self) -> u32 {
        self.0.attempt()
    }

    /// The task's id: equal on every attempt, after a crash too.
    ///
    /// ```
    /// # use serde::{Deserialize, Serialize};
    /// # use superstep::prelude::*;
    /// # #[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
    /// # struct Mail { subject: String, reply: String, #[reduce(Append)] log: Vec<String> }
    /// # #[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
    /// # enum Node { Draft, Check, Send }
    /// async fn draft(ctx: Ctx) -> MailUpdate {
    ///     Mail::update().log([format!("task {}", ctx.task_id())])
    /// }
    /// # let _ = draft;
    /// ```
    pub fn task_id(&self) -> TaskId {
        self.0.task_id()
    }

    /// Runs another graph as part of this task and waits for it.
    ///
    /// ```
    /// # use serde::{Deserialize, Serialize};
    /// # use superstep::prelude::*;
    /// # #[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
    /// # struct Mail { subject: String, reply: String, #[reduce(Append)] log: Vec<String> }
    /// # #[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
    /// # enum Node { Draft, Check, Send }
    /// # #[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
    /// # struct Research { question: String, facts: String }
    /// # #[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
    /// # enum Inner { Read }
    /// async fn draft(
    ///     mail: Snap<Mail>,
    ///     research: Res<Graph<Research, Inner>>,
    ///     ctx: Ctx,
    /// ) -> Result<MailUpdate, NodeError> {
    ///     let question = Research::update().question(mail.subject.clone());
    ///     let found = ctx.run(&research, question).await?;
    ///     Ok(Mail::update().reply(found.facts.clone()))
    /// }
    /// # let _ = draft;
    /// ```
    pub async fn run<C: State, M: Nodes>(
        &self,
        graph: &Graph<C, M>,
        input: impl Into<C::Update>,
    ) -> Result<Snap<C>, NodeError> {
        let input = input.into().into_value();
        ended(Box::pin(graph.inner.run_nested(&self.0, Some(input))).await)
    }
}

/// The state in which a graph inside this task ended.
pub(super) fn ended<C: State>(output: Result<Option<Value>, Halt>) -> Result<Snap<C>, NodeError> {
    let output = output.map_err(NodeError::halt)?;
    let state = whole_state(&output.unwrap_or_default());
    state
        .map(Snap)
        .map_err(|kind| NodeError::halt(Halt::from(kind)))
}

/// Data that came with the run, as the type that is wanted.
pub(super) fn decode<T>(value: Value, what: &str) -> Result<T, NodeError>
where
    T: DeserializeOwned + Clone + Send + Sync + 'static,
{
    value.take().map_err(|error| {
        let kind = superstep_core::ErrorKind::Decode {
            what: what.to_owned(),
            why: error.to_string(),
        };
        NodeError::halt(kind.into())
    })
}

/// An answer as the type that a question wants.
fn decoded<Q: Ask>(answer: &Value) -> Result<Q::Answer, String> {
    serde_json::from_value(answer.to_json()).map_err(|error| error.to_string())
}
