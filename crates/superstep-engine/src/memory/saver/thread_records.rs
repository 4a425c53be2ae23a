//! Records of threads.

use superstep_core::{
    error::SaverError,
    future::MaybeReady,
    id::ThreadId,
    saver::ThreadRecords,
    thread_record::{StampThread, ThreadExpected, ThreadRecord},
};

use super::{MemorySaver, Thread, lock};

impl Thread {
    /// Makes or changes the record.
    pub(super) fn stamp(
        &mut self,
        id: &ThreadId,
        stamp: StampThread,
    ) -> Result<ThreadRecord, SaverError> {
        let has_content = self.has_content();
        if let Some(changed) = stamp.apply(id, self.record.as_ref(), has_content)? {
            self.record = Some(changed);
        }
        let missing = || SaverError::NoThread { thread: id.clone() };
        self.record.clone().ok_or_else(missing)
    }
}

impl MemorySaver {
    fn record(&self, id: &ThreadId) -> Option<ThreadRecord> {
        let thread = self.thread(id)?;
        let inner = lock(&thread);
        inner.record.clone().filter(|_| !inner.gone)
    }

    pub(super) fn of_uuid(&self, uuid: u128) -> Option<ThreadId> {
        let called = ThreadId::of_uuid(uuid);
        let threads = self.0.read();
        if threads.by_name.contains_key(&called) {
            return Some(called);
        }
        let mut named = threads.by_uuid.range((uuid, ThreadId::from(""))..);
        let first = named.next().filter(|(of, _)| *of == uuid);
        first.map(|(_, id)| id.clone())
    }

    fn put_record(&self, id: &ThreadId, stamp: &StampThread) -> Result<ThreadRecord, SaverError> {
        // A change that is refused makes no thread.
        if stamp.expected == ThreadExpected::Present && self.record(id).is_none() {
            return Err(SaverError::NoThread { thread: id.clone() });
        }
        self.enter(id, |_, inner| inner.stamp(id, stamp.clone()))
    }
}

impl ThreadRecords for MemorySaver {
    fn load_record(&self, thread: &ThreadId) -> MaybeReady<'_, Option<ThreadRecord>> {
        MaybeReady::now(Ok(self.record(thread)))
    }

    fn thread_of_uuid(&self, uuid: u128) -> MaybeReady<'_, Option<ThreadId>> {
        MaybeReady::now(Ok(self.of_uuid(uuid)))
    }

    fn stamp(&self, thread: &ThreadId, stamp: StampThread) -> MaybeReady<'_, ThreadRecord> {
        match stamp.fits() {
            true => MaybeReady::now(self.put_record(thread, &stamp)),
            false => MaybeReady::now(Err(SaverError::too_deep())),
        }
    }
}
