//! What a run tells: to those who watch it and to the log. Nothing is built that nobody wants.

use super::{Act, Latest, Loop, TaskInput};
use crate::{
    ask::Ask,
    error::Error,
    event::{
        Event, EventKind, Modes, Span, SpanError, SpanId, SpanKind, SpanPhase, Told,
        log::{Part, StateAt},
    },
    plan::{Keys, ReadKey, Reads},
    record::{StoredError, TaskKey},
    table::ChannelIx,
    value::Value,
};

/// Which checkpoint has the state that is shown.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Stands {
    /// The present one, unless something was added to it.
    Here,
    /// The one that is about to be made.
    InNext,
    /// None.
    Nowhere,
}

impl Loop {
    /// Tells something that is no state.
    pub(super) fn emit(&mut self, kind: EventKind) {
        let mode = kind.mode();
        let event = self.event(kind);
        if self.config.log.has(mode) {
            self.log(event.clone(), None);
        }
        if self.config.modes.has(mode) {
            self.acts.push_back(Act::Emit(Box::new(event)));
        }
    }

    /// Tells something about a state. The log refers to the checkpoint that has it, if one has.
    pub(super) fn emit_state(
        &mut self,
        mode: Modes,
        stands: Stands,
        part: Part,
        read: impl Fn(&Self) -> Value,
        kind: impl Fn(&Self, Value) -> EventKind,
    ) {
        let (shows, logs) = (self.config.modes.has(mode), self.config.log.has(mode));
        let stands = if logs { self.stands(stands) } else { stands };
        match stands {
            Stands::Here if logs => {
                let event = self.event(kind(self, Value::Null));
                let checkpoint = self.checkpoint;
                self.log(event, Some(StateAt { checkpoint, part }));
            }
            Stands::InNext if logs => {
                let event = self.event(kind(self, Value::Null));
                let checkpoint = self.checkpoint;
                let state = Some(StateAt { checkpoint, part });
                self.unlogged = Some(Box::new(self.told(event, state)));
            }
            _ => {}
        }
        let inline = logs && stands == Stands::Nowhere;
        if !(shows || inline) {
            return;
        }
        let event = self.event(kind(self, read(self)));
        if inline {
            self.log(event.clone(), None);
        }
        if shows {
            self.acts.push_back(Act::Emit(Box::new(event)));
        }
    }

    fn event(&self, kind: EventKind) -> Event {
        let step = match &kind {
            EventKind::Checkpoint(_) => self.step - 1,
            _ => self.step,
        };
        Event {
            namespace: self.config.nest.namespace.clone(),
            step,
            kind,
        }
    }

    fn told(&self, event: Event, state: Option<StateAt>) -> Told {
        Told {
            event,
            below: self.config.nest.nested,
            state,
        }
    }

    fn log(&mut self, event: Event, state: Option<StateAt>) {
        let mut told = self.told(event, state);
        if self.forgets_untracked(&mut told.event.kind) {
            let position = self.position();
            self.acts.push_back(Act::Log(position, Box::new(told)));
        }
    }

    /// A checkpoint was made: what shows its state is logged with it.
    pub(super) fn log_with_checkpoint(&mut self) {
        let Some(mut told) = self.unlogged.take() else {
            return;
        };
        if let Some(state) = &mut told.state {
            state.checkpoint = self.checkpoint;
        }
        self.acts.push_back(Act::Log(Some(self.checkpoint), told));
    }

    /// Where a reader of the log will find a state.
    fn stands(&self, stands: Stands) -> Stands {
        let stores = self.stores_notes();
        // Updates that came with a command change the state of a checkpoint after it was stored.
        let added =
            |note: &crate::record::TaskNote| note.key == TaskKey::Input && note.output.is_some();
        let here = self.config.saves
            && self.head == Some(self.checkpoint)
            && !self.notes.iter().any(added);
        match stands {
            _ if !self.config.findable => Stands::Nowhere,
            Stands::Here if here => Stands::Here,
            Stands::InNext if stores => Stands::InNext,
            _ => Stands::Nowhere,
        }
    }

    /// Takes what must not be stored out of an event. Says whether anything is left.
    fn forgets_untracked(&self, kind: &mut EventKind) -> bool {
        if self.plan.untracked.is_empty() {
            return true;
        }
        let untracked = |channel: &ChannelIx| self.plan.untracked.contains(channel);
        let forget = |value: &mut Value| match self.shown_keys() {
            Keys::One(channel) if untracked(channel) => *value = Value::Null,
            Keys::One(_) => {}
            Keys::Many(_) => self.plan.forget_untracked_in(value),
        };
        match kind {
            EventKind::Values { values, .. } => forget(values),
            EventKind::Update { update, .. } => forget(update),
            EventKind::TaskStart { input, .. } => self.plan.forget_untracked_in(input),
            EventKind::TaskEnd { result, .. } => self.plan.forget_untracked_in(result),
            EventKind::Checkpoint(snapshot) => {
                self.plan.forget_untracked_in(&mut snapshot.values);
                for task in &mut snapshot.tasks {
                    task.result.iter_mut().for_each(forget);
                }
            }
            EventKind::Message { .. } => return !self.plan.messages.iter().any(untracked),
            EventKind::Asked(_) | EventKind::Custom(_) | EventKind::Span(_) => {}
        }
        true
    }

