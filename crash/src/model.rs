//! Model of what a saver must hold, given what it acknowledged.
//!
//! The log has what was tried and what was acknowledged. Replayed, it gives every record and note that
//! must be there, and those that may be there because the acknowledgement was lost. [`Model::compare`]
//! compares a saver with that, value by value.

use std::collections::{BTreeMap, BTreeSet};

use superstep_core::{
    checkpoint::Loaded,
    error::SaverError,
    event::{Cursor, Logged},
    id::{CheckpointId, GraphPath, ThreadId},
    record::{Record, TaskKey, TaskNote},
    saver::{HistoryQuery, Saver},
};

use crate::line::{Line, SaverCall};

/// What must be there, and what may be.
#[derive(Clone, Debug, Default)]
pub struct Model {
    threads: BTreeMap<ThreadId, Thread>,
}

#[derive(Clone, Debug, Default)]
struct Thread {
    spaces: BTreeMap<GraphPath, Space>,
    /// It need not be there at all.
    doubtful: bool,
    /// Entries of the event log, as JSON.
    log: BTreeMap<Cursor, (Ack, String)>,
}

#[derive(Clone, Debug, Default)]
struct Space {
    /// By id: the record as JSON, or nothing if it may have been rewritten as a full one.
    records: BTreeMap<CheckpointId, Option<String>>,
    /// Records that may be there.
    maybe: BTreeMap<CheckpointId, Option<String>>,
    notes: BTreeMap<CheckpointId, BTreeMap<TaskKey, Vec<(Ack, TaskNote)>>>,
}

/// Whether a call was acknowledged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ack {
    Yes,
    Nothing,
}

/// How many notes of one task may be in doubt before they are no longer distinguished.
const DOUBTS: usize = 8;

/// Busy, changed by another run, no such thread, exists already.
const CERTAIN: [&str; 4] = ["SS2001", "SS2002", "SS2003", "SS2004"];

impl Model {
    /// Replays a log.
    pub fn of(lines: &[Line]) -> Self {
        let mut model = Self::default();
        let outcomes = outcomes(lines);
        for (at, line) in lines.iter().enumerate() {
            let Line::Try(_, call) = line else { continue };
            match outcomes.get(&at) {
                Some(Acknowledged::Yes) => model.apply(call, Ack::Yes),
                Some(Acknowledged::No) => {}
                None => model.apply(call, Ack::Nothing),
            }
        }
        model
    }

    /// How many records must be there.
    pub fn promised(&self) -> usize {
        let spaces = self
            .threads
            .values()
            .flat_map(|thread| thread.spaces.values());
        spaces.map(|space| space.records.len()).sum()
    }

    fn apply(&mut self, call: &SaverCall, ack: Ack) {
        match call {
            SaverCall::Commit(thread, namespace, record, events) => {
                let thread = self.threads.entry(thread.clone()).or_default();
                thread.log(events, ack);
                let space = thread.spaces.entry(namespace.clone()).or_default();
                space.commit(record, ack);
            }
            SaverCall::Note(thread, namespace, checkpoint, notes, events) => {
                let thread = self.threads.entry(thread.clone()).or_default();
                thread.log(events, ack);
                let space = thread.spaces.entry(namespace.clone()).or_default();
                space.note(*checkpoint, notes, ack);
            }
            SaverCall::Log(thread, events) => {
                let thread = self.threads.entry(thread.clone()).or_default();
                thread.log(events, ack);
            }
            SaverCall::Prune(thread) => {
                if let Some(thread) = self.threads.get_mut(thread) {
                    // Entries of what was pruned are gone.
                    let log = thread.log.values_mut();
                    log.for_each(|(ack, _)| *ack = Ack::Nothing);
                    thread.spaces.values_mut().for_each(Space::prune);
                }
            }
            SaverCall::Copy(from, to) => {
                if let Some(source) = self.threads.get(from).cloned() {
                    let doubtful = ack == Ack::Nothing;
                    self.threads
                        .insert(to.clone(), Thread { doubtful, ..source });
                }
            }
            SaverCall::Delete(thread) => match ack {
                Ack::Yes => {
                    self.threads.remove(thread);
                }
                Ack::Nothing => {
                    if let Some(thread) = self.threads.get_mut(thread) {
                        thread.doubtful = true;
                    }
                }
            },
        }
    }

