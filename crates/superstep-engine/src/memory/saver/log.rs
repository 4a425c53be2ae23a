//! The records of one namespace, in order of id, with links from parent to children.

use std::{
    collections::BTreeMap,
    sync::{Arc, OnceLock},
};

use superstep_core::{
    archive::Archived,
    checkpoint::{Chain, Loaded, NextRecord, Rebuilt},
    error::SaverError,
    id::CheckpointId,
    record::{Change, Record, TaskKey, TaskNote, absorb, squash},
    saver::{At, HistoryQuery},
    value::{Cell, Value},
};

/// How many records may follow a full one, at least, before the next should be full.
const TAIL: usize = 64;

/// Replaying fewer records costs less than keeping what they lead to.
const LONG: usize = 16;

#[derive(Clone, Default)]
pub(super) struct Log {
    entries: Vec<LogRecord>,
    /// Of a long log only.
    rebuilt: OnceLock<Rebuilt>,
}

#[derive(Clone)]
struct LogRecord {
    record: Arc<Record>,
    parent: Option<usize>,
    children: Children,
    /// Of few checkpoints.
    noted: Option<Box<Noted>>,
    tail: Tail,
}

/// What notes said of the tasks of a checkpoint.
#[derive(Clone, Default)]
struct Noted {
    /// In boxes, since the map has room for eleven and most checkpoints have one.
    notes: BTreeMap<TaskKey, Box<TaskNote>>,
    /// How many of the children have their tasks in the notes.
    merged: usize,
}

/// The records that follow one, oldest first. Most have one at most, which needs no list.
#[derive(Clone, Default)]
#[expect(
    clippy::box_collection,
    reason = "few records have a list, and all would have room for it"
)]
enum Children {
    #[default]
    None,
    One(usize),
    More(Box<Vec<usize>>),
}

impl Children {
    fn push(&mut self, place: usize) {
        match self {
            Self::None => *self = Self::One(place),
            Self::One(first) => *self = Self::More(Box::new(vec![*first, place])),
            Self::More(all) => all.push(place),
        }
    }

    fn all(&self) -> &[usize] {
        match self {
            Self::None => &[],
            Self::One(only) => std::slice::from_ref(only),
            Self::More(all) => all,
        }
    }

    /// Forgets those from a place on.
    fn truncate(&mut self, end: usize) {
        match self {
            Self::One(only) if *only >= end => *self = Self::None,
            Self::More(all) => all.retain(|place| *place < end),
            Self::None | Self::One(_) => {}
        }
    }
}

/// What a reader of an entry replays: the full record at the start, and the changes since. Every entry has one, so it is short;
/// what would not fit into it is far beyond what asks for a full record.
#[derive(Clone, Copy, Default)]
struct Tail {
    base: u32,
    records: u32,
    changes: u32,
}

impl Tail {
    /// Snapshots no larger than the changes between them keep all of it linear in the changes.
    fn next(self) -> NextRecord {
        match self.records as usize >= TAIL && self.changes >= self.base {
            true => NextRecord::Everything,
            false => NextRecord::Changes,
        }
    }
}

impl Log {
    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    fn place(&self, id: CheckpointId) -> Option<usize> {
        let last = self.entries.last()?;
        if last.record.id == id {
            return Some(self.entries.len() - 1);
        }
        self.entries
            .binary_search_by_key(&id, |entry| entry.record.id)
            .ok()
    }

    fn before(&self, id: CheckpointId) -> usize {
        self.entries.partition_point(|entry| entry.record.id < id)
    }

    pub(super) fn find(&self, at: At) -> Option<usize> {
        match at {
            At::Latest => self.entries.len().checked_sub(1),
            At::Id(id) => self.place(id),
            At::Before(id) => self.before(id).checked_sub(1),
        }
    }

    pub(super) fn append(&mut self, record: Arc<Record>) -> Result<NextRecord, SaverError> {
        let newest = self.entries.last().map(|entry| entry.record.id);
        if newest.is_some_and(|newest| newest >= record.id) {
            return Err(SaverError::Corrupt(format!(
                "checkpoint {} is not the newest",
                record.id
            )));
        }
        let unknown =
            |id| SaverError::Corrupt(format!("checkpoint {} follows unknown {id}", record.id));
        let parent = match record.parent {
            None => None,
            Some(id) => Some(self.place(id).ok_or_else(|| unknown(id))?),
        };
        Ok(self.push(record, parent).next())
    }

