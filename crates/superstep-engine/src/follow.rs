//! Reading the log of a thread: from any place in it, during runs or after they ended.
//!
//! A reader never touches a run: it reads what is stored, as fast as it likes.

use std::{
    collections::VecDeque,
    future::poll_fn,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
};

use futures_core::Stream;
use superstep_core::{
    checkpoint::Loaded,
    error::Error,
    event::{Cursor, Ending, Entry, Event, Logged, LoggedEvent, Modes},
    future::BoxFuture,
    graph_state::GraphState,
    id::ThreadId,
    policy::Durability,
    saver::{At, Saver},
    value::Value,
};

use crate::graph::Graph;

/// How many entries are read at once.
const PAGE: usize = 256;

/// What a reader of a log gets.
#[derive(Clone, Debug, PartialEq)]
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
/// It is a [`Stream`] of what [`Follow::next`] returns, which ends after an error.
pub struct Follow {
    graph: Graph,
    thread: ThreadId,
    modes: Modes,
    subgraphs: bool,
    page: VecDeque<Logged>,
    /// The last entry that was read, wanted or not.
    cursor: Option<Cursor>,
    at: Option<u64>,
    place: Place,
    /// The next page on its way, for a reader that waits so long. It is dropped if the reader then
    /// decides otherwise.
    turning: Option<(Until, BoxFuture<'static, Result<Page, Error>>)>,
    /// The state of the page's first entry on its way.
    filling: Option<BoxFuture<'static, Result<Option<Event>, Error>>>,
    failed: bool,
}

/// What comes next in a log, and the status of the run before it.
struct Page {
    entries: VecDeque<Logged>,
    place: Place,
}

/// How long a reader waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Until {
    /// Not at all: it reads what is stored.
    Stored,
    /// While a run is under way or none has begun.
    RunEnd,
    /// Without end.
    Ever,
}

/// The status of the run, by the last entry that was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// Nothing was read yet.
    Unknown,
    /// A run is under way, as far as the log knows.
    InRun,
    /// It has ended.
    AfterRun,
}

impl Graph {
    /// Reads the log of a thread after a cursor, or from its beginning: events of these modes, and
    /// where runs begin and end. Only what runs were configured to log is there
    /// ([`crate::RunOptions::log`]).
    pub fn follow(
        &self,
        thread: impl Into<ThreadId>,
        after: Option<Cursor>,
        modes: Modes,
    ) -> Follow {
        Follow {
            graph: self.clone(),
            thread: thread.into(),
            modes,
            subgraphs: false,
            page: VecDeque::new(),
            cursor: after,
            at: None,
            place: Place::Unknown,
            turning: None,
            filling: None,
            failed: false,
        }
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
            let Entry::Event(told) = &mut logged.entry else {
                continue;
            };
            if told.state.is_some()
                && let Some(event) = whole(self, &thread, LoggedEvent::clone(told)).await?
            {
                told.event = event;
                told.state = None;
            }
        }
        Ok(log)
    }
}

impl Follow {
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
    /// ended. A run that was cut short has no end, so its continuation is waited for.
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
            let filled = match &first.entry {
                Entry::Event(told) if told.state.is_some() && self.wants(told) => {
                    let (graph, thread) = (self.graph.clone(), self.thread.clone());
                    let told = LoggedEvent::clone(told);
                    let filling = self.filling.get_or_insert_with(|| {
                        Box::pin(async move { whole(&graph, &thread, told).await })
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
            (self.cursor, self.at, self.place) = (Some(cursor), at, Place::of(&entry));
            let item = match entry {
                Entry::Started {
                    durability, modes, ..
                } => Some(LogItem::Started { durability, modes }),
                Entry::Ended(ending) => Some(LogItem::Ended(ending)),
                Entry::Event(told) if told.state.is_none() && self.wants(&told) => {
                    Some(LogItem::Event(told.event))
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
                let (thread, cursor, place) = (self.thread.clone(), self.cursor, self.place);
                let page = Box::pin(next_page(saver, thread, cursor, place, until));
                none.insert((until, page))
            }
        };
        let page = ready!(turning.as_mut().poll(cx));
        self.turning = None;
        Poll::Ready(page.map(|page| {
            (self.page, self.place) = (page.entries, page.place);
            !self.page.is_empty()
        }))
    }

    fn wants(&self, told: &LoggedEvent) -> bool {
        self.modes.has(told.event.kind.mode()) && (self.subgraphs || !told.below)
    }
}

impl Stream for Follow {
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

/// What follows in the log; empty if the reader waits no longer.
async fn next_page(
    saver: Arc<dyn Saver>,
    thread: ThreadId,
    after: Option<Cursor>,
    mut place: Place,
    until: Until,
) -> Result<Page, Error> {
    if let (Place::Unknown, Some(cursor)) = (place, after) {
        // The entry the reader has seen shows whether its run has ended. One that is gone was
        // pruned, which happens between runs.
        let seen = saver.events(&thread, Some(cursor.before()), 1).await?;
        let seen = seen.first().filter(|seen| seen.cursor == cursor);
        place = seen.map_or(Place::AfterRun, |seen| Place::of(&seen.entry));
    }
    loop {
        // Called before the log is read, so that nothing comes unnoticed in between.
        let changed = (until != Until::Stored).then(|| saver.changed(&thread));
        let entries: VecDeque<Logged> = saver.events(&thread, after, PAGE).await?.into();
        let over = until == Until::RunEnd && place == Place::AfterRun;
        match changed {
            Some(changed) if entries.is_empty() && !over => changed.await?,
            _ => return Ok(Page { entries, place }),
        }
    }
}

/// The event with its state; nothing if the checkpoint that had it was pruned meanwhile.
async fn whole(
    graph: &Graph,
    thread: &ThreadId,
    told: LoggedEvent,
) -> Result<Option<Event>, Error> {
    let Some(at) = &told.state else {
        return Ok(Some(told.event));
    };
    let saver = graph.saver()?;
    let (graph, namespace) = graph.at_namespace(&told.event.namespace)?;
    let id = At::Id(at.checkpoint);
    let Some(loaded) = saver.load(thread, &namespace, id).await? else {
        return Ok(None);
    };
    let read = || -> Result<Value, Error> {
        // What tasks did since is not what was shown.
        let notes = Vec::new();
        let loaded = Loaded { notes, ..loaded };
        let plan = &graph.0.plan;
        let restored = GraphState::restore(plan, &loaded, graph.0.migrate.as_ref())?;
        Ok(at.part.read(plan, &restored.state))
    };
    let state = read().map_err(|error| error.at_thread(Some(thread)))?;
    Ok(Some(told.with_state(state)))
}

impl Place {
    fn of(entry: &Entry) -> Self {
        match entry {
            Entry::Ended(_) => Self::AfterRun,
            _ => Self::InRun,
        }
    }
}
