//! One step: which tasks are due, which of them have a stored result, whether to pause; and the
//! step's end, when all writes are applied together.

use std::collections::HashMap;

use super::{
    Act, Fidelity, Loop, Stop,
    task::{Phase, Task, TaskInput},
    tell::Stands,
};
use crate::{
    ask::Ask,
    error::{Error, ErrorKind},
    event::{EventKind, Modes, log::Part},
    frame::{Applied, Applying},
    plan::{Pauses, Plan, Role},
    record::{Source, TaskKey, TaskNote, Write},
    snapshot::{Places, Snapshot, View, result_of},
    value::Value,
};

impl Loop {
    /// Prepares the next step and starts it, or stops.
    pub(super) fn tick(&mut self) {
        loop {
            self.prepare();
            self.show_checkpoint();
            if self.step > self.stop {
                let limit = self.config.limit;
                return self.stop_with(Stop::Failed(ErrorKind::StepLimit { limit }.into()));
            }
            if self.tasks.is_empty() {
                return self.stop_with(Stop::Done);
            }
            if !self.replaying && !self.notes.is_empty() {
                self.take_back_results();
            }
            if self.pauses(&[&self.plan.pause_before, &self.config.pause_before]) {
                return self.pause();
            }
            if let Some(reason) = self.config.drain.reason() {
                return self.stop_with(Stop::Failed(ErrorKind::Drained { reason }.into()));
            }
            self.start_tasks();
            if self.running > 0 || self.stopped {
                return;
            }
            if !self.settle_step() {
                return;
            }
        }
    }

    /// Finds the tasks that are due.
    fn prepare(&mut self) {
        let mut due = std::mem::take(&mut self.due);
        self.frame
            .due_into(&self.plan, self.touched.as_deref(), &mut due);
        self.tasks.clear();
        self.lacks_note = false;
        self.tasks.reserve_exact(due.len());
        for (key, node) in due.drain(..) {
            let input = match &key {
                TaskKey::Send(n) => match self.frame.control.sends.get(*n as usize) {
                    Some(send) => TaskInput::Arg(send.arg.clone()),
                    None => continue,
                },
                _ => match (&self.frame.control.start, self.plan.nodes.row(node).role) {
                    (Some(start), Role::Start | Role::Entrypoint) => {
                        TaskInput::Start(start.clone())
                    }
                    _ => TaskInput::State,
                },
            };
            let mut task = Task::new(&self.plan, key, node, input);
            if let TaskKey::Send(n) = task.key
                && let Some(send) = self.frame.control.sends.get(n as usize)
                && send.timeout.is_some()
            {
                task.timeouts.run = send.timeout;
            }
            self.tasks.push(task);
        }
        self.due = due;
        self.remember_answers(0);
    }

