//! Recording saver: logs every call and its acknowledgement, and passes kill points.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
};

use superstep_core::{
    checkpoint::{Loaded, NextRecord},
    error::SaverError,
    future::MaybeReady,
    id::{CheckpointId, GraphPath, RunId, TaskId, ThreadId},
    record::{Effect, Record, Source, TaskKey, TaskNote},
    runs::{ClaimRuns, EnqueueRun, Release, RunRecord},
    saver::{At, Claimed, Commit, Events, Keep, Lease, Notes, RunQueue, Saver, SaverLayer},
    table::Key,
};

use crate::{
    kill_points::{Points, When},
    line::{Line, SaverCall},
    work_dir::WorkDir,
};
use superstep_core::sync::lock;

/// Forwards every call to a saver and logs it.
pub struct RecordingSaver {
    inner: Arc<dyn Saver>,
    work_dir: WorkDir,
    points: Arc<Points>,
    calls: AtomicU64,
    places: Mutex<HashMap<(ThreadId, GraphPath, CheckpointId), Arc<Record>>>,
}

impl RecordingSaver {
    /// Records the calls of a saver.
    pub fn new(inner: Arc<dyn Saver>, work_dir: WorkDir, points: Arc<Points>) -> Self {
        Self {
            inner,
            work_dir,
            points,
            calls: AtomicU64::new(0),
            places: Mutex::default(),
        }
    }

    fn write(&self, line: &Line) -> Result<(), SaverError> {
        let written = self.work_dir.append(line);
        written.map_err(|error| SaverError::Io(format!("the log: {error}")))
    }

