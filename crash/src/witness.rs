//! A saver that passes everything on, writes down what was tried and promised, and can let the
//! process die at a named point.

use std::{
    collections::{BTreeMap, HashMap},
    fmt,
    str::FromStr,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use superstep_core::{
    checkpoint::{Loaded, NextRecord},
    error::SaverError,
    id::{CheckpointId, Namespace, TaskId, ThreadId},
    record::{Effect, Record, Source, TaskKey, TaskNote},
    saver::{At, Commit, Events, Keep, Lease, Notes, Reply, Saver, SaverLayer},
    table::Key,
};

use crate::{
    line::{Deed, Line},
    vfs,
    world::World,
};

/// Whether a process dies before or after a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum When {
    /// Nothing of it has happened.
    Before,
    /// All of it has happened, and nobody was told.
    After,
}

/// A point of a run, such as `after:commit:3`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Point {
    /// Before or after it.
    pub when: When,
    /// Its name.
    pub name: String,
    /// The how manieth, from 1.
    pub n: u64,
}

/// Text is not a point.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
#[error("`{0}` is not a point: expected before:NAME:N or after:NAME:N")]
pub struct ParseError(pub String);

impl FromStr for Point {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let wrong = || ParseError(text.to_owned());
        let words: Vec<&str> = text.split(':').collect();
        let [when, name, n] = words.as_slice() else {
            return Err(wrong());
        };
        let when = match *when {
            "before" => When::Before,
            "after" => When::After,
            _ => return Err(wrong()),
        };
        let (name, n) = ((*name).to_owned(), n.parse().map_err(|_| wrong())?);
        Ok(Self { when, name, n })
    }
}

impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let when = match self.when {
            When::Before => "before",
            When::After => "after",
        };
        write!(f, "{when}:{}:{}", self.name, self.n)
    }
}

/// The points a process has passed, and the one it dies at.
#[derive(Debug, Default)]
pub struct Points {
    dies: Option<Point>,
    passed: Mutex<BTreeMap<(&'static str, When), u64>>,
}

impl Points {
    /// Points of a process that dies at one of them, or at none.
    pub fn new(dies: Option<Point>) -> Self {
        Self {
            dies,
            ..Self::default()
        }
    }

    /// Passes a point.
    pub fn pass(&self, when: When, name: &'static str) {
        let n = {
            let mut passed = lock(&self.passed);
            let n = passed.entry((name, when)).or_default();
            *n += 1;
            *n
        };
        let here = |point: &Point| point.when == when && point.name == name && point.n == n;
        if self.dies.as_ref().is_some_and(here) {
            vfs::die();
        }
    }

    /// How often each point was passed.
    pub fn passed(&self) -> BTreeMap<&'static str, u64> {
        let passed = lock(&self.passed);
        passed.iter().map(|((name, _), n)| (*name, *n)).collect()
    }
}

/// Passes everything on to a saver and writes it down.
pub struct Witness {
    inner: Arc<dyn Saver>,
    world: World,
    points: Arc<Points>,
    deeds: AtomicU64,
    places: Mutex<HashMap<(ThreadId, Namespace, CheckpointId), Arc<Record>>>,
}

impl Witness {
    /// Watches a saver.
    pub fn new(inner: Arc<dyn Saver>, world: World, points: Arc<Points>) -> Self {
        Self {
            inner,
            world,
            points,
            deeds: AtomicU64::new(0),
            places: Mutex::default(),
        }
    }

    fn tell(&self, line: &Line) -> Result<(), SaverError> {
        let told = self.world.tell(line);
        told.map_err(|error| SaverError::Io(format!("the log: {error}")))
    }

    /// Writes down that something is tried, tries it at once, and writes down what became of it.
    ///
    /// At once, and not when the reply is first awaited: a saver may be called several times before
    /// the first reply is awaited, and stores in the order of the calls.
    fn watched<'a, T: Unpin + Send + 'a>(
        &'a self,
        names: Vec<&'static str>,
        deed: Deed,
        finished: Vec<String>,
        call: impl FnOnce() -> Reply<'a, T>,
    ) -> Reply<'a, T> {
        let n = self.deeds.fetch_add(1, Ordering::Relaxed);
        if let Err(error) = self.tell(&Line::Try(n, deed)) {
            return Reply::now(Err(error));
        }
        for name in &names {
            self.points.pass(When::Before, name);
        }
        let reply = call();
        Reply::Later(Box::pin(async move {
            let answer = reply.await;
            if answer.is_ok() {
                for name in &names {
                    self.points.pass(When::After, name);
                }
            }
            self.tell(&match &answer {
                Ok(_) => Line::Ack(n, finished),
                Err(error) => Line::Refused(n, error.code().to_owned()),
            })?;
            answer
        }))
    }

    fn remember(&self, thread: &ThreadId, namespace: &Namespace, record: &Arc<Record>) {
        let place = (thread.clone(), namespace.clone(), record.id);
        lock(&self.places).insert(place, record.clone());
    }

    /// The ids of tasks that notes at a checkpoint give a result.
    fn finished(
        &self,
        thread: &ThreadId,
        namespace: &Namespace,
        checkpoint: CheckpointId,
        notes: &[TaskNote],
    ) -> Vec<String> {
        let place = (thread.clone(), namespace.clone(), checkpoint);
        let Some(record) = lock(&self.places).get(&place).cloned() else {
            return Vec::new();
        };
        let path = |key: &TaskKey| match key {
            TaskKey::Node(node) => {
                let name = record.layout.nodes.get(node.ix())?;
                Some(format!("{name}/node"))
            }
            TaskKey::Send(n) => {
                let send = record.pending.sends.get(*n as usize)?;
                Some(format!("{}/send/{n}", send.node))
            }
            _ => None,
        };
        let done = notes.iter().filter(|note| note.output.is_some());
        done.filter_map(|note| path(&note.key))
            .map(|path| TaskId::of(checkpoint, namespace, record.step + 1, &path).to_string())
            .collect()
    }
}

