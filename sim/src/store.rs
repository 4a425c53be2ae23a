//! Store in memory with the meaning of the saver trait, and with writes in flight.
//!
//! A request waits in a queue until it is synced; only then is it checked, applied and visible, all
//! of it or nothing. A power loss keeps a prefix of the queue. Leases end by the wall clock, and
//! every lease has a greater epoch than all before it.

use std::{collections::BTreeMap, collections::VecDeque, sync::Arc};

use superstep_core::{
    checkpoint::{Loaded, NextRecord},
    error::SaverError,
    id::{CheckpointId, GraphPath, ThreadId},
    record::{Record, TaskNote},
};

use crate::{mutation::Mutation, rng::Rng};

/// How long a lease is good, in milliseconds.
pub(crate) const LEASE: u64 = 10_000;

/// How many records may follow a full one before the next should be full.
const TAIL: usize = 4;

/// What a worker wants stored.
#[derive(Clone, Debug)]
pub(crate) enum Op {
    /// A step.
    Commit(Arc<Record>),
    /// What tasks did.
    Note(CheckpointId, Vec<TaskNote>),
}

/// Something to store, on its way.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) ticket: u64,
    pub(crate) session: u64,
    pub(crate) epoch: u64,
    pub(crate) namespace: GraphPath,
    pub(crate) op: Op,
}

/// What became of a request.
pub(crate) type Answer = Result<NextRecord, SaverError>;

/// The store.
pub(crate) struct Store {
    logs: BTreeMap<GraphPath, Log>,
    queue: VecDeque<Request>,
    epoch: u64,
    until: Option<u64>,
    mutation: Option<Mutation>,
    rng: Rng,
}

#[derive(Default)]
struct Log {
    records: Vec<Arc<Record>>,
    notes: BTreeMap<CheckpointId, Vec<TaskNote>>,
    tail: usize,
}

impl Store {
    pub(crate) fn new(mutation: Option<Mutation>, rng: Rng) -> Self {
        Self {
            logs: BTreeMap::new(),
            queue: VecDeque::new(),
            epoch: 0,
            until: None,
            mutation,
            rng,
        }
    }

    /// Claims the thread.
    pub(crate) fn lease(&mut self, wall: u64) -> Result<u64, SaverError> {
        let held = self.until.is_some_and(|until| wall < until);
        if held && self.mutation == Some(Mutation::LeasesTwice) && self.rng.one_in(3) {
            return Ok(self.epoch);
        }
        if held {
            return Err(SaverError::Busy { thread: thread() });
        }
        self.epoch += 1;
        self.until = Some(wall + LEASE);
        Ok(self.epoch)
    }

    /// Says that the holder is alive; false if it holds the thread no more.
    pub(crate) fn renew(&mut self, epoch: u64, wall: u64) -> bool {
        let holds = epoch == self.epoch && self.until.is_some();
        if holds {
            self.until = Some(wall + LEASE);
        }
        holds
    }

    pub(crate) fn release(&mut self, epoch: u64) {
        if epoch == self.epoch {
            self.until = None;
        }
    }

    /// The newest epoch.
    pub(crate) fn epoch(&self) -> u64 {
        self.epoch
    }

    pub(crate) fn push(&mut self, request: Request) {
        self.queue.push_back(request);
    }

    pub(crate) fn waiting(&self) -> usize {
        self.queue.len()
    }

    /// Makes the oldest so many requests durable.
    pub(crate) fn sync(&mut self, count: usize) -> Vec<(Request, Answer)> {
        let count = count.min(self.queue.len());
        let due: Vec<Request> = self.queue.drain(..count).collect();
        due.into_iter()
            .map(|request| {
                let answer = self.apply(&request);
                (request, answer)
            })
            .collect()
    }

    /// The power is gone: a prefix of the queue was written, the rest never was.
    pub(crate) fn lose_power(&mut self, kept: usize) -> (Vec<(Request, Answer)>, Vec<Request>) {
        let written = self.sync(kept);
        if self.mutation == Some(Mutation::LosesSynced)
            && let Some(log) = self.logs.get_mut(&GraphPath::default())
        {
            log.records.pop();
        }
        (written, self.queue.drain(..).collect())
    }

    /// The newest checkpoint of a namespace.
    pub(crate) fn load(&self, namespace: &GraphPath) -> Option<Loaded> {
        let log = self.logs.get(namespace)?;
        let newest = log.records.last()?;
        let shown = match self.mutation {
            Some(Mutation::ReadsStale) if log.records.len() > 1 => {
                log.records.iter().rev().nth(1)?
            }
            _ => newest,
        };
        self.load_at(namespace, shown.id)
    }

