//! What others wait for: logs that grow, runs that change, and runs to claim.
//!
//! Within a process the writer wakes those who wait for what it has committed. Another process cannot, so
//! one thread looks at the file for all of them: `PRAGMA data_version` says whether anything was committed,
//! and only then is read what they wait for, in one statement for all logs and one for all runs.

use std::{
    collections::HashMap,
    sync::{Arc, Condvar, Mutex, PoisonError},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use rusqlite::Connection;
use superstep_core::{
    error::SaverError,
    id::{RunId, ThreadId},
    sync::lock,
};
use tokio::sync::watch;
use xxhash_rust::xxh3::xxh3_64;

use crate::{error::sql, graphs::digest, read_pool::ReadPool, worker};

/// How often the file is looked at while somebody waits.
const TICK: Duration = Duration::from_millis(125);

/// How often the processes that have runs are looked at: one that is gone commits nothing.
const LOOK: Duration = Duration::from_secs(1);

/// What somebody waits for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Topic {
    /// The log of a thread grows.
    Log(ThreadId),
    /// A run changes, or its process is gone.
    Run(RunId),
    /// There is something to claim.
    Queue,
}

/// What a transaction changes that others wait for.
#[derive(Default)]
pub(crate) struct Changes(Vec<Topic>);

impl Changes {
    pub(crate) fn add(&mut self, topic: Topic) {
        self.0.push(topic);
    }

    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }
}

/// A topic as it was when somebody began to wait: a digest.
type Seen = u64;

struct Waiting {
    seen: Seen,
    /// Those who wait learn that it is gone.
    bell: watch::Sender<()>,
}

#[derive(Default)]
struct State {
    topics: HashMap<Topic, Waiting>,
    closed: bool,
}

/// Who waits for what in a database.
#[derive(Default)]
pub(crate) struct Watch {
    state: Mutex<State>,
    changed: Condvar,
}

impl Watch {
    /// Wakes those who wait for what was committed.
    pub(crate) fn wake(&self, changes: &mut Changes) {
        if changes.0.is_empty() {
            return;
        }
        let mut state = lock(&self.state);
        for topic in changes.0.drain(..) {
            state.topics.remove(&topic);
        }
    }

    /// What others wait for, and how it was when they began to.
    fn waiting(&self) -> HashMap<Topic, Seen> {
        let mut state = lock(&self.state);
        let topics = &mut state.topics;
        topics.retain(|_, waiting| waiting.bell.receiver_count() > 0);
        let topics = topics.iter();
        topics.map(|(topic, it)| (topic.clone(), it.seen)).collect()
    }

    /// Waits until somebody waits, and then for a tick. Returns whether the database is still open.
    fn tick(&self) -> bool {
        let idle = |state: &mut State| state.topics.is_empty() && !state.closed;
        let state = self.changed.wait_while(lock(&self.state), idle);
        let state = state.unwrap_or_else(PoisonError::into_inner);
        let open = |state: &mut State| !state.closed;
        let waited = self.changed.wait_timeout_while(state, TICK, open);
        let (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        !state.closed
    }
}

/// Looks at a file for all who wait for changes of other processes.
pub(crate) struct Watcher {
    watch: Arc<Watch>,
    readers: Arc<ReadPool>,
    /// This process, whose commits wake by themselves.
    worker: i64,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl Watcher {
    pub(crate) fn new(watch: Arc<Watch>, readers: Arc<ReadPool>, worker: i64) -> Self {
        Self {
            watch,
            readers,
            worker,
            thread: Mutex::default(),
        }
    }

    /// Waits for a change of a topic since now.
    pub(crate) fn listen(
        &self,
        topic: Topic,
    ) -> Result<impl Future<Output = ()> + Send + use<>, SaverError> {
        let known = lock(&self.watch.state)
            .topics
            .get(&topic)
            .map(|it| it.bell.subscribe());
        let mut bell = match known {
            Some(bell) => bell,
            None => self.begin(topic)?,
        };
        Ok(async move {
            let _rung = bell.changed().await;
        })
    }

    fn begin(&self, topic: Topic) -> Result<watch::Receiver<()>, SaverError> {
        let (bell, receiver) = watch::channel(());
        let waiting = Waiting { seen: 0, bell };
        // Before it is looked at, so that no commit of this process comes unnoticed in between.
        lock(&self.watch.state)
            .topics
            .insert(topic.clone(), waiting);
        let seen = self.readers.read(|db| Look::at(db, [&topic]))?;
        if let Some(waiting) = lock(&self.watch.state).topics.get_mut(&topic) {
            waiting.seen = seen.of(&topic);
        }
        self.start()?;
        self.watch.changed.notify_all();
        Ok(receiver)
    }

    fn poll(&self) -> Poll {
        Poll {
            watch: self.watch.clone(),
            readers: self.readers.clone(),
            worker: self.worker,
            file: None,
            looked: Instant::now(),
        }
    }

    fn start(&self) -> Result<(), SaverError> {
        let mut thread = lock(&self.thread);
        if thread.is_some() {
            return Ok(());
        }
        let mut poll = self.poll();
        let started = thread::Builder::new()
            .name("superstep-watch".to_owned())
            .spawn(move || {
                while poll.watch.tick() {
                    poll.turn();
                }
            })
            .map_err(|error| SaverError::Io(format!("no thread that watches: {error}")))?;
        *thread = Some(started);
        Ok(())
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        lock(&self.watch.state).closed = true;
        self.watch.changed.notify_all();
        if let Some(thread) = lock(&self.thread).take() {
            let _ended = thread.join();
        }
    }
}

/// What the thread of a [`Watcher`] has.
struct Poll {
    watch: Arc<Watch>,
    readers: Arc<ReadPool>,
    worker: i64,
    /// The connection, and the version of the data that it saw last.
    file: Option<(Connection, i64)>,
    looked: Instant,
}

impl Poll {
    /// Looks once, and returns how many statements that took.
    fn turn(&mut self) -> usize {
        let waiting = self.watch.waiting();
        if waiting.is_empty() {
            return 0;
        }
        let turned = self.changes(&waiting);
        let (changed, statements) = turned.unwrap_or_else(|_| {
            // Those who wait read for themselves and see why.
            self.file = None;
            (waiting.keys().cloned().collect(), 0)
        });
        self.watch.wake(&mut Changes(changed));
        statements
    }