    /// Reads from a saver all that this model knows of.
    pub async fn read(&self, saver: &dyn Saver) -> Result<SaverContents, SaverError> {
        let mut found = SaverContents::default();
        found.threads.extend(saver.threads().await?);
        for (id, thread) in &self.threads {
            let log = saver.events(id, None, usize::MAX).await?;
            found.logs.insert(id.clone(), log);
            for namespace in thread.spaces.keys() {
                let all = HistoryQuery::default();
                let history = saver.history(id, namespace, &all).await?;
                let place = (id.clone(), namespace.clone());
                found.histories.insert(place, history);
            }
        }
        Ok(found)
    }

    /// All that is wrong with what was found.
    pub fn compare(&self, found: &SaverContents) -> Vec<String> {
        let mut wrong = Vec::new();
        for thread in &found.threads {
            if !self.threads.contains_key(thread) {
                wrong.push(format!("thread {thread} is there, and nobody made it"));
            }
        }
        for ((id, namespace), history) in &found.histories {
            let thread = self.threads.get(id);
            if !found.threads.contains(id) && thread.is_none_or(|thread| thread.doubtful) {
                continue;
            }
            let space = thread.and_then(|thread| thread.spaces.get(namespace));
            for what in space.unwrap_or(&Space::default()).compare(history) {
                wrong.push(format!("thread {id}, namespace `{namespace}`: {what}"));
            }
        }
        for (id, log) in &found.logs {
            let thread = self.threads.get(id);
            if found.threads.contains(id) || thread.is_some_and(|thread| !thread.doubtful) {
                let none = Thread::default();
                let differences = thread.unwrap_or(&none).compare_log(log);
                wrong.extend(differences.map(|what| format!("thread {id}: {what}")));
            }
        }
        wrong
    }
}

impl Thread {
    fn log(&mut self, events: &[Logged], ack: Ack) {
        for event in events {
            self.log.insert(event.cursor, (ack, json(event)));
        }
    }

    fn compare_log(&self, found: &[Logged]) -> impl Iterator<Item = String> {
        let read: BTreeMap<Cursor, String> = found
            .iter()
            .map(|entry| (entry.cursor, json(entry)))
            .collect();
        let mut wrong = Vec::new();
        for (cursor, (ack, text)) in &self.log {
            match read.get(cursor) {
                None if *ack == Ack::Yes => {
                    wrong.push(format!("entry {cursor} was promised and is gone"));
                }
                Some(read) if read != text => {
                    wrong.push(format!("entry {cursor} reads {read}, written was {text}"));
                }
                _ => {}
            }
        }
        let strange = read.keys().filter(|cursor| !self.log.contains_key(cursor));
        let strange = strange.map(|cursor| format!("entry {cursor} is there, and nobody wrote it"));
        wrong.extend(strange);
        wrong.into_iter()
    }
}

impl SaverContents {
    /// How many records.
    pub fn records(&self) -> usize {
        self.histories.values().map(Vec::len).sum()
    }
}

/// What a saver was found to hold.
#[derive(Debug, Default)]
pub struct SaverContents {
    threads: BTreeSet<ThreadId>,
    histories: BTreeMap<(ThreadId, GraphPath), Vec<Loaded>>,
    logs: BTreeMap<ThreadId, Vec<Logged>>,
}

impl Space {
    fn commit(&mut self, record: &Record, ack: Ack) {
        let text = Some(json(record));
        match ack {
            Ack::Yes => self.records.insert(record.id, text),
            Ack::Nothing => self.maybe.insert(record.id, text),
        };
        if let Some(parent) = record.parent {
            // Who follows a record has seen it.
            if ack == Ack::Yes
                && let Some(known) = self.maybe.remove(&parent)
            {
                self.records.insert(parent, known);
            }
            self.note(parent, &record.tasks, ack);
        }
    }

    fn note(&mut self, checkpoint: CheckpointId, notes: &[TaskNote], ack: Ack) {
        let tasks = self.notes.entry(checkpoint).or_default();
        for note in notes {
            let known = tasks.entry(note.key.clone()).or_default();
            known.push((ack, note.clone()));
        }
    }

