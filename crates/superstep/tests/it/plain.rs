//! A saver that keeps nothing but plain data, as one on disk does: what comes back has no Rust
//! types, and what was stored can be weighed.

use std::sync::{Arc, Mutex};

use superstep::{
    HistoryQuery, MemorySaver, Saver, ThreadId,
    saver::{
        At, Commit, Events, Keep, Lease, Loaded, NextRecord, Notes, Reply, Retained, Retention,
    },
};
use superstep_core::{
    archive::Archive,
    clock::UnixMillis,
    event::{Cursor, Logged},
    id::Namespace,
    record::Record,
};

#[derive(Clone, Default)]
pub(crate) struct PlainSaver {
    inner: MemorySaver,
    pub(crate) records: Arc<Mutex<Vec<Stored>>>,
    /// The entries of all logs, as they were stored.
    pub(crate) entries: Arc<Mutex<Vec<String>>>,
}

/// A record as it was stored.
pub(crate) struct Stored {
    pub(crate) record: Record,
    pub(crate) bytes: usize,
}

pub(crate) fn saver() -> Arc<PlainSaver> {
    Arc::default()
}

/// What comes out of a file that the archive was written to.
fn sent(archive: &Archive) -> Archive {
    let mut file = Vec::new();
    archive.write(&mut file).unwrap();
    Archive::read(&*file).unwrap()
}

impl PlainSaver {
    fn plain(&self, events: Vec<Logged>) -> Vec<Logged> {
        let mut entries = self.entries.lock().unwrap();
        let plain = events.iter().map(|event| {
            let text = serde_json::to_string(event).unwrap();
            let read = serde_json::from_str(&text).unwrap();
            entries.push(text);
            read
        });
        plain.collect()
    }
}

impl Saver for PlainSaver {
    fn lease(&self, thread: &ThreadId) -> Reply<'_, Lease> {
        self.inner.lease(thread)
    }
    fn load(&self, thread: &ThreadId, namespace: &Namespace, at: At) -> Reply<'_, Option<Loaded>> {
        self.inner.load(thread, namespace, at)
    }
    fn history(
        &self,
        thread: &ThreadId,
        namespace: &Namespace,
        query: &HistoryQuery,
    ) -> Reply<'_, Vec<Loaded>> {
        self.inner.history(thread, namespace, query)
    }
    fn commit(&self, mut commit: Commit) -> Reply<'_, NextRecord> {
        let text = serde_json::to_string(&commit.record).unwrap();
        commit.record = serde_json::from_str(&text).unwrap();
        let (record, bytes) = (commit.record.clone(), text.len());
        self.records.lock().unwrap().push(Stored { record, bytes });
        commit.events = self.plain(commit.events);
        self.inner.commit(commit)
    }
    fn note(&self, mut notes: Notes) -> Reply<'_, ()> {
        let text = serde_json::to_string(&notes.notes).unwrap();
        notes.notes = serde_json::from_str(&text).unwrap();
        notes.events = self.plain(notes.events);
        self.inner.note(notes)
    }
    fn log(&self, events: Events) -> Reply<'_, ()> {
        self.inner.log(Events {
            events: self.plain(events.events),
            ..events
        })
    }
    fn events(
        &self,
        thread: &ThreadId,
        after: Option<Cursor>,
        limit: usize,
    ) -> Reply<'_, Vec<Logged>> {
        self.inner.events(thread, after, limit)
    }
    fn changed(&self, thread: &ThreadId) -> Reply<'_, ()> {
        self.inner.changed(thread)
    }
    fn threads(&self) -> Reply<'_, Vec<ThreadId>> {
        self.inner.threads()
    }
    fn delete(&self, thread: &ThreadId) -> Reply<'_, ()> {
        self.inner.delete(thread)
    }
    fn copy(&self, from: &ThreadId, to: &ThreadId) -> Reply<'_, ()> {
        self.inner.copy(from, to)
    }
    fn prune(&self, thread: &ThreadId, keep: Keep) -> Reply<'_, ()> {
        self.inner.prune(thread, keep)
    }
    fn export(&self, thread: &ThreadId) -> Reply<'_, Archive> {
        self.inner.export(thread)
    }
    fn import(&self, thread: &ThreadId, archive: Archive) -> Reply<'_, ()> {
        self.inner.import(thread, sent(&archive))
    }
    fn retain(&self, retention: &Retention, now: UnixMillis) -> Reply<'_, Retained> {
        self.inner.retain(retention, now)
    }
}
