//! What a task has done so far, over its attempts.

use std::collections::{BTreeMap, BTreeSet};

use superstep_core::{
    ask::Answers,
    clock::UnixMillis,
    id::{AskId, GraphPath},
    record::Effect,
    record::TaskNote,
    run::{Fidelity, Suspension},
    value::Value,
};

/// What a task has done so far, over its attempts.
#[derive(Default)]
pub(crate) struct TaskProgress {
    pub(crate) answers: TaskAnswers,
    /// It has been told to wait: by a question, or by a task or a graph that it runs.
    pub(crate) suspended: bool,
    /// Its effects; few tasks have any.
    pub(crate) journal: Option<Box<Journal>>,
    pub(crate) streamed: Vec<String>,
    /// Ids of messages that readers have seen of graphs it ran.
    pub(crate) seen_below: Vec<String>,
    /// How many graphs this attempt has run.
    pub(crate) graphs: u32,
    /// How many graphs an earlier attempt has run; this one continues them.
    pub(crate) begun_graphs: u32,
    /// Graphs with one history in their thread that this attempt runs, by position: which of its graphs
    /// is one, or runs it.
    pub(crate) histories: BTreeMap<GraphPath, u32>,
    pub(crate) calls: u32,
    pub(crate) spans: u32,
    pub(crate) sleeps: u32,
    /// How many questions with a deadline this attempt has asked.
    pub(crate) deadlines: u32,
    /// The times that it waits for, and could wait for without running.
    pub(crate) timers: Vec<UnixMillis>,
    /// Waits that may be given up hide from the task's waker ([`crate::driver`]).
    pub(crate) hides_waits: bool,
    /// It runs on a thread or in a task of its own, where waits do not hide.
    pub(crate) is_elsewhere: bool,
    /// An effect of it is polled, by this key.
    pub(crate) effect: Option<String>,
    /// How much of what it does now it should not be dropped in the middle of.
    pub(crate) unfinished: u32,
    /// How many graphs run inside it.
    pub(crate) inside: u32,
    /// It knows that its run is to end.
    pub(crate) notified: bool,
    /// The attempt is over: whatever still has its context can do nothing with it.
    pub(crate) ended: bool,
}

impl TaskProgress {
    /// Prepares for another attempt.
    pub(crate) fn rewind(&mut self, fidelity: Fidelity) {
        self.answers.rewind();
        if fidelity.continues_graphs_in_retries() {
            self.begun_graphs = self.begun_graphs.max(self.graphs);
            self.graphs = 0;
        }
        self.histories.clear();
        (self.calls, self.sleeps, self.deadlines) = (0, 0, 0);
        self.timers.clear();
        (self.unfinished, self.inside) = (0, 0);
        self.suspended = false;
        if let Some(journal) = &mut self.journal {
            journal.keys.clear();
        }
    }

    /// Notes that the task has been told to wait.
    pub(crate) fn suspend(&mut self, suspension: &Suspension) {
        self.suspended |= !suspension.is_pause();
    }

    /// Ends the attempt, and gives what the next one must know.
    pub(crate) fn end(&mut self) -> Self {
        let ended = Self {
            ended: true,
            ..Self::default()
        };
        std::mem::replace(self, ended)
    }
}

/// The effects of a task, over its attempts.
#[derive(Default)]
pub(crate) struct Journal {
    pub(crate) effects: BTreeMap<String, Effect>,
    /// What this attempt has added.
    pub(crate) fresh: Vec<(String, Effect)>,
    /// The keys of the effects of this attempt.
    pub(crate) keys: BTreeSet<String>,
}

impl Journal {
    /// The effects of earlier attempts, if there are any.
    pub(crate) fn of(note: &TaskNote) -> Option<Box<Self>> {
        (!note.extras.effects.is_empty()).then(|| {
            Box::new(Self {
                effects: note.extras.effects.clone(),
                ..Self::default()
            })
        })
    }
}

/// The answers a task has received, in the order of its questions.
#[derive(Default)]
pub(crate) struct TaskAnswers {
    received: Vec<Value>,
    /// How many of them this attempt has used.
    used: usize,
    /// The questions that they were given to, as far as that is known.
    asked: Vec<AskId>,
}

impl TaskAnswers {
    /// The answers of earlier attempts.
    pub(crate) fn new(note: &TaskNote) -> Self {
        Self {
            received: note.extras.answers.clone(),
            used: 0,
            asked: note.extras.asked.clone(),
        }
    }

    /// Another attempt asks from the first question on.
    pub(crate) fn rewind(&mut self) {
        self.used = 0;
    }

    /// The answer to the next question: received before, or the run's plain one. A graph that is not stored
    /// has received nothing, and asks the run for the answer to `unstored`.
    pub(super) fn next(&mut self, run: &Answers, unstored: Option<AskId>) -> Option<Value> {
        if self.used == self.received.len() {
            let by_id = unstored.and_then(|id| run.by_id(id).cloned());
            self.received.push(by_id.or_else(|| run.take_next())?);
        }
        self.received.get(self.used).cloned()
    }

    /// The answer to the next question that is on record.
    pub(super) fn known(&self) -> Option<&Value> {
        self.received.get(self.used)
    }

    /// The question that the next answer was given to, if that is known.
    pub(super) fn asked(&self) -> Option<AskId> {
        self.asked.get(self.used).copied()
    }

    /// The answer to the next question is used.
    pub(super) fn accept(&mut self) {
        self.used += 1;
    }

    /// The answer to the next question does not fit: the question stays open.
    pub(super) fn refuse(&mut self) {
        self.received.truncate(self.used);
        self.asked.truncate(self.used);
    }

    /// The number of the next question.
    pub(super) fn question(&self) -> usize {
        self.used
    }

    /// The answers this attempt has used.
    pub(crate) fn used(&self) -> Vec<Value> {
        self.received.iter().take(self.used).cloned().collect()
    }
}
