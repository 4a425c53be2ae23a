//! A typed graph that can be run.

use std::{marker::PhantomData, sync::Arc};

use serde::Serialize;
use superstep_core::{
    caller::Caller,
    error::{Error, ErrorKind, Unmatched},
    event::{Cursor, Modes},
    id::{AskId, CheckpointId, ThreadId},
    plan::Plan,
    run::RunInput,
    value::Value,
};

use super::{
    ask::bad_answer,
    declared::Declared,
    event::{EventStream, Follow},
    nodes::Nodes,
    outcome::Outcome,
    state::{State, Update},
};
use crate::{
    graph::{self, Backends},
    input,
    options::{CheckpointRef, RunOptions},
};

/// A graph over state `S` with nodes `N`; cheap to clone.
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
/// let graph = Graph::<Mail, Node>::builder()
///     .saver(MemorySaver::default())
///     .node(Node::Draft, |mail: Snap<Mail>| async move {
///         Mail::update().reply(format!("re: {}", mail.subject))
///     })
/// #     .node(Node::Check, || async {}).node(Node::Send, || async {})
/// #     .start(Node::Draft).edge(Node::Draft, Node::Check).edge(Node::Check, Node::Send).finish(Node::Send)
///     .build()?;
///
/// let outcome = graph.run("thread 1", Mail::update().subject("hi")).await?;
/// assert_eq!(outcome.state().reply, "re: hi");
/// assert_eq!(graph.history("thread 1").await?.len(), 5); // the input, the start, three steps
/// # Ok(()) }
/// ```
pub struct Graph<S, N> {
    pub(crate) inner: graph::DynGraph,
    pub(crate) options: RunOptions,
    /// It takes the store of the graph it runs in.
    pub(crate) inherits_store: bool,
    pub(crate) declared: Arc<Declared>,
    pub(crate) types: PhantomData<fn() -> (S, N)>,
}

impl<S, N> Clone for Graph<S, N> {
    fn clone(&self) -> Self {
        Self {
            inner: self.inner.clone(),
            options: self.options.clone(),
            inherits_store: self.inherits_store,
            declared: self.declared.clone(),
            types: PhantomData,
        }
    }
}

impl<S: State, N: Nodes> Graph<S, N> {
    /// Runs a thread on new input until it is done, asks, pauses or fails. An update is reduced
    /// into the state the thread has; a whole state replaces it.
    ///
    /// New input drops what the thread was about to do, open questions too, and starts again, as in
    /// LangGraph; with [`RunOptions::keep_asks`] it is refused (SS1121) while a question is open.
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
    /// #     .node(Node::Draft, || async { Mail::update().log(["drafted".to_owned()]) })
    /// #     .node(Node::Check, || async {}).node(Node::Send, || async {})
    /// #     .start(Node::Draft).edge(Node::Draft, Node::Check).edge(Node::Check, Node::Send)
    /// #     .finish(Node::Send).build()?;
    /// graph.run("t", Mail::update().subject("hi")).await?;
    /// let outcome = graph.run("t", Mail::update()).await?; // the same thread: state is kept
    /// assert_eq!(outcome.state().subject, "hi");
    /// assert_eq!(outcome.state().log, ["drafted", "drafted"]);
    /// # Ok(()) }
    /// ```
    pub async fn run(
        &self,
        thread: impl Into<ThreadId>,
        input: impl Into<S::Update>,
    ) -> Result<Outcome<S>, Error> {
        self.feed(thread.into(), RunInput::Value(input.into().into_value()))
            .await
    }

    /// Continues a thread: after a pause, a failure, a limit or a crash.
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
    /// #     .node(Node::Draft, || async { Mail::update().log(["drafted".to_owned()]) })
    /// #     .node(Node::Check, || async {}).node(Node::Send, || async {})
    /// #     .start(Node::Draft).edge(Node::Draft, Node::Check).edge(Node::Check, Node::Send)
    /// #     .finish(Node::Send).pause_before(&[Node::Send]).build()?;
    /// graph.run("t", Mail::update().subject("hi")).await?; // pauses before `Send`
    /// let outcome = graph.resume("t").await?;
    /// assert!(outcome.done().is_some());
    /// # Ok(()) }
    /// ```
    pub async fn resume(&self, thread: impl Into<ThreadId>) -> Result<Outcome<S>, Error> {
        self.feed(thread.into(), RunInput::Nothing).await
    }

