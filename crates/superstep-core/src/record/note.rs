//! Notes: what is known about the tasks of a step before it is committed, and with it.

mod flat;

use std::{collections::BTreeMap, sync::Arc};

use serde::{Deserialize, Serialize};

use super::{Effect, Layout, StoredError, TaskKey, Write};
use crate::{
    ask::Ask,
    id::AskId,
    rare::{Blank, Rare},
    value::Value,
};

/// What is known about a task before its step is committed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "flat::FlatNote", into = "flat::FlatNote")]
pub struct TaskNote {
    /// Which task.
    pub key: TaskKey,
    /// Its writes, once it finished; empty if it wrote nothing.
    pub output: Option<Vec<Write>>,
    /// What most tasks have nothing of.
    pub extras: Rare<NoteExtras>,
}

/// What few tasks have: questions, answers, effects, an error.
#[derive(Clone, Debug, PartialEq)]
pub struct NoteExtras {
    /// The questions it asked last.
    pub asks: Vec<Ask>,
    /// An answer came since: a task has one question of its own open at a time, and nobody should
    /// answer it again before the task has run.
    pub answered: bool,
    /// Answers it has received, in order.
    pub answers: Vec<Value>,
    /// The questions that they were given to, as far as that is known: no other question takes them.
    pub asked: Vec<AskId>,
    /// Answers to questions of the graphs and tasks that it runs, which get them from here: what was answered
    /// is closed at once, and is not lost if the run ends before the answer has got there.
    pub given: BTreeMap<AskId, Value>,
    /// The last answer did not fit its question, so `answers` replaces what was known.
    pub refused: bool,
    /// Its error.
    pub error: Option<Box<StoredError>>,
    /// The error went to a handler, so the task does not run again.
    pub handled: bool,
    /// Effects it journaled.
    pub effects: BTreeMap<String, Effect>,
    /// The plain answer that came with the input.
    pub resume: Option<PlainAnswer>,
    /// How many answers were taken before the first write; see [`TaskNote::absorb`].
    pub offset: usize,
    /// The name of a called task.
    pub name: Option<Arc<str>>,
    /// A hash of the arguments of a called task.
    pub args: Option<u64>,
    /// The names behind the ids of its writes, if they are not those of the checkpoint: another version of the
    /// program has written it.
    pub layout: Option<Arc<Layout>>,
}

impl NoteExtras {
    /// Nothing of all that.
    pub const NONE: Self = Self {
        asks: Vec::new(),
        answered: false,
        answers: Vec::new(),
        asked: Vec::new(),
        given: BTreeMap::new(),
        refused: false,
        error: None,
        handled: false,
        effects: BTreeMap::new(),
        resume: None,
        offset: 0,
        name: None,
        args: None,
        layout: None,
    };
}

impl Default for NoteExtras {
    fn default() -> Self {
        Self::NONE
    }
}

impl Blank for NoteExtras {
    fn blank() -> &'static Self {
        static BLANK: NoteExtras = NoteExtras::NONE;
        &BLANK
    }
}

/// A plain answer and what became of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum PlainAnswer {
    /// It waits for the first question.
    Given(Value),
    /// A question took it.
    Taken,
}

impl TaskNote {
    /// Nothing known yet.
    pub fn new(key: TaskKey) -> Self {
        Self {
            key,
            output: None,
            extras: Rare::NONE,
        }
    }

    /// A task that has no writes yet, and something else.
    pub fn with(key: TaskKey, extras: NoteExtras) -> Self {
        Self {
            key,
            output: None,
            extras: extras.into(),
        }
    }

    /// Merges a later note of the same task: what it holds replaces, what it leaves open stays.
    ///
    /// Writes are in numbered slots, answers counting as slots before them, and the first write
    /// of a slot stays: a task that runs again from an old checkpoint does not rewrite history.
    pub fn absorb(&mut self, later: TaskNote) {
        let is_plain = self.extras.is_none() && later.extras.is_none();
        if !is_plain && self.output.is_none() && later.output.is_some() {
            self.extras.layout = later.extras.layout.clone();
        }
        match (&mut self.output, later.output) {
            (_, None) => {}
            (Some(known), Some(writes)) if self.key != TaskKey::Input => {
                let offset = self.extras.offset;
                let taken = offset..offset + known.len();
                let (mut before, mut after) = (Vec::new(), Vec::new());
                for (write, slot) in writes.into_iter().zip(later.extras.offset..) {
                    match slot {
                        early if early < taken.start => before.push(write),
                        late if late >= taken.end => after.push(write),
                        _ => {}
                    }
                }
                if !before.is_empty() {
                    self.extras.offset -= before.len();
                }
                before.append(known);
                before.append(&mut after);
                *known = before;
            }
            (output, writes) => {
                *output = writes;
                if !is_plain {
                    self.extras.offset = later.extras.offset;
                }
            }
        }
        if !is_plain {
            self.extras.absorb(later.extras.into_inner());
        }
    }

    /// The questions of this task that are still open, as far as it knows: see [`open_asks`](super::open_asks).
    pub fn open_asks(&self) -> impl Iterator<Item = &Ask> {
        let is_over = self.output.is_some() || self.extras.answered;
        let asks = self.extras.asks.iter();
        asks.filter(move |ask| !is_over && !self.extras.given.contains_key(&ask.id))
    }

    /// The questions that LangGraph shows as open: those of a task that failed since are there again, although
    /// it has their answers.
    pub fn listed_asks(&self) -> impl Iterator<Item = &Ask> {
        let is_over = self.output.is_some() || self.extras.answered && self.extras.error.is_none();
        self.extras.asks.iter().filter(move |_| !is_over)
    }
}

impl NoteExtras {
    fn absorb(&mut self, later: Self) {
        self.given.extend(later.given);
        if !later.asks.is_empty() {
            self.asks = later.asks;
            self.answered = later.answered;
            // What is asked again has no answer: that which came was refused.
            self.given
                .retain(|id, _| self.asks.iter().all(|ask| ask.id != *id));
        } else if later.refused {
            self.answered = false;
        } else if !self.asks.is_empty() && later.answers.len() > self.answers.len() {
            self.answered = true;
        }
        // A run that ended before it came to the last question leaves the answer to that as it is.
        if later.refused || later.answers.len() >= self.answers.len() && !later.answers.is_empty() {
            self.answers = later.answers;
            if !later.asked.is_empty() {
                self.asked = later.asked;
            }
            self.asked.truncate(self.answers.len());
        }
        if later.error.is_some() {
            self.error = later.error;
        }
        self.handled |= later.handled;
        self.effects.extend(later.effects);
        self.effects.retain(|_, effect| *effect != Effect::Failed);
        if later.resume.is_some() {
            self.resume = later.resume;
        }
        if later.name.is_some() {
            (self.name, self.args) = (later.name, later.args);
        }
    }
}
