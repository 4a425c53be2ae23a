//! Which threads a query may want, without a copy of what they hold.

use superstep_core::{
    id::GraphPath,
    runs::RunRecord,
    saver::{ThreadHint, ThreadQuery},
};

use super::{MemorySaver, Thread, lock};

impl MemorySaver {
    pub(super) fn hints(&self, query: &ThreadQuery) -> Vec<ThreadHint> {
        let now = self.0.clock.now();
        let mut hints = Vec::new();
        for (id, thread) in self.0.all() {
            let mut inner = lock(&thread);
            if inner.gone || inner.logs.is_empty() {
                continue;
            }
            inner.end_lost_run(now);
            if inner.may_be(query) {
                let updated = inner.runs.newest().and_then(RunRecord::updated);
                let used = Some(inner.used);
                hints.push(ThreadHint { id, updated, used });
            }
        }
        hints
    }
}

impl Thread {
    fn may_be(&self, query: &ThreadQuery) -> bool {
        let (first, newest) = (self.runs.all().first(), self.runs.newest());
        let metadata = newest.map(|run| run.metadata.clone()).unwrap_or_default();
        let created = first.map(|run| run.created);
        let updated = newest.and_then(RunRecord::updated);
        let log = self.logs.get(&GraphPath::default());
        let graph = log.and_then(|log| log.newest_graph());
        let is_graph = |wanted: &str| graph.is_none_or(|graph| **graph == *wanted);
        query.wants_runs(created, updated, &metadata) && query.graph.as_deref().is_none_or(is_graph)
    }
}
