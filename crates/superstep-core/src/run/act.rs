//! What a driver has to do for a run, in order.

use std::{collections::VecDeque, sync::Arc, time::Duration};

use crate::{
    command::Command,
    error::Error,
    event::{Event, LoggedEvent},
    id::CheckpointId,
    record::{Record, TaskNote, Write},
    reused_list::cleared,
    run::Suspension,
};

/// What a driver has to do next.
#[derive(Debug)]
pub enum Act {
    /// Run this task and feed the result back.
    Run(usize),
    /// Wait, then run a task again.
    Wait(Wait),
    /// Store a step.
    Commit(Arc<Record>),
    /// Store what tasks did so far.
    Note(CheckpointId, Vec<TaskNote>),
    /// Keep the writes of a task whose results are cached.
    Keep(usize, Vec<Write>),
    /// Pass an event on.
    Emit(Box<Event>),
    /// Put an event of this checkpoint into the log, with the next thing that is stored or later. One that refers to a
    /// checkpoint which is not stored yet comes right before it.
    Log(Option<CheckpointId>, Box<LoggedEvent>),
    /// The run is over.
    Stop(Stop),
}

/// A pause before another attempt.
#[derive(Clone, Copy, Debug)]
pub struct Wait {
    /// The task to run again.
    pub task: usize,
    /// How long to wait.
    pub delay: Duration,
    /// Up to this much longer, at random.
    pub jitter: Duration,
}

/// How a run ended.
#[derive(Debug)]
pub enum Stop {
    /// Nothing is left to run.
    Done,
    /// It waits for answers, for a time, or at a static pause.
    Suspended(Suspension),
    /// A command for the graph above.
    Parent(Box<Command>),
    /// It failed.
    Failed(Error),
}

/// The acts that a driver has not taken yet.
#[derive(Debug, Default)]
pub(super) struct Acts {
    waiting: VecDeque<Act>,
    /// How many a driver has taken so far.
    taken: usize,
    /// Which act the last notes are in, counted from the first act ever.
    notes_at: usize,
}

impl Acts {
    /// None yet, in an cleared list.
    pub(super) fn with_list(waiting: Vec<Act>) -> Self {
        Self {
            waiting: waiting.into(),
            ..Self::default()
        }
    }

    /// The cleared list.
    pub(super) fn into_list(mut self) -> Vec<Act> {
        self.waiting.clear();
        cleared(self.waiting.into())
    }

    pub(super) fn next(&mut self) -> Option<Act> {
        let act = self.waiting.pop_front()?;
        self.taken += 1;
        Some(act)
    }

    pub(super) fn push(&mut self, act: Act) {
        if self.waiting.capacity() == 0 {
            // A run begins with two records and a task, and a list that grows by itself has room for four.
            self.waiting.reserve_exact(3);
        }
        self.waiting.push_back(act);
    }

    /// Has notes of a checkpoint stored: with others of it that wait to be, if there are any.
    pub(super) fn push_notes(&mut self, checkpoint: CheckpointId, notes: Vec<TaskNote>) {
        let waiting = self.notes_at.checked_sub(self.taken);
        let waiting = waiting.and_then(|at| self.waiting.get_mut(at));
        if let Some(Act::Note(of, others)) = waiting
            && *of == checkpoint
        {
            return others.extend(notes);
        }
        self.notes_at = self.taken + self.waiting.len();
        self.push(Act::Note(checkpoint, notes));
    }
}