    /// One checkpoint of a namespace.
    pub(crate) fn load_at(&self, namespace: &GraphPath, id: CheckpointId) -> Option<Loaded> {
        let log = self.logs.get(namespace)?;
        let mut chain = Vec::new();
        let mut wanted = Some(id);
        for record in log.records.iter().rev() {
            if wanted == Some(record.id) {
                chain.push(record.clone());
                wanted = record.parent.filter(|_| !record.full);
            }
        }
        chain.first()?;
        chain.reverse();
        Some(Loaded {
            chain: chain.into(),
            notes: log.notes.get(&id).cloned().unwrap_or_default(),
            superseded: log.records.last().is_some_and(|newest| newest.id != id),
            next: log.next(),
        })
    }

    /// Everything that is stored, in order.
    pub(crate) fn records(&self) -> impl Iterator<Item = (&GraphPath, &Arc<Record>)> {
        let each = |(namespace, log)| {
            let log: &Log = log;
            log.records.iter().map(move |record| (namespace, record))
        };
        self.logs.iter().flat_map(each)
    }

    /// The places that something is stored at.
    pub(crate) fn namespaces(&self) -> Vec<GraphPath> {
        self.logs.keys().cloned().collect()
    }

    /// What is known of the tasks of a checkpoint; nothing if there is no such checkpoint.
    pub(crate) fn notes(&self, namespace: &GraphPath, id: CheckpointId) -> Option<&[TaskNote]> {
        let log = self.logs.get(namespace)?;
        log.records.iter().rev().find(|record| record.id == id)?;
        Some(log.notes.get(&id).map_or(&[], Vec::as_slice))
    }

    fn apply(&mut self, request: &Request) -> Answer {
        if request.epoch != self.epoch && self.mutation != Some(Mutation::IgnoresEpochs) {
            return Err(SaverError::Conflict { thread: thread() });
        }
        match &request.op {
            Op::Commit(record) => self.commit(&request.namespace, record),
            Op::Note(at, notes) => self.note(&request.namespace, *at, notes),
        }
    }

    fn commit(&mut self, namespace: &GraphPath, record: &Record) -> Answer {
        let newest = self
            .logs
            .get(namespace)
            .and_then(|log| Some(log.records.last()?.id));
        if newest.is_some_and(|newest| newest >= record.id) {
            let why = format!("checkpoint {} is not the newest", record.id);
            return Err(SaverError::Corrupt(why));
        }
        if let Some(parent) = record.parent
            && self.notes(namespace, parent).is_none()
        {
            let why = format!("checkpoint {} follows unknown {parent}", record.id);
            return Err(SaverError::Corrupt(why));
        }
        let mut record = record.clone();
        if self.mutation == Some(Mutation::DropsCommits) && self.rng.one_in(10) {
            return Ok(NextRecord::Changes);
        }
        if self.mutation == Some(Mutation::HalfCommits) && self.rng.one_in(10) {
            record.changes.pop();
        }
        let mutation = self.mutation;
        let log = self.logs.entry(namespace.clone()).or_default();
        if let Some(parent) = record.parent {
            log.absorb(parent, &record.tasks, mutation);
        }
        log.tail = if record.full { 0 } else { log.tail + 1 };
        log.records.push(Arc::new(record));
        Ok(log.next())
    }

    fn note(&mut self, namespace: &GraphPath, at: CheckpointId, notes: &[TaskNote]) -> Answer {
        if self.notes(namespace, at).is_none() {
            return Err(SaverError::Corrupt(format!("a note for unknown {at}")));
        }
        if self.mutation == Some(Mutation::ForgetsNotes) && self.rng.one_in(4) {
            return Ok(NextRecord::Changes);
        }
        let mutation = self.mutation;
        if let Some(log) = self.logs.get_mut(namespace) {
            log.absorb(at, notes, mutation);
        }
        Ok(NextRecord::Changes)
    }
}

impl Log {
    fn next(&self) -> NextRecord {
        if self.tail >= TAIL {
            NextRecord::Everything
        } else {
            NextRecord::Changes
        }
    }

    fn absorb(&mut self, at: CheckpointId, notes: &[TaskNote], mutation: Option<Mutation>) {
        let known = self.notes.entry(at).or_default();
        for note in notes {
            let Some(earlier) = known.iter_mut().find(|earlier| earlier.key == note.key) else {
                known.push(note.clone());
                continue;
            };
            let forgets = mutation == Some(Mutation::ReplacesAnswers) && note.output.is_none();
            earlier.absorb(note.clone());
            if forgets {
                earlier.extras.answers.clear();
            }
        }
    }
}

fn thread() -> ThreadId {
    "t".into()
}
