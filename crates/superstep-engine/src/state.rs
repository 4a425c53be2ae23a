//! Looking at threads and editing them: snapshots, history, updates, forks.

use std::{collections::BTreeMap, sync::Arc};

use superstep_core::{
    checkpoint::Loaded,
    edit::{Edit, Update},
    error::{Error, ErrorKind, SaverError},
    id::{CheckpointId, GraphPath, ThreadId},
    policy::Durability,
    record::{Effect, TaskNote},
    run::Fidelity,
    runs::{RunQuery, RunRecord},
    saver::{At, Commit, HistoryQuery, Notes, Saver},
    snapshot::{Snapshot, SubState, View},
};

use crate::{clock::created_at, graph::DynGraph, options::CheckpointRef, repeats::Going};

/// Whether a snapshot includes the states of subgraphs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Depth {
    /// It names where they are.
    #[default]
    Here,
    /// It includes them.
    Subgraphs,
}

impl DynGraph {
    /// The state of a thread: now, or at a checkpoint.
    pub async fn state(
        &self,
        thread: &ThreadId,
        at: Option<&CheckpointRef>,
        depth: Depth,
    ) -> Result<Snapshot, Error> {
        self.state_like(thread, at, depth, Fidelity::Sensible).await
    }

    /// [`DynGraph::state`], as LangGraph shows it if asked to: with questions that have an answer and whose
    /// task failed since.
    pub async fn state_like(
        &self,
        thread: &ThreadId,
        at: Option<&CheckpointRef>,
        depth: Depth,
        fidelity: Fidelity,
    ) -> Result<Snapshot, Error> {
        let at = at.cloned().unwrap_or_default();
        let saver = self.saver()?.clone();
        let (graph, namespace) = self.at_namespace(&at.namespace)?;
        let id = at.id.map_or(At::Latest, At::Id);
        graph
            .snapshot(&saver, thread, &namespace, id, (depth, fidelity))
            .await
    }

    async fn snapshot(
        &self,
        saver: &Arc<dyn Saver>,
        thread: &ThreadId,
        namespace: &GraphPath,
        at: At,
        (depth, fidelity): (Depth, Fidelity),
    ) -> Result<Snapshot, Error> {
        let Some(loaded) = saver.load(thread, namespace, at).await? else {
            if let At::Id(id) = at {
                return Err(
                    Error::from(ErrorKind::UnknownCheckpoint { id }).at_thread(Some(thread))
                );
            }
            return Ok(Snapshot::empty(Some(thread.clone()), namespace.clone()));
        };
        let view = match (at, fidelity) {
            (At::Latest, Fidelity::Sensible) => View::Live,
            (At::Latest, Fidelity::LangGraph) => View::LiveAsLangGraph,
            _ => View::Record,
        };
        let mut snapshot = self.read(thread, namespace, &loaded, view)?;
        for task in &mut snapshot.tasks {
            if depth == Depth::Subgraphs
                && let Some((child, namespace)) = self.child(task)
            {
                let look = (depth, fidelity);
                let inner = child.snapshot(saver, thread, &namespace, At::Latest, look);
                let inner = Box::pin(inner).await?;
                task.state = Some(SubState::Snapshot(Box::new(inner)));
            }
        }
        Ok(snapshot)
    }

    pub(crate) fn read(
        &self,
        thread: &ThreadId,
        namespace: &GraphPath,
        loaded: &Loaded,
        view: View,
    ) -> Result<Snapshot, Error> {
        let read = self.0.head(loaded);
        let Some((head, record)) = read.map_err(|error| error.at_thread(Some(thread)))? else {
            return Ok(Snapshot::empty(Some(thread.clone()), namespace.clone()));
        };
        let plan = &self.0.plan;
        let read = Snapshot::of(plan, thread, namespace, &record, head.restored, view);
        let mut state = read.map_err(|kind| {
            Error::from(kind)
                .at_thread(Some(thread))
                .at_step(record.step + 1)
        })?;
        state.created = state.checkpoint.and_then(created_at);
        Ok(state)
    }

    /// The checkpoints of a thread, newest first.
    pub async fn history(
        &self,
        thread: &ThreadId,
        namespace: &GraphPath,
        query: &HistoryQuery,
    ) -> Result<Vec<Snapshot>, Error> {
        let saver = self.saver()?.clone();
        let (graph, namespace) = self.at_namespace(namespace)?;
        let loaded = saver.history(thread, &namespace, query).await?;
        let read = |loaded| graph.read(thread, &namespace, loaded, View::Record);
        // Each state is the one before it and a record more.
        let mut states: Vec<Snapshot> = loaded.iter().rev().map(read).collect::<Result<_, _>>()?;
        states.reverse();
        if namespace.is_root() {
            let runs = saver.runs().load_runs(thread, &RunQuery::default()).await?;
            for state in &mut states {
                let made = |run: &&RunRecord| {
                    let is_its = |id| run.started.is_some() && run.made(id);
                    state.checkpoint.is_some_and(is_its)
                };
                if let Some(run) = runs.iter().find(made) {
                    (state.run, state.metadata) = (Some(run.id), run.metadata.clone());
                }
            }
        }
        Ok(states)
    }

