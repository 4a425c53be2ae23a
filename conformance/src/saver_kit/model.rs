//! Model of a thread: everything that was stored, in the plainest form.

use std::collections::BTreeMap;
use std::sync::Arc;

use superstep_core::{
    checkpoint::{Loaded, NextRecord},
    id::{CheckpointId, GraphPath},
    record::{Change, Record, TaskKey, TaskNote},
    table::Key,
    value::Value,
};

use super::records::number;
use crate::kit::{Failure, Verdict, equal};

/// All that was stored on a thread.
#[derive(Clone, Default)]
pub(super) struct Model {
    pub(super) spaces: BTreeMap<GraphPath, Vec<Row>>,
}

/// A checkpoint.
#[derive(Clone)]
pub(super) struct Row {
    pub(super) record: Arc<Record>,
    notes: BTreeMap<TaskKey, TaskNote>,
}

impl Model {
    pub(super) fn commit(&mut self, namespace: &GraphPath, record: Record) {
        let rows = self.spaces.entry(namespace.clone()).or_default();
        let parent = record.parent;
        if let Some(parent) = rows.iter_mut().find(|row| Some(row.record.id) == parent) {
            absorb(&mut parent.notes, &record.tasks);
        }
        rows.push(Row {
            record: Arc::new(record),
            notes: BTreeMap::new(),
        });
    }

    pub(super) fn note(
        &mut self,
        namespace: &GraphPath,
        checkpoint: CheckpointId,
        notes: &[TaskNote],
    ) {
        let rows = self.spaces.get_mut(namespace).into_iter().flatten();
        for row in rows.filter(|row| row.record.id == checkpoint) {
            absorb(&mut row.notes, notes);
        }
    }

    pub(super) fn rows(&self, namespace: &GraphPath) -> &[Row] {
        self.spaces.get(namespace).map_or(&[], Vec::as_slice)
    }

    /// A checkpoint as a saver should load it.
    pub(super) fn reading(&self, namespace: &GraphPath, id: CheckpointId) -> Option<Loaded> {
        let rows = self.rows(namespace);
        let find = |id| rows.binary_search_by_key(&id, |row| row.record.id).ok();
        let place = find(id)?;
        let row = rows.get(place)?;
        let mut chain = vec![row.record.clone()];
        while let Some(record) = chain.last()
            && !record.full
            && let Some(parent) = record.parent
        {
            chain.push(rows.get(find(parent)?)?.record.clone());
        }
        chain.reverse();
        Some(Loaded {
            chain: chain.into(),
            notes: row.notes.values().cloned().collect(),
            superseded: place + 1 < rows.len(),
            // When to store everything is the saver's own business.
            next: NextRecord::default(),
        })
    }
}

fn absorb(known: &mut BTreeMap<TaskKey, TaskNote>, notes: &[TaskNote]) {
    for note in notes {
        let task = known
            .entry(note.key.clone())
            .or_insert_with_key(|key| TaskNote::new(key.clone()));
        task.absorb(note.clone());
    }
}

/// The channels after a chain of records, by name.
pub(super) fn state(chain: &[Arc<Record>]) -> BTreeMap<Arc<str>, Value> {
    let mut state: BTreeMap<Arc<str>, Value> = BTreeMap::new();
    for record in chain {
        for (channel, change) in &record.changes {
            let Some(name) = record.layout.channels.get(channel.ix()) else {
                continue;
            };
            match change {
                Change::Set(value) => drop(state.insert(name.clone(), value.clone())),
                Change::Clear => drop(state.remove(name)),
                Change::Extend(more) => {
                    let old = state.remove(name).unwrap_or_default();
                    let old = old.as_list().unwrap_or_default();
                    let all = old.iter().chain(more.as_list().unwrap_or_default());
                    state.insert(name.clone(), Value::list(all.cloned()));
                }
            }
        }
    }
    state
}

/// Demands that a checkpoint reads exactly as it should.
pub(super) fn same(what: &str, got: Option<&Loaded>, wanted: Option<&Loaded>) -> Verdict {
    let (got, wanted) = match (got, wanted) {
        (Some(got), Some(wanted)) => (got, wanted),
        (None, None) => return Ok(()),
        (Some(_), None) => return Err(Failure(format!("{what}: is there and should not be"))),
        (None, Some(_)) => return Err(Failure(format!("{what}: is not there"))),
    };
    let ids = |loaded: &Loaded| -> Vec<u64> {
        loaded
            .chain
            .iter()
            .map(|record| number(record.id))
            .collect()
    };
    equal(&format!("{what}: its chain"), ids(got), ids(wanted))?;
    for (got, wanted) in got.chain.iter().zip(wanted.chain.iter()) {
        let what = format!("{what}: record {}", number(wanted.id));
        alike(&what, &format!("{got:?}"), &format!("{wanted:?}"))?;
    }
    same_notes(what, got, wanted)?;
    let what = format!("{what}: superseded");
    equal(&what, got.superseded, wanted.superseded)
}

/// Demands the same notes, in any order, one for each task.
pub(super) fn same_notes(what: &str, got: &Loaded, wanted: &Loaded) -> Verdict {
    let shown = |loaded: &Loaded| {
        let mut notes: Vec<&TaskNote> = loaded.notes.iter().collect();
        notes.sort_by(|a, b| a.key.cmp(&b.key));
        format!("{notes:?}")
    };
    alike(&format!("{what}: its notes"), &shown(got), &shown(wanted))
}

/// Demands equal texts, and shows only where they part.
pub(super) fn alike(what: &str, got: &str, wanted: &str) -> Verdict {
    if got == wanted {
        return Ok(());
    }
    let pairs = got.chars().zip(wanted.chars());
    let common = pairs.take_while(|(a, b)| a == b).count();
    let part = |text: &str| -> String {
        let start = common.saturating_sub(60);
        text.chars().skip(start).take(160).collect()
    };
    let (got, wanted) = (part(got), part(wanted));
    Err(Failure(format!(
        "{what}: got ..{got}.., wanted ..{wanted}.."
    )))
}
