//! Finding threads, without a copy of what they hold.

use std::sync::{Arc, Mutex};

use superstep_core::{
    id::ThreadId,
    runs::RunRecord,
    saver::{ThreadCounts, ThreadCursor, ThreadInfo, ThreadPage, ThreadQuery},
};

use super::{MemorySaver, Thread, lock};

impl MemorySaver {
    pub(super) fn page(&self, query: &ThreadQuery) -> ThreadPage {
        let mut found = self.wanted(query);
        found.retain(|(place, _)| query.follows(place));
        query.page(found)
    }

    pub(super) fn counts(&self, query: &ThreadQuery) -> ThreadCounts {
        let mut counts = ThreadCounts::new();
        for (_, info) in self.wanted(query) {
            *counts.entry((info.status, info.pending)).or_default() += 1;
        }
        counts
    }

    fn wanted(&self, query: &ThreadQuery) -> Vec<(ThreadCursor, ThreadInfo)> {
        let now = self.0.clock.now();
        let all = match &query.ids {
            None => self.0.all(),
            Some(ids) => self.named(ids),
        };
        let infos = all.into_iter().filter_map(|(id, thread)| {
            let mut inner = lock(&thread);
            if inner.gone {
                return None;
            }
            inner.end_lost_run(now);
            let info = inner.info(id);
            let place = query.place(&info, inner.number);
            query.wants(&info).then_some((place, info))
        });
        infos.collect()
    }

    /// Threads by name or UUID, each once.
    fn named(&self, ids: &[ThreadId]) -> Vec<(ThreadId, Arc<Mutex<Thread>>)> {
        let mut all: Vec<ThreadId> = ids.iter().filter_map(|id| self.meant(id)).collect();
        all.sort();
        all.dedup();
        let threads = all.into_iter().filter_map(|id| {
            let thread = self.thread(&id)?;
            Some((id, thread))
        });
        threads.collect()
    }

    fn meant(&self, id: &ThreadId) -> Option<ThreadId> {
        match self.thread(id) {
            Some(_) => Some(id.clone()),
            None => self.of_uuid(id.uuid()),
        }
    }
}

impl Thread {
    fn info(&self, id: ThreadId) -> ThreadInfo {
        let runs = self.runs.all().iter().rev().filter(|run| !run.is_alarm());
        let runs: Vec<RunRecord> = runs.cloned().collect();
        let info = ThreadInfo::of(id, self.newest().as_ref(), &runs);
        info.kept(self.record.clone(), Some(self.used))
    }
}