    pub(super) fn wants(&self, modes: Modes) -> bool {
        self.config.modes.has(modes) || self.config.log.has(modes)
    }

    /// A step, or what of it is done, wrote these channels.
    pub(super) fn show_written(&mut self, written: &[ChannelIx], stands: Stands) {
        let any = |keys: &Keys| written.iter().any(|channel| keys.contains(*channel));
        if any(self.output_keys()) {
            self.keep_latest();
        }
        if self.wants(Modes::VALUES) && any(self.shown_keys()) {
            self.emit_values(stands, None);
        }
    }

    /// The state changed in a way a `values` reader sees, or a task asks.
    pub(super) fn show_values(&mut self, asks: Option<Vec<Ask>>) {
        let bare = |keys: &Keys| matches!(keys, Keys::One(_));
        if asks.is_some() && bare(self.output_keys()) {
            // Beside a question a bare value has no place.
            self.latest = Latest::Never;
        } else {
            self.keep_latest();
        }
        if !self.wants(Modes::VALUES) {
            return;
        }
        if asks.is_some() && bare(self.shown_keys()) {
            let values = Value::Null;
            self.emit(EventKind::Values { values, asks });
        } else {
            self.emit_values(Stands::Here, asks);
        }
    }

    fn keep_latest(&mut self) {
        // A typed state is shown as it stands; a copy kept here would force the next step to
        // clone it.
        let volatile = !self.plan.volatile.is_empty() && !self.plan.is_typed();
        self.latest = if volatile {
            Latest::Kept(self.plan.read(&*self.frame.board, self.output_keys()))
        } else {
            Latest::OnBoard
        };
    }

    fn emit_values(&mut self, stands: Stands, asks: Option<Vec<Ask>>) {
        let part = Part::of(&self.plan, self.shown_keys());
        let read = |run: &Self| run.plan.read(&*run.frame.board, run.shown_keys());
        let kind = |_: &Self, values| EventKind::Values {
            values,
            asks: asks.clone(),
        };
        self.emit_state(Modes::VALUES, stands, part, read, kind);
    }

    pub(super) fn tell_start(&mut self, at: usize) {
        let Some(task) = self.tasks.get(at) else {
            return;
        };
        if self.plan.is_hidden(task.node) && !task.is_call() {
            return;
        }
        let spec = self.plan.nodes.row(task.node);
        let timeless = match &spec.reads {
            Reads::Keys(keys) => keys.iter().all(|key| matches!(key, ReadKey::Channel(_))),
            _ => true,
        };
        let reads_state = matches!(task.input, TaskInput::State);
        let stands = if reads_state && (timeless || self.plan.is_typed()) {
            Stands::Here
        } else {
            Stands::Nowhere
        };
        let (part, id, name) = (
            Part::Input(spec.name.clone()),
            self.task_id(task),
            task.name.clone(),
        );
        let caller = self.caller(task).map(|caller| self.task_id(caller));
        let read = |run: &Self| match run.tasks.get(at) {
            Some(task) => run.input_value(task),
            None => Value::Null,
        };
        let kind = |_: &Self, input| EventKind::TaskStart {
            id,
            name: name.clone(),
            input,
            caller,
        };
        self.emit_state(Modes::TASKS, stands, part, read, kind);
    }

    /// An attempt of a task failed, and the task is tried again.
    pub(super) fn tell_retry(&mut self, at: usize, error: &Error) {
        if !self.wants(Modes::SPANS) {
            return;
        }
        let Some(task) = self.tasks.get(at) else {
            return;
        };
        let (id, attempt) = (self.task_id(task), task.failures);
        let StoredError { code, message, .. } = StoredError::from(error);
        let span = Span {
            // Spans of the task itself are of a lease, which is never 0 where something is logged.
            id: SpanId::of(id, 0, attempt, 0),
            parent: None,
            task: id,
            node: task.name.clone(),
            attempt,
            kind: SpanKind::Attempt,
            name: format!("attempt {attempt}").into(),
            phase: SpanPhase::Ended(SpanError::new(code, message).into()),
        };
        self.emit(EventKind::Span(Box::new(span)));
    }
}
