//! One step: which tasks are due, which of them have a stored result, whether to pause.

use std::collections::HashMap;

use super::{
    Act, Loop, Stop,
    task::{Phase, Task, TaskInput},
};
use crate::{
    ask::Answers,
    error::ErrorKind,
    event::Modes,
    id::{AskId, GraphPath},
    plan::{Pauses, Role},
    record::{NoteExtras, TaskKey, TaskNote},
};

impl Loop {
    /// Prepares the next step and starts it, or stops.
    pub(super) fn next_step(&mut self) {
        loop {
            self.prepare();
            self.show_checkpoint();
            if self.position.step > self.position.stop {
                let limit = self.config.limit;
                return self.stop_with(Stop::Failed(ErrorKind::StepLimit { limit }.into()));
            }
            if self.tasks.is_empty() {
                return self.stop_with(Stop::Done);
            }
            if !self.progress.replaying && !self.notes.is_empty() {
                self.take_back_results();
            }
            if self.pauses(&[&self.plan.pause_before, &self.config.pause_before]) {
                return self.pause();
            }
            if let Some(reason) = self.config.drain.reason() {
                return self.stop_with(Stop::Failed(ErrorKind::Drained { reason }.into()));
            }
            self.start_tasks();
            if self.progress.running > 0 || self.stopped {
                return;
            }
            if !self.complete_step() {
                return;
            }
        }
    }

    /// Finds the tasks that are due.
    pub(super) fn prepare(&mut self) {
        let mut due = std::mem::take(&mut self.schedule.due);
        self.state
            .due_into(&self.plan, self.schedule.touched.as_deref(), &mut due);
        self.tasks.clear();
        self.unstored.lacks_note = false;
        self.tasks.reserve_exact(due.len());
        for (key, node) in due.drain(..) {
            let input = match &key {
                TaskKey::Send(n) => match self.state.scheduler.sends.get(*n as usize) {
                    Some(send) => TaskInput::Arg(send.arg.clone()),
                    None => continue,
                },
                _ => match (&self.state.scheduler.start, self.plan.nodes.row(node).role) {
                    (Some(start), Role::Start | Role::Entrypoint) => {
                        TaskInput::Start(start.clone())
                    }
                    _ => TaskInput::State,
                },
            };
            let mut task = Task::new(&self.plan, key, node, input);
            if let TaskKey::Send(n) = task.key
                && let Some(send) = self.state.scheduler.sends.get(n as usize)
                && send.timeout.is_some()
            {
                task.timeouts.run = send.timeout;
            }
            self.tasks.push(task);
        }
        self.schedule.due = due;
        self.remember_answers(0);
    }

    /// Gives tasks from `first` on what is known of them from earlier runs, and answers by id.
    pub(super) fn remember_answers(&mut self, first: usize) {
        let open_only = self.config.fidelity.answers_open_questions_only();
        let by_id = self.config.parent.answers.has_ids();
        let unknown = by_id && !open_only && self.config.is_transient(&self.plan);
        if self.notes.is_empty() && !unknown {
            return;
        }
        let mut given = Vec::new();
        for at in first..self.tasks.len() {
            let Some(key) = self.tasks.get(at).map(|task| &task.key) else {
                continue;
            };
            let known = self.notes.iter().find(|note| note.key == *key);
            let asked = known.is_some_and(|note| !note.extras.asks.is_empty());
            let needs_place = by_id && (asked || !open_only);
            let namespace = needs_place.then(|| self.task_namespace(at));
            let Some(task) = self.tasks.get_mut(at) else {
                continue;
            };
            if let Some(note) = known
                && !note.extras.is_none()
            {
                task.note.extras.answers = note.extras.answers.clone();
                task.note.extras.asked = note.extras.asked.clone();
                task.note.extras.given = note.extras.given.clone();
                task.note.extras.effects = note.extras.effects.clone();
            }
            let Some(namespace) = namespace else {
                continue;
            };
            let answers = &self.config.parent.answers;
            let is_given = match (open_only, known) {
                (true, Some(note)) => take_answers(task, note, answers, &namespace),
                (true, None) => false,
                (false, _) => take_as_langgraph(task, answers, &namespace),
            };
            if is_given {
                let extras = NoteExtras {
                    answers: task.note.extras.answers.clone(),
                    asked: task.note.extras.asked.clone(),
                    given: task.note.extras.given.clone(),
                    ..NoteExtras::NONE
                };
                given.push(TaskNote::with(task.key.clone(), extras));
            }
        }
        // An answer is durable before the task that waits for it acts on it.
        if !given.is_empty() && self.stores_notes() {
            self.acts.push(Act::Note(self.position.checkpoint, given));
        }
    }