    /// Logs a call, forwards it at once, and logs how it ended.
    ///
    /// At once, and not when the reply is first polled: a saver may be called several times before
    /// the first reply is awaited, and stores in the order of the calls.
    fn recorded<'a, T: Unpin + Send + 'a>(
        &'a self,
        names: Vec<&'static str>,
        call: SaverCall,
        finished: Vec<String>,
        forward: impl FnOnce() -> MaybeReady<'a, T>,
    ) -> MaybeReady<'a, T> {
        let n = self.calls.fetch_add(1, Ordering::Relaxed);
        if let Err(error) = self.write(&Line::Try(n, call)) {
            return MaybeReady::now(Err(error));
        }
        for name in &names {
            self.points.pass(When::Before, name);
        }
        let reply = forward();
        MaybeReady::Later(Box::pin(async move {
            let answer = reply.await;
            if answer.is_ok() {
                for name in &names {
                    self.points.pass(When::After, name);
                }
            }
            self.write(&match &answer {
                Ok(_) => Line::Ack(n, finished),
                Err(error) => Line::Refused(n, error.code().to_owned()),
            })?;
            answer
        }))
    }

    /// A lease whose end passes kill points.
    fn watched(&self, lease: Lease) -> Lease {
        let points = self.points.clone();
        Lease::with_end(lease.epoch, move || {
            points.pass(When::Before, "release");
            let ended = lease.end();
            MaybeReady::Later(Box::pin(async move {
                ended.await;
                points.pass(When::After, "release");
                Ok(())
            }))
        })
    }

    fn remember(&self, thread: &ThreadId, namespace: &GraphPath, record: &Arc<Record>) {
        let place = (thread.clone(), namespace.clone(), record.id);
        lock(&self.places).insert(place, record.clone());
    }

    /// The ids of tasks that get a result by notes at a checkpoint.
    fn finished(
        &self,
        thread: &ThreadId,
        namespace: &GraphPath,
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

/// The kill points of a note.
fn note_points(notes: &[TaskNote]) -> Vec<&'static str> {
    let mut names = Vec::new();
    for note in notes {
        if note.output.is_some() {
            names.push("note");
        }
        if !note.extras.asks.is_empty() {
            names.push("ask");
        }
        if !note.extras.answers.is_empty() {
            names.push("answer");
        }
        if note.extras.error.is_some() {
            names.push("error");
        }
        for effect in note.extras.effects.values() {
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

impl SaverLayer for RecordingSaver {
    fn inner(&self) -> &dyn Saver {
        &*self.inner
    }

    fn lease(&self, thread: &ThreadId) -> MaybeReady<'_, Lease> {
        let thread = thread.clone();
        MaybeReady::Later(Box::pin(async move {
            self.points.pass(When::Before, "lease");
            let lease = self.inner.lease(&thread).await?;
            self.points.pass(When::After, "lease");
            Ok(self.watched(lease))
        }))
    }

    fn run_queue(&self) -> &dyn RunQueue {
        self
    }

    fn load(
        &self,
        thread: &ThreadId,
        namespace: &GraphPath,
        at: At,
    ) -> MaybeReady<'_, Option<Loaded>> {
        let (thread, namespace) = (thread.clone(), namespace.clone());
        MaybeReady::Later(Box::pin(async move {
            let loaded = self.inner.load(&thread, &namespace, at).await?;
            if let Some(head) = loaded.as_ref().and_then(Loaded::head) {
                self.remember(&thread, &namespace, head);
            }
            Ok(loaded)
        }))
    }

    fn commit(&self, commit: Commit) -> MaybeReady<'_, NextRecord> {
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
        self.remember(thread, namespace, record);
        let call = SaverCall::Commit(
            thread.clone(),
            namespace.clone(),
            Box::new(Record::clone(record)),
            commit.events.clone(),
        );
        self.recorded(vec![name], call, finished, || self.inner.commit(commit))
    }

    fn note(&self, notes: Notes) -> MaybeReady<'_, ()> {
        let (thread, namespace) = (notes.thread.clone(), notes.namespace.clone());
        let names = note_points(&notes.notes);
        let finished = self.finished(&thread, &namespace, notes.checkpoint, &notes.notes);
        let call = SaverCall::Note(
            thread,
            namespace,
            notes.checkpoint,
            notes.notes.clone(),
            notes.events.clone(),
        );
        self.recorded(names, call, finished, || self.inner.note(notes))
    }

    fn log(&self, events: Events) -> MaybeReady<'_, ()> {
        let call = SaverCall::Log(events.thread.clone(), events.events.clone());
        self.recorded(vec!["log"], call, Vec::new(), || self.inner.log(events))
    }

    fn delete(&self, thread: &ThreadId) -> MaybeReady<'_, ()> {
        let call = SaverCall::Delete(thread.clone());
        self.recorded(vec!["delete"], call, Vec::new(), || {
            self.inner.delete(thread)
        })
    }

    fn copy(&self, from: &ThreadId, to: &ThreadId) -> MaybeReady<'_, ()> {
        let call = SaverCall::Copy(from.clone(), to.clone());
        self.recorded(vec!["copy"], call, Vec::new(), || self.inner.copy(from, to))
    }

    fn prune(&self, thread: &ThreadId, keep: Keep) -> MaybeReady<'_, ()> {
        let call = SaverCall::Prune(thread.clone());
        self.recorded(vec!["prune"], call, Vec::new(), || {
            self.inner.prune(thread, keep)
        })
    }
}

impl RunQueue for RecordingSaver {
    fn enqueue(&self, run: EnqueueRun) -> MaybeReady<'_, RunRecord> {
        self.inner.run_queue().enqueue(run)
    }

    fn claim(&self, claim: &ClaimRuns) -> MaybeReady<'_, Vec<Claimed>> {
        let claim = claim.clone();
        MaybeReady::Later(Box::pin(async move {
            self.points.pass(When::Before, "claim");
            let mut all = Vec::new();
            for claimed in self.inner.run_queue().claim(&claim).await? {
                self.points.pass(When::After, "claim");
                if let Some(head) = claimed.newest().and_then(Loaded::head) {
                    let root = GraphPath::default();
                    self.remember(&claimed.record.thread, &root, head);
                }
                let lease = self.watched(claimed.lease);
                all.push(Claimed { lease, ..claimed });
            }
            Ok(all)
        }))
    }

    fn release(&self, run: RunId, lease: Lease, release: Release) -> MaybeReady<'_, ()> {
        self.inner.run_queue().release(run, lease, release)
    }

    fn stale_runs(&self, graph: &str) -> MaybeReady<'_, Vec<RunRecord>> {
        self.inner.run_queue().stale_runs(graph)
    }

    fn queue_changed(&self) -> MaybeReady<'_, ()> {
        self.inner.run_queue().queue_changed()
    }
}
