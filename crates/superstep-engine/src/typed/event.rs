//! Events of a run, with types.

use std::{
    pin::Pin,
    task::{Context, Poll},
};

use futures_core::Stream;
use superstep_core::{
    error::Error,
    event::{self, Cursor, EventKind},
    id::TaskId,
    record::StoredError,
    value::Value,
};

use super::{
    ask::OpenAsk,
    channel_state::whole_state,
    checkpoint::Checkpoint,
    nodes::Nodes,
    outcome::Outcome,
    snap::Snap,
    state::{State, Update},
};
use crate::{
    follow::{self, LogItem},
    stream,
};

/// Something that happened in a run.
///
/// Which events a stream shows is the run's option `modes`.
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
/// # let graph = Graph::<Mail, Node>::builder()
/// #     .node(Node::Draft, || async { Mail::update().reply("hello") })
/// #     .node(Node::Check, || async {}).node(Node::Send, || async {})
/// #     .start(Node::Draft).edge(Node::Draft, Node::Check).edge(Node::Check, Node::Send)
/// #     .finish(Node::Send).build()?;
/// let mut stream = graph.stream("t", Mail::default());
/// let mut ended = Vec::new();
/// while let Some(event) = stream.next().await {
///     match event {
///         Event::Update { node: Node::Draft, update, .. } => println!("drafted {update:?}"),
///         Event::TaskEnded { node, .. } => ended.push(node),
///         _ => {}
///     }
/// }
/// assert_eq!(ended, [Node::Draft, Node::Check, Node::Send]);
/// # Ok(()) }
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub enum Event<S: State, N> {
    /// The state, after a step changed it or as it is when a task asks.
    State(Snap<S>),
    /// A task finished.
    Update {
        /// Its node.
        node: N,
        /// What it wrote.
        update: S::Update,
        /// It did not run now: its result was stored.
        cached: bool,
    },
    /// A task asked.
    Asked(Vec<OpenAsk>),
    /// The run is at a pause of the graph.
    Paused,
    /// A task starts.
    TaskStarted {
        /// The task.
        task: TaskId,
        /// Its node.
        node: N,
    },
    /// A task ended.
    TaskEnded {
        /// The task.
        task: TaskId,
        /// Its node.
        node: N,
        /// Its error.
        error: Option<StoredError>,
        /// Its questions.
        asks: Vec<OpenAsk>,
    },
    /// A checkpoint.
    Checkpoint(Box<Checkpoint<S, N>>),
    /// A node emitted this; `take` gives it its type back.
    Custom(Value),
    /// A message, or a piece of one.
    Message {
        /// The node it came from.
        node: N,
        /// The message.
        message: Value,
    },
    /// A task starts or ends a piece of its work.
    Span(Box<event::Span>),
    /// Something that happened below: in a subgraph, a called task or an error handler.
    Below(Box<event::Event>),
}

impl<S: State, N: Nodes> Event<S, N> {
    pub(super) fn new(event: event::Event) -> Self {
        Self::typed(&event).unwrap_or_else(|| Self::Below(Box::new(event)))
    }

    fn typed(event: &event::Event) -> Option<Self> {
        if !event.namespace.is_root() {
            return None;
        }
        Self::of(event)
    }

    /// The event with types, whatever graph it is of.
    pub(super) fn of(event: &event::Event) -> Option<Self> {
        let open = |asks: &[superstep_core::ask::Ask]| asks.iter().map(OpenAsk::from).collect();
        Some(match &event.kind {
            EventKind::Values { values, .. } => Self::State(Snap(whole_state(values).ok()?)),
            EventKind::Update {
                node,
                update,
                cached,
            } => Self::Update {
                node: N::parse(node)?,
                update: S::Update::from_value(update).ok()?,
                cached: *cached,
            },
            EventKind::Asked(asks) if asks.is_empty() => Self::Paused,
            EventKind::Asked(asks) => Self::Asked(open(asks)),
            EventKind::TaskStart { id, name, .. } => Self::TaskStarted {
                task: *id,
                node: N::parse(name)?,
            },
            EventKind::TaskEnd {
                id,
                name,
                error,
                asks,
                ..
            } => Self::TaskEnded {
                task: *id,
                node: N::parse(name)?,
                error: error.clone(),
                asks: open(asks),
            },
            EventKind::Checkpoint(snapshot) => {
                Self::Checkpoint(Box::new(Checkpoint::new(snapshot).ok()?))
            }
            EventKind::Custom(data) => Self::Custom(data.clone()),
            EventKind::Message { message, node } => Self::Message {
                node: N::parse(node)?,
                message: message.clone(),
            },
            EventKind::Span(span) => Self::Span(span.clone()),
            _ => return None,
        })
    }
}