    /// Gives tasks from `first` on what is known of them from earlier runs, and answers by id.
    pub(super) fn remember_answers(&mut self, first: usize) {
        let by_id = self.config.nest.answers.has_ids();
        if self.notes.is_empty() && !(by_id && self.config.is_transient(&self.plan)) {
            return;
        }
        let mut given = Vec::new();
        for at in first..self.tasks.len() {
            let namespace = by_id.then(|| self.task_namespace(at));
            let Some(task) = self.tasks.get_mut(at) else {
                continue;
            };
            if let Some(note) = self.notes.iter().find(|note| note.key == task.key) {
                task.note.answers = note.answers.clone();
                task.note.effects = note.effects.clone();
            }
            if let Some(namespace) = namespace {
                let answers = &self.config.nest.answers;
                let next = answers.by_id(crate::id::AskId::of(&namespace, task.note.answers.len()));
                // To LangGraph all questions of a task have one id. Whoever answers the first
                // question again does not mean the next one.
                let first = match self.config.fidelity {
                    Fidelity::Sensible => None,
                    Fidelity::LangGraph => answers.by_id(crate::id::AskId::of(&namespace, 0)),
                };
                if let Some(answer) = next.or(first) {
                    task.note.answers.push(answer.clone());
                    let answers = task.note.answers.clone();
                    given.push(TaskNote {
                        answers,
                        ..TaskNote::new(task.key.clone())
                    });
                }
            }
        }
        // An answer is durable before the task that waits for it acts on it.
        if !given.is_empty() && self.stores_notes() {
            self.acts.push_back(Act::Note(self.checkpoint, given));
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
            } else if let (true, Some(error)) = (note.handled, &note.error)
                && let Some(handler) = self.plan.nodes.row(task.node).handler
            {
                task.phase = Phase::Halted;
                task.note.error = Some(error.clone());
                task.note.handled = true;
                let failed = task.name.clone();
                let input = TaskInput::Failed(Box::new(task.input.clone()), error.clone(), failed);
                let key = TaskKey::Handler(Box::new(task.key.clone()));
                handlers.push(Task::new(&self.plan, key, handler, input));
            }
        }
        for mut handler in handlers {
            if let Some(output) = notes.get(&handler.key).and_then(|note| note.output.clone()) {
                handler.note.output = Some(output);
                handler.phase = Phase::Finished;
            }
            self.tasks.push(handler);
        }
    }

    fn pauses(&self, at: &[&Pauses]) -> bool {
        if at.iter().all(|pauses| **pauses == Pauses::None)
            || self.frame.clock <= self.frame.paused_at
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
                self.tell_start(at);
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
                self.tell_update(at, true);
            }
            if self.wants(Modes::SPANS) {
                self.tell_reuse(at);
            }
        }
        let mut inputs = Vec::new();
        for (at, task) in self.tasks.iter_mut().enumerate() {
            if task.phase == Phase::Ready {
                task.phase = Phase::Running;
                self.running += 1;
                if self.plan.nodes.row(task.node).role == Role::Start {
                    inputs.push(at);
                } else {
                    self.acts.push_back(Act::Run(at));
                }
            }
        }
        for at in inputs {
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
        let board = &*self.frame.board;
        let written = self
            .plan
            .start_writes(task.node, board, input, self.window());
        self.running -= 1;
        self.settle_writes(at, written);
    }

    /// All tasks are settled: stops, or ends the step. Says whether to go on with the next.
    pub(super) fn settle_step(&mut self) -> bool {
        if let Some(error) = self.failure.take() {
            self.stop_with(Stop::Failed(error));
            return false;
        }
        if let Some(command) = self.parent_command.take() {
            if self.config.nest.nested {
                self.stop_with(Stop::Parent(command));
            } else {
                self.stop_with(Stop::Failed(ErrorKind::NoParent.into()));
            }
            return false;
        }
        if self.tasks.iter().any(|task| task.asked) {
            self.pause();
            return false;
        }
        match self.end_step() {
            Ok(go_on) => go_on,
            Err(error) => {
                let unsaved: Vec<TaskNote> =
                    self.tasks.iter().filter_map(Task::unsaved_note).collect();
                let unsaved: Vec<TaskNote> = unsaved
                    .into_iter()
                    .map(|note| self.storable(note))
                    .collect();
                if !unsaved.is_empty() && self.stores_notes() {
                    self.acts.push_back(Act::Note(self.checkpoint, unsaved));
                }
                self.stop_with(Stop::Failed(error));
                false
            }
        }
    }

    fn apply_tasks(&mut self) -> Result<Applied, Error> {
        let recording = self.recording();
        let plan = &*self.plan;
        let applying = |task| applying(plan, task);
        Ok(match self.tasks.as_slice() {
            [task] => self.frame.apply(plan, &mut [applying(task)], recording)?,
            tasks => {
                let mut tasks: Vec<Applying<'_>> = tasks.iter().map(applying).collect();
                self.frame.apply(plan, &mut tasks, recording)?
            }
        })
    }

    fn end_step(&mut self) -> Result<bool, Error> {
        let mut applied = self.apply_tasks()?;
        self.changes.append(&mut applied.changes);
        self.count_deltas(&applied.written);
        if !self.config.nest.nested {
            self.config.nest.answers.take_next();
        }
        self.show_written(&applied.written, Stands::InNext);
        std::mem::swap(self.touched.get_or_insert_default(), &mut applied.touched);
        self.frame.recycle(applied);
        self.notes.clear();
        self.replaying = false;
        let mut tasks = Vec::new();
        if self.stores_notes() {
            // Records are kept, so they take no more room than they need.
            tasks.reserve_exact(self.tasks.iter().filter(|task| task.unsaved).count());
            let unsaved = self.tasks.iter_mut().filter(|task| task.unsaved);
            tasks.extend(unsaved.map(take_note));
            if !self.plan.untracked.is_empty() {
                tasks = tasks.into_iter().map(|note| self.storable(note)).collect();
            }
        }
        self.put_checkpoint(Source::Loop, tasks);
        if self.pauses(&[&self.plan.pause_after, &self.config.pause_after]) {
            self.prepare();
            self.show_checkpoint();
            self.pause();
            return Ok(false);
        }
        self.child_resuming = None;
        Ok(true)
    }

    /// Stops for questions or at a static pause. A root run shows what finished siblings wrote.
    fn pause(&mut self) {
        let asks: Vec<Ask> = self
            .tasks
            .iter()
            .filter(|task| task.asked && !task.is_call())
            .flat_map(|task| task.note.asks.iter().cloned())
            .collect();
        if !self.config.nest.nested {
            // What is shown is not what is stored: the step stays open.
            let finished = self.tasks.iter().any(|task| task.phase == Phase::Finished);
            let kept = self.frame.clone();
            let applied = if finished {
                self.apply_tasks()
            } else {
                Ok(Applied::default())
            };
            match applied {
                Ok(applied) => self.show_written(&applied.written, Stands::Nowhere),
                // The siblings that finished do not fit together: better said now than later.
                Err(error) => {
                    self.frame = kept;
                    return self.stop_with(Stop::Failed(error));
                }
            }
            if asks.is_empty() && self.wants(Modes::UPDATES) {
                self.emit(EventKind::Asked(Vec::new()));
            }
            let shown = std::mem::replace(&mut self.frame, kept);
            self.stop_with(Stop::Asked(asks));
            self.frame = shown;
        } else {
            self.stop_with(Stop::Asked(asks));
        }
    }

    fn show_checkpoint(&mut self) {
        if !self.config.saves || !self.wants(Modes::CHECKPOINTS) {
            return;
        }
        let read = |run: &Self| run.plan.read(&*run.frame.board, &run.plan.shown);
        let kind = |run: &Self, values| EventKind::Checkpoint(Box::new(run.snapshot(values)));
        self.emit_state(Modes::CHECKPOINTS, Stands::Here, Part::Shown, read, kind);
    }

    fn snapshot(&self, values: Value) -> Snapshot {
        let nest = &self.config.nest;
        let places = Places {
            plan: &self.plan,
            namespace: &nest.namespace,
            checkpoint: self.checkpoint,
            step: self.step,
        };
        let note = |key: &TaskKey| self.notes.iter().find(|note| note.key == *key);
        let view = |task: &Task| {
            let note = note(&task.key);
            let mut view = places.view(&task.key, task.node, note, View::Record);
            let output = note.and_then(|note| note.output.as_ref());
            view.result = output.map(|writes| result_of(&self.plan, self.shown_keys(), writes));
            view
        };
        Snapshot {
            thread: self.config.thread.clone(),
            namespace: nest.namespace.clone(),
            checkpoint: Some(self.checkpoint),
            parent: self.parent,
            parents: nest.parents.clone(),
            values,
            next: self.tasks.iter().map(|task| task.name.clone()).collect(),
            tasks: self.tasks.iter().map(view).collect(),
            origin: Some((self.source, self.step - 1)),
            durability: Some(self.config.durability),
        }
    }

    pub(super) fn tell_update(&mut self, at: usize, cached: bool) {
        let Some(task) = self.tasks.get(at) else {
            return;
        };
        if self.plan.is_hidden(task.node) && !task.is_call() {
            return;
        }
        let Some(writes) = task.writes() else { return };
        let update = update_of(self, writes);
        let node = task.name.clone();
        self.emit(EventKind::Update {
            node,
            update,
            cached,
        });
    }

    pub(super) fn tell_end(&mut self, at: usize) {
        let Some(task) = self.tasks.get(at) else {
            return;
        };
        if (self.plan.is_hidden(task.node) && !task.is_call()) || !self.wants(Modes::TASKS) {
            return;
        }
        let kind = EventKind::TaskEnd {
            id: self.task_id(task),
            name: task.name.clone(),
            result: match task.writes() {
                Some([Write::Return(value)]) => value.clone(),
                Some(writes) => result_as_object(self, writes),
                None => Value::map::<&str>([]),
            },
            error: task.note.error.clone(),
            asks: if task.asked {
                task.note.asks.clone()
            } else {
                Vec::new()
            },
        };
        self.emit(kind);
    }

    pub(super) fn stores_notes(&self) -> bool {
        self.config.saves && self.config.durability != crate::policy::Durability::Exit
    }
}

