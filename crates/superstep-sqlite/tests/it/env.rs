//! Test environment: a folder with a database, records made by hand, and tampering.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use superstep_core::{
    event::Logged,
    id::{CheckpointId, GraphPath, ThreadId},
    policy::Durability,
    record::{Change, Layout, Pending, Record, Source, TaskKey, TaskNote, TriggerName, Write},
    saver::{At, Commit, Events, Lease, Notes, Saver},
    table::Key,
    value::Value,
};
use superstep_sqlite::{Database, SqliteSaver};

/// A folder for one test, and the path of a database in it.
pub(crate) struct Folder {
    folder: tempfile::TempDir,
}

impl Folder {
    pub(crate) fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
        }
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.folder.path().join("a.db")
    }

    pub(crate) fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn open(&self) -> Database {
        Database::open(self.path()).unwrap()
    }

    /// Which files hold these bytes.
    pub(crate) fn holding(&self, text: &str) -> Vec<PathBuf> {
        let files = fs::read_dir(self.folder.path()).unwrap();
        files
            .map(|file| file.unwrap().path())
            .filter(|path| has(path, text))
            .collect()
    }
}

fn has(path: &Path, text: &str) -> bool {
    let bytes = fs::read(path).unwrap_or_default();
    bytes
        .windows(text.len())
        .any(|window| window == text.as_bytes())
}

/// A record that sets or extends the one channel there is.
pub(crate) fn record(id: u128, parent: Option<u128>, change: Change) -> Record {
    let layout = Layout {
        channels: vec!["channel".into()],
        nodes: vec!["node".into()],
        triggers: vec![TriggerName::Start, TriggerName::Node("node".into())],
        state: None,
        graph: Arc::default(),
        shapes: Vec::new(),
    };
    Record {
        id: CheckpointId(id),
        parent: parent.map(CheckpointId),
        step: id as i64,
        source: Source::Loop,
        durability: Durability::Normal,
        layout: Arc::new(layout),
        changes: vec![(Key::at(0), change)],
        full: parent.is_none(),
        pending: Pending::default(),
        touched: None,
        last_ran: Vec::new(),
        last_seen: 0,
        clock: id as u64,
        paused_at: 0,
        parents: Arc::default(),
        tasks: Vec::new(),
    }
}

/// A thread that a test holds and writes.
pub(crate) struct Writing {
    pub(crate) saver: SqliteSaver,
    pub(crate) thread: ThreadId,
    pub(crate) namespace: GraphPath,
    lease: Lease,
}

impl Writing {
    pub(crate) async fn begin(database: &Database, thread: &str) -> Self {
        let saver = database.saver();
        let thread = ThreadId::from(thread);
        let lease = saver.lease(&thread).await.unwrap();
        Self {
            saver,
            thread,
            namespace: GraphPath::from(""),
            lease,
        }
    }

    /// The same thread, in a graph below.
    pub(crate) fn below(self, namespace: &str) -> Self {
        Self {
            namespace: GraphPath::from(namespace),
            ..self
        }
    }

    /// The epoch of its lease.
    pub(crate) fn epoch(&self) -> u64 {
        self.lease.epoch
    }

    pub(crate) async fn commit(&self, record: Record) {
        let commit = Commit {
            thread: self.thread.clone(),
            namespace: self.namespace.clone(),
            epoch: self.lease.epoch,
            record: record.into(),
            events: Vec::new(),
        };
        self.saver.commit(commit).await.unwrap();
    }

    /// Entries of the event log.
    pub(crate) async fn log(&self, events: Vec<Logged>) {
        let events = Events {
            thread: self.thread.clone(),
            epoch: self.lease.epoch,
            events,
        };
        self.saver.log(events).await.unwrap();
    }

    /// A record that extends the state by a text.
    pub(crate) async fn extend(&self, id: u128, parent: Option<u128>, text: &str) {
        let change = Change::Extend(Value::list([Value::from(text)]));
        self.commit(record(id, parent, change)).await;
    }

    /// A note with a text.
    pub(crate) async fn note(&self, at: u128, text: &str) {
        let mut note = TaskNote::new(TaskKey::Node(Key::at(0)));
        note.output = Some(vec![Write::State(Key::at(0), Value::from(text))]);
        let notes = Notes {
            thread: self.thread.clone(),
            namespace: self.namespace.clone(),
            epoch: self.lease.epoch,
            durability: Durability::Normal,
            checkpoint: CheckpointId(at),
            notes: vec![note],
            events: Vec::new(),
        };
        self.saver.note(notes).await.unwrap();
    }
}

/// A thread with so many records that hold the text, one of them in a blob, and a note.
pub(crate) async fn fill(database: &Database, thread: &str, text: &str, records: u128) {
    let writing = Writing::begin(database, thread).await;
    for id in 1..=records {
        // Some rows are a few bytes, others take pages.
        let length = (id as usize * 37) % 9_000;
        let text = format!("{text} {id} {}", "x".repeat(length));
        let parent = (id > 1).then(|| id - 1);
        writing.extend(id, parent, &text).await;
        if id % 3 == 0 {
            writing.note(id, &text).await;
        }
        if id % 10 == 5 {
            let large = text.repeat(20_000 / text.len() + 1);
            writing.note(id, &large).await;
        }
    }
}

/// How many records a reader of a thread's newest checkpoint gets, or the error.
pub(crate) async fn load(
    database: &Database,
    thread: &str,
) -> Result<usize, superstep_core::error::SaverError> {
    let (thread, root) = (ThreadId::from(thread), GraphPath::from(""));
    let loaded = database.saver().load(&thread, &root, At::Latest).await?;
    Ok(loaded.map_or(0, |loaded| loaded.chain.len()))
}

/// Changes a file behind the back of its owner.
pub(crate) fn tamper(path: &Path, statement: &str) {
    let connection = rusqlite::Connection::open(path).unwrap();
    connection.execute_batch(statement).unwrap();
}