/// A run and its events. Reading drives the run; dropping it cancels the run.
///
/// It is a [`Stream`] of the events. How the run ended, be it with an error, is not among them: see
/// [`EventStream::outcome`].
pub struct EventStream<S, N> {
    inner: stream::DynEventStream,
    types: std::marker::PhantomData<fn() -> (S, N)>,
}

impl<S: State, N: Nodes> EventStream<S, N> {
    pub(crate) fn new(inner: stream::DynEventStream) -> Self {
        Self {
            inner,
            types: std::marker::PhantomData,
        }
    }

    /// The next event; nothing when the run has ended.
    pub async fn next(&mut self) -> Option<Event<S, N>> {
        self.inner.next().await.map(Event::new)
    }

    /// Reads the rest and returns how the run ended.
    pub async fn outcome(self) -> Result<Outcome<S>, Error> {
        Outcome::new(self.inner.outcome().await?)
    }
}

impl<S: State, N: Nodes> Stream for EventStream<S, N> {
    type Item = Event<S, N>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let next = Pin::new(&mut self.inner).poll_next(cx);
        next.map(|event| event.map(Event::new))
    }
}

/// A reader of a thread's log.
///
/// It is a [`Stream`] of what [`Follow::next`] returns, which ends after an error.
pub struct Follow<S, N> {
    inner: follow::DynFollow,
    types: std::marker::PhantomData<fn() -> (S, N)>,
}

impl<S: State, N: Nodes> Follow<S, N> {
    pub(crate) fn new(inner: follow::DynFollow) -> Self {
        Self {
            inner,
            types: std::marker::PhantomData,
        }
    }

    /// Reads events of graphs below as well.
    #[must_use]
    pub fn with_subgraphs(self) -> Self {
        Self::new(self.inner.with_subgraphs())
    }

    /// The last entry that was read, wanted or not: a reader that starts after it continues where
    /// this one is.
    pub fn cursor(&self) -> Option<Cursor> {
        self.inner.cursor()
    }

    /// The next entry. Waits while a run is under way or none has begun; nothing once the last run has
    /// ended. The ending of a run that was cut short is in no log; its reader gets it all the same.
    pub async fn next(&mut self) -> Result<Option<(Cursor, LogItem<Event<S, N>>)>, Error> {
        Ok(self.inner.next().await?.map(typed_item))
    }

    /// The next entry, of this run or of any to come: waits for as long as it takes.
    pub async fn next_ever(&mut self) -> Result<(Cursor, LogItem<Event<S, N>>), Error> {
        self.inner.next_ever().await.map(typed_item)
    }

    /// The next entry that is stored already; nothing if there is no more.
    pub async fn next_stored(&mut self) -> Result<Option<(Cursor, LogItem<Event<S, N>>)>, Error> {
        Ok(self.inner.next_stored().await?.map(typed_item))
    }
}

impl<S: State, N: Nodes> Stream for Follow<S, N> {
    type Item = Result<(Cursor, LogItem<Event<S, N>>), Error>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let next = Pin::new(&mut self.inner).poll_next(cx);
        next.map(|item| item.map(|found| found.map(typed_item)))
    }
}

fn typed_item<S: State, N: Nodes>(
    (cursor, item): (Cursor, LogItem),
) -> (Cursor, LogItem<Event<S, N>>) {
    let item = match item {
        LogItem::Started { durability, modes } => LogItem::Started { durability, modes },
        LogItem::Event(event) => LogItem::Event(Event::new(event)),
        LogItem::Ended(ending) => LogItem::Ended(ending),
    };
    (cursor, item)
}
