//! Reading the log of a thread: from any place in it, during runs or after they ended.
//!
//! A reader never touches a run: it reads what is stored, as fast as it likes. How long it waits for
//! more is in `page`.

mod page;

use std::{
    collections::VecDeque,
    future::poll_fn,
    pin::Pin,
    task::{Context, Poll, ready},
};

use futures_core::Stream;
use serde::Serialize;
use superstep_core::{
    checkpoint::Loaded,
    error::Error,
    event::{Cursor, Ending, Entry, Event, Logged, LoggedEvent, Modes},
    future::BoxFuture,
    graph_state::GraphState,
    id::{RunId, ThreadId},
    policy::Durability,
    saver::At,
    value::Value,
};

use crate::graph::DynGraph;
use page::{Page, RunPosition, Turn, Until};

/// How many entries are read at once.
const PAGE: usize = 256;

/// What a reader of a log gets.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LogItem<E = Event> {
    /// A run began.
    Started {
        /// When it is stored.
        durability: Durability,
        /// Which events it logs.
        modes: Modes,
    },
    /// Something happened in it.
    Event(E),
    /// It ended.
    Ended(Ending),
}

/// A reader of a thread's log.
///
/// It is a [`Stream`] of what [`DynFollow::next`] returns, which ends after an error.
pub struct DynFollow {
    graph: DynGraph,
    source: Source,
    modes: Modes,
    subgraphs: bool,
    page: VecDeque<Logged>,
    /// The last entry that was read, wanted or not.
    cursor: Option<Cursor>,
    at: Option<u64>,
    place: RunPosition,
    /// The next page on its way, for a reader that waits so long. It is dropped if the reader then
    /// decides otherwise.
    turning: Option<(Until, BoxFuture<'static, Result<Page, Error>>)>,
    /// The state of the page's first entry on its way.
    filling: Option<BoxFuture<'static, Result<Option<Event>, Error>>>,
    failed: bool,
}

/// What is read.
#[derive(Clone, Debug)]
enum Source {
    /// All runs of a thread.
    Thread(ThreadId),
    /// One run, and its thread once that is known.
    Run(RunId, Option<ThreadId>),
}

impl DynGraph {
    /// Reads the log of a thread after a cursor, or from its beginning: events of these modes, and
    /// where runs begin and end. Only what runs were configured to log is there
    /// ([`crate::RunOptions::log`]).
    pub fn follow(
        &self,
        thread: impl Into<ThreadId>,
        after: Option<Cursor>,
        modes: Modes,
    ) -> DynFollow {
        DynFollow::new(self, Source::Thread(thread.into()), after, modes)
    }

    /// Reads what one run logs, after a cursor or from its beginning, until it ends, in whatever
    /// process it is. The last item is its ending, also if it logs nothing, was cut short, or has
    /// ended long ago. A run that is queued is waited for; an unknown one is SS2018.
    pub fn follow_run(&self, run: RunId, after: Option<Cursor>, modes: Modes) -> DynFollow {
        DynFollow::new(self, Source::Run(run, None), after, modes)
    }

    /// All that is stored of a thread's log, with the states that its entries refer to, as far as
    /// their checkpoints are still there. Traces are made of it.
    pub async fn whole_log(&self, thread: impl Into<ThreadId>) -> Result<Vec<Logged>, Error> {
        let thread = thread.into();
        let mut log: Vec<Logged> = Vec::new();
        loop {
            let after = log.last().map(|last| last.cursor);
            let page = self.saver()?.events(&thread, after, PAGE).await?;
            if page.is_empty() {
                break;
            }
            log.extend(page);
        }
        for logged in &mut log {
            let Entry::Event(logged_event) = &mut logged.entry else {
                continue;
            };
            if logged_event.state.is_some()
                && let Some(event) = whole(self, &thread, LoggedEvent::clone(logged_event)).await?
            {
                logged_event.event = event;
                logged_event.state = None;
            }
        }
        Ok(log)
    }
}

impl DynFollow {
    fn new(graph: &DynGraph, source: Source, after: Option<Cursor>, modes: Modes) -> Self {
        Self {
            graph: graph.clone(),
            source,
            modes,
            subgraphs: false,
            page: VecDeque::new(),
            cursor: after,
            at: None,
            place: RunPosition::Unknown,
            turning: None,
            filling: None,
            failed: false,
        }
    }

    /// Reads events of graphs below as well.
    #[must_use]
    pub fn with_subgraphs(mut self) -> Self {
        self.subgraphs = true;
        self
    }

    /// The last entry that was read, wanted or not: a reader that starts after it continues where
    /// this one is.
    pub fn cursor(&self) -> Option<Cursor> {
        self.cursor
    }

    /// When the last entry that was read was written, in microseconds since 1970.
    pub fn at(&self) -> Option<u64> {
        self.at
    }

    /// The next entry. Waits while a run is under way or none has begun; nothing once the last run has
    /// ended. The ending of a run that was cut short is in no log; its reader gets it all the same.
    pub async fn next(&mut self) -> Result<Option<(Cursor, LogItem)>, Error> {
        poll_fn(|cx| self.poll_item(cx, Until::RunEnd)).await
    }

    /// The next entry, of this run or of any to come: waits for as long as it takes.
    pub async fn next_ever(&mut self) -> Result<(Cursor, LogItem), Error> {
        poll_fn(|cx| match ready!(self.poll_item(cx, Until::Ever)) {
            Ok(Some(found)) => Poll::Ready(Ok(found)),
            Ok(None) => Poll::Pending,
            Err(error) => Poll::Ready(Err(error)),
        })
        .await
    }

