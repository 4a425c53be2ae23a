//! A typed run that was started, and continues by itself.

use std::{
    future::{Future, poll_fn},
    marker::PhantomData,
    pin::Pin,
    task::{Context, Poll},
};

use futures_core::Stream;
use serde::Serialize;
use superstep_core::{
    error::Error,
    event::{Cursor, Modes},
    id::{AskId, RunId, ThreadId},
    past::Repeated,
    run::RunInput,
    runs::{Cancel, RunQuery, RunRecord, RunStatus},
};

use super::{
    event::{Event, Follow},
    graph::{Graph, plain},
    nodes::Nodes,
    outcome::Outcome,
    state::{State, Update},
};
use crate::{
    input,
    running::{self, Canceller},
    runs::Recovery,
    worker::Worked,
};

/// A run that was started. It continues by itself, on the runtime that started it: whoever drops this or
/// a part of it lets go of the run, and does not stop it.
///
/// It is a future of how the run ends. Its parts can be moved to different places, as those of a
/// child process can. See [`Graph::start`].
///
#[doc = include_str!("docs/graph/running.md")]
#[non_exhaustive]
pub struct Running<S, N> {
    /// The run, by which anybody can follow and cancel it ([`Graph::follow_run`],
    /// [`Graph::cancel`]).
    pub id: RunId,
    /// Its thread.
    pub thread: ThreadId,
    /// Its events, of the run's `modes`.
    pub events: RunEvents<S, N>,
    /// How it ends.
    pub outcome: RunOutcome<S>,
    canceller: Canceller,
}

impl<S: State, N: Nodes> Running<S, N> {
    fn new(thread: ThreadId, run: running::DynRunning) -> Self {
        let canceller = run.canceller();
        Self {
            id: run.id,
            thread,
            events: RunEvents(run.events, PhantomData),
            outcome: RunOutcome(run.outcome, PhantomData),
            canceller,
        }
    }

    /// Cancels the run: its tasks are dropped where they wait, those that look out for it
    /// ([`Ctx::cancelled`](super::Ctx::cancelled)) are notified first. It ends with SS1113, unless it is
    /// over before; its thread can be resumed.
    pub fn cancel(&self, reason: impl Into<String>) {
        self.canceller.cancel(reason);
    }

    /// Cancels the run from elsewhere in this process.
    pub fn canceller(&self) -> Canceller {
        self.canceller.clone()
    }
}

impl<S: State, N: Nodes> Future for Running<S, N> {
    type Output = Result<Outcome<S>, Error>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        Pin::new(&mut self.outcome).poll(cx)
    }
}

/// The events of a run that continues by itself: a [`Stream`] that ends with the run.
///
/// The run does not wait for its reader: what is not read is kept until this is dropped. Others
/// read the run's log ([`Graph::follow_run`]).
pub struct RunEvents<S, N>(running::DynRunEvents, PhantomData<fn() -> (S, N)>);

impl<S: State, N: Nodes> RunEvents<S, N> {
    /// The next event; nothing when the run has ended.
    pub async fn next(&mut self) -> Option<Event<S, N>> {
        poll_fn(|cx| Pin::new(&mut *self).poll_next(cx)).await
    }
}

impl<S: State, N: Nodes> Stream for RunEvents<S, N> {
    type Item = Event<S, N>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let next = Pin::new(&mut self.0).poll_next(cx);
        next.map(|event| event.map(Event::new))
    }
}

/// How a run ends that continues by itself: a future. Who drops it lets go of the run.
pub struct RunOutcome<S>(running::DynRunOutcome, PhantomData<fn() -> S>);

impl<S: State> Future for RunOutcome<S> {
    type Output = Result<Outcome<S>, Error>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let ended = Pin::new(&mut self.0).poll(cx);
        ended.map(|outcome| outcome.and_then(Outcome::new))
    }
}

impl<S: State, N: Nodes> Graph<S, N> {
    /// Starts a run on new input, and returns once it has begun: its thread is leased, the run is
    /// recorded, and its input is stored. A busy thread, or one that does not fit the graph, is an
    /// error here, and no run.
    ///
    /// The run then continues by itself on the tokio runtime, whether somebody holds on to it or not.
    /// From here on a crash does not lose it: [`Graph::resume_interrupted`] continues it.
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
    /// let mut running = graph.start("t", Mail::update().subject("hi")).await?;
    /// println!("run {} has begun", running.id);
    /// while let Some(event) = running.events.next().await {
    ///     println!("{event:?}");
    /// }
    /// assert_eq!(running.await?.state().log, ["drafted"]);
    /// # Ok(()) }
    /// ```
    pub async fn start(
        &self,
        thread: impl Into<ThreadId>,
        input: impl Into<S::Update>,
    ) -> Result<Running<S, N>, Error> {
        let input = RunInput::Value(input.into().into_value());
        self.start_with(thread.into(), input).await
    }

    /// [`Graph::resume`], as a run that continues by itself.
    pub async fn start_resume(&self, thread: impl Into<ThreadId>) -> Result<Running<S, N>, Error> {
        self.start_with(thread.into(), RunInput::Nothing).await
    }

