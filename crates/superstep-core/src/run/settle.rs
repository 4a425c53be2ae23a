//! What becomes of a task's result: writes, a retry, a handler, a question, a failure.

use std::sync::Arc;

use super::{
    Act, Fidelity, Loop, Wait,
    task::{Phase, Task, TaskInput},
};
use crate::{
    ask::Ask,
    command::{Command, Output},
    error::{Error, ErrorKind, Failure},
    event::{EventKind, Modes},
    id::AskId,
    message,
    plan::{Role, route::Unwritten},
    policy::{CachePolicy, RetryPolicy, Timeouts},
    record::{Effect, PlainAnswer, StoredError, TaskKey, TaskNote, Write},
    value::Value,
};

/// Why a task has no output.
#[derive(Debug)]
pub enum Halt {
    /// It failed.
    Error(Error),
    /// It waits for answers; without questions, a graph below it stands at a static pause.
    Asked(Vec<Ask>),
    /// It returned a command for the graph that runs it.
    Parent(Box<Command>),
}

/// Any error ends a task; one of the engine's own stays what it is.
impl<E: std::error::Error + Send + Sync + 'static> From<E> for Halt {
    fn from(error: E) -> Self {
        match (&error as &dyn std::any::Any).downcast_ref::<Error>() {
            Some(own) => Self::Error(own.clone()),
            None => Failure::from(error).into(),
        }
    }
}

impl From<Failure> for Halt {
    fn from(failure: Failure) -> Self {
        Self::Error(failure.into())
    }
}

impl From<ErrorKind> for Halt {
    fn from(kind: ErrorKind) -> Self {
        Self::Error(kind.into())
    }
}

