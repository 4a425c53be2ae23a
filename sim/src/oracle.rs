//! Oracle: checks what must hold while it happens: leases, what was stored and acknowledged, which
//! tasks start.

use std::collections::{BTreeMap, BTreeSet};

use superstep_core::{
    Value,
    checkpoint::Loaded,
    id::{CheckpointId, GraphPath},
    record::{Effect, Record, TaskKey, TaskNote},
};

use crate::{
    reference::Above,
    report::{Broken, Promise, broken},
    store::{Op, Request, Store},
};

/// A task of a checkpoint.
type TaskPlace = (GraphPath, CheckpointId, TaskKey);

/// Everything that the checks remember.
#[derive(Default)]
pub(crate) struct Oracle {
    /// The newest epoch that was granted.
    granted: u64,
    writers: BTreeMap<u64, u64>,
    newest: BTreeMap<GraphPath, CheckpointId>,
    landed: BTreeSet<(GraphPath, CheckpointId)>,
    /// Durable results, and by which epoch.
    finished: BTreeMap<TaskPlace, u64>,
    answers: BTreeMap<TaskPlace, Vec<Value>>,
    started: BTreeSet<(TaskPlace, String)>,
    acked: BTreeMap<GraphPath, BTreeSet<CheckpointId>>,
    acked_notes: BTreeMap<TaskPlace, TaskNote>,
    /// The steps at which graphs run others.
    pub(crate) above: Above,
}

impl Oracle {
    pub(crate) fn granted(&mut self, epoch: u64) -> Result<(), Broken> {
        if epoch <= self.granted {
            let detail = format!("epoch {epoch} is granted again");
            return broken(Promise::OneWriter, detail);
        }
        self.granted = epoch;
        Ok(())
    }

    /// A request took effect.
    pub(crate) fn landed(&mut self, request: &Request) -> Result<(), Broken> {
        let Request {
            session,
            epoch,
            namespace,
            ..
        } = request;
        if *epoch < self.granted {
            let detail = format!("epoch {epoch} writes under epoch {}", self.granted);
            return broken(Promise::Fenced, detail);
        }
        let writer = *self.writers.entry(*epoch).or_insert(*session);
        if writer != *session {
            let detail = format!("sessions {writer} and {session} write epoch {epoch}");
            return broken(Promise::OneWriter, detail);
        }
        match &request.op {
            Op::Commit(record) => self.commit_landed(namespace, *epoch, record),
            Op::Note(at, notes) => notes
                .iter()
                .try_for_each(|note| self.note_landed(namespace, *at, *epoch, note)),
        }
    }

    fn commit_landed(
        &mut self,
        namespace: &GraphPath,
        epoch: u64,
        record: &Record,
    ) -> Result<(), Broken> {
        let newest = self.newest.insert(namespace.clone(), record.id);
        if newest >= Some(record.id) {
            return broken(Promise::Growing, format!("{} in `{namespace}`", record.id));
        }
        if record.parent != newest {
            let detail = format!("{} follows {:?}, not {newest:?}", record.id, record.parent);
            return broken(Promise::Chained, detail);
        }
        self.landed.insert((namespace.clone(), record.id));
        if let Some(parent) = record.parent {
            for note in &record.tasks {
                self.note_landed(namespace, parent, epoch, note)?;
            }
        }
        Ok(())
    }

    fn note_landed(
        &mut self,
        namespace: &GraphPath,
        at: CheckpointId,
        epoch: u64,
        note: &TaskNote,
    ) -> Result<(), Broken> {
        let place = (namespace.clone(), at, note.key.clone());
        for (key, effect) in &note.extras.effects {
            let start = (place.clone(), key.clone());
            match effect {
                Effect::Failed => self.started.remove(&start),
                _ => self.started.insert(start),
            };
        }
        if !note.extras.answers.is_empty() {
            let known = self.answers.entry(place.clone()).or_default();
            let differs = known
                .iter()
                .zip(&note.extras.answers)
                .any(|(old, new)| old != new);
            if differs || known.len() > note.extras.answers.len() {
                let detail = format!("{:?}: {known:?}, then {:?}", note.key, note.extras.answers);
                return broken(Promise::OneAnswer, detail);
            }
            known.clone_from(&note.extras.answers);
        }
        if note.output.is_some() && note.key != TaskKey::Input {
            self.finished.entry(place).or_insert(epoch);
        }
        Ok(())
    }

