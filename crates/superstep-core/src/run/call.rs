//! Tasks that running tasks call.

use std::sync::Arc;

use super::{
    Fidelity, Loop,
    task::{Phase, Task, TaskInput},
};
use crate::{
    error::ErrorKind,
    event::Modes,
    id::GraphPath,
    policy::{CachePolicy, RetryPolicy, Timeouts},
    record::{TaskKey, Write},
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
    /// The task that was called in this place had another name.
    Other(ErrorKind),
}

impl Loop {
    /// A running task wants another task run, as its n-th call.
    pub fn call(&mut self, by: usize, n: u32, spec: CallSpec) -> Option<Called> {
        let caller = self.tasks.get(by)?;
        let node = caller.node;
        let key = TaskKey::Call(Box::new(caller.key.clone()), n);
        let known = self.tasks.iter().position(|task| task.key == key);
        // The task of another name has another id in LangGraph, and runs.
        if self.config.fidelity == Fidelity::Sensible
            && let Some(was) = self
                .called_before(&key, known)
                .filter(|it| *it != spec.name)
        {
            let (number, is) = (n + 1, spec.name);
            return Some(Called::Other(ErrorKind::OtherCall { number, was, is }));
        }
        if let Some(at) = known
            && let Some(task) = self.tasks.get_mut(at)
        {
            match task.phase {
                Phase::Finished => return task.returned().map(Called::Finished),
                Phase::Running => return Some(Called::Running(at)),
                Phase::Ready | Phase::Halted => {
                    task.phase = Phase::Running;
                    task.asked = false;
                    self.progress.running += 1;
                    return Some(Called::Run(at));
                }
            }
        }
        let mut task = Task::new(&self.plan, key, node, TaskInput::Call(spec.args));
        task.note.name = Some(spec.name.clone());
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

    fn called_before(&self, key: &TaskKey, known: Option<usize>) -> Option<Arc<str>> {
        let task = known.and_then(|at| self.tasks.get(at));
        let stored = || self.notes.iter().find(|note| note.key == *key);
        task.map(|task| &task.note).or_else(stored)?.name.clone()
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