    fn changes(
        &mut self,
        waiting: &HashMap<Topic, Seen>,
    ) -> Result<(Vec<Topic>, usize), SaverError> {
        let known = match self.file.take() {
            Some(file) => file,
            None => (self.readers.open()?, -1),
        };
        let (db, before) = self.file.insert(known);
        let version: i64 = db
            .prepare_cached("PRAGMA data_version")
            .and_then(|mut pragma| pragma.query_row([], |row| row.get(0)))
            .map_err(sql)?;
        let has_runs = waiting.keys().any(|topic| matches!(topic, Topic::Run(_)));
        let is_late = has_runs && self.looked.elapsed() >= LOOK;
        if version == *before && !is_late {
            return Ok((Vec::new(), 1));
        }
        *before = version;
        let look = Look::at(db, waiting.keys())?;
        let is_changed = |(topic, seen): &(&Topic, &Seen)| look.of(topic) != **seen;
        let changed = waiting.iter().filter(is_changed);
        let mut changed: Vec<Topic> = changed.map(|(topic, _)| topic.clone()).collect();
        let mut statements = 1 + look.statements;
        if is_late {
            self.looked = Instant::now();
            for (holder, runs) in &look.held {
                if *holder == self.worker {
                    continue;
                }
                statements += 1;
                if !worker::is_alive(db, self.readers.path(), *holder)? {
                    changed.extend(runs.iter().copied().map(Topic::Run));
                }
            }
        }
        Ok((changed, statements))
    }
}

/// Topics as they are now.
#[derive(Default)]
struct Look {
    logs: HashMap<i64, Seen>,
    runs: HashMap<RunId, Seen>,
    queue: Seen,
    /// The runs of threads that workers have leased.
    held: HashMap<i64, Vec<RunId>>,
    statements: usize,
}

impl Look {
    fn at<'a>(
        db: &Connection,
        topics: impl IntoIterator<Item = &'a Topic>,
    ) -> Result<Self, SaverError> {
        let (mut look, mut logs, mut runs) = (Self::default(), Vec::new(), Vec::new());
        let mut has_queue = false;
        for topic in topics {
            match topic {
                Topic::Log(thread) => logs.push(digest(thread.as_str())),
                Topic::Run(run) => runs.push(format!("{:032x}", run.0)),
                Topic::Queue => has_queue = true,
            }
        }
        if !logs.is_empty() {
            look.read_logs(db, &logs)?;
        }
        if !runs.is_empty() {
            look.read_runs(db, &runs)?;
        }
        if has_queue {
            look.statements += 1;
            let newest: i64 = db
                .prepare_cached("SELECT coalesce(max(seq), 0) FROM runs")
                .and_then(|mut select| select.query_row([], |row| row.get(0)))
                .map_err(sql)?;
            look.queue = newest as u64;
        }
        Ok(look)
    }

