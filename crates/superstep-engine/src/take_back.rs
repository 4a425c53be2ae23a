//! Taking a run back: what it stored is undone, unless its thread would forget effects by that.
//!
//! A thread that forgets an effect makes it a second time when it continues. So a run whose tasks made effects, or
//! may have, keeps what it stored, unless who takes it back means it ([`Cancel::RollbackRepeating`]). Whoever
//! wants a run undone comes here: the run itself when it ends, and the worker that finds one whose process
//! was killed. Going back without undoing anything is in `repeats`.

use std::{collections::HashMap, sync::Arc};

use superstep_core::{
    archive::Archived,
    error::{Error, SaverError},
    id::{CheckpointId, GraphPath, RunId, ThreadId},
    past::Repeated,
    record::{ReadEffects, Record, TaskNote},
    runs::{Cancel, InputKind, RunQuery, RunRecord, noted},
    saver::Saver,
};

use crate::{
    graph::DynGraph,
    repeats::{Branch, node_of, refused},
};

impl DynGraph {
    /// What a run of this graph did, or may have done: undoing what it stored would make its thread forget
    /// that, and do it a second time. Such a run is not undone unless the caller means it
    /// ([`Cancel::RollbackRepeating`]).
    pub async fn effects_of_run(&self, run: RunId) -> Result<Vec<Repeated>, Error> {
        let saver = self.saver()?.clone();
        let record = saver.runs().load_run(run).await?;
        let record = record.ok_or(SaverError::NoRun { run })?;
        effects_of(Some(self), &saver, &record).await
    }

    /// Refuses (SS1205) to come in place of a run that would not be undone.
    pub(crate) async fn refuse_rollback(&self, thread: &ThreadId) -> Result<(), Error> {
        let saver = self.saver()?.clone();
        let mut effects = Vec::new();
        let runs = saver.runs().load_runs(thread, &RunQuery::default()).await?;
        for run in runs.iter().filter(|run| run.ending.is_none()) {
            let own = Some(self).filter(|_| run.graph == self.0.plan.name);
            effects.extend(effects_of(own, &saver, run).await?);
        }
        refused(effects, thread)
    }
}

/// Whether what a run stored was undone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TakenBack {
    Undone,
    Kept,
}

/// Undoes what a run stored on its thread, which is leased, as far as that was asked for: `graph` is the run's
/// own, if it is known.
pub(crate) async fn take_back(
    graph: Option<&DynGraph>,
    saver: &Arc<dyn Saver>,
    run: &RunRecord,
    epoch: u64,
    how: Cancel,
) -> Result<TakenBack, Error> {
    if how != Cancel::RollbackRepeating && !effects_of(graph, saver, run).await?.is_empty() {
        return Ok(TakenBack::Kept);
    }
    let runs = saver.runs();
    runs.rewind(&run.thread, epoch, run.mark()).await?;
    Ok(TakenBack::Undone)
}

/// The effects that the tasks of a run made, or may have made. Of a graph that is not known every effect
/// that was started counts.
async fn effects_of(
    graph: Option<&DynGraph>,
    saver: &Arc<dyn Saver>,
    run: &RunRecord,
) -> Result<Vec<Repeated>, Error> {
    if run.started.is_none() {
        return Ok(Vec::new());
    }
    let archive = match saver.export(&run.thread).await {
        // It has stored nothing yet.
        Err(SaverError::NoThread { .. }) => return Ok(Vec::new()),
        archive => archive?,
    };
    let root = GraphPath::default();
    let branch = Branch::whole(&archive.namespaces, &root);
    let mut found = Vec::new();
    for (place, checkpoints) in &archive.namespaces {
        let above = branch.node_above(place).flatten();
        let read: ReadEffects = match graph {
            None => TaskNote::past_effects,
            Some(graph) => match graph.at_namespace(place) {
                Ok((graph, _)) => graph.0.effects,
                Err(_) => graph.0.effects,
            },
        };
        for (record, note) in tasks(checkpoints, run) {
            let node = above.clone().unwrap_or_else(|| node_of(record, note));
            for effect in read(note) {
                let (node, step) = (node.clone(), branch.step(record));
                let effect = Repeated { node, step, effect };
                if !found.contains(&effect) {
                    found.push(effect);
                }
            }
        }
    }
    Ok(found)
}

/// The tasks that a run worked on and that journaled something: those of its own checkpoints, and those of the
/// checkpoint that it began from, as far as it brought them further.
fn tasks<'a>(all: &'a [Archived], run: &RunRecord) -> Vec<(&'a Record, &'a TaskNote)> {
    let mark = run.mark();
    let by_id: HashMap<CheckpointId, &Archived> = all.iter().map(|it| (it.record.id, it)).collect();
    let mut found = Vec::new();
    for it in all {
        let record = &*it.record;
        let notes = it.notes.as_deref().unwrap_or_default();
        let is_own = record.id > mark;
        // New input drops what was there, and works on none of it.
        let is_base = run.base == Some(record.id) && run.input != InputKind::Input;
        if is_own || is_base && noted(notes) != run.noted {
            found.extend(notes.iter().map(|note| (record, note)));
        }
        if is_own {
            let parent = record.parent.and_then(|parent| by_id.get(&parent));
            let of = parent.map_or(record, |parent| &*parent.record);
            found.extend(record.tasks.iter().map(|note| (of, note)));
        }
    }
    found.retain(|(_, note)| !note.extras.effects.is_empty());
    found
}