    /// Answers open questions by id and resumes. An answer to a question that is not open is an
    /// error; questions without an answer stay open.
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
    /// # let graph = Graph::<Mail, Node>::builder().saver(MemorySaver::default())
    /// #     .node(Node::Draft, |ctx: Ctx| async move {
    /// #         let ok = ctx.ask(Approve { text: "hello".to_owned() })?;
    /// #         Ok::<_, NodeError>(Mail::update().log([ok.to_string()]))
    /// #     })
    /// #     .node(Node::Check, || async {}).node(Node::Send, || async {})
    /// #     .start(Node::Draft).edge(Node::Draft, Node::Check).edge(Node::Check, Node::Send)
    /// #     .finish(Node::Send).build()?;
    /// let outcome = graph.run("t", Mail::default()).await?;
    /// let answer = outcome.asks()[0].answer::<Approve>(&true)?;
    /// let outcome = graph.answer("t", [answer]).await?;
    /// assert_eq!(outcome.state().log, ["true"]);
    /// # Ok(()) }
    /// ```
    pub async fn answer<A: Serialize>(
        &self,
        thread: impl Into<ThreadId>,
        answers: impl IntoIterator<Item = (AskId, A)>,
    ) -> Result<Outcome<S>, Error> {
        let input = input::answers(plain(answers)?);
        self.feed(thread.into(), input).await
    }

    /// Answers the one open question of a thread, wherever in it or in its subgraphs it was asked, and
    /// resumes. If none is open that is an error (SS1105), and if there are several (SS1104).
    ///
    /// ```
    /// # use serde::{Deserialize, Serialize};
    /// # use superstep::prelude::*;
    /// # #[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
    /// # struct Mail { #[reduce(Append)] log: Vec<String> }
    /// # #[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
    /// # enum Node { Draft }
    /// # #[derive(Debug, Serialize, Deserialize, Ask)]
    /// # #[ask(answer = bool)]
    /// # struct Approve { text: String }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let graph = Graph::<Mail, Node>::builder().saver(MemorySaver::default())
    /// #     .node(Node::Draft, |ctx: Ctx| async move {
    /// #         let ok = ctx.ask(Approve { text: "hello".to_owned() })?;
    /// #         Ok::<_, NodeError>(Mail::update().log([ok.to_string()]))
    /// #     })
    /// #     .start(Node::Draft).finish(Node::Draft).build()?;
    /// graph.run("t", Mail::default()).await?; // asks
    /// let outcome = graph.answer_only("t", true).await?;
    /// assert_eq!(outcome.state().log, ["true"]);
    /// # Ok(()) }
    /// ```
    pub async fn answer_only<A: Serialize>(
        &self,
        thread: impl Into<ThreadId>,
        answer: A,
    ) -> Result<Outcome<S>, Error> {
        let thread = thread.into();
        let asks = self.state(thread.clone()).await?.asks;
        let mut pending: Vec<AskId> = Vec::new();
        for ask in &asks {
            if !pending.contains(&ask.id) {
                pending.push(ask.id);
            }
        }
        let error = match pending.as_slice() {
            [id] => return self.answer(thread, [(*id, answer)]).await,
            [] => {
                let reason = Unmatched::NotPending;
                ErrorKind::UnknownAsk { reason, pending }
            }
            _ => ErrorKind::AmbiguousResume { pending },
        };
        Err(Error::from(error).at_thread(Some(&thread)))
    }

    /// [`Graph::run`], with the events of the run. Dropping the stream cancels the run.
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
    /// #     .node(Node::Draft, || async { Mail::update().log(["drafted".to_owned()]) })
    /// #     .node(Node::Check, || async {}).node(Node::Send, || async {})
    /// #     .start(Node::Draft).edge(Node::Draft, Node::Check).edge(Node::Check, Node::Send)
    /// #     .finish(Node::Send).build()?;
    /// let mut stream = graph.stream("t", Mail::update().subject("hi"));
    /// while let Some(event) = stream.next().await {
    ///     println!("{event:?}");
    /// }
    /// let outcome = stream.outcome().await?;
    /// assert_eq!(outcome.state().log, ["drafted"]);
    /// # Ok(()) }
    /// ```
    pub fn stream(
        &self,
        thread: impl Into<ThreadId>,
        input: impl Into<S::Update>,
    ) -> EventStream<S, N> {
        self.watch(thread.into(), RunInput::Value(input.into().into_value()))
    }

    /// [`Graph::resume`], with the events of the run.
    pub fn stream_resume(&self, thread: impl Into<ThreadId>) -> EventStream<S, N> {
        self.watch(thread.into(), RunInput::Nothing)
    }

