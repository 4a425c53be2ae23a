//! Completion of tasks and of their step: a result becomes writes, a retry, a handler, a question or
//! a failure; when no task runs any more, all writes are applied together.

use std::sync::Arc;

use super::{
    Act, Done, Halt, Loop, Stop, Suspension, Wait,
    emit::StateIn,
    task::{Phase, Task, TaskInput},
};
use crate::{
    ask::Ask,
    command::{Output, Target},
    error::{Error, ErrorKind},
    event::{EventKind, Modes},
    graph_state::{Applied, Applying},
    plan::{Plan, Role, route::Unwritten},
    record::{Effect, Source, StoredError, TaskKey, Write},
    table::NodeIx,
    value::Value,
};

impl Loop {
    /// A task ended.
    pub fn done(&mut self, at: usize, done: Done) {
        let Some(task) = self.tasks.get_mut(at) else {
            return;
        };
        if task.phase != Phase::Running {
            return;
        }
        self.progress.running -= 1;
        task.answered = !done.answers.is_empty();
        if task.note.extras.offset != done.answers.len() {
            task.note.extras.offset = done.answers.len();
        }
        let asked = match &done.result {
            Err(Halt::Error(error)) => match &*error.kind {
                ErrorKind::BadAnswer { asked, .. } => Some(asked.as_deref().cloned()),
                _ => None,
            },
            _ => None,
        };
        let refused = asked.is_some();
        if task.note.extras.refused != refused {
            task.note.extras.refused = refused;
        }
        if refused
            || done.answers.len() >= task.note.extras.answers.len() && !done.answers.is_empty()
        {
            let extras = &mut *task.note.extras;
            extras.answers = done.answers;
            extras.asked.truncate(extras.answers.len());
        }
        if let Some(asked) = asked.flatten() {
            self.ask_again(at, asked);
        }
        // Most tasks have nothing of these, and adding nothing to a map is not free.
        if !done.streamed.is_empty() {
            self.shown
                .seen
                .get_or_insert_default()
                .own
                .extend(done.streamed);
        }
        if !done.seen_below.is_empty() {
            let seen = self.shown.seen.get_or_insert_default();
            seen.below.extend(done.seen_below);
        }
        let Some(task) = self.tasks.get_mut(at) else {
            return;
        };
        if !done.effects.is_empty() {
            task.note.extras.effects.extend(done.effects);
        }
        if !task.note.extras.effects.is_empty() {
            let effects = &mut task.note.extras.effects;
            effects.retain(|_, effect| *effect != Effect::Failed);
        }
        let node = task.node;
        let result = match (done.result, self.forgotten_effect(at)) {
            (Ok(_), Some(key)) => Err(ErrorKind::UnknownOutcome { key, cause: None }.into()),
            (result, _) => result,
        };
        match result {
            Ok(mut output) => {
                let written = if self.tasks.get(at).is_some_and(Task::is_call) {
                    Ok(vec![Write::Return(call_value(output))])
                } else {
                    self.see_messages(at, &mut output);
                    self.plan
                        .writes(node, &*self.state.channels, output, self.window())
                };
                self.task_wrote(at, written);
            }
            Err(Halt::Error(error)) => self.task_failed(at, error),
            Err(Halt::Suspended(suspension)) => self.task_suspended(at, suspension),
            // A command from the graph this task ran: it is this task's own result.
            Err(Halt::Parent(mut command)) => {
                command.target = Target::Here;
                let output = Output::Command(*command);
                let written = self
                    .plan
                    .writes(node, &*self.state.channels, output, self.window());
                self.task_wrote(at, written);
            }
        }
        self.advance();
    }

    /// The cache had the task's writes: it need not run.
    pub fn cached(&mut self, at: usize, writes: Vec<Write>) {
        let Some(task) = self.tasks.get_mut(at) else {
            return;
        };
        if task.phase != Phase::Running {
            return;
        }
        self.progress.running -= 1;
        task.note.output = Some(writes);
        task.phase = Phase::Finished;
        task.unsaved = true;
        self.emit_update(at, true);
        if self.wants(Modes::SPANS) {
            self.emit_reuse(at);
        }
        self.save_note_if_others_run(at);
        self.advance();
    }

    pub(super) fn task_wrote(&mut self, at: usize, written: Result<Vec<Write>, Unwritten>) {
        let mut writes = match written {
            Ok(writes) => writes,
            Err(Unwritten::Error(kind)) => return self.task_failed(at, kind.into()),
            Err(Unwritten::Parent(command)) => {
                self.progress.parent_command.get_or_insert(command);
                if let Some(task) = self.tasks.get_mut(at) {
                    task.phase = Phase::Halted;
                }
                return;
            }
        };
        self.plan.name_messages(&mut writes, &*self.config.ids);
        let Some(task) = self.tasks.get_mut(at) else {
            return;
        };
        if task.cache.is_some() {
            self.acts.push(Act::Keep(at, writes.clone()));
        }
        task.note.output = Some(writes);
        task.phase = Phase::Finished;
        task.unsaved = true;
        if self.wants(Modes::UPDATES) {
            self.emit_update(at, false);
        }
        self.emit_task_end(at);
        self.save_note_if_others_run(at);
    }