    /// A worker was told that its request is stored.
    pub(crate) fn acknowledged(&mut self, request: &Request) {
        let namespace = &request.namespace;
        match &request.op {
            Op::Commit(record) => {
                self.acked
                    .entry(namespace.clone())
                    .or_default()
                    .insert(record.id);
                if let Some(parent) = record.parent {
                    self.note_acknowledged(namespace, parent, &record.tasks);
                }
            }
            Op::Note(at, notes) => self.note_acknowledged(namespace, *at, notes),
        }
    }

    fn note_acknowledged(&mut self, namespace: &GraphPath, at: CheckpointId, notes: &[TaskNote]) {
        for note in notes {
            let place = (namespace.clone(), at, note.key.clone());
            match self.acked_notes.get_mut(&place) {
                Some(known) => known.absorb(note.clone()),
                None => {
                    self.acked_notes.insert(place, note.clone());
                }
            }
        }
    }

    /// A task of a session that leased the thread under this epoch starts.
    pub(crate) fn starts(
        &self,
        epoch: u64,
        namespace: &GraphPath,
        at: CheckpointId,
        key: &TaskKey,
    ) -> Result<(), Broken> {
        match self.finished.get(&(namespace.clone(), at, key.clone())) {
            // Whoever was overtaken cannot know what the other has done.
            Some(by) if *by <= epoch => broken(
                Promise::NoRerun,
                format!("{key:?} of {at} in `{namespace}`"),
            ),
            _ => Ok(()),
        }
    }

    pub(crate) fn has_landed(&self, namespace: &GraphPath, at: CheckpointId) -> bool {
        self.landed.contains(&(namespace.clone(), at))
    }

    /// An effect is about to happen: a run that starts now must find that it was started.
    pub(crate) fn effect_starts(
        &self,
        namespace: &GraphPath,
        at: CheckpointId,
        task: &TaskKey,
        key: &str,
        above: Option<CheckpointId>,
    ) -> Result<(), Broken> {
        let place = (namespace.clone(), at, task.clone());
        if !self.started.contains(&(place, key.to_owned())) {
            return broken(Promise::EffectStarted, format!("`{key}` has no start"));
        }
        if above.is_some_and(|above| !self.has_landed(&GraphPath::default(), above)) {
            let detail = format!("the start of `{key}` hangs off a step that is not stored");
            return broken(Promise::EffectStarted, detail);
        }
        Ok(())
    }

    /// Somebody loads the newest checkpoint.
    pub(crate) fn loads(
        &self,
        namespace: &GraphPath,
        loaded: Option<&Loaded>,
    ) -> Result<(), Broken> {
        let acked = self.acked.get(namespace).and_then(BTreeSet::last).copied();
        let head = loaded.and_then(Loaded::head).map(|head| head.id);
        if head < acked {
            let detail = format!("the newest of `{namespace}` is {head:?}, not {acked:?}");
            return broken(Promise::Kept, detail);
        }
        Ok(())
    }

    /// Everything that was acknowledged is there.
    pub(crate) fn check_kept(&self, store: &Store) -> Result<(), Broken> {
        for (namespace, ids) in &self.acked {
            for id in ids {
                if store.notes(namespace, *id).is_none() {
                    return broken(Promise::Kept, format!("{id} of `{namespace}` is gone"));
                }
            }
        }
        for ((namespace, at, key), acked) in &self.acked_notes {
            let stored = store.notes(namespace, *at).unwrap_or_default();
            let lost = || broken(Promise::Kept, format!("a note of {key:?} at {at} is gone"));
            let Some(note) = stored.iter().find(|note| note.key == *key) else {
                return lost();
            };
            let effects = acked.extras.effects.iter().all(|(key, effect)| {
                let known = note.extras.effects.get(key);
                known == Some(effect) || *effect == Effect::Started
            });
            let answers = note.extras.answers.get(..acked.extras.answers.len());
            let answered =
                note.extras.answers.len() > acked.extras.answers.len() || note.output.is_some();
            let kept = effects
                && answers == Some(&acked.extras.answers)
                && (acked.output.is_none() || note.output.is_some())
                && (acked.extras.asks.is_empty() || !note.extras.asks.is_empty() || answered);
            if !kept {
                return lost();
            }
        }
        Ok(())
    }
}