    /// Records what became of an effect that was started and whose outcome is unknown, in this graph
    /// and those that its nodes run. The thread can then be continued.
    pub async fn settle(
        &self,
        thread: &ThreadId,
        key: &str,
        outcome: &Effect,
    ) -> Result<(), Error> {
        let saver = self.saver()?.clone();
        let lease = saver.lease(thread).await?;
        let settled = self
            .settle_under(&saver, lease.epoch, thread, key, outcome)
            .await;
        lease.end().await;
        if settled? {
            return Ok(());
        }
        let (what, name) = ("started effect", key.to_owned());
        Err(Error::from(ErrorKind::Unknown { what, name }).at_thread(Some(thread)))
    }

    /// Whether there was such an effect.
    async fn settle_under(
        &self,
        saver: &Arc<dyn Saver>,
        epoch: u64,
        thread: &ThreadId,
        key: &str,
        outcome: &Effect,
    ) -> Result<bool, Error> {
        // Of a graph that a node runs nothing is declared: what the thread has tells of it.
        let namespaces = match saver.export(thread).await {
            Err(SaverError::NoThread { .. }) => return Ok(false),
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
        let mut found = false;
        for (namespace, loaded) in &newest {
            // One that ran in an earlier step is over.
            let Some(head) = loaded.head().filter(|it| it.parents.iter().all(is_newest)) else {
                continue;
            };
            let started = loaded.notes.iter().filter(|note| {
                note.output.is_none() && note.effects.get(key) == Some(&Effect::Started)
            });
            let notes: Vec<TaskNote> = started
                .map(|note| TaskNote {
                    effects: [(key.to_owned(), outcome.clone())].into(),
                    ..TaskNote::new(note.key.clone())
                })
                .collect();
            if !notes.is_empty() {
                found = true;
                let notes = Notes {
                    thread: thread.clone(),
                    namespace: namespace.clone(),
                    epoch,
                    durability: Durability::Sync,
                    checkpoint: head.id,
                    notes,
                    events: Vec::new(),
                };
                saver.note(notes).await?;
            }
        }
        Ok(found)
    }

    /// Edits the state in the name of a node. Returns the new checkpoint.
    pub async fn update_state(
        &self,
        thread: &ThreadId,
        at: Option<&CheckpointRef>,
        update: Update,
    ) -> Result<CheckpointRef, Error> {
        self.bulk_update(thread, at, vec![vec![update]]).await
    }

    /// Edits the state step by step, each step a list of updates applied together.
    pub async fn bulk_update(
        &self,
        thread: &ThreadId,
        at: Option<&CheckpointRef>,
        steps: Vec<Vec<Update>>,
    ) -> Result<CheckpointRef, Error> {
        let saver = self.saver()?.clone();
        if steps.is_empty() || steps.iter().any(Vec::is_empty) {
            return Err(ErrorKind::BadArgument {
                why: "no updates".into(),
            }
            .into());
        }
        let mut at = at.cloned().unwrap_or_default();
        let (graph, namespace) = self.at_namespace(&at.namespace)?;
        let lease = saver.lease(thread).await?;
        let edited = async {
            if let Some(first) = steps.first() {
                let going = Going::Edit(first);
                self.refuse_repeats(&saver, thread, &at, going).await?;
            }
            for updates in steps {
                at = graph
                    .edit(&saver, thread, &namespace, &at, lease.epoch, &updates)
                    .await
                    .map_err(|error| error.at_thread(Some(thread)))?;
            }
            Ok(at)
        };
        let edited = edited.await;
        lease.end().await;
        edited
    }

    async fn edit(
        &self,
        saver: &Arc<dyn Saver>,
        thread: &ThreadId,
        namespace: &GraphPath,
        at: &CheckpointRef,
        epoch: u64,
        updates: &[Update],
    ) -> Result<CheckpointRef, Error> {
        let loaded = saver
            .load(thread, namespace, at.id.map_or(At::Latest, At::Id))
            .await?;
        if let (None, Some(id)) = (&loaded, at.id) {
            return Err(ErrorKind::UnknownCheckpoint { id }.into());
        }
        let head = match &loaded {
            Some(loaded) => self.0.head(loaded)?,
            None => None,
        };
        let parents = match &head {
            Some((_, record)) => record.parents.clone(),
            None => at.parents.clone(),
        };
        let edit = Edit {
            plan: &self.0.plan,
            ids: &*self.0.ids,
            head: head.map(|(head, _)| head),
            parents: parents.clone(),
            superseded: loaded.as_ref().is_some_and(|loaded| loaded.superseded),
        };
        let record = edit.apply(updates)?;
        let id = Some(record.id);
        let (thread, namespace) = (thread.clone(), namespace.clone());
        saver
            .commit(Commit {
                thread,
                namespace: namespace.clone(),
                epoch,
                record,
                events: Vec::new(),
            })
            .await?;
        Ok(CheckpointRef {
            namespace,
            id,
            parents,
            repeats: false,
        })
    }
}