    /// [`Graph::answer`], as a run that continues by itself. An answer to a question that is not open is
    /// an error here, and no run.
    pub async fn start_answer<A: Serialize>(
        &self,
        thread: impl Into<ThreadId>,
        answers: impl IntoIterator<Item = (AskId, A)>,
    ) -> Result<Running<S, N>, Error> {
        let answers = input::answers(plain(answers)?);
        self.start_with(thread.into(), answers).await
    }

    async fn start_with(&self, thread: ThreadId, input: RunInput) -> Result<Running<S, N>, Error> {
        let run = self.inner.start(input, &self.on(thread.clone())).await?;
        Ok(Running::new(thread, run))
    }

    /// Reads what one run logs, after a cursor or from its beginning, until it ends, in whatever
    /// process it is. The last item is its ending, also if it logs nothing, was cut short, or has
    /// ended long ago. A run that is queued is waited for; an unknown one is SS2018.
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
    /// use superstep::{Ending, LogItem, Modes};
    ///
    /// let graph = graph.with_options(|options| options.log = Modes::UPDATES);
    /// let id = graph.start("t", Mail::default()).await?.id;
    /// let mut reader = graph.follow_run(id, None, Modes::UPDATES);
    /// let mut last = None;
    /// while let Some((cursor, item)) = reader.next().await? {
    ///     println!("{cursor} {item:?}");
    ///     last = Some(item);
    /// }
    /// assert!(matches!(last, Some(LogItem::Ended(Ending::Done))));
    /// # Ok(()) }
    /// ```
    pub fn follow_run(&self, run: RunId, after: Option<Cursor>, modes: Modes) -> Follow<S, N> {
        Follow::new(self.inner.follow_run(run, after, modes))
    }

    /// A run, if there is one of this id on the graph's saver. One whose process is gone is shown as
    /// interrupted.
    pub async fn find_run(&self, run: RunId) -> Result<Option<RunRecord>, Error> {
        self.inner.find_run(run).await
    }

    /// The runs of a thread, newest first.
    ///
    #[doc = include_str!("docs/graph/runs.md")]
    pub async fn runs(
        &self,
        thread: impl Into<ThreadId>,
        query: &RunQuery,
    ) -> Result<Vec<RunRecord>, Error> {
        self.inner.runs(thread, query).await
    }

    /// What is going on with a thread, by its newest run. A thread of an earlier version
    /// has no runs on record; what it holds decides.
    pub async fn status(&self, thread: impl Into<ThreadId>) -> Result<RunStatus, Error> {
        self.inner.status(thread).await
    }

    /// Asks to cancel a run of this or any other process; durable when it returns. Returns whether
    /// the run had not ended yet. The run notices within a second, and then ends as
    /// [`Running::cancel`] says; [`Graph::follow_run`] shows when it has.
    pub async fn cancel(&self, run: RunId, reason: impl Into<String>) -> Result<bool, Error> {
        self.inner.cancel(run, reason).await
    }

    /// [`Graph::cancel`], in another way.
    pub async fn cancel_with(
        &self,
        run: RunId,
        how: Cancel,
        reason: impl Into<String>,
    ) -> Result<bool, Error> {
        self.inner.cancel_with(run, how, reason).await
    }

    /// What a run did, or may have done: undoing what it stored would make its thread forget that, and do it a second
    /// time. Such a run is not undone unless the caller means it ([`Cancel::RollbackRepeating`]).
    pub async fn effects_of_run(&self, run: RunId) -> Result<Vec<Repeated>, Error> {
        self.inner.effects_of_run(run).await
    }

    /// Wakes the threads of this graph whose time has come, for programs without a [`Worker`](crate::Worker):
    /// runs that sleep, and questions whose deadline is over. What else is due in the queue for this graph runs
    /// too. Each runs to its end, one after the other; several processes may call this at once.
    pub async fn wake_due(&self) -> Result<Vec<(ThreadId, Result<Outcome<S>, Error>)>, Error> {
        let worked = self.inner.wake_due(&self.options).await?;
        let typed = |worked: Worked| (worked.thread, worked.outcome.and_then(Outcome::new));
        Ok(worked.into_iter().map(typed).collect())
    }

    /// The threads of this graph whose newest run was cut short: its process was killed, or it was
    /// dropped.
    pub async fn interrupted_threads(&self) -> Result<Vec<ThreadId>, Error> {
        self.inner.interrupted_threads().await
    }

    /// Continues all threads of this graph whose newest run was cut short, each in a run of its own.
    /// A service calls this when it starts. One that another process continues meanwhile is left
    /// to it; so several may call it at once.
    ///
    #[doc = include_str!("docs/graph/resume_interrupted.md")]
    pub async fn resume_interrupted(&self) -> Result<Recovery<Running<S, N>>, Error> {
        let recovery = self.inner.resume_interrupted(&self.options).await?;
        let typed = |run: running::DynRunning| Some(Running::new(run.thread.clone()?, run));
        Ok(Recovery {
            started: recovery.started.into_iter().filter_map(typed).collect(),
            failed: recovery.failed,
        })
    }
}
