//! Effects of which nobody knows whether they happened, and the word of somebody who found out.

use std::{collections::BTreeMap, sync::Arc};

use serde::{Deserialize, Serialize};
use superstep_core::{
    checkpoint::Loaded,
    error::{Error, ErrorKind, SaverError},
    id::{CheckpointId, GraphPath, ThreadId},
    policy::Durability,
    record::{Effect, NoteExtras, TaskKey, TaskNote},
    saver::{At, Notes, Saver},
    value::Value,
};

use crate::{graph::DynGraph, repeats::node_of};

/// An effect that a task has started, and of which nobody knows whether it happened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct UnknownEffect {
    /// Its key, within its task.
    pub key: String,
    /// The node that runs the task.
    pub node: Arc<str>,
    /// The name of the task, if another one called it.
    pub call: Option<Arc<str>>,
    /// What was sent to the task, if anything was.
    pub input: Value,
    /// The graph that the node is in: the thread's own, or one below.
    pub namespace: GraphPath,
    /// The checkpoint that its step began from.
    pub checkpoint: CheckpointId,
    /// The task among those of its step.
    pub task: TaskKey,
}

/// Which effect is settled: the only one with a key, or one of a list.
#[derive(Clone, Debug, PartialEq)]
pub enum WhichEffect {
    /// The one with this key; several are an error (SS1206).
    Key(String),
    /// This one of [`DynGraph::unknown_effects`].
    Listed(UnknownEffect),
}

impl WhichEffect {
    fn is(&self, effect: &UnknownEffect) -> bool {
        match self {
            Self::Key(key) => *key == effect.key,
            Self::Listed(listed) => {
                let UnknownEffect {
                    key,
                    namespace,
                    checkpoint,
                    task,
                    ..
                } = listed;
                *checkpoint == effect.checkpoint
                    && (key, namespace, task) == (&effect.key, &effect.namespace, &effect.task)
            }
        }
    }

    fn key(&self) -> &str {
        match self {
            Self::Key(key) => key,
            Self::Listed(listed) => &listed.key,
        }
    }
}

impl From<&str> for WhichEffect {
    fn from(key: &str) -> Self {
        Self::Key(key.to_owned())
    }
}

impl From<&String> for WhichEffect {
    fn from(key: &String) -> Self {
        Self::Key(key.clone())
    }
}

impl From<&UnknownEffect> for WhichEffect {
    fn from(listed: &UnknownEffect) -> Self {
        Self::Listed(listed.clone())
    }
}

impl DynGraph {
    /// The effects of a thread that were started and whose outcome is unknown, in this graph and those that its
    /// nodes run. Those that a run is about to make are among them: ask when none is under way.
    pub async fn unknown_effects(&self, thread: &ThreadId) -> Result<Vec<UnknownEffect>, Error> {
        started(self.saver()?, thread).await
    }

    /// Records what became of an effect that was started and whose outcome is unknown, in this graph
    /// and those that its nodes run. The thread can then be continued.
    pub async fn settle(
        &self,
        thread: &ThreadId,
        which: impl Into<WhichEffect>,
        outcome: &Effect,
    ) -> Result<(), Error> {
        let (saver, which) = (self.saver()?.clone(), which.into());
        let lease = saver.lease(thread).await?;
        let settled = settle_under(&saver, lease.epoch, thread, &which, outcome).await;
        lease.end().await;
        settled.map_err(|error| error.at_thread(Some(thread)))
    }
}

async fn settle_under(
    saver: &Arc<dyn Saver>,
    epoch: u64,
    thread: &ThreadId,
    which: &WhichEffect,
    outcome: &Effect,
) -> Result<(), Error> {
    let mut found = started(saver, thread).await?;
    found.retain(|it| which.is(it));
    let count = found.len();
    let key = which.key().to_owned();
    let (Some(effect), 1) = (found.pop(), count) else {
        return Err(match count {
            0 => {
                let (what, name) = ("started effect", key);
                ErrorKind::Unknown { what, name }.into()
            }
            _ => ErrorKind::SeveralEffects { key, count }.into(),
        });
    };
    let note = TaskNote::with(
        effect.task,
        NoteExtras {
            effects: [(key, outcome.clone())].into(),
            ..NoteExtras::NONE
        },
    );
    let notes = Notes {
        thread: thread.clone(),
        namespace: effect.namespace,
        epoch,
        durability: Durability::Sync,
        checkpoint: effect.checkpoint,
        notes: vec![note],
        events: Vec::new(),
    };
    Ok(saver.note(notes).await?)
}

/// The effects of unfinished tasks that were started and are not done.
async fn started(saver: &Arc<dyn Saver>, thread: &ThreadId) -> Result<Vec<UnknownEffect>, Error> {
    // Of a graph that a node runs nothing is declared: what the thread has tells of it.
    let namespaces = match saver.export(thread).await {
        Err(SaverError::NoThread { .. }) => return Ok(Vec::new()),
        archive => archive?.namespaces,
    };
    let mut newest: BTreeMap<GraphPath, Loaded> = BTreeMap::new();
    for namespace in namespaces.into_keys() {
        if let Some(loaded) = saver.load(thread, &namespace, At::Latest).await? {
            newest.insert(namespace, loaded);
        }
    }
    let is_newest = |(namespace, id): (&GraphPath, &CheckpointId)| {
        let head = newest.get(namespace).and_then(Loaded::head);
        head.is_none_or(|head| head.id == *id)
    };
    let mut found = Vec::new();
    for (namespace, loaded) in &newest {
        // One that ran in an earlier step is over.
        let Some(head) = loaded.head().filter(|it| it.parents.iter().all(is_newest)) else {
            continue;
        };
        for note in loaded.notes.iter().filter(|note| note.output.is_none()) {
            let effects = note.extras.effects.iter();
            for (key, _) in effects.filter(|(_, effect)| **effect == Effect::Started) {
                let sent = match note.key.root() {
                    TaskKey::Send(at) => head.pending.sends.get(*at as usize),
                    _ => None,
                };
                found.push(UnknownEffect {
                    key: key.clone(),
                    node: node_of(head, note),
                    call: note.extras.name.clone(),
                    input: sent.map(|send| send.arg.clone()).unwrap_or_default(),
                    namespace: namespace.clone(),
                    checkpoint: head.id,
                    task: note.key.clone(),
                });
            }
        }
    }
    Ok(found)
}
