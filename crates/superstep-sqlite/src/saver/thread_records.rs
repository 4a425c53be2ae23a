//! `ThreadRecords` over a database.

use superstep_core::{
    error::SaverError,
    future::MaybeReady,
    id::ThreadId,
    saver::ThreadRecords,
    thread_record::{StampThread, ThreadRecord},
};

use super::SqliteSaver;
use crate::{queue::Urgency, records, sync_level::SyncLevel};

impl ThreadRecords for SqliteSaver {
    fn load_record(&self, thread: &ThreadId) -> MaybeReady<'_, Option<ThreadRecord>> {
        let inner = &self.0.0;
        let read = |db: &_| records::of_name(db, &inner.seal, thread);
        MaybeReady::now(inner.readers.read(read))
    }

    fn thread_of_uuid(&self, uuid: u128) -> MaybeReady<'_, Option<ThreadId>> {
        let readers = &self.0.0.readers;
        MaybeReady::now(readers.read(|db| records::of_uuid(db, uuid)))
    }

    fn stamp(&self, thread: &ThreadId, stamp: StampThread) -> MaybeReady<'_, ThreadRecord> {
        if !stamp.fits() {
            return MaybeReady::now(Err(SaverError::too_deep()));
        }
        let (queue, thread) = (&self.0.0.queue, thread.clone());
        queue.submit(SyncLevel::Full, Urgency::Immediate, move |writer| {
            writer.in_savepoint(|writer| Ok(records::stamp(writer, &thread, stamp)?.1))
        })
    }
}
