//! A saver that keeps nothing but plain data, as one on disk does: what comes back has no Rust
//! types, and what was stored can be weighed.

use std::sync::{Arc, Mutex};

use superstep::{
    MemorySaver, Saver, ThreadId,
    saver::{Commit, Events, MaybeReady, NextRecord, Notes, SaverLayer},
};
use superstep_core::{archive::Archive, event::Logged, record::Record};

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

impl SaverLayer for PlainSaver {
    fn inner(&self) -> &dyn Saver {
        &self.inner
    }

    fn commit(&self, mut commit: Commit) -> MaybeReady<'_, NextRecord> {
        let text = serde_json::to_string(&commit.record).unwrap();
        commit.record = serde_json::from_str(&text).unwrap();
        let (record, bytes) = (Record::clone(&commit.record), text.len());
        self.records.lock().unwrap().push(Stored { record, bytes });
        commit.events = self.plain(commit.events);
        self.inner.commit(commit)
    }

    fn note(&self, mut notes: Notes) -> MaybeReady<'_, ()> {
        let text = serde_json::to_string(&notes.notes).unwrap();
        notes.notes = serde_json::from_str(&text).unwrap();
        notes.events = self.plain(notes.events);
        self.inner.note(notes)
    }

    fn log(&self, events: Events) -> MaybeReady<'_, ()> {
        self.inner.log(Events {
            events: self.plain(events.events),
            ..events
        })
    }

    fn import(&self, thread: &ThreadId, archive: Archive) -> MaybeReady<'_, ()> {
        self.inner.import(thread, sent(&archive))
    }
}
