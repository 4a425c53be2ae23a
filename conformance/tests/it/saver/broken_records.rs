//! Faults in records of threads, in how threads are found, and in work after runs.

use std::time::Duration;

use superstep_core::{
    error::SaverError,
    future::MaybeReady,
    id::{RunId, ThreadId},
    runs::{AfterClaim, AfterRun, ReadAlong},
    saver::{
        AfterRuns, Saver, ThreadCounts, ThreadCursor, ThreadOrder, ThreadPage, ThreadQuery,
        ThreadRecords,
    },
    thread_record::{StampThread, ThreadExpected, ThreadRecord},
    value::Value,
};

use super::answer::{Answer, now};
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
}

impl BrokenRuns {
    pub(super) fn found(&self, query: &ThreadQuery) -> Answer<ThreadPage> {
        let mut query = query.clone();
        match self.fault {
            Fault::StatusesAreIgnored => query.status.clear(),
            Fault::OwnersFindAll => query.owner = None,
            Fault::OrdersAreIgnored => query.order = ThreadOrder::Name,
            Fault::CursorsNeedTheirThreads => {
                let all = ThreadQuery {
                    after: None,
                    limit: None,
                    ..query.clone()
                };
                let all = now(self.inner.find_threads(&all))?.threads;
                let is_there = |after: &ThreadCursor| all.iter().any(|info| info.id == after.id);
                if let Some(after) = query.after.take_if(|after| !is_there(after)) {
                    return Err(SaverError::NoThread { thread: after.id });
                }
            }
            Fault::PagesSkipByNumber => {
                let after = query.after.take();
                let skipped = after.map_or(0, |after| after.number);
                let limit = query.limit.take().unwrap_or(usize::MAX);
                let mut page = now(self.inner.find_threads(&query))?;
                page.threads
                    .drain(..page.threads.len().min(skipped as usize));
                let has_more = page.threads.len() > limit;
                page.threads.truncate(limit);
                let last = page.threads.last().filter(|_| has_more);
                page.next = last.map(|last| query.place(last, skipped + limit as i64));
                return Ok(page);
            }
            Fault::PagesEndEarly => {
                let mut page = now(self.inner.find_threads(&query))?;
                page.next = None;
                return Ok(page);
            }
            _ => {}
        }
        now(self.inner.find_threads(&query))
    }

    pub(super) fn counted(&self, query: &ThreadQuery) -> Answer<ThreadCounts> {
        let mut counts = now(self.inner.count_threads(query))?;
        if self.is(Fault::CountsArePaged) {
            let most = query.limit.unwrap_or(usize::MAX) as u64;
            counts.values_mut().for_each(|n| *n = most.min(*n));
        }
        Ok(counts)
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