    fn read_logs(&mut self, db: &Connection, threads: &[i64]) -> Result<(), SaverError> {
        self.statements += 1;
        let mut select = db
            .prepare_cached(
                "SELECT threads.digest, logs.epoch, logs.n FROM threads JOIN logs USING (thread)
                 WHERE threads.digest IN (SELECT value FROM json_each(?1))",
            )
            .map_err(sql)?;
        let mut rows = select.query([list(threads)?]).map_err(sql)?;
        while let Some(row) = rows.next().map_err(sql)? {
            let end = [row.get(1), row.get(2)].map(|it| it.map(i64::to_be_bytes));
            let [epoch, n] = end;
            let end = [epoch.map_err(sql)?, n.map_err(sql)?];
            // Names of one digest change together.
            *self.logs.entry(row.get(0).map_err(sql)?).or_default() ^= xxh3_64(end.as_flattened());
        }
        Ok(())
    }

    fn read_runs(&mut self, db: &Connection, runs: &[String]) -> Result<(), SaverError> {
        self.statements += 1;
        let mut select = db
            .prepare_cached(
                "SELECT run, body, worker FROM runs JOIN threads USING (thread)
                 WHERE run IN (SELECT unhex(value) FROM json_each(?1))",
            )
            .map_err(sql)?;
        let mut rows = select.query([list(runs)?]).map_err(sql)?;
        while let Some(row) = rows.next().map_err(sql)? {
            let run = RunId(u128::from_be_bytes(row.get(0).map_err(sql)?));
            let mut body: Vec<u8> = row.get(1).map_err(sql)?;
            let worker: Option<i64> = row.get(2).map_err(sql)?;
            body.extend(worker.unwrap_or_default().to_be_bytes());
            self.runs.insert(run, xxh3_64(&body));
            if let Some(worker) = worker {
                self.held.entry(worker).or_default().push(run);
            }
        }
        Ok(())
    }

    fn of(&self, topic: &Topic) -> Seen {
        let seen = match topic {
            Topic::Log(thread) => self.logs.get(&digest(thread.as_str())),
            Topic::Run(run) => self.runs.get(run),
            Topic::Queue => Some(&self.queue),
        };
        seen.copied().unwrap_or(0)
    }
}

/// A list as SQLite reads it.
fn list<T: serde::Serialize>(items: &[T]) -> Result<String, SaverError> {
    serde_json::to_string(items).map_err(|error| SaverError::Unstorable(error.to_string()))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot continue fails")]
mod tests {
    use std::{
        pin::Pin,
        task::{Context, Waker},
    };

    use superstep_core::{
        id::CheckpointId,
        runs::{ClaimGraph, ClaimRuns, EnqueueRun},
        saver::{RunQueue as _, Runs as _, Saver as _},
    };

    use super::*;
    use crate::Database;

    #[tokio::test]
    async fn one_statement_watches_for_all_and_three_find_what_another_process_changed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.db");
        let (database, other) = (
            Database::open(&path).unwrap(),
            Database::open(&path).unwrap(),
        );
        let saver = database.saver();
        for n in 1..=64 {
            let run = EnqueueRun::new(format!("t{n}").as_str(), RunId(n), "graph");
            saver.enqueue(run).await.unwrap();
        }
        let share = ClaimGraph {
            limit: 64,
            mark: CheckpointId(0),
        };
        let wanted = ClaimRuns {
            graphs: [("graph".into(), share)].into(),
            limit: 64,
        };
        let claimed = saver.claim(&wanted).await.unwrap();
        let readers: Vec<_> = (0..1000)
            .map(|n| saver.changed(&format!("t{n}").as_str().into()))
            .collect();
        let mut cancelling: Vec<_> = claimed
            .iter()
            .map(|claimed| saver.cancelling(claimed.record.id))
            .collect();
        let mut context = Context::from_waker(Waker::noop());
        for cancelling in &mut cancelling {
            assert!(Pin::new(cancelling).poll(&mut context).is_pending());
        }
        let mut poll = database.0.watcher.poll();
        // Processes that are gone are looked for now and then, and not in this test.
        poll.looked = Instant::now() + Duration::from_secs(3600);
        assert_eq!(poll.watch.waiting().len(), 1064);
        assert!(poll.turn() > 1);
        assert_eq!(poll.turn(), 1);
        let new = EnqueueRun::new("new", RunId(99), "graph");
        other.saver().enqueue(new).await.unwrap();
        assert_eq!(poll.turn(), 3);
        assert_eq!(poll.turn(), 1);
        assert_eq!(poll.watch.waiting().len(), 1064);
        drop((readers, cancelling));
        assert_eq!(poll.turn(), 0);
    }
}
