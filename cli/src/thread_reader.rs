//! Reading threads: by name, checkpoints by step or id.

use std::{
    collections::VecDeque,
    sync::Arc,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use serde_json::Value as Json;
use superstep::{
    Backends, CheckpointId, CheckpointRef, Provenance, RunOptions, RunQuery, RunRecord, RunStatus,
    Saver, ThreadId,
    clock::made_at,
    dynamic::{DynGraph, Pauses, RunInput, START, Snapshot, Source, state::Depth},
    model::did_you_mean,
    runs::RunCost,
    saver::{HistoryQuery, ThreadInfo, ThreadOrder, ThreadQuery},
    store::Store,
    trace::{Branch, RunTree, View},
};

use superstep_server::thread_uuid;

use crate::{
    agents::Agent, args::Global, database, error::Error, output::shown, thread_status::Status,
};

/// The word for the thread that was used last.
pub(crate) const LAST: &str = "last";

/// How much of a log is read to know which model was asked first.
const FIRST_ENTRIES: usize = 64;

/// How many threads are read at once.
const PAGE: usize = 50;

/// A thread, and when it was used, in milliseconds since 1970; nothing if it cannot be read.
pub(crate) struct UsedThread {
    pub(crate) id: ThreadId,
    pub(crate) used: Option<i64>,
}

/// The threads of a database.
pub(crate) struct ThreadReader {
    pub(crate) saver: Arc<dyn Saver>,
    backends: Backends,
}

impl ThreadReader {
    /// Opens the database to read it.
    pub(crate) fn open(global: &Global) -> Result<Self, Error> {
        Self::on(database::read_only(global)?)
    }

    /// Opens the database to change it.
    pub(crate) fn open_to_change(global: &Global) -> Result<Self, Error> {
        Self::on(database::writable(global)?)
    }

    /// Opens the database to add to it; a missing one is created.
    pub(crate) fn create(global: &Global) -> Result<Self, Error> {
        Self::on(database::create(global)?)
    }

    /// Threads that are kept nowhere.
    pub(crate) fn in_memory() -> Result<Self, Error> {
        Self::on(Backends::in_memory())
    }

    fn on(backends: Backends) -> Result<Self, Error> {
        let saver = backends.saver.clone().ok_or(Error::NoSaver)?;
        Ok(Self { saver, backends })
    }

    /// The marks of foreign threads.
    pub(crate) fn provenance(&self) -> Result<Provenance, Error> {
        Ok(Provenance::new(self.store()?))
    }

    /// The long-term store of the database.
    pub(crate) fn store(&self) -> Result<Arc<dyn Store>, Error> {
        self.backends.store.clone().ok_or(Error::NoSaver)
    }

    /// Deletes a thread, and that it was imported.
    pub(crate) async fn delete(&self, thread: &ThreadId) -> Result<(), Error> {
        self.saver.delete(thread).await?;
        Ok(self.provenance()?.forget(thread).await?)
    }

    /// Whether a run is at work on a thread, in whatever process.
    pub(crate) async fn is_running(&self, thread: &ThreadId) -> bool {
        let newest = RunQuery {
            limit: Some(1),
            ..RunQuery::default()
        };
        let runs = self.saver.runs().load_runs(thread, &newest).await;
        let running = |run: &RunRecord| run.status() == RunStatus::Running;
        runs.is_ok_and(|runs| runs.iter().any(running))
    }

    /// What calls of models took in all runs of a thread that are on record.
    pub(crate) async fn cost(&self, thread: &ThreadId) -> RunCost {
        let all = RunQuery::default();
        let runs = self.saver.runs().load_runs(thread, &all).await;
        let runs = runs.unwrap_or_default();
        ThreadInfo::of(thread.clone(), None, &runs).cost
    }

    /// The model that a thread was begun with: as its state says, or as its log says of the first call.
    pub(crate) async fn model(&self, thread: &ThreadId, state: &Json) -> Option<String> {
        let stored = state.get("model_name").and_then(Json::as_str);
        if let Some(stored) = stored.filter(|it| !it.is_empty()) {
            return Some(shown(stored));
        }
        let log = self.saver.events(thread, None, FIRST_ENTRIES).await.ok()?;
        let tree = RunTree::new(thread.clone(), &log, &View::default());
        tree.runs.iter().find_map(|run| first_model(&run.root))
    }

    /// The thread that somebody names: by its name, the beginning of one that no other has, or `last`, which is
    /// the thread that was used last.
    pub(crate) async fn named(&self, text: &str) -> Result<String, Error> {
        let all = self.saver.threads().await?;
        if let Some(known) = known(&all, text) {
            return Ok(known);
        }
        if text == LAST {
            return self.last(None).await;
        }
        let begins = |known: &&ThreadId| !text.is_empty() && known.as_str().starts_with(text);
        let found: Vec<&ThreadId> = all.iter().filter(begins).collect();
        match found.as_slice() {
            [one] => Ok(one.as_str().to_owned()),
            [] => Err(missing(&all, text)),
            several => {
                let names: Vec<&str> = several.iter().map(|it| it.as_str()).take(8).collect();
                Err(Error::Usage(shown(format!(
                    "`{text}` is the beginning of {} threads: {}{}",
                    several.len(),
                    names.join(", "),
                    if several.len() > names.len() {
                        ", …"
                    } else {
                        ""
                    }
                ))))
            }
        }
    }

    /// All threads, those that were used last first.
    pub(crate) fn by_use(&self) -> ThreadsByUse<'_> {
        ThreadsByUse {
            saver: &*self.saver,
            query: ThreadQuery {
                order: ThreadOrder::Used,
                limit: Some(PAGE),
                ..ThreadQuery::default()
            },
            page: VecDeque::new(),
            is_last: false,
        }
    }

    /// The thread of an agent that was used last.
    pub(crate) async fn last_of(&self, agent: Agent) -> Result<String, Error> {
        self.last(Some(agent)).await
    }

    /// The thread that was used last, of whatever agent or of this one.
    async fn last(&self, wanted: Option<Agent>) -> Result<String, Error> {
        let mut threads = self.by_use();
        while let Some(UsedThread { id: thread, .. }) = threads.next().await? {
            let Some(agent) = self.agent_of(&thread).await else {
                continue;
            };
            if wanted.is_some_and(|wanted| wanted != agent) {
                continue;
            }
            let graph = self.graph_of(agent)?;
            let read = self.snapshot(&graph, thread.as_str(), None).await;
            if read.is_ok_and(|snapshot| snapshot.checkpoint.is_some()) {
                return Ok(thread.as_str().to_owned());
            }
        }
        Err(Error::Missing {
            what: "there are no threads yet".into(),
            hint: "start one with `superstep ask` or `superstep analyze`",
        })
    }

    /// The thread of a whole name or UUID, for commands that change or copy it. A missing one is refused, and the one
    /// that may be meant is named.
    pub(crate) async fn exactly(&self, text: &str) -> Result<String, Error> {
        let all = self.saver.threads().await?;
        known(&all, text).ok_or_else(|| missing(&all, text))
    }

    /// The agent of a thread, which must exist.
    pub(crate) async fn agent(&self, thread: &str) -> Result<Agent, Error> {
        let thread = self.exactly(thread).await?;
        let agent = self.agent_of(&ThreadId::from(&*thread)).await;
        agent.ok_or_else(|| Error::Missing {
            what: shown(format!("thread `{thread}` belongs to no known agent")),
            hint: "`superstep trace show` shows its runs",
        })
    }

    /// The agent of a thread, if it is known.
    pub(crate) async fn agent_of(&self, thread: &ThreadId) -> Option<Agent> {
        Agent::of(&*self.saver, thread).await
    }

    pub(crate) fn backends(&self) -> &Backends {
        &self.backends
    }

    pub(crate) fn graph_of(&self, agent: Agent) -> Result<DynGraph, Error> {
        agent.graph(self.backends.clone())
    }

    /// The input of a run that was killed before its first step becomes a step: until then the thread does not say
    /// what it is about. No node runs.
    pub(crate) async fn take_input(&self, agent: Agent, thread: &str) -> Result<(), Error> {
        let (graph, id) = (self.graph_of(agent)?, ThreadId::from(thread));
        let now = graph.state(&id, None, Depth::Here).await?;
        if !now.next.iter().any(|next| **next == *START) {
            return Ok(());
        }
        let options = RunOptions {
            pause_before: Pauses::All,
            ..RunOptions::on(id)
        };
        graph.invoke(RunInput::Nothing, &options).await?;
        Ok(())
    }

    /// A thread now, or at a checkpoint.
    pub(crate) async fn snapshot(
        &self,
        graph: &DynGraph,
        thread: &str,
        at: Option<&str>,
    ) -> Result<Snapshot, Error> {
        let thread = ThreadId::from(thread);
        let at = match at {
            Some(text) => Some(CheckpointRef::root(self.find(graph, &thread, text).await?)),
            None => None,
        };
        let depth = match at {
            // Later checkpoints of subgraphs do not belong to it.
            Some(_) => Depth::Here,
            None => Depth::Subgraphs,
        };
        Ok(graph.state(&thread, at.as_ref(), depth).await?)
    }

    /// The status of a thread. One that was copied back to a question waits for an answer, although nobody
    /// has been asked in the copy yet: it asks when it is resumed.
    pub(crate) async fn status(
        &self,
        graph: &DynGraph,
        snapshot: &Snapshot,
    ) -> Result<Status, Error> {
        let status = Status::of(snapshot);
        let is_copy = matches!(snapshot.origin, Some((Source::Fork, _)));
        let (Status::Interrupted, true, Some(thread)) = (status, is_copy, &snapshot.thread) else {
            return Ok(status);
        };
        let asked = |it: &Snapshot| {
            let is_copied = it.parent == snapshot.parent && it.checkpoint != snapshot.checkpoint;
            is_copied && it.next == snapshot.next && it.asks().next().is_some()
        };
        let all = self.history(graph, thread.as_str(), None).await?;
        Ok(match all.iter().any(asked) {
            true => Status::Waiting,
            false => status,
        })
    }

    /// The status and the title of a thread, as far as they can be read.
    pub(crate) async fn about(&self, thread: &str) -> (Option<Status>, String) {
        let read = async {
            let agent = self.agent(thread).await?;
            let graph = self.graph_of(agent)?;
            let snapshot = self.snapshot(&graph, thread, None).await?;
            let status = self.status(&graph, &snapshot).await?;
            let state = serde_json::to_value(&snapshot.values).unwrap_or_default();
            Ok::<_, Error>((status, agent.title(&state)))
        };
        match read.await {
            Ok((status, title)) => (Some(status), title),
            Err(_) => (None, String::new()),
        }
    }

    /// All checkpoints of a thread, the newest first.
    pub(crate) async fn history(
        &self,
        graph: &DynGraph,
        thread: &str,
        limit: Option<usize>,
    ) -> Result<Vec<Snapshot>, Error> {
        let query = HistoryQuery {
            limit,
            ..HistoryQuery::default()
        };
        let thread = ThreadId::from(thread);
        Ok(graph.history(&thread, &"".into(), &query).await?)
    }

    /// The checkpoint that a step, an id or the beginning of one names. A thread that went back has several
    /// of the same step; then only an id says which.
    async fn find(
        &self,
        graph: &DynGraph,
        thread: &ThreadId,
        text: &str,
    ) -> Result<CheckpointId, Error> {
        let all = self.history(graph, thread.as_str(), None).await?;
        let step = text.parse::<i64>().ok();
        let fits = |snapshot: &&Snapshot| match (step, snapshot.origin, snapshot.checkpoint) {
            (Some(step), Some((_, of)), _) if text.len() < 8 => step == of,
            (_, _, Some(id)) => id.to_string().starts_with(&text.to_lowercase()),
            _ => false,
        };
        let found: Vec<CheckpointId> = all
            .iter()
            .filter(fits)
            .filter_map(|it| it.checkpoint)
            .collect();
        match found.as_slice() {
            [one] => Ok(*one),
            [] => Err(Error::Missing {
                what: shown(format!(
                    "thread `{thread}` has no step or checkpoint `{text}`"
                )),
                hint: "`superstep threads history` lists the steps of a thread",
            }),
            several => {
                let ids: Vec<String> = several.iter().map(ToString::to_string).collect();
                Err(Error::Usage(shown(format!(
                    "`{text}` is {} checkpoints of thread `{thread}`, the newest first: {}; name one by its id",
                    several.len(),
                    ids.join(", ")
                ))))
            }
        }
    }
}