    /// Only the newest must be there now, if it is known which that is; it may have become full,
    /// and the others may be gone.
    fn prune(&mut self) {
        let mut old = std::mem::take(&mut self.records);
        let newest = old.last_key_value().map(|(id, _)| *id);
        let is_known = self.maybe.keys().next_back().copied() < newest;
        if let Some(newest) = newest.filter(|_| is_known) {
            old.remove(&newest);
            self.records.insert(newest, None);
        }
        self.maybe.extend(old);
        self.maybe.values_mut().for_each(|text| *text = None);
    }

    fn compare(&self, history: &[Loaded]) -> Vec<String> {
        let mut wrong = Vec::new();
        let mut missing: BTreeSet<CheckpointId> = self.records.keys().copied().collect();
        for loaded in history {
            let Some(head) = loaded.head() else {
                wrong.push("a checkpoint without a record".to_owned());
                continue;
            };
            missing.remove(&head.id);
            let known = self.records.get(&head.id).or(self.maybe.get(&head.id));
            match known {
                None => wrong.push(format!("record {} is there, and nobody wrote it", head.id)),
                Some(Some(text)) if *text != json(head) => {
                    let read = json(head);
                    wrong.push(format!(
                        "record {} reads {read}, written was {text}",
                        head.id
                    ));
                }
                Some(_) => wrong.extend(self.compare_notes(head.id, &loaded.notes)),
            }
        }
        let lost = |id| format!("record {id} was promised and is gone");
        wrong.extend(missing.into_iter().map(lost));
        wrong
    }

    fn compare_notes(&self, at: CheckpointId, found: &[TaskNote]) -> Vec<String> {
        let mut wrong = Vec::new();
        let known = self.notes.get(&at);
        for note in found {
            let ack = known.and_then(|tasks| tasks.get(&note.key));
            if !ack.is_some_and(|ack| possible(ack, Some(note))) {
                let read = json(note);
                wrong.push(format!(
                    "checkpoint {at}: a note reads {read}, acknowledged was {ack:?}"
                ));
            }
        }
        for (key, ack) in known.into_iter().flatten() {
            if found.iter().all(|note| note.key != *key) && !possible(ack, None) {
                wrong.push(format!("checkpoint {at}: the note of {key:?} is gone"));
            }
        }
        wrong
    }
}

/// Whether what is found is what was acknowledged, with or without each thing in doubt.
fn possible(ack: &[(Ack, TaskNote)], found: Option<&TaskNote>) -> bool {
    let doubts = ack.iter().filter(|(ack, _)| *ack == Ack::Nothing).count();
    if doubts > DOUBTS {
        return true;
    }
    (0..1_u32 << doubts).any(|choice| {
        let (mut bit, mut sum) = (0, None::<TaskNote>);
        for (ack, note) in ack {
            if *ack == Ack::Nothing {
                bit += 1;
                if choice >> (bit - 1) & 1 == 0 {
                    continue;
                }
            }
            match &mut sum {
                Some(sum) => sum.absorb(note.clone()),
                None => {
                    let mut first = TaskNote::new(note.key.clone());
                    first.absorb(note.clone());
                    sum = Some(first);
                }
            }
        }
        match (&sum, found) {
            (Some(sum), Some(found)) => json(sum) == json(found),
            (None, None) => true,
            _ => false,
        }
    })
}

enum Acknowledged {
    Yes,
    No,
}

/// How the call tried at each line ended, where that is known.
fn outcomes(lines: &[Line]) -> BTreeMap<usize, Acknowledged> {
    let mut open: BTreeMap<u64, usize> = BTreeMap::new();
    let mut ended = BTreeMap::new();
    for (at, line) in lines.iter().enumerate() {
        match line {
            Line::Start => open.clear(),
            Line::Try(n, _) => {
                open.insert(*n, at);
            }
            Line::Ack(n, _) => {
                ended.extend(open.remove(n).map(|at| (at, Acknowledged::Yes)));
            }
            // A medium that failed may have done it all the same; a refusal is certain.
            Line::Refused(n, code) if CERTAIN.contains(&code.as_str()) => {
                ended.extend(open.remove(n).map(|at| (at, Acknowledged::No)));
            }
            _ => {}
        }
    }
    ended
}

fn json<T: serde::Serialize>(value: &T) -> String {
    serde_json::to_string(value).unwrap_or_else(|error| format!("not json: {error}"))
}