    fn task_failed(&mut self, at: usize, error: Error) {
        let Some(task) = self.tasks.get_mut(at) else {
            return;
        };
        let error = error.at_node(&task.name);
        if let Some(policy) = task.retry.iter().find(|policy| policy.covers(&error)) {
            task.failures += 1;
            if task.failures < policy.max_attempts {
                self.progress.running += 1;
                let wait = Wait {
                    task: at,
                    delay: policy.wait(task.failures),
                    jitter: policy.jitter,
                };
                self.acts.push(Act::Wait(wait));
                if self.wants(Modes::SPANS) {
                    self.emit_retry(at, &error);
                }
                return;
            }
        }
        task.phase = Phase::Halted;
        task.note.extras.error = Some(Box::new(StoredError::from(&error)));
        task.unsaved = true;
        let handler =
            self.plan.nodes.row(task.node).handler.filter(|_| {
                !task.is_call() && self.plan.nodes.row(task.node).role != Role::Handler
            });
        task.note.extras.handled = handler.is_some();
        let (call, answered, node) = (task.is_call(), task.answered, task.name.clone());
        if answered && self.wants(Modes::UPDATES) {
            // As recorded: a task that took an answer before it failed emits an empty update.
            self.emit(EventKind::Update {
                node,
                update: Value::Null,
                cached: false,
            });
        }
        self.emit_task_end(at);
        self.save_note(at);
        match handler {
            Some(handler) => self.start_handler(at, handler),
            None if call => {}
            None => {
                self.progress.failure.get_or_insert_with(|| Box::new(error));
            }
        }
    }

    fn start_handler(&mut self, at: usize, handler: NodeIx) {
        let Some(failed) = self.tasks.get(at) else {
            return;
        };
        let Some(error) = failed.note.extras.error.clone() else {
            return;
        };
        let input = TaskInput::Failed(Box::new(failed.input.clone()), error, failed.name.clone());
        let key = TaskKey::Handler(Box::new(failed.key.clone()));
        let mut task = Task::new(&self.plan, key, handler, input);
        task.phase = Phase::Running;
        self.tasks.push(task);
        let at = self.tasks.len() - 1;
        self.remember_answers(at);
        self.progress.running += 1;
        self.acts.push(Act::Run(at));
    }

    fn task_suspended(&mut self, at: usize, Suspension { asks, until }: Suspension) {
        let Some(task) = self.tasks.get_mut(at) else {
            return;
        };
        task.phase = Phase::Halted;
        task.suspended = Some(until);
        if asks.is_empty() {
            return;
        }
        task.note.extras.asks = asks.clone();
        task.note
            .extras
            .given
            .retain(|id, _| asks.iter().all(|ask| ask.id != *id));
        task.unsaved = true;
        if !task.is_call() {
            if self.wants(Modes::UPDATES) {
                self.emit(EventKind::Asked(asks.clone()));
            }
            self.show_values(Some(asks));
            self.emit_task_end(at);
        }
        self.save_note(at);
    }

    /// A question whose answer was refused is open as the task asks it now: whoever answers a stored
    /// one that has changed since would be refused for ever.
    fn ask_again(&mut self, at: usize, asked: Ask) {
        let namespace = self.task_namespace(at);
        let Some(task) = self.tasks.get_mut(at) else {
            return;
        };
        if asked.id.is_at(&namespace, task.note.extras.answers.len()) {
            task.note.extras.asks = vec![asked];
            return;
        }
        // It is a question of a graph below, where others may be open beside it.
        let known = self.notes.iter().find(|note| note.key == task.key);
        let mut asks = known
            .map(|note| note.extras.asks.clone())
            .unwrap_or_default();
        task.note.extras.given.remove(&asked.id);
        asks.retain(|ask| !task.note.extras.given.contains_key(&ask.id));
        match asks.iter_mut().find(|ask| ask.id == asked.id) {
            Some(ask) => *ask = asked,
            None => asks.push(asked),
        }
        task.note.extras.asks = asks;
    }

    fn advance(&mut self) {
        if self.progress.running == 0 && !self.stopped && self.complete_step() {
            self.next_step();
        }
    }