    /// Tasks that finished before the run was cut short do not run again; a task that failed into
    /// a handler leaves the rest to the handler.
    fn take_back_results(&mut self) {
        let notes: HashMap<TaskKey, TaskNote> = self
            .notes
            .iter()
            .map(|note| (note.key.clone(), note.clone()))
            .collect();
        let mut handlers = Vec::new();
        for task in &mut self.tasks {
            let Some(note) = notes.get(&task.key) else {
                continue;
            };
            if let Some(output) = &note.output {
                task.note.output = Some(output.clone());
                task.phase = Phase::Finished;
            } else if let (true, Some(error)) = (note.extras.handled, &note.extras.error)
                && let Some(handler) = self.plan.nodes.row(task.node).handler
            {
                task.phase = Phase::Halted;
                task.note.extras.error = Some(error.clone());
                task.note.extras.handled = true;
                let failed = task.name.clone();
                let input = TaskInput::Failed(Box::new(task.input.clone()), error.clone(), failed);
                let key = TaskKey::Handler(Box::new(task.key.clone()));
                handlers.push(Task::new(&self.plan, key, handler, input));
            }
        }
        let first = self.tasks.len();
        for mut handler in handlers {
            if let Some(output) = notes.get(&handler.key).and_then(|note| note.output.clone()) {
                handler.note.output = Some(output);
                handler.phase = Phase::Finished;
            }
            self.tasks.push(handler);
        }
        self.remember_answers(first);
    }

    pub(super) fn pauses(&self, at: &[&Pauses]) -> bool {
        if at.iter().all(|pauses| **pauses == Pauses::None)
            || self.state.clock <= self.state.paused_at
        {
            return false;
        }
        self.tasks.iter().any(|task| {
            at.iter().any(|pauses| match pauses {
                Pauses::None => false,
                Pauses::All => !self.plan.is_hidden(task.node),
                Pauses::Nodes(names) => names.contains(&task.name),
            })
        })
    }

    fn start_tasks(&mut self) {
        if self.wants(Modes::TASKS) {
            for at in 0..self.tasks.len() {
                self.emit_task_start(at);
            }
        }
        for at in 0..self.tasks.len() {
            let Some(task) = self.tasks.get(at) else {
                continue;
            };
            if task.phase != Phase::Finished {
                continue;
            }
            if self.wants(Modes::UPDATES) {
                self.emit_update(at, true);
            }
            if self.wants(Modes::SPANS) {
                self.emit_reuse(at);
            }
        }
        // A graph has one start node, and nothing but its input makes that due.
        let mut input = None;
        for (at, task) in self.tasks.iter_mut().enumerate() {
            if task.phase == Phase::Ready {
                task.phase = Phase::Running;
                self.progress.running += 1;
                if self.plan.nodes.row(task.node).role == Role::Start {
                    input = Some(at);
                } else {
                    self.acts.push(Act::Run(at));
                }
            }
        }
        if let Some(at) = input {
            self.run_start(at);
        }
    }

    /// The start node is the loop's own: it takes the input and fires the entry edges.
    fn run_start(&mut self, at: usize) {
        let Some(task) = self.tasks.get(at) else {
            return;
        };
        let TaskInput::Start(input) = &task.input else {
            return;
        };
        let channels = &*self.state.channels;
        let written = self
            .plan
            .start_writes(task.node, channels, input, self.window());
        self.progress.running -= 1;
        self.task_wrote(at, written);
    }
}

/// Gives a task the answers to its open questions: to its own, and for those below it. Returns whether there
/// were any.
fn take_answers(
    task: &mut Task,
    note: &TaskNote,
    answers: &Answers,
    namespace: &GraphPath,
) -> bool {
    let question = task.note.extras.answers.len();
    let mut is_given = false;
    for ask in note.open_asks() {
        let Some(answer) = answers.by_id(ask.id) else {
            continue;
        };
        is_given = true;
        match ask.id.is_at(namespace, question) {
            true => {
                // Of answers that nobody named a question for, the place is known.
                let places =
                    (task.note.extras.asked.len()..question).map(|n| AskId::of(namespace, n));
                task.note.extras.asked.extend(places);
                task.note.extras.asked.push(ask.id);
                task.note.extras.answers.push(answer.clone());
            }
            false => drop(task.note.extras.given.insert(ask.id, answer.clone())),
        }
    }
    is_given
}

/// To LangGraph all questions of a task have one id. Whoever answers the first question again does not mean
/// the next one, but is heard.
fn take_as_langgraph(task: &mut Task, answers: &Answers, namespace: &GraphPath) -> bool {
    let next = answers.by_id(AskId::of(namespace, task.note.extras.answers.len()));
    let first = || answers.by_id(AskId::of(namespace, 0));
    let Some(answer) = next.or_else(first) else {
        return false;
    };
    task.note.extras.answers.push(answer.clone());
    true
}