/// A reader of threads in the order of their last use, page by page. Of each page, those that are damaged come first: they
/// should be seen.
pub(crate) struct ThreadsByUse<'a> {
    saver: &'a dyn Saver,
    query: ThreadQuery,
    page: VecDeque<UsedThread>,
    is_last: bool,
}

impl ThreadsByUse<'_> {
    /// The next thread.
    pub(crate) async fn next(&mut self) -> Result<Option<UsedThread>, Error> {
        while self.page.is_empty() && !self.is_last {
            let page = self.saver.find_threads(&self.query).await?;
            let damaged = page.unreadable.into_iter();
            let damaged = damaged.map(|id| UsedThread { id, used: None });
            let found = page.threads.into_iter().map(|info| UsedThread {
                used: info.used,
                id: info.id,
            });
            self.page = damaged.chain(found).collect();
            self.is_last = page.next.is_none();
            self.query.after = page.next;
        }
        Ok(self.page.pop_front())
    }
}

/// The model of the first call in a branch of a run.
fn first_model(branch: &Branch) -> Option<String> {
    let facts = &branch.facts;
    match (&facts.provider, &facts.model_asked) {
        (Some(provider), Some(model)) => Some(shown(format!("{provider}:{model}"))),
        _ => branch.children.iter().find_map(first_model),
    }
}