    /// [`Graph::answer`], with the events of the run.
    pub fn stream_answer<A: Serialize>(
        &self,
        thread: impl Into<ThreadId>,
        answers: impl IntoIterator<Item = (AskId, A)>,
    ) -> Result<EventStream<S, N>, Error> {
        Ok(self.watch(thread.into(), input::answers(plain(answers)?)))
    }

    /// Reads the log of a thread after a cursor, or from its beginning: events of these modes, and
    /// where runs begin and end. Only what runs were configured to log is there
    /// ([`RunOptions::log`](crate::RunOptions::log)).
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
    /// #     .node(Node::Draft, || async { Mail::update().log(["drafted".to_owned()]) })
    /// #     .node(Node::Check, || async {}).node(Node::Send, || async {})
    /// #     .start(Node::Draft).edge(Node::Draft, Node::Check).edge(Node::Check, Node::Send)
    /// #     .finish(Node::Send).build()?;
    /// use superstep::Modes;
    ///
    /// let graph = graph.with_options(|options| options.log = Modes::UPDATES);
    /// graph.run("t", Mail::default()).await?;
    /// let mut reader = graph.follow("t", None, Modes::UPDATES);
    /// while let Some((cursor, item)) = reader.next().await? {
    ///     println!("{cursor} {item:?}");
    /// }
    /// # Ok(()) }
    /// ```
    pub fn follow(
        &self,
        thread: impl Into<ThreadId>,
        after: Option<Cursor>,
        modes: Modes,
    ) -> Follow<S, N> {
        Follow::new(self.inner.follow(thread, after, modes))
    }

    async fn feed(&self, thread: ThreadId, input: RunInput) -> Result<Outcome<S>, Error> {
        // The options end with the beginning, so that a run which waits has no room for them.
        let begun = {
            let options = self.on(thread);
            let begun = self.inner.begin(input, &options, None, &mut None).await;
            begun.map_err(|error| error.at_thread(options.thread.as_ref()))?
        };
        Outcome::new(begun.finish(None).await?)
    }

    fn watch(&self, thread: ThreadId, input: RunInput) -> EventStream<S, N> {
        EventStream::new(self.inner.stream(input, &self.on(thread)))
    }

    pub(super) fn on(&self, thread: ThreadId) -> RunOptions {
        RunOptions {
            thread: Some(thread),
            ..self.options.clone()
        }
    }

    /// The same graph whose runs are meant differently, as in
    /// `graph.with_options(|options| options.limit = 100_000)`.
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
    /// #     .node(Node::Draft, || async { Mail::update().log(["drafted".to_owned()]) })
    /// #     .node(Node::Check, || async {}).node(Node::Send, || async {})
    /// #     .start(Node::Draft).edge(Node::Draft, Node::Check).edge(Node::Check, Node::Send)
    /// #     .finish(Node::Send).build()?;
    /// use superstep::Durability;
    ///
    /// let quick = graph.with_options(|options| options.durability = Durability::Exit);
    /// quick.run("t", Mail::default()).await?;
    /// # Ok(()) }
    /// ```
    #[must_use]
    pub fn with_options(&self, change: impl FnOnce(&mut RunOptions)) -> Self {
        let mut graph = self.clone();
        change(&mut graph.options);
        graph
    }

    /// The options of its runs.
    pub fn options(&self) -> &RunOptions {
        &self.options
    }

