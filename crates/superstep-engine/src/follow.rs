//! Reading the log of a thread: from any place in it, during runs or after they ended.
//!
//! A reader never touches a run: it reads what is stored, as fast as it likes.

use std::collections::VecDeque;

use superstep_core::{
    checkpoint::Loaded,
    error::Error,
    event::{Cursor, Ending, Entry, Event, Logged, LoggedEvent, Modes},
    graph_state::GraphState,
    id::ThreadId,
    policy::Durability,
    saver::At,
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
        }
    }
}

impl Graph {
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
        let reader = self.follow(thread, None, Modes::ALL);
        for logged in &mut log {
            let Entry::Event(told) = &mut logged.entry else {
                continue;
            };
            if told.state.is_some()
                && let Some(event) = reader.whole(LoggedEvent::clone(told)).await?
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
        loop {
            let saver = self.graph.saver()?.clone();
            // Called before the log is read, so that nothing comes unnoticed in between.
            let changed = saver.changed(&self.thread);
            if let Some(found) = self.next_stored().await? {
                return Ok(Some(found));
            }
            if self.place == Place::AfterRun {
                return Ok(None);
            }
            changed.await?;
        }
    }

    /// The next entry, of this run or of any to come: waits for as long as it takes.
    pub async fn next_ever(&mut self) -> Result<(Cursor, LogItem), Error> {
        loop {
            let saver = self.graph.saver()?.clone();
            let changed = saver.changed(&self.thread);
            if let Some(found) = self.next_stored().await? {
                return Ok(found);
            }
            changed.await?;
        }
    }

    /// The next entry that is stored already; nothing if there is no more.
    pub async fn next_stored(&mut self) -> Result<Option<(Cursor, LogItem)>, Error> {
        loop {
            // It leaves the page when it is read: whoever stops waiting loses nothing.
            let Some(Logged {
                cursor, at, entry, ..
            }) = self.page.front().cloned()
            else {
                if self.turn_page().await? {
                    continue;
                }
                return Ok(None);
            };
            let place = Place::of(&entry);
            let item = match entry {
                Entry::Started {
                    durability, modes, ..
                } => Some(LogItem::Started { durability, modes }),
                Entry::Ended(ending) => Some(LogItem::Ended(ending)),
                Entry::Event(told) if self.wants(&told) => {
                    self.whole(*told).await?.map(LogItem::Event)
                }
                Entry::Event(_) => None,
            };
            self.page.pop_front();
            (self.cursor, self.at, self.place) = (Some(cursor), at, place);
            if let Some(item) = item {
                return Ok(Some((cursor, item)));
            }
        }
    }

    fn wants(&self, told: &LoggedEvent) -> bool {
        self.modes.has(told.event.kind.mode()) && (self.subgraphs || !told.below)
    }

    /// Reads on. Returns whether there was more.
    async fn turn_page(&mut self) -> Result<bool, Error> {
        let saver = self.graph.saver()?;
        if let (Place::Unknown, Some(cursor)) = (self.place, self.cursor) {
            // The entry the reader has seen shows whether its run has ended. One that is gone was
            // pruned, which happens between runs.
            let seen = saver.events(&self.thread, Some(cursor.before()), 1).await?;
            let seen = seen.first().filter(|seen| seen.cursor == cursor);
            self.place = seen.map_or(Place::AfterRun, |seen| Place::of(&seen.entry));
        }
        self.page = saver.events(&self.thread, self.cursor, PAGE).await?.into();
        Ok(!self.page.is_empty())
    }

    /// The event with its state; nothing if the checkpoint that had it was pruned meanwhile.
    async fn whole(&self, told: LoggedEvent) -> Result<Option<Event>, Error> {
        let Some(at) = &told.state else {
            return Ok(Some(told.event));
        };
        let (graph, namespace) = self.graph.at_namespace(&told.event.namespace)?;
        let saver = self.graph.saver()?;
        let id = At::Id(at.checkpoint);
        let Some(loaded) = saver.load(&self.thread, &namespace, id).await? else {
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
        let state = read().map_err(|error| error.at_thread(Some(&self.thread)))?;
        Ok(Some(told.with_state(state)))
    }
}

impl Place {
    fn of(entry: &Entry) -> Self {
        match entry {
            Entry::Ended(_) => Self::AfterRun,
            _ => Self::InRun,
        }
    }
}
