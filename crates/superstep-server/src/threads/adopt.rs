//! Threads that other programs made in the same storage, under names of their own: they are served like any other, if
//! a hosted graph runs them.
//!
//! Such a thread gets a record under the id that follows from its name (`forms::thread_name`). Which graph it belongs to its
//! newest checkpoint and its runs say, not its name.

use serde_json::Map;
use superstep::{
    RunQuery, ThreadId,
    clock::made_at,
    dynamic::GraphPath,
    saver::{At, ThreadInfo, ThreadKind, ThreadQuery},
};

use crate::{
    app::App,
    forms::thread_name::{follows_from_name, no_thread, public},
    owners::visitor::Visitor,
    records::thread::Record,
    refusal::Refusal,
    time,
};

/// How many threads are adopted at once.
const BATCH: usize = 200;

impl App {
    /// Makes the records of all threads of hosted graphs that have none. A saver finds these by an index, so that it costs
    /// next to nothing when there are none.
    pub(crate) async fn adopt_new(&self) -> Result<(), Refusal> {
        let mut query = ThreadQuery {
            kind: ThreadKind::Unrecorded,
            graphs: self.registry.names(),
            limit: Some(BATCH),
            ..ThreadQuery::default()
        };
        loop {
            let page = self.saver.find_threads(&query).await?;
            for info in page.threads {
                self.adopt(&public(&info.id), info.id).await?;
            }
            if page.next.is_none() {
                return Ok(());
            }
            query.after = page.next;
        }
    }

    /// The record of a thread that has none yet, by the id that follows from its name. It belongs to the caller of its first run.
    pub(super) async fn find_stored(
        &self,
        caller: &Visitor,
        id: &str,
    ) -> Result<Option<Record>, Refusal> {
        let Some(thread) = self.threads.named(id).await? else {
            return Ok(None);
        };
        match self.adopt(id, thread).await? {
            Some(record) if caller.sees(record.owner.as_deref()) => Ok(Some(record)),
            None if !caller.is_owner() => Ok(None),
            _ => Err(no_thread(id)),
        }
    }

    /// Makes the record of a new thread under an id that a client chose; says whether the id was free.
    pub(crate) async fn make_thread(&self, id: &str, record: &Record) -> Result<bool, Refusal> {
        if self.threads.find(&Visitor::SERVER, id).await?.is_some() {
            return Ok(false);
        }
        self.check_new_id(record, id)?;
        Ok(self.threads.make(id, record).await?)
    }

    /// Refuses an id for a new thread of an owner that may stand for a thread with a name of its own.
    pub(crate) fn check_new_id(&self, record: &Record, id: &str) -> Result<(), Refusal> {
        if record.owner.is_some() && follows_from_name(id) {
            let why = "a new thread ID must not be a UUID of version 5: those stand for threads with names. Use \
                       version 4 or 7";
            return Err(Refusal::invalid(why));
        }
        Ok(())
    }

    /// Whether anything is stored of a thread.
    pub(crate) async fn is_stored(&self, thread: &ThreadId) -> Result<bool, Refusal> {
        let root = GraphPath::default();
        if self.saver.load(thread, &root, At::Latest).await?.is_some() {
            return Ok(true);
        }
        Ok(self.newest_run(thread).await?.is_some())
    }

    async fn adopt(&self, id: &str, thread: ThreadId) -> Result<Option<Record>, Refusal> {
        let root = GraphPath::default();
        let newest = self.saver.load(&thread, &root, At::Latest).await?;
        let runs = self.saver.runs();
        let runs = runs.load_runs(&thread, &RunQuery::default()).await?;
        let info = ThreadInfo::of(thread.clone(), newest.as_ref(), &runs);
        let hosted = info.graph.as_deref();
        let Some(hosted) = hosted.and_then(|name| self.registry.of_name(name)) else {
            return Ok(None);
        };
        let stamps = [
            ("graph_id", hosted.id.clone()),
            ("assistant_id", hosted.assistant.to_string()),
        ];
        let stamps = stamps.map(|(name, id)| (name.to_owned(), id.into()));
        let made = info.created.map(|millis| millis.saturating_mul(1000));
        let changed = info
            .checkpoint
            .and_then(|id| i64::try_from(made_at(id)).ok());
        let now = time::now();
        // The program that began it said for whom.
        let first = runs.last().map(|run| run.caller());
        let record = Record {
            owner: first.and_then(|caller| caller.owner().map(str::to_owned)),
            created: made.or(changed).unwrap_or(now),
            updated: changed.unwrap_or(now),
            name: (thread.as_str() != id).then(|| thread.as_str().to_owned()),
            ..Record::new(Map::from_iter(stamps))
        };
        // Somebody may have been faster.
        match self.threads.adopt(id, &record).await? {
            true => Ok(Some(record)),
            false => self.threads.find(&Visitor::SERVER, id).await,
        }
    }
}