    fn push(&mut self, record: Arc<Record>, parent: Option<usize>) -> Tail {
        let place = self.entries.len();
        let above = parent.and_then(|parent| self.entries.get_mut(parent));
        let before = above.map_or_else(Tail::default, |above| {
            above.children.push(place);
            above.tail
        });
        let weights = record.changes.iter();
        let weights = weights.map(|(_, change)| match (record.full, change) {
            (true, Change::Set(Value::Typed(cell))) => typed_weight(&**cell),
            (_, change) => weight(change),
        });
        let weight = u32::try_from(weights.sum::<usize>()).unwrap_or(u32::MAX);
        let tail = match record.full {
            true => Tail {
                base: weight,
                ..Tail::default()
            },
            false => Tail {
                records: before.records.saturating_add(1),
                changes: before.changes.saturating_add(weight.max(1)),
                ..before
            },
        };
        self.entries.push(LogRecord {
            record,
            parent,
            children: Children::default(),
            noted: None,
            tail,
        });
        tail
    }

    /// Merges notes into what is known of a checkpoint, if there is such a checkpoint.
    pub(super) fn note(&mut self, checkpoint: CheckpointId, notes: Vec<TaskNote>) -> bool {
        let Some(place) = self.place(checkpoint) else {
            return false;
        };
        // What came with later records was known before these notes.
        let said: Vec<TaskNote> = self.unmerged(place).cloned().collect();
        let Some(entry) = self.entries.get_mut(place) else {
            return false;
        };
        let noted = entry.noted.get_or_insert_default();
        noted.merged = entry.children.all().len();
        for note in said.into_iter().chain(notes) {
            absorb(&mut noted.notes, note);
        }
        true
    }

    fn unmerged(&self, place: usize) -> impl Iterator<Item = &TaskNote> {
        let entry = self.entries.get(place);
        let children = entry.into_iter().flat_map(|entry| {
            let merged = entry.noted.as_ref().map_or(0, |noted| noted.merged);
            entry.children.all().iter().skip(merged)
        });
        let children = children.filter_map(|child| self.entries.get(*child));
        children.flat_map(|child| &child.record.tasks)
    }

    pub(super) fn load(&self, place: usize) -> Option<Loaded> {
        let entry = self.entries.get(place)?;
        let superseded = place + 1 < self.entries.len();
        Some(Loaded {
            chain: self.shared(entry),
            notes: self.notes(place, entry).collect(),
            superseded,
            next: entry.tail.next(),
        })
    }

    /// All that is known of the tasks of an entry.
    fn notes(&self, place: usize, entry: &LogRecord) -> impl Iterator<Item = TaskNote> + use<> {
        let noted = entry.noted.as_ref();
        let mut notes = noted.map(|noted| noted.notes.clone()).unwrap_or_default();
        for note in self.unmerged(place) {
            absorb(&mut notes, note.clone());
        }
        notes.into_values().map(|note| *note)
    }

    fn chain(&self, entry: &LogRecord) -> Vec<Arc<Record>> {
        let mut chain = Vec::with_capacity(entry.tail.records as usize + 1);
        let mut at = Some(entry);
        while let Some(entry) = at {
            chain.push(entry.record.clone());
            let parent = entry.parent.filter(|_| !entry.record.full);
            at = parent.and_then(|parent| self.entries.get(parent));
        }
        chain.reverse();
        chain
    }

    /// The records of a reader, and where it finds and leaves the state if there are many.
    fn shared(&self, entry: &LogRecord) -> Chain {
        let chain = Chain::from(self.chain(entry));
        match (entry.tail.records as usize) < LONG {
            true => chain,
            false => chain.keeping(self.rebuilt.get_or_init(Rebuilt::default).clone()),
        }
    }