/// The points that a note is.
fn note_points(notes: &[TaskNote]) -> Vec<&'static str> {
    let mut names = Vec::new();
    for note in notes {
        if note.output.is_some() {
            names.push("note");
        }
        if !note.asks.is_empty() {
            names.push("ask");
        }
        if !note.answers.is_empty() {
            names.push("answer");
        }
        if note.error.is_some() {
            names.push("error");
        }
        for effect in note.effects.values() {
            names.push(match effect {
                Effect::Started => "effect-started",
                Effect::Done(_) => "effect-done",
                Effect::Failed => "effect-undone",
            });
        }
    }
    names.dedup();
    names
}

impl SaverLayer for Witness {
    fn inner(&self) -> &dyn Saver {
        &*self.inner
    }

    fn lease(&self, thread: &ThreadId) -> Reply<'_, Lease> {
        let thread = thread.clone();
        Reply::Later(Box::pin(async move {
            self.points.pass(When::Before, "lease");
            let lease = self.inner.lease(&thread).await?;
            self.points.pass(When::After, "lease");
            let points = self.points.clone();
            Ok(Lease::new(lease.epoch, move || {
                points.pass(When::Before, "release");
                drop(lease);
                points.pass(When::After, "release");
            }))
        }))
    }

    fn load(&self, thread: &ThreadId, namespace: &Namespace, at: At) -> Reply<'_, Option<Loaded>> {
        let (thread, namespace) = (thread.clone(), namespace.clone());
        Reply::Later(Box::pin(async move {
            let loaded = self.inner.load(&thread, &namespace, at).await?;
            if let Some(head) = loaded.as_ref().and_then(Loaded::head) {
                self.remember(&thread, &namespace, head);
            }
            Ok(loaded)
        }))
    }

    fn commit(&self, commit: Commit) -> Reply<'_, NextRecord> {
        let Commit {
            thread,
            namespace,
            record,
            ..
        } = &commit;
        let name = match record.source {
            Source::Update => "update",
            Source::Fork => "fork",
            Source::Input | Source::Loop | Source::Anchor => "commit",
        };
        let finished = match record.parent {
            Some(parent) => self.finished(thread, namespace, parent, &record.tasks),
            None => Vec::new(),
        };
        self.remember(thread, namespace, &Arc::new(record.clone()));
        let deed = Deed::Commit(
            thread.clone(),
            namespace.clone(),
            Box::new(record.clone()),
            commit.events.clone(),
        );
        self.watched(vec![name], deed, finished, || self.inner.commit(commit))
    }

    fn note(&self, notes: Notes) -> Reply<'_, ()> {
        let (thread, namespace) = (notes.thread.clone(), notes.namespace.clone());
        let names = note_points(&notes.notes);
        let finished = self.finished(&thread, &namespace, notes.checkpoint, &notes.notes);
        let deed = Deed::Note(
            thread,
            namespace,
            notes.checkpoint,
            notes.notes.clone(),
            notes.events.clone(),
        );
        self.watched(names, deed, finished, || self.inner.note(notes))
    }

    fn log(&self, events: Events) -> Reply<'_, ()> {
        let deed = Deed::Log(events.thread.clone(), events.events.clone());
        self.watched(vec!["log"], deed, Vec::new(), || self.inner.log(events))
    }

    fn delete(&self, thread: &ThreadId) -> Reply<'_, ()> {
        let deed = Deed::Delete(thread.clone());
        self.watched(vec!["delete"], deed, Vec::new(), || {
            self.inner.delete(thread)
        })
    }

    fn copy(&self, from: &ThreadId, to: &ThreadId) -> Reply<'_, ()> {
        let deed = Deed::Copy(from.clone(), to.clone());
        self.watched(vec!["copy"], deed, Vec::new(), || self.inner.copy(from, to))
    }

    fn prune(&self, thread: &ThreadId, keep: Keep) -> Reply<'_, ()> {
        let deed = Deed::Prune(thread.clone());
        self.watched(vec!["prune"], deed, Vec::new(), || {
            self.inner.prune(thread, keep)
        })
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
