//! Records and notes lose nothing in their serialised form, so a backend may store just that.

use std::sync::Arc;

use serde::{Serialize, de::DeserializeOwned};
use superstep_conformance::saver_kit::check;
use superstep_core::{
    archive::{Archive, ArchiveError},
    checkpoint::{Loaded, NextRecord},
    clock::UnixMillis,
    error::SaverError,
    event::{Cursor, Logged},
    id::{Namespace, ThreadId},
    saver::{
        At, Commit, Events, HistoryQuery, Keep, Lease, Notes, Reply, Retained, Retention, Saver,
    },
};
use superstep_engine::memory::MemorySaver;

/// The memory saver, given only what was read back from JSON.
#[derive(Default)]
struct Wire(MemorySaver);

fn sent<T: Serialize + DeserializeOwned>(value: &T) -> T {
    let text = serde_json::to_string(value).unwrap();
    // Values may be nested deeper than the usual reader goes.
    let mut json = serde_json::Deserializer::from_str(&text);
    json.disable_recursion_limit();
    T::deserialize(&mut json).unwrap()
}

fn filed(archive: &Archive) -> Result<Archive, ArchiveError> {
    let mut file = Vec::new();
    archive.write(&mut file)?;
    Archive::read(&*file)
}

impl Saver for Wire {
    fn lease(&self, thread: &ThreadId) -> Reply<'_, Lease> {
        self.0.lease(thread)
    }

    fn load(&self, thread: &ThreadId, namespace: &Namespace, at: At) -> Reply<'_, Option<Loaded>> {
        self.0.load(thread, namespace, at)
    }

    fn history(
        &self,
        thread: &ThreadId,
        namespace: &Namespace,
        query: &HistoryQuery,
    ) -> Reply<'_, Vec<Loaded>> {
        self.0.history(thread, namespace, query)
    }

    fn commit(&self, commit: Commit) -> Reply<'_, NextRecord> {
        let (record, events) = (sent(&commit.record), sent(&commit.events));
        self.0.commit(Commit {
            record,
            events,
            ..commit
        })
    }

    fn note(&self, notes: Notes) -> Reply<'_, ()> {
        let (said, events) = (sent(&notes.notes), sent(&notes.events));
        self.0.note(Notes {
            notes: said,
            events,
            ..notes
        })
    }

    fn log(&self, events: Events) -> Reply<'_, ()> {
        let sent = sent(&events.events);
        self.0.log(Events {
            events: sent,
            ..events
        })
    }

    fn events(
        &self,
        thread: &ThreadId,
        after: Option<Cursor>,
        limit: usize,
    ) -> Reply<'_, Vec<Logged>> {
        self.0.events(thread, after, limit)
    }

    fn changed(&self, thread: &ThreadId) -> Reply<'_, ()> {
        self.0.changed(thread)
    }

    fn threads(&self) -> Reply<'_, Vec<ThreadId>> {
        self.0.threads()
    }

    fn delete(&self, thread: &ThreadId) -> Reply<'_, ()> {
        self.0.delete(thread)
    }

    fn copy(&self, from: &ThreadId, to: &ThreadId) -> Reply<'_, ()> {
        self.0.copy(from, to)
    }

    fn prune(&self, thread: &ThreadId, keep: Keep) -> Reply<'_, ()> {
        self.0.prune(thread, keep)
    }

    fn export(&self, thread: &ThreadId) -> Reply<'_, Archive> {
        self.0.export(thread)
    }

    fn import(&self, thread: &ThreadId, archive: Archive) -> Reply<'_, ()> {
        match filed(&archive) {
            Ok(archive) => self.0.import(thread, archive),
            Err(error) => Reply::now(Err(SaverError::Corrupt(error.to_string()))),
        }
    }

    fn retain(&self, retention: &Retention, now: UnixMillis) -> Reply<'_, Retained> {
        self.0.retain(retention, now)
    }
}

#[tokio::test]
async fn a_saver_that_stores_the_serialised_form_passes_the_kit() {
    let report =
        check(|| Box::pin(async { Ok(Arc::new(Wire::default()) as Arc<dyn Saver>) })).await;
    assert!(report.passed(), "{report}");
}