    pub(super) fn history(&self, query: &HistoryQuery) -> Vec<Loaded> {
        let end = query
            .before
            .map_or(self.entries.len(), |id| self.before(id));
        let older = self.entries.iter().enumerate().take(end).rev();
        let wanted = older.filter(|(_, entry)| query.wants(&entry.record));
        let limit = query.limit.unwrap_or(usize::MAX);
        wanted
            .take(limit)
            .filter_map(|(place, _)| self.load(place))
            .collect()
    }

    /// Everything, for an archive.
    pub(super) fn archived(&self) -> Vec<Archived> {
        let entries = self.entries.iter().enumerate();
        let archived = entries.map(|(place, entry)| Archived {
            record: entry.record.clone(),
            notes: (entry.noted.as_ref())
                .is_some_and(|noted| noted.merged > 0 || !noted.notes.is_empty())
                .then(|| self.notes(place, entry).collect()),
        });
        archived.collect()
    }

    /// The log of an archive that was checked.
    pub(super) fn of(checkpoints: Vec<Archived>) -> Self {
        let mut log = Self::default();
        let mut noted = Vec::new();
        for Archived { record, notes } in checkpoints {
            let parent = record.parent.and_then(|id| log.place(id));
            noted.push(notes);
            log.push(record, parent);
        }
        for (entry, notes) in log.entries.iter_mut().zip(noted) {
            let Some(notes) = notes else { continue };
            let notes = notes.into_iter();
            entry.noted = Some(Box::new(Noted {
                notes: notes
                    .map(|note| (note.key.clone(), Box::new(note)))
                    .collect(),
                merged: entry.children.all().len(),
            }));
        }
        log
    }

    /// The oldest of the newest `n` checkpoints.
    pub(super) fn newest(&self, n: usize) -> Option<CheckpointId> {
        let place = self.entries.len().saturating_sub(n);
        self.entries.get(place).map(|entry| entry.record.id)
    }

    /// How many checkpoints are not older than this one.
    pub(super) fn since(&self, id: CheckpointId) -> usize {
        self.entries.len() - self.before(id)
    }

    /// Drops the entries with a greater id.
    pub(super) fn rewind(&mut self, to: CheckpointId) {
        let kept = self.entries.partition_point(|entry| entry.record.id <= to);
        self.entries.truncate(kept);
        for entry in &mut self.entries {
            entry.children.truncate(kept);
            if let Some(noted) = &mut entry.noted {
                noted.merged = noted.merged.min(entry.children.all().len());
            }
        }
        self.rebuilt = OnceLock::new();
    }

    /// Drops all but the newest `n` entries; those whose parent is dropped become full records.
    pub(super) fn keep_last(&mut self, n: usize) {
        let from = self.entries.len().saturating_sub(n);
        if from == 0 {
            return;
        }
        let kept = self.entries.iter().skip(from);
        let records: Vec<Arc<Record>> = kept
            .map(|entry| {
                let orphan = entry.parent.is_some_and(|parent| parent < from);
                let alone = if orphan {
                    squash(&self.chain(entry))
                } else {
                    None
                };
                alone.map_or_else(|| entry.record.clone(), Arc::new)
            })
            .collect();
        let old = std::mem::take(&mut self.entries);
        for (entry, record) in old.into_iter().skip(from).zip(records) {
            self.push(
                record,
                entry.parent.and_then(|parent| parent.checked_sub(from)),
            );
            if let Some(new) = self.entries.last_mut() {
                new.noted = entry.noted;
            }
        }
    }
}

/// How much a typed value holds; its JSON form knows, and full records are rare enough to ask.
fn typed_weight(cell: &dyn Cell) -> usize {
    match cell.to_json() {
        Ok(serde_json::Value::Array(items)) => 1 + items.len(),
        Ok(serde_json::Value::Object(map)) => 1 + map.len(),
        _ => 1,
    }
}

/// Roughly how much a change holds, in elements.
fn weight(change: &Change) -> usize {
    match change {
        Change::Set(Value::List(items)) | Change::Extend(Value::List(items)) => 1 + items.len(),
        Change::Set(Value::Map(map)) => 1 + map.len(),
        _ => 1,
    }
}