/// What a task did.
#[derive(Debug)]
pub struct Done {
    /// Its result.
    pub result: Result<Output, Halt>,
    /// The answers it has taken so far, in order.
    pub answers: Vec<Value>,
    /// Effects it journaled.
    pub effects: Vec<(String, Effect)>,
    /// Ids of messages it streamed itself.
    pub streamed: Vec<String>,
}

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
    /// A task ended.
    pub fn done(&mut self, at: usize, done: Done) {
        let Some(task) = self.tasks.get_mut(at) else {
            return;
        };
        if task.phase != Phase::Running {
            return;
        }
        self.running -= 1;
        task.answered = !done.answers.is_empty();
        task.note.offset = done.answers.len();
        let asked = match &done.result {
            Err(Halt::Error(error)) => match &*error.kind {
                ErrorKind::BadAnswer { asked, .. } => Some(asked.as_deref().cloned()),
                _ => None,
            },
            _ => None,
        };
        let refused = asked.is_some();
        task.note.refused = refused;
        if refused || !done.answers.is_empty() {
            task.note.answers = done.answers;
        }
        if let Some(asked) = asked.flatten() {
            self.ask_again(at, asked);
        }
        self.seen_messages.extend(done.streamed);
        let Some(task) = self.tasks.get_mut(at) else {
            return;
        };
        task.note.effects.extend(done.effects);
        task.note
            .effects
            .retain(|_, effect| *effect != Effect::Failed);
        let node = task.node;
        match done.result {
            Ok(output) => {
                let written = if task.is_call() {
                    Ok(vec![Write::Return(call_value(output))])
                } else {
                    self.see_messages(at, &output);
                    self.plan
                        .writes(node, &*self.frame.board, output, self.window())
                };
                self.settle_writes(at, written);
            }
            Err(Halt::Error(error)) => self.settle_error(at, error),
            Err(Halt::Asked(asks)) => self.settle_asks(at, asks),
            // A command from the graph this task ran: it is this task's own result.
            Err(Halt::Parent(mut command)) => {
                command.target = crate::command::Target::Here;
                let output = Output::Command(*command);
                let written = self
                    .plan
                    .writes(node, &*self.frame.board, output, self.window());
                self.settle_writes(at, written);
            }
        }
        self.go_on();
    }

    /// A question whose answer was refused is open as the task asks it now: whoever answers a stored
    /// one that has changed since would be refused for ever.
    fn ask_again(&mut self, at: usize, asked: Ask) {
        let namespace = self.task_namespace(at);
        let Some(task) = self.tasks.get_mut(at) else {
            return;
        };
        let own = AskId::of(&namespace, task.note.answers.len());
        if own == asked.id {
            task.note.asks = vec![asked];
            return;
        }
        // It is a question of a graph below, where others may be open beside it.
        let known = self.notes.iter().find(|note| note.key == task.key);
        let mut asks = known.map(|note| note.asks.clone()).unwrap_or_default();
        match asks.iter_mut().find(|ask| ask.id == asked.id) {
            Some(ask) => *ask = asked,
            None => asks.push(asked),
        }
        task.note.asks = asks;
    }

    /// A task journaled an effect: what to store, at once and in this order, before it goes on.
    /// Whatever the durability, an effect never runs before its start is stored, so a run that is
    /// stored at its end is stored up to here as well. `answers` are those the task has taken so
    /// far: the effect acts on them, so from now on they are the task's, and no other.
    pub fn journal(
        &mut self,
        at: usize,
        key: String,
        effect: Effect,
        answers: Vec<Value>,
    ) -> Vec<Act> {
        let Some(task) = self.tasks.get_mut(at) else {
            return Vec::new();
        };
        let mut note = TaskNote::new(task.key.clone());
        note.effects.insert(key, effect);
        note.answers = match answers.len() > task.note.answers.len() {
            true => answers,
            false => task.note.answers.clone(),
        };
        task.note.absorb(note.clone());
        if !self.config.saves {
            return Vec::new();
        }
        let mut acts: Vec<Act> = self.store_so_far().into_iter().collect();
        let notes = self.taken_resume().into_iter().chain([note]).collect();
        acts.push(Act::Note(self.checkpoint, notes));
        acts
    }

    /// A graph below this one is about to store an effect at once: what to store before that, in
    /// this order. The place of that graph hangs off this one's present checkpoint, and a run that
    /// starts again from an older one would not find what is stored there.
    pub fn anchor(&mut self) -> Vec<Act> {
        match self.config.saves {
            true => self.store_so_far().into_iter().collect(),
            false => Vec::new(),
        }
    }

    /// The cache had the task's writes: it need not run.
    pub fn cached(&mut self, at: usize, writes: Vec<Write>) {
        let Some(task) = self.tasks.get_mut(at) else {
            return;
        };
        if task.phase != Phase::Running {
            return;
        }
        self.running -= 1;
        task.note.output = Some(writes);
        task.phase = Phase::Finished;
        task.unsaved = true;
        self.tell_update(at, true);
        if self.wants(Modes::SPANS) {
            self.tell_reuse(at);
        }
        self.save_note_if_others_run(at);
        self.go_on();
    }

    fn go_on(&mut self) {
        if self.running == 0 && !self.stopped && self.settle_step() {
            self.tick();
        }
    }

    pub(super) fn settle_writes(&mut self, at: usize, written: Result<Vec<Write>, Unwritten>) {
        let mut writes = match written {
            Ok(writes) => writes,
            Err(Unwritten::Error(kind)) => return self.settle_error(at, kind.into()),
            Err(Unwritten::Parent(command)) => {
                self.parent_command.get_or_insert(command);
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
            self.acts.push_back(Act::Keep(at, writes.clone()));
        }
        task.note.output = Some(writes);
        task.phase = Phase::Finished;
        task.unsaved = true;
        if self.wants(Modes::UPDATES) {
            self.tell_update(at, false);
        }
        self.tell_end(at);
        self.save_note_if_others_run(at);
    }

    /// The last task of a step is stored with the step itself: one commit, not two.
    fn save_note_if_others_run(&mut self, at: usize) {
        let alone = self.running == 0
            && self.failure.is_none()
            && self.parent_command.is_none()
            && self.tasks.iter().all(|task| !task.asked);
        if !alone || self.tasks.get(at).is_some_and(Task::is_call) {
            self.save_note(at);
        } else {
            self.lacks_note = true;
        }
    }

    fn save_note(&mut self, at: usize) {
        if !self.stores_notes() {
            return;
        }
        let mut notes: Vec<TaskNote> = self.taken_resume().into_iter().collect();
        // A task that finished as the last one running has no note yet if a sibling then halts.
        let lacking = if std::mem::take(&mut self.lacks_note) {
            0..self.tasks.len()
        } else {
            at..at + 1
        };
        for task in self.tasks.get_mut(lacking).unwrap_or_default() {
            if task.unsaved {
                task.unsaved = false;
                notes.push(task.note.clone());
            }
        }
        if let Some(task) = self.tasks.get(at)
            && notes.iter().all(|note| note.key != task.key)
        {
            notes.push(task.note.clone());
        }
        let notes = notes.into_iter().map(|note| self.storable(note)).collect();
        self.put_notes(notes);
    }

    /// The plain answer that came with the input has been taken: it must not be given again.
    fn taken_resume(&mut self) -> Option<TaskNote> {
        let forgets = self.config.fidelity == Fidelity::Sensible && self.takes_resume();
        let resume = Some(PlainAnswer::Taken);
        forgets.then(|| TaskNote {
            resume,
            ..TaskNote::new(TaskKey::Input)
        })
    }

    /// Marks the plain answer as taken if a question has taken it; says whether it just was.
    pub(super) fn takes_resume(&mut self) -> bool {
        if self.config.nest.answers.has_next() {
            return false;
        }
        let note = self
            .notes
            .iter_mut()
            .find(|note| note.key == TaskKey::Input);
        let Some(note) = note else { return false };
        let given = matches!(note.resume, Some(PlainAnswer::Given(_)));
        if given {
            note.resume = Some(PlainAnswer::Taken);
        }
        given
    }

    fn settle_error(&mut self, at: usize, error: Error) {
        let Some(task) = self.tasks.get_mut(at) else {
            return;
        };
        let error = error.at_node(&task.name);
        if let Some(policy) = task.retry.iter().find(|policy| policy.covers(&error)) {
            task.failures += 1;
            if task.failures < policy.max_attempts {
                self.running += 1;
                let wait = Wait {
                    task: at,
                    delay: policy.wait(task.failures),
                    jitter: policy.jitter,
                };
                self.acts.push_back(Act::Wait(wait));
                if self.wants(Modes::SPANS) {
                    self.tell_retry(at, &error);
                }
                return;
            }
        }
        task.phase = Phase::Halted;
        task.note.error = Some(StoredError::from(&error));
        task.unsaved = true;
        let handler =
            self.plan.nodes.row(task.node).handler.filter(|_| {
                !task.is_call() && self.plan.nodes.row(task.node).role != Role::Handler
            });
        task.note.handled = handler.is_some();
        let (call, answered, node) = (task.is_call(), task.answered, task.name.clone());
        if answered && self.wants(Modes::UPDATES) {
            // As recorded: a task that took an answer before it failed says it wrote nothing.
            self.emit(EventKind::Update {
                node,
                update: Value::Null,
                cached: false,
            });
        }
        self.tell_end(at);
        self.save_note(at);
        match handler {
            Some(handler) => self.start_handler(at, handler),
            None if call => {}
            None => {
                self.failure.get_or_insert(error);
            }
        }
    }

    fn start_handler(&mut self, at: usize, handler: crate::table::NodeIx) {
        let Some(failed) = self.tasks.get(at) else {
            return;
        };
        let Some(error) = failed.note.error.clone() else {
            return;
        };
        let input = TaskInput::Failed(Box::new(failed.input.clone()), error, failed.name.clone());
        let key = TaskKey::Handler(Box::new(failed.key.clone()));
        let mut task = Task::new(&self.plan, key, handler, input);
        task.phase = Phase::Running;
        self.tasks.push(task);
        let at = self.tasks.len() - 1;
        self.remember_answers(at);
        self.running += 1;
        self.acts.push_back(Act::Run(at));
    }

    fn settle_asks(&mut self, at: usize, asks: Vec<Ask>) {
        let Some(task) = self.tasks.get_mut(at) else {
            return;
        };
        task.phase = Phase::Halted;
        task.asked = true;
        if asks.is_empty() {
            return;
        }
        task.note.asks = asks.clone();
        task.unsaved = true;
        if !task.is_call() {
            if self.wants(Modes::UPDATES) {
                self.emit(EventKind::Asked(asks.clone()));
            }
            self.show_values(Some(asks));
            self.tell_end(at);
        }
        self.save_note(at);
    }

    /// A running task wants another task run, as its n-th call.
    pub fn call(&mut self, by: usize, n: u32, spec: CallSpec) -> Option<Called> {
        let caller = self.tasks.get(by)?;
        let node = caller.node;
        let key = TaskKey::Call(Box::new(caller.key.clone()), n);
        let known = self.tasks.iter().position(|task| task.key == key);
        if let Some(at) = known
            && let Some(task) = self.tasks.get_mut(at)
        {
            match task.phase {
                Phase::Finished => return task.returned().map(Called::Finished),
                Phase::Running => return Some(Called::Running(at)),
                Phase::Ready | Phase::Halted => {
                    task.phase = Phase::Running;
                    task.asked = false;
                    self.running += 1;
                    return Some(Called::Run(at));
                }
            }
        }
        let mut task = Task::new(&self.plan, key, node, TaskInput::Call(spec.args));
        task.name = spec.name;
        task.retry = spec.retry;
        task.cache = spec.cache;
        task.timeouts = spec.timeouts;
        self.tasks.push(task);
        let at = self.tasks.len() - 1;
        self.remember_answers(at);
        if self.wants(Modes::TASKS) {
            self.tell_start(at);
        }
        let stored = (!self.replaying)
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
        self.running += 1;
        Some(Called::Run(at))
    }

    fn stored_output(&self, key: &TaskKey) -> Option<Vec<Write>> {
        self.notes
            .iter()
            .find(|note| note.key == *key)?
            .output
            .clone()
    }

    /// Tells message readers about messages a node returned that they have not seen.
    fn see_messages(&mut self, at: usize, output: &Output) {
        if !self.wants(Modes::MESSAGES) || self.plan.messages.is_empty() {
            return;
        }
        let Some(task) = self.tasks.get(at) else {
            return;
        };
        let node = task.name.clone();
        let mut found = Vec::new();
        messages_in(
            output,
            &|name| {
                self.plan
                    .channel(name)
                    .is_some_and(|channel| self.plan.holds_messages(channel))
            },
            &mut found,
        );
        self.see_input_messages(at);
        for message in found {
            let fresh = message::id(&message).is_none_or(|id| self.seen_messages.insert(id.into()));
            if fresh {
                self.emit(EventKind::Message {
                    message,
                    node: node.clone(),
                });
            }
        }
    }

    fn see_input_messages(&mut self, at: usize) {
        let Some(task) = self.tasks.get(at) else {
            return;
        };
        let input = self.input_value(task);
        let lists = input.as_map().into_iter().flat_map(|map| map.values());
        for message in lists.flat_map(message::each) {
            if let Some(id) = message::id(message) {
                self.seen_messages.insert(id.to_owned());
            }
        }
    }
}

fn call_value(output: Output) -> Value {
    match output {
        Output::Update(value) | Output::Final { value, .. } => value,
        _ => Value::Null,
    }
}

fn messages_in(output: &Output, holds: &dyn Fn(&str) -> bool, found: &mut Vec<Value>) {
    let mut look = |name: &str, value: &Value| {
        if holds(name) {
            found.extend(
                message::each(value)
                    .iter()
                    .filter(|m| message::is_message(m))
                    .cloned(),
            );
        }
    };
    match output {
        Output::Update(Value::Map(map)) => map.iter().for_each(|(name, value)| look(name, value)),
        Output::Command(Command { update, .. }) => {
            update.iter().for_each(|(name, value)| look(name, value));
        }
        Output::Many(parts) => parts
            .iter()
            .for_each(|part| messages_in(part, holds, found)),
        _ => {}
    }
}
