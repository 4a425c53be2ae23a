//! Looking at threads and editing them: snapshots, history, updates, forks.

use std::sync::Arc;

use superstep_core::{
    checkpoint::Loaded,
    edit::{Edit, Update},
    error::{Error, ErrorKind},
    id::{GraphPath, ThreadId},
    record::Record,
    run::Fidelity,
    runs::RunQuery,
    saver::{At, Commit, HistoryQuery, Saver},
    snapshot::{Snapshot, SubState, View},
};

use crate::{
    clock::created_at, close_asks::close_asks, graph::DynGraph, options::CheckpointRef,
    repeats::Going,
};

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
        self.state_like(thread, at, depth, Fidelity::default())
            .await
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
        let view = match (at, fidelity.closes_answered_questions()) {
            (At::Latest, true) => View::Live,
            (At::Latest, false) => View::LiveAsLangGraph,
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
            name_runs(&mut states, &*saver, thread).await?;
        }
        Ok(states)
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
        for update in steps.iter().flatten() {
            graph.refuse_sealed_edit(&update.output)?;
        }
        let lease = saver.lease(thread).await?;
        let edited = async {
            for (n, updates) in steps.iter().enumerate() {
                let record = graph
                    .edit(&saver, thread, &namespace, &at, updates)
                    .await
                    .map_err(|error| error.at_thread(Some(thread)))?;
                if n == 0 {
                    let going = Going::Edit(updates, &record);
                    self.refuse_repeats(&saver, thread, &at, going).await?;
                    close_asks(&saver, thread, &namespace, lease.epoch).await?;
                }
                at = CheckpointRef {
                    namespace: namespace.clone(),
                    id: Some(record.id),
                    parents: record.parents.clone(),
                    repeats: false,
                };
                let commit = Commit {
                    thread: thread.clone(),
                    namespace: namespace.clone(),
                    epoch: lease.epoch,
                    record: Arc::new(record),
                    events: Vec::new(),
                };
                saver.commit(commit).await?;
            }
            Ok::<_, Error>(at)
        };
        let edited = edited.await;
        lease.end().await;
        edited
    }

    /// The record that updates of one step make of a checkpoint.
    async fn edit(
        &self,
        saver: &Arc<dyn Saver>,
        thread: &ThreadId,
        namespace: &GraphPath,
        at: &CheckpointRef,
        updates: &[Update],
    ) -> Result<Record, Error> {
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
            parents,
            superseded: loaded.as_ref().is_some_and(|loaded| loaded.superseded),
        };
        edit.apply(updates)
    }
}

/// How many runs are read at once.
const RUNS: usize = 32;

/// Says of each state which run made it. Runs are read newest first, until each state has one: a thread may have any number of
/// runs.
async fn name_runs(
    states: &mut [Snapshot],
    saver: &dyn Saver,
    thread: &ThreadId,
) -> Result<(), Error> {
    let mut query = RunQuery {
        limit: Some(RUNS),
        ..RunQuery::default()
    };
    while states.iter().any(|state| state.run.is_none()) {
        let runs = saver.runs().load_runs(thread, &query).await?;
        for run in runs.iter().filter(|run| run.started.is_some()) {
            let is_its = |state: &&mut Snapshot| {
                state.run.is_none() && state.checkpoint.is_some_and(|id| run.made(id))
            };
            for state in states.iter_mut().filter(is_its) {
                (state.run, state.metadata) = (Some(run.id), run.metadata.clone());
            }
        }
        match runs.last() {
            Some(last) if runs.len() == RUNS => query.before = Some(last.id),
            _ => break,
        }
    }
    Ok(())
}