fn applying<'a>(plan: &Plan, task: &'a Task) -> Applying<'a> {
    Applying::task(
        plan,
        &task.key,
        task.node,
        task.writes().unwrap_or_default(),
    )
}

fn take_note(task: &mut Task) -> TaskNote {
    task.unsaved = false;
    std::mem::replace(&mut task.note, TaskNote::new(TaskKey::Input))
}

/// What a `tasks` reader sees as the result: always an object of channels, or the return value.
fn result_as_object(run: &Loop, writes: &[Write]) -> Value {
    let plan = &run.plan;
    if let Some(value) = writes.iter().find_map(|write| match write {
        Write::Return(value) => Some(value.clone()),
        _ => None,
    }) {
        return value;
    }
    match &plan.shown {
        keys @ crate::plan::Keys::Many(_) => result_of(plan, keys, writes),
        crate::plan::Keys::One(channel) => {
            result_of(plan, &crate::plan::Keys::Many(vec![*channel]), writes)
        }
    }
}

/// A task's writes to the output keys: null if none, a list if a key was written twice.
fn update_of(run: &Loop, writes: &[Write]) -> Value {
    use crate::plan::Keys;
    let mut found: Vec<(crate::table::ChannelIx, &Value)> = Vec::new();
    for write in writes {
        match write {
            Write::Return(value) => return value.clone(),
            Write::State(channel, value) if run.shown_keys().contains(*channel) => {
                found.push((*channel, value));
            }
            _ => {}
        }
    }
    let name = |channel| run.plan.channels.row(channel).name.clone();
    let twice = found
        .iter()
        .enumerate()
        .any(|(n, (a, _))| found.iter().skip(n + 1).any(|(b, _)| a == b));
    match (run.shown_keys(), found.as_slice()) {
        (_, []) => Value::Null,
        (Keys::One(_), [(_, value)]) => (*value).clone(),
        (Keys::One(_), many) => Value::list(many.iter().map(|(_, value)| (*value).clone())),
        (Keys::Many(_), many) if twice => Value::list(
            many.iter()
                .map(|(channel, value)| Value::map([(name(*channel), (*value).clone())])),
        ),
        (Keys::Many(_), many) => Value::map(
            many.iter()
                .map(|(channel, value)| (name(*channel), (*value).clone())),
        ),
    }
}
