//! Tasks that running tasks call.

use std::{
    collections::{BTreeMap, HashSet},
    sync::Arc,
};

use xxhash_rust::xxh3::Xxh3;

use super::{
    Loop,
    task::{Phase, Task, TaskInput},
};
use crate::{
    event::Modes,
    id::GraphPath,
    policy::{CachePolicy, RetryPolicy, Timeouts},
    record::{Effect, TaskKey, TaskNote, Write},
    value::Value,
};

/// A task that another task wants to run.
#[derive(Clone, Debug)]
pub struct CallSpec {
    /// Its name.
    pub name: Arc<str>,
    /// Its arguments.
    pub args: Vec<Value>,
    /// Retries.
    pub retry: Vec<RetryPolicy>,
    /// Result cache.
    pub cache: Option<CachePolicy>,
    /// Limits.
    pub timeouts: Timeouts,
}

/// What became of a call.
#[derive(Debug)]
pub enum Called {
    /// Run this task.
    Run(usize),
    /// It ran before, with this result.
    Finished(Value),
    /// It is running.
    Running(usize),
}

impl Loop {
    /// A running task wants another task run, as its n-th call.
    pub fn call(&mut self, by: usize, n: u32, spec: CallSpec) -> Option<Called> {
        let caller = self.tasks.get(by)?;
        let (node, caller) = (caller.node, caller.key.clone());
        let args = args_hash(&spec.args);
        let n = match self.config.fidelity.matches_calls_by_content() {
            true => self.call_number(&caller, n, &spec.name, args),
            false => n,
        };
        let key = TaskKey::Call(Box::new(caller), n);
        let known = self.tasks.iter().position(|task| task.key == key);
        if let Some(at) = known
            && let Some(task) = self.tasks.get_mut(at)
        {
            match task.phase {
                Phase::Finished => return task.returned().map(Called::Finished),
                Phase::Running => return Some(Called::Running(at)),
                Phase::Ready | Phase::Halted => {
                    task.phase = Phase::Running;
                    task.suspended = None;
                    self.progress.running += 1;
                    return Some(Called::Run(at));
                }
            }
        }
        let mut task = Task::new(&self.plan, key, node, TaskInput::Call(spec.args));
        (task.note.extras.name, task.note.extras.args) = (Some(spec.name.clone()), Some(args));
        task.name = spec.name;
        task.retry = spec.retry;
        task.cache = spec.cache;
        task.timeouts = spec.timeouts;
        self.tasks.push(task);
        let at = self.tasks.len() - 1;
        self.remember_answers(at);
        if self.wants(Modes::TASKS) {
            self.emit_task_start(at);
        }
        let stored = (!self.progress.replaying)
            .then(|| {
                self.tasks
                    .get(at)
                    .and_then(|task| self.stored_output(&task.key))
            })
            .flatten();
        let task = self.tasks.get_mut(at)?;
        if let Some(output) = stored {
            task.note.output = Some(output);
            task.phase = Phase::Finished;
            return task.returned().map(Called::Finished);
        }
        task.phase = Phase::Running;
        self.progress.running += 1;
        Some(Called::Run(at))
    }

    /// Which of the calls on record this is: the one in its place if that called the same, else another one that
    /// did, else a new one. So calls that come in another order keep their results.
    fn call_number(&mut self, by: &TaskKey, n: u32, name: &Arc<str>, args: u64) -> u32 {
        if n == 0 {
            // Another attempt of the caller makes its calls anew.
            let running = self.tasks.iter().map(|task| &task.note);
            let recorded = CallsOf::recorded(by, running.chain(&self.notes));
            self.progress.calls.insert(by.clone(), recorded);
        }
        let calls = self.progress.calls.entry(by.clone()).or_default();
        calls.number(n, name, args)
    }

    /// An effect of a call on record that a task has not made again, and of which nobody knows whether it happened: the
    /// task would end without it, and nobody would learn of it.
    pub(super) fn forgotten_effect(&self, at: usize) -> Option<String> {
        let by = &self.tasks.get(at)?.key;
        if !self.config.fidelity.reports_skipped_effects() {
            return None;
        }
        let is_forgotten = |note: &&TaskNote| {
            let TaskKey::Call(of, n) = &note.key else {
                return false;
            };
            let is_made = self.progress.calls.get(by);
            let is_made = is_made.is_some_and(|calls| calls.made.contains(n));
            **of == *by && note.output.is_none() && !is_made
        };
        let mut notes = self.notes.iter().filter(is_forgotten);
        notes.find_map(|note| {
            let mut effects = note.extras.effects.iter();
            let started = effects.find(|(_, effect)| **effect == Effect::Started);
            started.map(|(key, _)| key.clone())
        })
    }

    fn stored_output(&self, key: &TaskKey) -> Option<Vec<Write>> {
        self.notes
            .iter()
            .find(|note| note.key == *key)?
            .output
            .clone()
    }

    /// Whether another task of the step is at the same position, and the graphs that both run with it.
    pub fn has_twin(&self, at: usize) -> bool {
        let position = |at: usize| self.task_namespace(at).position();
        let own = position(at);
        let mut others = (0..self.tasks.len()).filter(|other| *other != at);
        others.any(|other| position(other) == own)
    }

    /// The namespace of the task that called this one; other tasks are in their graph's.
    pub fn caller_of(&self, task: &Task) -> Option<GraphPath> {
        let TaskKey::Call(by, _) = &task.key else {
            return None;
        };
        let caller = self.tasks.iter().position(|caller| caller.key == **by)?;
        Some(self.task_namespace(caller))
    }

    pub(super) fn caller(&self, task: &Task) -> Option<&Task> {
        let TaskKey::Call(by, _) = &task.key else {
            return None;
        };
        self.tasks.iter().find(|caller| caller.key == **by)
    }
}

/// The calls of one attempt of a task.
#[derive(Default)]
pub(super) struct CallsOf {
    /// Those that it has made.
    made: HashSet<u32>,
    /// Those on record that it has not made yet: their name and the hash of their arguments.
    recorded: BTreeMap<u32, (Option<Arc<str>>, Option<u64>)>,
}

impl CallsOf {
    fn recorded<'a>(by: &TaskKey, notes: impl Iterator<Item = &'a TaskNote>) -> Self {
        let recorded = notes.filter_map(|note| match &note.key {
            TaskKey::Call(of, n) if **of == *by => {
                Some((*n, (note.extras.name.clone(), note.extras.args)))
            }
            _ => None,
        });
        Self {
            made: HashSet::new(),
            recorded: recorded.collect(),
        }
    }

    fn number(&mut self, n: u32, name: &Arc<str>, args: u64) -> u32 {
        // Of calls that earlier versions recorded only the place is known.
        let is_same = |(known, hash): &(Option<Arc<str>>, Option<u64>)| {
            known.as_ref().is_none_or(|known| known == name) && hash.is_none_or(|hash| hash == args)
        };
        let is_free = |n: &u32| !self.recorded.contains_key(n) && !self.made.contains(n);
        let number = match self.recorded.get(&n) {
            Some(known) if is_same(known) => n,
            _ => match self
                .recorded
                .iter()
                .find(|(_, it)| it.0.is_some() && is_same(it))
            {
                Some((same, _)) => *same,
                None => (n..).find(is_free).unwrap_or(n),
            },
        };
        self.recorded.remove(&number);
        self.made.insert(number);
        number
    }
}

fn args_hash(args: &[Value]) -> u64 {
    let mut hash = Xxh3::new();
    for arg in args {
        hash.update(arg.to_string().as_bytes());
        hash.update(&[0]);
    }
    hash.digest()
}