    /// The next entry that is stored already; nothing if there is no more.
    pub async fn next_stored(&mut self) -> Result<Option<(Cursor, LogItem)>, Error> {
        poll_fn(|cx| self.poll_item(cx, Until::Stored)).await
    }

    fn poll_item(
        &mut self,
        cx: &mut Context<'_>,
        until: Until,
    ) -> Poll<Result<Option<(Cursor, LogItem)>, Error>> {
        loop {
            // It leaves the page when it is read: whoever stops waiting loses nothing.
            let Some(first) = self.page.front() else {
                match ready!(self.poll_page(cx, until)) {
                    Ok(true) => continue,
                    Ok(false) => return Poll::Ready(Ok(None)),
                    Err(error) => return Poll::Ready(Err(error)),
                }
            };
            if let Some(before) = self.cursor
                && self.place == RunPosition::InRun
                && before.epoch < first.cursor.epoch
            {
                // Another run followed one that was cut short.
                let end = Cursor::end_of(before.epoch);
                (self.cursor, self.at, self.place) = (Some(end), None, RunPosition::AfterRun);
                let ended = LogItem::Ended(Ending::Interrupted);
                return Poll::Ready(Ok(Some((end, ended))));
            }
            let filled = match &first.entry {
                Entry::Event(logged_event)
                    if logged_event.state.is_some() && self.wants(logged_event) =>
                {
                    let Some(thread) = self.source.thread().cloned() else {
                        return Poll::Ready(Ok(None));
                    };
                    let graph = self.graph.clone();
                    let logged_event = LoggedEvent::clone(logged_event);
                    let filling = self.filling.get_or_insert_with(|| {
                        Box::pin(async move { whole(&graph, &thread, logged_event).await })
                    });
                    let filled = ready!(filling.as_mut().poll(cx));
                    self.filling = None;
                    match filled {
                        Ok(filled) => filled,
                        Err(error) => return Poll::Ready(Err(error)),
                    }
                }
                _ => None,
            };
            let Some(Logged {
                cursor, at, entry, ..
            }) = self.page.pop_front()
            else {
                continue;
            };
            (self.cursor, self.at, self.place) = (Some(cursor), at, RunPosition::of(&entry));
            let item = match entry {
                Entry::Started {
                    durability, modes, ..
                } => Some(LogItem::Started { durability, modes }),
                Entry::Ended(ending) => Some(LogItem::Ended(ending)),
                Entry::Event(logged_event)
                    if logged_event.state.is_none() && self.wants(&logged_event) =>
                {
                    Some(LogItem::Event(logged_event.event))
                }
                Entry::Event(_) => filled.map(LogItem::Event),
            };
            if let Some(item) = item {
                return Poll::Ready(Ok(Some((cursor, item))));
            }
        }
    }

    /// Reads on. Returns whether there was more.
    fn poll_page(&mut self, cx: &mut Context<'_>, until: Until) -> Poll<Result<bool, Error>> {
        if let Some((waits, _)) = &self.turning
            && *waits != until
        {
            self.turning = None;
        }
        let (_, turning) = match &mut self.turning {
            Some(turning) => turning,
            none => {
                let saver = match self.graph.saver() {
                    Ok(saver) => saver.clone(),
                    Err(error) => return Poll::Ready(Err(error)),
                };
                let turn = Turn {
                    saver,
                    after: self.cursor,
                    place: self.place,
                    until,
                };
                let source = self.source.clone();
                none.insert((until, Box::pin(turn.page(source))))
            }
        };
        let page = ready!(turning.as_mut().poll(cx));
        self.turning = None;
        Poll::Ready(page.map(|page| {
            (self.page, self.place) = (page.entries, page.place);
            self.source = page.source;
            !self.page.is_empty()
        }))
    }

    fn wants(&self, logged_event: &LoggedEvent) -> bool {
        self.modes.has(logged_event.event.kind.mode()) && (self.subgraphs || !logged_event.below)
    }
}

impl Stream for DynFollow {
    type Item = Result<(Cursor, LogItem), Error>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if self.failed {
            return Poll::Ready(None);
        }
        let next = ready!(self.poll_item(cx, Until::RunEnd)).transpose();
        self.failed = matches!(next, Some(Err(_)));
        Poll::Ready(next)
    }
}

/// The event with its state; nothing if the checkpoint that had it was pruned meanwhile.
async fn whole(
    graph: &DynGraph,
    thread: &ThreadId,
    logged_event: LoggedEvent,
) -> Result<Option<Event>, Error> {
    let Some(at) = &logged_event.state else {
        return Ok(Some(logged_event.event));
    };
    let saver = graph.saver()?;
    let (graph, namespace) = graph.at_namespace(&logged_event.event.namespace)?;
    let id = At::Id(at.checkpoint);
    let Some(loaded) = saver.load(thread, &namespace, id).await? else {
        return Ok(None);
    };
    let read = || -> Result<Value, Error> {
        // What tasks did since is not what was shown.
        let notes = Vec::new();
        let loaded = Loaded { notes, ..loaded };
        let plan = &graph.0.plan;
        let restored = GraphState::restore(plan, &loaded, graph.0.typed.migrate.as_ref())?;
        Ok(at.part.read(plan, &restored.state))
    };
    let state = read().map_err(|error| error.at_thread(Some(thread)))?;
    Ok(Some(logged_event.with_state(state)))
}

impl Source {
    fn thread(&self) -> Option<&ThreadId> {
        match self {
            Self::Thread(thread) => Some(thread),
            Self::Run(_, thread) => thread.as_ref(),
        }
    }
}