/// How long ago a checkpoint was made.
pub(crate) fn ago(checkpoint: CheckpointId) -> String {
    ago_since(Duration::from_micros(made_at(checkpoint)))
}

/// How long ago a time since 1970 was.
pub(crate) fn ago_since(made: Duration) -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let seconds = now.unwrap_or_default().saturating_sub(made).as_secs();
    match seconds {
        0..60 => "just now".into(),
        60..3_600 => format!("{} min ago", seconds / 60),
        3_600..86_400 => format!("{} h ago", seconds / 3_600),
        _ => format!("{} d ago", seconds / 86_400),
    }
}

/// The thread of a name. Clients of a server know a thread by a UUID, whatever it is called here.
fn known(all: &[ThreadId], text: &str) -> Option<String> {
    let is_named = |known: &&ThreadId| known.as_str() == text;
    let uuid = thread_uuid(text);
    let is_it = |known: &&ThreadId| thread_uuid(known.as_str()) == uuid;
    let found = all
        .iter()
        .find(is_named)
        .or_else(|| all.iter().find(is_it))?;
    Some(found.as_str().to_owned())
}

fn missing(all: &[ThreadId], text: &str) -> Error {
    let near = did_you_mean::hint(text, all.iter().map(ThreadId::as_str));
    Error::Missing {
        what: shown(format!("there is no thread `{text}`{near}")),
        hint: "see `superstep threads list`",
    }
}
