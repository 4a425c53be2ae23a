//! A saver with an ear on it: it does what the saver does, and hears when runs end.

use std::sync::Arc;

use superstep_core::{
    archive::Archive,
    checkpoint::{Loaded, NextRecord},
    clock::UnixMillis,
    event::{Cursor, Entry, Logged},
    id::{Namespace, ThreadId},
    saver::{
        At, Commit, Events, HistoryQuery, Keep, Lease, Notes, Reply, Retained, Retention, Saver,
    },
};

use super::Line;

/// A saver whose finished runs are sent. Everything else is as with the saver itself.
pub struct Watched {
    saver: Arc<dyn Saver>,
    line: Line,
}

impl Watched {
    pub(super) fn new(saver: Arc<dyn Saver>, line: Line) -> Self {
        Self { saver, line }
    }

    /// Passes an answer on, and the end of a run once it is stored.
    fn heard<'a, T: Unpin + Send + 'a>(
        &self,
        ended: Option<(ThreadId, u64)>,
        reply: Reply<'a, T>,
    ) -> Reply<'a, T> {
        let Some((thread, number)) = ended else {
            return reply;
        };
        let (saver, line) = (self.saver.clone(), self.line.clone());
        Reply::Later(Box::pin(async move {
            let answer = reply.await;
            if answer.is_ok() {
                line.offer(&saver, &thread, number);
            }
            answer
        }))
    }
}

fn ended(thread: &ThreadId, events: &[Logged]) -> Option<(ThreadId, u64)> {
    let end = events
        .iter()
        .rev()
        .find(|logged| matches!(logged.entry, Entry::Ended(_)))?;
    Some((thread.clone(), end.cursor.epoch))
}

impl Saver for Watched {
    fn lease(&self, thread: &ThreadId) -> Reply<'_, Lease> {
        self.saver.lease(thread)
    }

    fn load(&self, thread: &ThreadId, namespace: &Namespace, at: At) -> Reply<'_, Option<Loaded>> {
        self.saver.load(thread, namespace, at)
    }

    fn history(
        &self,
        thread: &ThreadId,
        namespace: &Namespace,
        query: &HistoryQuery,
    ) -> Reply<'_, Vec<Loaded>> {
        self.saver.history(thread, namespace, query)
    }

    fn commit(&self, commit: Commit) -> Reply<'_, NextRecord> {
        let ended = ended(&commit.thread, &commit.events);
        self.heard(ended, self.saver.commit(commit))
    }

    fn note(&self, notes: Notes) -> Reply<'_, ()> {
        let ended = ended(&notes.thread, &notes.events);
        self.heard(ended, self.saver.note(notes))
    }

    fn log(&self, events: Events) -> Reply<'_, ()> {
        let ended = ended(&events.thread, &events.events);
        self.heard(ended, self.saver.log(events))
    }

    fn events(
        &self,
        thread: &ThreadId,
        after: Option<Cursor>,
        limit: usize,
    ) -> Reply<'_, Vec<Logged>> {
        self.saver.events(thread, after, limit)
    }

    fn changed(&self, thread: &ThreadId) -> Reply<'_, ()> {
        self.saver.changed(thread)
    }

    fn threads(&self) -> Reply<'_, Vec<ThreadId>> {
        self.saver.threads()
    }

    fn delete(&self, thread: &ThreadId) -> Reply<'_, ()> {
        self.saver.delete(thread)
    }

    fn copy(&self, from: &ThreadId, to: &ThreadId) -> Reply<'_, ()> {
        self.saver.copy(from, to)
    }

    fn prune(&self, thread: &ThreadId, keep: Keep) -> Reply<'_, ()> {
        self.saver.prune(thread, keep)
    }

    fn export(&self, thread: &ThreadId) -> Reply<'_, Archive> {
        self.saver.export(thread)
    }

    fn import(&self, thread: &ThreadId, archive: Archive) -> Reply<'_, ()> {
        self.saver.import(thread, archive)
    }

    fn retain(&self, retention: &Retention, now: UnixMillis) -> Reply<'_, Retained> {
        self.saver.retain(retention, now)
    }
}
