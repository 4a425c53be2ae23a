//! Faults in records of threads and in work after runs.

use std::time::Duration;

use superstep_core::{
    error::SaverError,
    future::MaybeReady,
    id::{RunId, ThreadId},
    runs::{AfterClaim, AfterRun, ReadAlong},
    saver::{AfterRuns, Saver, ThreadRecords},
    thread_record::{StampThread, ThreadExpected, ThreadRecord},
    value::Value,
};

use super::answer::now;
use super::broken_runs::BrokenRuns;
use super::fault::Fault;

impl ThreadRecords for BrokenRuns {
    fn load_record(&self, thread: &ThreadId) -> MaybeReady<'_, Option<ThreadRecord>> {
        if self.is(Fault::DeleteLeavesRecords)
            && let Some(left) = self.memory().records.get(thread).cloned()
        {
            return MaybeReady::now(Ok(Some(left)));
        }
        self.inner.thread_records().load_record(thread)
    }

    fn load_records(&self, threads: &[ThreadId]) -> MaybeReady<'_, Vec<ThreadRecord>> {
        self.inner.thread_records().load_records(threads)
    }

    fn thread_of_uuid(&self, uuid: u128) -> MaybeReady<'_, Option<ThreadId>> {
        match self.is(Fault::UuidsAreLost) {
            true => MaybeReady::now(Ok(None)),
            false => self.inner.thread_records().thread_of_uuid(uuid),
        }
    }

    fn stamp(&self, thread: &ThreadId, mut stamp: StampThread) -> MaybeReady<'_, ThreadRecord> {
        match self.fault {
            Fault::RecordsAreReplaced if stamp.fits() => stamp.expected = ThreadExpected::Anything,
            Fault::StampsForgetMetadata if stamp.fits() => stamp.metadata = Value::Null,
            Fault::OwnersAreIgnored => stamp.owner = None,
            _ => {}
        }
        let stamped = now(self.inner.thread_records().stamp(thread, stamp));
        if let Ok(record) = &stamped {
            let mut memory = self.memory();
            memory.records.insert(thread.clone(), record.clone());
            if self.is(Fault::RecordsMakeThreads) {
                memory.threads.insert(thread.clone());
            }
        }
        MaybeReady::now(stamped)
    }

    fn all_records(&self) -> MaybeReady<'_, Vec<ThreadRecord>> {
        self.inner.thread_records().all_records()
    }
}

impl AfterRuns for BrokenRuns {
    fn claim_after(&self, limit: usize, mut lease: Duration) -> MaybeReady<'_, Vec<AfterClaim>> {
        if self.is(Fault::AfterClaimsAreForAll) {
            lease = Duration::ZERO;
        }
        self.inner.after_runs().claim_after(limit, lease)
    }

    fn renew_after(&self, claim: &AfterClaim, lease: Duration) -> MaybeReady<'_, ()> {
        match (
            self.fault,
            now(self.inner.after_runs().renew_after(claim, lease)),
        ) {
            (Fault::OldAfterClaimsHold, Err(SaverError::Conflict { .. })) => {
                MaybeReady::now(Ok(()))
            }
            (_, answer) => MaybeReady::now(answer),
        }
    }

    fn settle_after(
        &self,
        claim: &AfterClaim,
        mut left: AfterRun,
        wait: Duration,
    ) -> MaybeReady<'_, ()> {
        if self.is(Fault::WhatIsLeftIsForgotten) {
            left = AfterRun::default();
        }
        self.inner.after_runs().settle_after(claim, left, wait)
    }

    fn read_along(&self, run: RunId, along: ReadAlong) -> MaybeReady<'_, bool> {
        match self.is(Fault::ReadersHoldNothing) {
            true => MaybeReady::now(Ok(true)),
            false => self.inner.after_runs().read_along(run, along),
        }
    }

    fn leave(
        &self,
        run: RunId,
        reader: u64,
        lease: Duration,
    ) -> MaybeReady<'_, Option<AfterClaim>> {
        self.inner.after_runs().leave(run, reader, lease)
    }
}
