//! Event log of a thread, as one run writes it.
//!
//! All graphs of a run share one [`EventLogWriter`]: it numbers entries and keeps them until something is
//! stored, which takes them along, so that a step and its events are stored together. Entries that
//! nothing takes along are stored by themselves, soon ([`EventLogWriter::along`]).

use std::{sync::Arc, sync::Mutex, time::Duration};

use superstep_core::{
    error::{Error, SaverError},
    event::{Cursor, Ending, Entry, Logged, LoggedEvent, Modes, TraceParent},
    id::{CheckpointId, GraphPath, ThreadId},
    plan::Plan,
    policy::Durability,
    run::Stop,
    saver::{Events, Saver},
};
use tokio::sync::Notify;

use crate::{clock::now_micros, options::RunOptions};
use superstep_core::sync::lock;

/// So many entries do not wait for something to take them along.
const MOST: usize = 256;

/// Nor do entries that are older than this.
const OLDEST: Duration = Duration::from_millis(50);

/// The plan of the graph that a reader of the log finds at a namespace.
pub(crate) type FindPlan = dyn Fn(&GraphPath) -> Option<Arc<Plan>> + Send + Sync;

/// The log of a thread, for one run.
pub(crate) struct EventLogWriter {
    saver: Arc<dyn Saver>,
    thread: ThreadId,
    epoch: u64,
    pub(crate) modes: Modes,
    /// The name of the run's root graph.
    graph: Arc<str>,
    /// When the run began, in microseconds since 1970.
    began: u64,
    /// The caller's span that it is part of.
    traceparent: Option<TraceParent>,
    plan_at: Box<FindPlan>,
    page: Mutex<UnstoredEntries>,
    /// There is something to store, or it could not be stored.
    stirred: Notify,
}

#[derive(Default)]
struct UnstoredEntries {
    n: u64,
    /// When the last entry was written.
    at: u64,
    entries: Vec<Logged>,
    failed: Option<SaverError>,
    open: bool,
}

/// An entry without its number.
pub(crate) type Line = (Option<CheckpointId>, Entry);

impl EventLogWriter {
    pub(crate) fn new(
        saver: &Arc<dyn Saver>,
        thread: &ThreadId,
        epoch: u64,
        options: &RunOptions,
        graph: &Arc<str>,
        plan_at: Box<FindPlan>,
        began: u64,
    ) -> Self {
        Self {
            saver: saver.clone(),
            thread: thread.clone(),
            epoch,
            modes: options.log,
            graph: graph.clone(),
            began,
            traceparent: options.traceparent,
            plan_at,
            page: Mutex::default(),
            stirred: Notify::new(),
        }
    }

    /// Whether a reader of the log finds this graph at its namespace.
    pub(crate) fn finds(&self, plan: &Arc<Plan>, namespace: &GraphPath) -> bool {
        (self.plan_at)(namespace).is_some_and(|found| Arc::ptr_eq(&found, plan))
    }

    /// Makes a call of the saver that takes all entries along, these last. Calls of one run are
    /// made one after the other, so that no entry comes before one with a smaller number.
    pub(crate) fn send<T>(&self, lines: &mut Vec<Line>, call: impl FnOnce(Vec<Logged>) -> T) -> T {
        let mut page = lock(&self.page);
        page.add(self.epoch, lines);
        let entries = std::mem::take(&mut page.entries);
        call(entries)
    }

    /// Keeps entries for the next call; stores them if there are many.
    pub(crate) async fn add(&self, lines: &mut Vec<Line>) -> Result<(), SaverError> {
        if lines.is_empty() {
            return Ok(());
        }
        let full = {
            let mut page = lock(&self.page);
            if !page.open {
                // From something that outlived its run.
                lines.clear();
                return Ok(());
            }
            if page.entries.is_empty() {
                self.stirred.notify_one();
            }
            page.add(self.epoch, lines);
            page.entries.len() >= MOST
        };
        if full { self.flush().await } else { Ok(()) }
    }

    /// Keeps an event of a node. A failure ends the run, not the node.
    pub(crate) async fn emit(&self, event: LoggedEvent, checkpoint: Option<CheckpointId>) {
        let mut lines = vec![(checkpoint, Entry::Event(Box::new(event)))];
        if let Err(error) = self.add(&mut lines).await {
            lock(&self.page).failed.get_or_insert(error);
            self.stirred.notify_one();
        }
    }

    async fn flush(&self) -> Result<(), SaverError> {
        let reply = {
            let mut page = lock(&self.page);
            if page.entries.is_empty() {
                return Ok(());
            }
            self.saver.log(Events {
                thread: self.thread.clone(),
                epoch: self.epoch,
                events: std::mem::take(&mut page.entries),
            })
        };
        reply.await
    }

    /// Drives a run, and stores what waits for too long.
    pub(crate) async fn along(&self, run: impl Future<Output = Stop>) -> Stop {
        let error = tokio::select! {
            biased;
            stop = run => return stop,
            error = self.keep_flushing() => Error::from(error),
        };
        if std::mem::take(&mut lock(&self.page).open) {
            let ending = Ending::Failed {
                code: error.code().to_owned(),
                message: error.to_string(),
            };
            let mut lines = vec![(None, Entry::Ended(ending))];
            lock(&self.page).add(self.epoch, &mut lines);
            // The medium has failed already, and that is what is reported.
            let _too = self.flush().await;
        }
        Stop::Failed(error)
    }

    async fn keep_flushing(&self) -> SaverError {
        loop {
            self.stirred.notified().await;
            tokio::time::sleep(OLDEST).await;
            if let Some(error) = lock(&self.page).failed.clone() {
                return error;
            }
            if let Err(error) = self.flush().await {
                return error;
            }
        }
    }

    /// The run has begun.
    pub(crate) fn start(&self, durability: Durability, checkpoint: CheckpointId) {
        let modes = self.modes;
        let mut page = lock(&self.page);
        page.open = true;
        let graph = self.graph.clone();
        let started = Entry::Started {
            durability,
            modes,
            graph,
            traceparent: self.traceparent,
        };
        let mut lines = vec![(Some(checkpoint), started)];
        page.add_at(self.began, self.epoch, &mut lines);
        self.stirred.notify_one();
    }

    /// The run has ended; stores what is left.
    pub(crate) async fn end(&self, stop: Stop, checkpoint: CheckpointId) -> Stop {
        let failed = {
            let mut page = lock(&self.page);
            page.open = false;
            let mut lines = vec![(Some(checkpoint), Entry::Ended(Ending::from(&stop)))];
            page.add(self.epoch, &mut lines);
            page.failed.clone()
        };
        match (self.flush().await, failed) {
            (Ok(()), None) => stop,
            (_, Some(error)) | (Err(error), None) => {
                Stop::Failed(Error::from(error).at_thread(Some(&self.thread)))
            }
        }
    }
}

impl UnstoredEntries {
    fn add(&mut self, epoch: u64, lines: &mut Vec<Line>) {
        if !lines.is_empty() {
            self.add_at(now_micros(), epoch, lines);
        }
    }

    fn add_at(&mut self, now: u64, epoch: u64, lines: &mut Vec<Line>) {
        self.at = self.at.max(now);
        for (checkpoint, entry) in lines.drain(..) {
            self.n += 1;
            let cursor = Cursor { epoch, n: self.n };
            self.entries.push(Logged {
                cursor,
                checkpoint,
                at: Some(self.at),
                entry,
            });
        }
    }
}
