//! Records and notes lose nothing in their serialised form, so a backend may store just that.

use std::sync::Arc;

use serde::{Serialize, de::DeserializeOwned};
use superstep_conformance::saver_kit::check;
use superstep_core::{
    archive::{Archive, ArchiveError},
    checkpoint::NextRecord,
    error::SaverError,
    future::MaybeReady,
    id::ThreadId,
    record::TaskNote,
    saver::{Commit, Events, Notes, Saver, SaverLayer},
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

impl SaverLayer for Wire {
    fn inner(&self) -> &dyn Saver {
        &self.0
    }

    fn commit(&self, commit: Commit) -> MaybeReady<'_, NextRecord> {
        // What JSON has no form for would come back as something else.
        if !commit.record.fits() {
            return MaybeReady::now(Err(SaverError::too_deep()));
        }
        let (record, events) = (sent(&*commit.record).into(), sent(&commit.events));
        self.0.commit(Commit {
            record,
            events,
            ..commit
        })
    }

    fn note(&self, notes: Notes) -> MaybeReady<'_, ()> {
        if !notes.notes.iter().all(TaskNote::fits) {
            return MaybeReady::now(Err(SaverError::too_deep()));
        }
        let (said, events) = (sent(&notes.notes), sent(&notes.events));
        self.0.note(Notes {
            notes: said,
            events,
            ..notes
        })
    }

    fn log(&self, events: Events) -> MaybeReady<'_, ()> {
        let sent = sent(&events.events);
        self.0.log(Events {
            events: sent,
            ..events
        })
    }

    fn import(&self, thread: &ThreadId, archive: Archive) -> MaybeReady<'_, ()> {
        match filed(&archive) {
            Ok(archive) => self.0.import(thread, archive),
            Err(error) => MaybeReady::now(Err(SaverError::Corrupt(error.to_string()))),
        }
    }
}

#[tokio::test]
async fn a_saver_that_stores_the_serialised_form_passes_the_kit() {
    let report =
        check(|| Box::pin(async { Ok(Arc::new(Wire::default()) as Arc<dyn Saver>) })).await;
    assert!(report.passed(), "{report}");
}
