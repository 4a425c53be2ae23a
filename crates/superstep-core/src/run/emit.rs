//! Events of a run, for those who watch it and for the log. Nothing is built that nobody wants.

use super::{Act, Latest, Loop, Task, TaskInput};
use crate::{
    ask::Ask,
    error::Error,
    event::{
        Event, EventKind, LoggedEvent, Modes, Span, SpanEnd, SpanError, SpanId, SpanKind,
        SpanPhase,
        log::{StateAt, StatePart},
    },
    id::CheckpointId,
    plan::{Keys, ReadKey, Reads},
    record::{StoredError, TaskKey, TaskNote, Write},
    snapshot::{Places, Snapshot, View, result_of},
    table::ChannelIx,
    value::Value,
};

/// Which checkpoint has the state that is shown.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum StateIn {
    /// The present one, unless something was added to it.
    Present,
    /// The one that is about to be made.
    Next,
    /// None.
    Neither,
}

impl Loop {
    pub(super) fn wants(&self, modes: Modes) -> bool {
        self.config.modes.has(modes) || self.config.log.has(modes)
    }

    /// Emits an event that shows no state.
    pub(super) fn emit(&mut self, kind: EventKind) {
        let mode = kind.mode();
        let event = self.event(kind);
        if self.config.log.has(mode) {
            self.log(event.clone(), None);
        }
        if self.config.modes.has(mode) {
            self.acts.push(Act::Emit(Box::new(event)));
        }
    }

    /// Logs an event that readers of the stream know already.
    pub(super) fn log_only(&mut self, kind: EventKind) {
        if self.config.log.has(kind.mode()) {
            let event = self.event(kind);
            self.log(event, None);
        }
    }

    /// Emits an event that shows a state. The log refers to the checkpoint that has it, if one has.
    pub(super) fn emit_state(
        &mut self,
        mode: Modes,
        state_in: StateIn,
        part: StatePart,
        read: impl Fn(&Self) -> Value,
        kind: impl Fn(&Self, Value) -> EventKind,
    ) {
        let (shows, logs) = (self.config.modes.has(mode), self.config.log.has(mode));
        let state_in = if logs {
            self.state_in(state_in)
        } else {
            state_in
        };
        match state_in {
            StateIn::Present if logs => {
                let event = self.event(kind(self, Value::Null));
                let checkpoint = self.position.checkpoint;
                self.log(event, Some(StateAt { checkpoint, part }));
            }
            StateIn::Next if logs => {
                let event = self.event(kind(self, Value::Null));
                let checkpoint = self.position.checkpoint;
                let state = Some(StateAt { checkpoint, part });
                self.unstored.unlogged = Some(Box::new(self.logged_event(event, state)));
            }
            _ => {}
        }
        let inline = logs && state_in == StateIn::Neither;
        if !(shows || inline) {
            return;
        }
        let event = self.event(kind(self, read(self)));
        if inline {
            self.log(event.clone(), None);
        }
        if shows {
            self.acts.push(Act::Emit(Box::new(event)));
        }
    }

    fn event(&self, kind: EventKind) -> Event {
        let step = match &kind {
            EventKind::Checkpoint(_) => self.position.step - 1,
            _ => self.position.step,
        };
        Event {
            namespace: self.config.parent.namespace.clone(),
            step,
            kind,
        }
    }

    fn logged_event(&self, event: Event, state: Option<StateAt>) -> LoggedEvent {
        LoggedEvent {
            event,
            below: self.config.parent.nested,
            state,
        }
    }

    fn log(&mut self, event: Event, state: Option<StateAt>) {
        let mut logged = self.logged_event(event, state);
        if self.forgets_untracked(&mut logged.event.kind) {
            let position = self.log_position();
            self.acts.push(Act::Log(position, Box::new(logged)));
        }
    }

    /// The checkpoint that what happens now belongs to: of this graph, or of those above it if
    /// nothing of it is stored.
    fn log_position(&self) -> Option<CheckpointId> {
        match self.config.saves {
            true => Some(self.position.checkpoint),
            false => self.config.parent.parents.values().max().copied(),
        }
    }

    /// A checkpoint was made: what shows its state is logged with it.
    pub(super) fn log_with_checkpoint(&mut self) {
        let Some(mut logged) = self.unstored.unlogged.take() else {
            return;
        };
        if let Some(state) = &mut logged.state {
            state.checkpoint = self.position.checkpoint;
        }
        self.acts
            .push(Act::Log(Some(self.position.checkpoint), logged));
    }

    /// Where a reader of the log will find a state.
    fn state_in(&self, state_in: StateIn) -> StateIn {
        let stores = self.stores_notes();
        // Updates that came with a command change the state of a checkpoint after it was stored.
        let added = |note: &TaskNote| note.key == TaskKey::Input && note.output.is_some();
        let here = self.config.saves
            && self.position.head == Some(self.position.checkpoint)
            && !self.notes.iter().any(added);
        match state_in {
            _ if !self.config.findable => StateIn::Neither,
            StateIn::Present if here => StateIn::Present,
            StateIn::Next if stores => StateIn::Next,
            _ => StateIn::Neither,
        }
    }

    /// Takes what must not be stored out of an event. Returns whether anything is left.
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