    /// The same graph whose nodes see this as [`super::Context`]. The context is stored with the run as JSON: a
    /// run that answers or resumes and brings none has that of the run that it continues. Secrets belong in a
    /// resource ([`super::Res`]), which is never stored.
    ///
    /// ```
    /// # use serde::{Deserialize, Serialize};
    /// # use superstep::{Context, prelude::*};
    /// # #[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
    /// # struct Mail { subject: String, reply: String, #[reduce(Append)] log: Vec<String> }
    /// # #[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
    /// # enum Node { Draft, Check, Send }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// async fn draft(user: Context<String>) -> MailUpdate {
    ///     Mail::update().reply(format!("for {}", user.0))
    /// }
    /// # let graph = Graph::<Mail, Node>::builder()
    /// #     .node(Node::Draft, draft).node(Node::Check, || async {}).node(Node::Send, || async {})
    /// #     .start(Node::Draft).edge(Node::Draft, Node::Check).edge(Node::Check, Node::Send)
    /// #     .finish(Node::Send).build()?;
    /// let outcome = graph.with_context("ann".to_owned()).run("t", Mail::default()).await?;
    /// assert_eq!(outcome.state().reply, "for ann");
    /// # Ok(()) }
    /// ```
    #[must_use]
    pub fn with_context<T: Serialize + Send + Sync + 'static>(&self, context: T) -> Self {
        self.with_options(|options| options.context = Value::typed(context))
    }

    /// The same graph for an authenticated caller: nodes and tools that take a [`Caller`] see this one, and so do
    /// those of subgraphs. It is stored with the run, so that a queued, scheduled or interrupted one keeps it.
    ///
    /// The person who answers a question is the caller of the run that continues. Without `for_caller` that is the local
    /// user; a run that only resumes keeps the caller of the run that it continues.
    ///
    /// ```
    /// # use serde::{Deserialize, Serialize};
    /// # use superstep::prelude::*;
    /// # #[derive(Clone, Debug, Default, Serialize, Deserialize, State)]
    /// # struct Mail { subject: String, reply: String }
    /// # #[derive(Clone, Copy, Debug, PartialEq, Eq, Nodes)]
    /// # enum Node { Draft }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use superstep::Caller;
    ///
    /// async fn draft(caller: Caller) -> MailUpdate {
    ///     Mail::update().reply(format!("for {}", caller.owner().unwrap_or("the local user")))
    /// }
    /// # let graph = Graph::<Mail, Node>::builder()
    /// #     .node(Node::Draft, draft).start(Node::Draft).finish(Node::Draft).build()?;
    /// let outcome = graph.for_caller(Caller::new("ann")).run("t", Mail::default()).await?;
    /// assert_eq!(outcome.state().reply, "for ann");
    /// # Ok(()) }
    /// ```
    #[must_use]
    pub fn for_caller(&self, caller: Caller) -> Self {
        self.with_options(|options| options.caller = Some(caller))
    }

    /// The same graph at an older checkpoint: a run or resume continues from there as a new branch.
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
    /// #     .node(Node::Draft, || async { Mail::update().log(["drafted".to_owned()]) })
    /// #     .node(Node::Check, || async {}).node(Node::Send, || async {})
    /// #     .start(Node::Draft).edge(Node::Draft, Node::Check).edge(Node::Check, Node::Send)
    /// #     .finish(Node::Send).build()?;
    /// graph.run("t", Mail::default()).await?;
    /// let history = graph.history("t").await?;
    /// let before = history.iter().find(|checkpoint| checkpoint.next == [Node::Check]);
    /// let before = before.and_then(|checkpoint| checkpoint.id).ok_or("it is there")?;
    /// let outcome = graph.at(before).resume("t").await?; // `Check` and `Send` run again
    /// assert_eq!(outcome.state().log, ["drafted"]);
    /// # Ok(()) }
    /// ```
    #[must_use]
    pub fn at(&self, checkpoint: CheckpointId) -> Self {
        self.with_options(|options| {
            let repeats = options.at.as_ref().is_some_and(|at| at.repeats);
            options.at = Some(CheckpointRef {
                repeats,
                ..CheckpointRef::root(checkpoint)
            });
        })
    }

    /// The same graph for a caller who knows that a run or fork at an older checkpoint may do a second time
    /// what was done since. Without it that is refused (SS1205) if there are effects ([`Ctx::once`]) that
    /// happened or may have; and so is new input that drops one of which nobody knows whether it happened.
    ///
    /// [`Ctx::once`]: super::Ctx::once
    #[must_use]
    pub fn repeating(&self) -> Self {
        self.with_options(|options| {
            options.at = Some(options.at.take().unwrap_or_default().repeating());
        })
    }

    /// The same graph on other backends.
    #[must_use]
    pub fn with_backends(&self, backends: Backends) -> Self {
        Self {
            inner: self.inner.with_backends(backends),
            ..self.clone()
        }
    }

    /// What it runs on.
    pub fn backends(&self) -> &Backends {
        self.inner.backends()
    }

    /// The compiled graph, for drawing.
    pub fn plan(&self) -> &Arc<Plan> {
        self.inner.plan()
    }

    /// The same graph without its types, for servers and tools that know it by name.
    pub fn dynamic(&self) -> &graph::DynGraph {
        &self.inner
    }
}

pub(super) fn plain<A: Serialize>(
    answers: impl IntoIterator<Item = (AskId, A)>,
) -> Result<Vec<(AskId, Value)>, Error> {
    let mut given: Vec<(AskId, Value)> = Vec::new();
    for (id, answer) in answers {
        let answer = serde_json::to_value(answer).map_err(|error| bad_answer(&error))?;
        if given.iter().any(|(other, _)| *other == id) {
            let why = format!("the question {id} is answered twice");
            return Err(ErrorKind::BadArgument { why }.into());
        }
        given.push((id, answer.into()));
    }
    Ok(given)
}
