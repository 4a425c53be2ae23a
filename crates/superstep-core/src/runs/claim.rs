//! Claims: the rules by which workers take runs from the queue.
//!
//! A claimed run has begun: it holds the lease of its thread and counts an attempt. The trait is
//! [`crate::saver::RunQueue`].

use std::{
    collections::{BTreeMap, HashMap},
    hash::Hash,
    sync::Arc,
    time::Duration,
};

use super::{InputKind, QueuedInput, RunRecord, noted};
use crate::{
    ask::Resume,
    clock::{UnixMillis, expiry},
    event::Ending,
    id::{AskId, CheckpointId},
    record::{TaskNote, open_asks},
};

/// Which runs a worker takes.
#[derive(Clone, Debug)]
pub struct ClaimRuns {
    /// Of these graphs, by the names that their runs are queued under.
    pub graphs: BTreeMap<Arc<str>, ClaimGraph>,
    /// At most this many.
    pub limit: usize,
}

/// A graph whose runs a worker takes.
#[derive(Clone, Copy, Debug)]
pub struct ClaimGraph {
    /// At most this many.
    pub limit: usize,
    /// Every checkpoint that these runs make has a greater id than this.
    pub mark: CheckpointId,
}

impl ClaimRuns {
    /// Whether it takes another run of a graph.
    pub fn takes(&self, graph: &str) -> bool {
        self.limit > 0 && self.graphs.get(graph).is_some_and(|it| it.limit > 0)
    }

    /// Counts a run of a graph as claimed.
    pub fn count(&mut self, graph: &str) {
        self.limit = self.limit.saturating_sub(1);
        if let Some(graph) = self.graphs.get_mut(graph) {
            graph.limit = graph.limit.saturating_sub(1);
        }
    }
}

/// What becomes of a claimed run that does not begin after all.
#[derive(Clone, Debug, PartialEq)]
pub enum Release {
    /// It is in the queue again, due after a while.
    Later(Duration),
    /// The same; it waits for another worker, or another program.
    Stale {
        /// How long it waits at least.
        after: Duration,
        /// Why this one does not begin it.
        problem: String,
    },
    /// It has ended.
    Refused(Ending),
}

/// What a run begins from, as its claim finds it.
#[derive(Clone, Copy, Debug)]
pub struct Start<'a> {
    /// The lease of the thread.
    pub epoch: u64,
    /// The newest checkpoint of the thread's own graph.
    pub head: Option<CheckpointId>,
    /// What was noted of its tasks. Only runs that bring a command need it.
    pub notes: &'a [TaskNote],
    /// The [`ClaimGraph::mark`] of the run's graph.
    pub mark: CheckpointId,
}

/// Which owner's run is claimed next: the one with the fewest runs under way.
///
/// `K` is how a saver names an owner ([`Caller::owner`](crate::caller::Caller::owner)).
#[derive(Debug)]
pub struct FairShares<K>(HashMap<K, usize>);

impl<K> Default for FairShares<K> {
    fn default() -> Self {
        Self(HashMap::new())
    }
}

impl<K: Eq + Hash> FairShares<K> {
    /// Counts a run that begins.
    pub fn begin(&mut self, owner: K) {
        *self.0.entry(owner).or_default() += 1;
    }

    /// Counts a run that has ended.
    pub fn end(&mut self, owner: &K) {
        if let Some(count) = self.0.get_mut(owner) {
            *count -= 1;
            if *count == 0 {
                self.0.remove(owner);
            }
        }
    }

    /// The rank of a run that is due: the lowest is claimed next. `n` counts runs in the order they came.
    pub fn rank(&self, owner: &K, due: UnixMillis, n: i64) -> (usize, UnixMillis, i64) {
        (self.0.get(owner).copied().unwrap_or(0), due, n)
    }
}