    /// A step, or what of it is done, wrote these channels.
    pub(super) fn show_written(&mut self, written: &[ChannelIx], state_in: StateIn) {
        let any = |keys: &Keys| written.iter().any(|channel| keys.contains(*channel));
        if any(self.output_keys()) {
            self.keep_latest();
        }
        if self.wants(Modes::VALUES) && any(self.shown_keys()) {
            self.emit_values(state_in, None);
        }
    }

    /// The state changed in a way a `values` reader sees, or a task asks.
    pub(super) fn show_values(&mut self, asks: Option<Vec<Ask>>) {
        let bare = |keys: &Keys| matches!(keys, Keys::One(_));
        if asks.is_some() && bare(self.output_keys()) {
            // Beside a question a bare value has no place.
            self.shown.latest = Latest::Never;
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
            self.emit_values(StateIn::Present, asks);
        }
    }

    fn keep_latest(&mut self) {
        // A typed state is shown as it is; a copy kept here would force the next step to
        // clone it.
        let volatile = !self.plan.volatile.is_empty() && !self.plan.is_typed();
        self.shown.latest = if volatile {
            Latest::Kept(self.plan.read(&*self.state.channels, self.output_keys()))
        } else {
            Latest::Current
        };
    }

    fn emit_values(&mut self, state_in: StateIn, asks: Option<Vec<Ask>>) {
        let part = StatePart::of(&self.plan, self.shown_keys());
        let read = |run: &Self| run.plan.read(&*run.state.channels, run.shown_keys());
        let kind = |_: &Self, values| EventKind::Values {
            values,
            asks: asks.clone(),
        };
        self.emit_state(Modes::VALUES, state_in, part, read, kind);
    }

    pub(super) fn show_checkpoint(&mut self) {
        if !self.config.saves || !self.wants(Modes::CHECKPOINTS) {
            return;
        }
        let read = |run: &Self| run.plan.read(&*run.state.channels, &run.plan.shown);
        let kind = |run: &Self, values| EventKind::Checkpoint(Box::new(run.snapshot(values)));
        self.emit_state(
            Modes::CHECKPOINTS,
            StateIn::Present,
            StatePart::Shown,
            read,
            kind,
        );
    }

    fn snapshot(&self, values: Value) -> Snapshot {
        let parent = &self.config.parent;
        let places = Places {
            plan: &self.plan,
            namespace: &parent.namespace,
            checkpoint: self.position.checkpoint,
            step: self.position.step,
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
            namespace: parent.namespace.clone(),
            checkpoint: Some(self.position.checkpoint),
            parent: self.position.parent,
            parents: parent.parents.clone(),
            values,
            next: self.tasks.iter().map(|task| task.name.clone()).collect(),
            tasks: self.tasks.iter().map(view).collect(),
            origin: Some((self.position.source, self.position.step - 1)),
            durability: Some(self.config.durability),
            lost: Vec::new(),
            created: None,
            run: None,
            metadata: Value::Null,
        }
    }

    pub(super) fn emit_task_start(&mut self, at: usize) {
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
        let state_in = if reads_state && (timeless || self.plan.is_typed()) {
            StateIn::Present
        } else {
            StateIn::Neither
        };
        let (part, id, name) = (
            StatePart::Input(spec.name.clone()),
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
        self.emit_state(Modes::TASKS, state_in, part, read, kind);
    }

    pub(super) fn emit_update(&mut self, at: usize, cached: bool) {
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

    pub(super) fn emit_task_end(&mut self, at: usize) {
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
            error: task.note.extras.error.as_deref().cloned(),
            asks: if task.suspended.is_some() {
                task.note.extras.asks.clone()
            } else {
                Vec::new()
            },
        };
        self.emit(kind);
    }

    /// An attempt of a task failed, and the task is tried again.
    pub(super) fn emit_retry(&mut self, at: usize, error: &Error) {
        let StoredError {
            code,
            class,
            message,
            ..
        } = StoredError::from(error);
        let end = SpanError::new(code, format!("{class}: {message}")).into();
        self.emit_span(at, SpanKind::Attempt, end);
    }

    /// A task does not run: its result is known.
    pub(super) fn emit_reuse(&mut self, at: usize) {
        self.emit_span(at, SpanKind::Reuse, SpanEnd::default());
    }

    /// Emits a span that only the run knows of. It has an end and no start.
    fn emit_span(&mut self, at: usize, kind: SpanKind, end: SpanEnd) {
        let Some(task) = self.tasks.get(at) else {
            return;
        };
        if self.plan.is_hidden(task.node) && !task.is_call() {
            return;
        }
        let (id, attempt) = (self.task_id(task), task.failures);
        let span = Span {
            // Spans of the task itself are of a lease, which is never 0 where something is logged.
            id: SpanId::of(id, 0, attempt, 0),
            parent: None,
            task: id,
            node: task.name.clone(),
            attempt,
            kind,
            name: kind.as_str().into(),
            phase: SpanPhase::Ended(end),
        };
        self.emit(EventKind::Span(Box::new(span)));
    }
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
        keys @ Keys::Many(_) => result_of(plan, keys, writes),
        Keys::One(channel) => result_of(plan, &Keys::Many(vec![*channel]), writes),
    }
}

/// A task's writes to the output keys: null if none, a list if a key was written twice.
fn update_of(run: &Loop, writes: &[Write]) -> Value {
    let mut found: Vec<(ChannelIx, &Value)> = Vec::new();
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
