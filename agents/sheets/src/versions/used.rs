//! Versions in use: those that threads, queued runs and records of a server refer to.
//!
//! A result stays its owner's when its thread is gone, and a queued run names the workbook that it begins with.

use std::collections::BTreeSet;

use serde_json::Value as Json;
use superstep::{
    RunQuery, RunStatus, Saver, SaverError, ThreadId,
    dynamic::DynGraph,
    saver::{HistoryQuery, ThreadKind, ThreadOrder, ThreadQuery},
    store::{Prefix, Search, Store, StoreError, TtlOnRead},
};

/// The number of records that are read at once.
const BATCH: usize = 1000;

/// Error: references to versions cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ReferencesError {
    /// The long-term store refused.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The storage of threads refused.
    #[error(transparent)]
    Saver(#[from] SaverError),
    /// A thread cannot be read.
    #[error(transparent)]
    Thread(#[from] superstep::Error),
    /// A record cannot be searched.
    #[error(transparent)]
    Record(#[from] serde_json::Error),
}

/// The hashes of versions in use.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UsedVersions(BTreeSet<String>);

impl UsedVersions {
    /// The versions that records of a store name, or queued runs of these threads and of threads of a server.
    pub async fn recorded(
        saver: &dyn Saver,
        store: &dyn Store,
        threads: &[ThreadId],
    ) -> Result<Self, ReferencesError> {
        let mut used = Self::default();
        // Results, files, assistants and schedules.
        each(store, Prefix::default(), |key, value| {
            used.add_text(key);
            used.add(value);
        })
        .await?;
        // A thread that only waits in the queue is in no other list.
        let mut recorded = ThreadQuery {
            kind: ThreadKind::Recorded,
            order: ThreadOrder::Name,
            limit: Some(BATCH),
            ..ThreadQuery::default()
        };
        loop {
            let page = saver.find_threads(&recorded).await?;
            if let Some(damaged) = page.unreadable.into_iter().next() {
                let why = format!("thread `{damaged}` is damaged, and what it uses is unknown");
                return Err(SaverError::Corrupt(why).into());
            }
            for info in &page.threads {
                used.add(&info.metadata.to_json());
                used.add_queued(saver, &info.id).await?;
            }
            if page.next.is_none() {
                break;
            }
            recorded.after = page.next;
        }
        for thread in threads {
            used.add_queued(saver, thread).await?;
        }
        Ok(used)
    }

    /// Adds the versions that queued runs of a thread name.
    async fn add_queued(
        &mut self,
        saver: &dyn Saver,
        thread: &ThreadId,
    ) -> Result<(), ReferencesError> {
        let queued = RunQuery {
            status: Some(RunStatus::Queued),
            ..RunQuery::default()
        };
        for run in saver.runs().load_runs(thread, &queued).await? {
            self.add(&serde_json::to_value(&run)?);
        }
        Ok(())
    }

    /// Adds the versions that the checkpoints of a thread name.
    pub async fn add_thread(
        &mut self,
        graph: &DynGraph,
        thread: &ThreadId,
    ) -> Result<(), ReferencesError> {
        let all = HistoryQuery::default();
        for snapshot in graph.history(thread, &"".into(), &all).await? {
            let state = serde_json::to_value(&snapshot.values)?;
            for field in [
                "problem", "version", "op_log", "proposal", "given", "earlier",
            ] {
                self.add(state.get(field).unwrap_or(&Json::Null));
            }
        }
        Ok(())
    }

    /// Returns true if a version is in use.
    pub fn contains(&self, hash: &str) -> bool {
        self.0.contains(hash)
    }

    fn add(&mut self, value: &Json) {
        match value {
            Json::String(text) => self.add_text(text),
            Json::Array(items) => items.iter().for_each(|item| self.add(item)),
            Json::Object(fields) => {
                for (name, item) in fields {
                    self.add_text(name);
                    self.add(item);
                }
            }
            _ => {}
        }
    }

    /// Adds the hashes in a text, at any place.
    fn add_text(&mut self, text: &str) {
        let runs = text.split(|c: char| !c.is_ascii_hexdigit());
        let hashes = runs.filter(|run| run.len() == 64);
        self.0.extend(hashes.map(str::to_ascii_lowercase));
    }
}

async fn each(
    store: &dyn Store,
    prefix: Prefix,
    mut see: impl FnMut(&str, &Json),
) -> Result<(), ReferencesError> {
    let mut offset = 0;
    loop {
        let search = Search {
            prefix: prefix.clone(),
            limit: BATCH,
            offset,
            ttl: TtlOnRead::Keep,
            ..Search::default()
        };
        let found = store.search(search).await?;
        for it in &found {
            see(&it.item.key, &serde_json::to_value(&it.item.value)?);
        }
        offset += found.len();
        if found.len() < BATCH {
            return Ok(());
        }
    }
}