impl RunRecord {
    /// Whether a worker may claim it, as far as it alone decides.
    pub fn is_claimable(&self, claim: &ClaimRuns, now: UnixMillis) -> bool {
        let is_due = self.waiting().is_some_and(|queued| queued.due <= now);
        is_due && claim.takes(&self.graph)
    }

    /// Begins the run for the worker that claims it.
    pub fn claim(&mut self, start: Start<'_>, now: UnixMillis) {
        let queued = self.queued.as_deref();
        let answers = match queued.map(|queued| &queued.input) {
            Some(QueuedInput::Command(_, Some(resume))) if self.answers.is_empty() => {
                answered(resume, start.notes)
            }
            _ => std::mem::take(&mut self.answers),
        };
        let noted = match self.input {
            InputKind::Command => noted(start.notes),
            _ => 0,
        };
        if self.is_alarm() {
            // It wakes the thread as that was when the alarm was set, or not at all.
            self.begin_from(self.base, start.mark, noted);
        } else if !self.has_taken_input(start.head, noted) {
            self.begin_from(start.head, start.mark, noted);
        }
        self.attempt = self.attempt.saturating_add(1);
        self.problem = None;
        (self.started, self.epoch, self.answers) = (Some(now), Some(start.epoch), answers);
    }

    /// Gives a claimed run back. The attempt does not count.
    pub fn release(&mut self, release: Release, now: UnixMillis) {
        self.attempt = self.attempt.saturating_sub(1);
        if self.attempt == 0 {
            (self.started, self.mark) = (None, None);
            self.base = self.base.filter(|_| self.was_alarm());
        }
        let after = match release {
            Release::Later(after) => after,
            Release::Stale { after, problem } => {
                self.problem = Some(problem);
                after
            }
            Release::Refused(ending) => return self.end(ending, None, now),
        };
        if let Some(queued) = &mut self.queued {
            queued.due = expiry(now, after);
            self.epoch = None;
        }
    }

    /// Whether an earlier attempt took in what the run is fed: it stored a checkpoint, or its command
    /// left notes. `noted` is the number of the newest checkpoint's notes now.
    pub fn has_taken_input(&self, head: Option<CheckpointId>, noted: u64) -> bool {
        let is_noted = self.input == InputKind::Command && noted != self.noted;
        self.started.is_some() && (head > self.base || is_noted)
    }

    /// Notes where the run begins.
    pub(super) fn begin_from(
        &mut self,
        head: Option<CheckpointId>,
        mark: CheckpointId,
        noted: u64,
    ) {
        (self.base, self.noted) = (head, noted);
        self.mark = Some(head.map_or(mark, |head| head.max(mark)));
    }

    /// Puts a run that was cut short back into the queue, if it came from there and may begin again.
    pub(super) fn requeue(&mut self, now: UnixMillis) -> bool {
        let again = self.attempt;
        let Some(queued) = &mut self.queued else {
            return false;
        };
        if again >= queued.attempts || self.cancel.is_some() {
            return false;
        }
        queued.due = now;
        (self.epoch, self.sleep) = (None, None);
        true
    }

    /// Puts a run that stopped between two steps back into the queue without counting the attempt.
    pub(super) fn hand_back(&mut self, now: UnixMillis) -> bool {
        if let Some(queued) = self.queued.as_mut().filter(|_| self.cancel.is_none()) {
            queued.attempts = queued.attempts.saturating_add(1);
        }
        self.requeue(now)
    }
}

/// The questions that a run brings answers to. A plain answer is for the one that is open.
pub fn answered(resume: &Resume, notes: &[TaskNote]) -> Vec<AskId> {
    let mut ids: Vec<AskId> = match resume {
        Resume::ById(answers) => answers.keys().copied().collect(),
        Resume::Next(_) => open_asks(notes).into_iter().map(|ask| ask.id).collect(),
    };
    ids.sort_unstable();
    ids.dedup();
    let is_meant = matches!(resume, Resume::ById(_)) || ids.len() == 1;
    ids.retain(|_| is_meant);
    ids
}