    /// No task runs any more: stops, or ends the step. Returns whether the next one follows.
    pub(super) fn complete_step(&mut self) -> bool {
        if let Some(error) = self.progress.failure.take() {
            self.stop_with(Stop::Failed(*error));
            return false;
        }
        if let Some(command) = self.progress.parent_command.take() {
            if self.config.parent.nested {
                self.stop_with(Stop::Parent(command));
            } else {
                self.stop_with(Stop::Failed(ErrorKind::NoParent.into()));
            }
            return false;
        }
        if self.tasks.iter().any(|task| task.suspended.is_some()) {
            self.pause();
            return false;
        }
        match self.end_step() {
            Ok(go_on) => go_on,
            Err(error) => {
                self.save_unsaved_notes();
                self.stop_with(Stop::Failed(error));
                false
            }
        }
    }

    fn end_step(&mut self) -> Result<bool, Error> {
        let mut applied = self.apply_tasks()?;
        self.unstored.add(&mut applied.changes);
        self.count_deltas(&applied.written);
        if !self.config.parent.nested {
            self.config.parent.answers.take_next();
        }
        self.show_written(&applied.written, StateIn::Next);
        std::mem::swap(
            self.schedule.touched.get_or_insert_default(),
            &mut applied.touched,
        );
        self.state.recycle(applied);
        self.notes.clear();
        self.progress.replaying = false;
        self.progress.calls.clear();
        let tasks = self.take_unsaved_notes();
        self.put_checkpoint(Source::Loop, tasks);
        if self.pauses(&[&self.plan.pause_after, &self.config.pause_after]) {
            self.prepare();
            self.show_checkpoint();
            self.pause();
            return Ok(false);
        }
        self.children.resuming = None;
        Ok(true)
    }

    fn apply_tasks(&mut self) -> Result<Applied, Error> {
        let recording = self.recording();
        let plan = &*self.plan;
        let applying = |task| applying(plan, task);
        let applied = match self.tasks.as_slice() {
            [task] => self.state.apply(plan, &mut [applying(task)], recording),
            tasks => {
                let mut tasks: Vec<Applying<'_>> = tasks.iter().map(applying).collect();
                self.state.apply(plan, &mut tasks, recording)
            }
        };
        applied.map_err(|mut error| {
            error.name_writers(|channel| self.writers(channel));
            error.into()
        })
    }

    /// The nodes whose tasks wrote a channel in this step, each once.
    fn writers(&self, channel: &str) -> Vec<Arc<str>> {
        let written = |write: &Write| match write {
            Write::State(at, _) => *self.plan.channels.row(*at).name == *channel,
            _ => false,
        };
        let wrote = |task: &&Task| task.writes().is_some_and(|all| all.iter().any(written));
        let mut nodes: Vec<Arc<str>> = self
            .tasks
            .iter()
            .filter(wrote)
            .map(|it| it.name.clone())
            .collect();
        nodes.sort();
        nodes.dedup();
        nodes
    }

    /// Starts a suspended task again whose time has come while others of its step run. Returns whether it is
    /// to be run.
    pub fn wake(&mut self, at: usize) -> bool {
        let Some(task) = self.tasks.get_mut(at) else {
            return false;
        };
        let waits = task.phase == Phase::Halted && task.suspended.is_some_and(|it| it.is_some());
        if self.stopped || !waits || task.is_call() {
            return false;
        }
        (task.phase, task.suspended) = (Phase::Running, None);
        self.progress.running += 1;
        true
    }

    /// Stops for questions, until a time, or at a static pause. A root run shows what finished siblings wrote.
    pub(super) fn pause(&mut self) {
        let waiting = self.tasks.iter();
        let waiting = waiting.filter(|task| task.suspended.is_some() && !task.is_call());
        let asked = waiting.clone().map(|task| &task.note.extras.asks);
        // As long as it is: it is kept while the run waits.
        let mut asks: Vec<Ask> = Vec::with_capacity(asked.clone().map(Vec::len).sum());
        asks.extend(asked.flatten().cloned());
        let until = waiting.filter_map(|task| task.suspended.flatten()).min();
        let suspension = Suspension { asks, until };
        if !self.config.parent.nested {
            // What is shown is not what is stored: the step stays open.
            let finished = self.tasks.iter().any(|task| task.phase == Phase::Finished);
            let kept = self.state.clone();
            let applied = if finished {
                self.apply_tasks()
            } else {
                Ok(Applied::default())
            };
            match applied {
                Ok(applied) => self.show_written(&applied.written, StateIn::Neither),
                // The siblings that finished do not fit together: better reported now than later.
                Err(error) => {
                    self.state = kept;
                    return self.stop_with(Stop::Failed(error));
                }
            }
            if suspension.is_pause() && self.wants(Modes::UPDATES) {
                self.emit(EventKind::Asked(Vec::new()));
            }
            let shown = std::mem::replace(&mut self.state, kept);
            self.stop_with(Stop::Suspended(suspension));
            self.state = shown;
        } else {
            self.stop_with(Stop::Suspended(suspension));
        }
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

fn call_value(output: Output) -> Value {
    match output {
        Output::Update(value) | Output::Final { value, .. } => value,
        _ => Value::Null,
    }
}
