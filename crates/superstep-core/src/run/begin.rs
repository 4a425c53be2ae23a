//! How a run starts: on a fresh thread, on new input, on an answer, or from an older checkpoint.

use std::{collections::HashMap, sync::Arc};

use super::{
    Act, Acts, Buffers, Children, Loop, ParentContext, Position, Progress, ReaderView, Replay,
    RunConfig, Schedule, Unstored,
};
use crate::{
    ask::{Answers, Resume},
    command::{Command, Target},
    error::{Error, ErrorKind, Unmatched},
    graph_state::{Applied, Applying, GraphState, restore::Restored},
    id::{AskId, CheckpointId},
    plan::Plan,
    record::{PlainAnswer, Source, StartValue, TaskKey, TaskNote, Write, open_asks},
    table::NodeIx,
    value::Value,
};

/// What a caller feeds to a thread.
#[derive(Clone, Debug, Default)]
pub enum RunInput {
    /// Nothing: resume.
    #[default]
    Nothing,
    /// New input.
    Value(Value),
    /// A command, an answer, or both.
    Command(Box<Command>, Option<Resume>),
}

/// The checkpoint a run starts from.
pub struct StartingPoint {
    /// Its id.
    pub id: CheckpointId,
    /// The one before.
    pub parent: Option<CheckpointId>,
    /// Its source.
    pub source: Source,
    /// Its step.
    pub step: i64,
    /// Its state.
    pub restored: Restored,
}

/// Everything a run starts with.
pub struct Begin {
    /// The graph.
    pub plan: Arc<Plan>,
    /// How the run is meant.
    pub config: RunConfig,
    /// Where it starts; nothing on a fresh thread.
    pub head: Option<Box<StartingPoint>>,
    /// The caller named this checkpoint.
    pub addressed: bool,
    /// The graph above named a checkpoint for this very graph.
    pub own_address: bool,
    /// The thread has moved past the named checkpoint.
    pub superseded: bool,
    /// What it is fed.
    pub input: RunInput,
    /// What an earlier run of the graph has left.
    pub buffers: Buffers,
}

impl Loop {
    /// Starts a run. Mistakes in the input come back as an error before anything is stored.
    pub fn begin(begin: Begin) -> Result<Box<Self>, Error> {
        let Begin {
            plan,
            config,
            head,
            addressed,
            own_address,
            superseded,
            input,
            buffers,
        } = begin;
        let (restored, id, parent, source, step) = match head {
            Some(head) => {
                let StartingPoint {
                    id,
                    parent,
                    source,
                    step,
                    restored,
                } = *head;
                (restored, Some(id), parent, source, step)
            }
            None => {
                let state = GraphState::with_buffers(&plan, buffers.state);
                let fresh = Restored {
                    state,
                    notes: Vec::new(),
                    touched: None,
                    must_snapshot: true,
                    lost: Vec::new(),
                    unmigrated: None,
                    layout: None,
                };
                (fresh, None, None, Source::Input, -2)
            }
        };
        if config.fidelity.refuses_lost_nodes() {
            restored.refuse_lost()?;
        }
        let stop = i64::try_from(config.limit).unwrap_or(i64::MAX / 2);
        let checkpoint = id.unwrap_or_else(|| match config.is_transient(&plan) {
            true => CheckpointId::of(&config.parent.namespace),
            false => config.ids.next(None),
        });
        let mut run = Box::new(Self {
            position: Position {
                checkpoint,
                loaded: id,
                origin: checkpoint,
                head: id,
                parent,
                source,
                step: step + 1,
                stop: (step + 2).saturating_add(stop),
            },
            state: restored.state,
            schedule: Schedule {
                touched: restored.touched,
                due: buffers.due,
            },
            tasks: buffers.tasks,
            notes: restored.notes,
            progress: Progress::default(),
            unstored: Unstored {
                must_snapshot: restored.must_snapshot,
                ..Unstored::default()
            },
            children: Children::default(),
            shown: ReaderView::default(),
            acts: Acts::with_list(buffers.acts),
            stopped: false,
            stored_as: restored.layout,
            plan,
            config,
        });
        run.first(
            input,
            Addressing {
                addressed,
                own_address,
                superseded,
            },
        )?;
        run.next_step();
        Ok(run)
    }

    fn first(&mut self, input: RunInput, at: Addressing) -> Result<(), Error> {
        let ParentContext {
            nested,
            resuming: from_parent,
            replay,
            ..
        } = &self.config.parent;
        let (nested, from_parent, replay) = (*nested, *from_parent, replay.clone());
        let continues = !matches!(input, RunInput::Value(_));
        let resuming = self.state.clock > 0 && from_parent.unwrap_or(continues);
        let answers = matches!(&input, RunInput::Command(_, Some(_)));
        let travels = (at.addressed || replay.is_some())
            && (at.own_address || !(answers || from_parent == Some(true)));
        self.progress.replaying = travels || at.superseded;
        if travels {
            for note in &mut self.notes {
                if !note.extras.is_none() {
                    note.extras.answers.clear();
                    note.extras.asked.clear();
                    note.extras.given.clear();
                    note.extras.resume = None;
                }
            }
        }
        let input = self.bind_answer(input);
        if let (RunInput::Command(_, Some(resume)), false) = (&input, nested) {
            self.config.parent.answers = Answers::new(resume);
        }
        self.give_again();
        let edited = matches!(self.position.source, Source::Update | Source::Fork);
        let forks = resuming && travels && (!edited || at.superseded);
        let bound = self.position.parent.filter(|_| edited);
        self.take_command(&input, forks, at.superseded)?;
        self.apply_input_writes()?;
        if resuming {
            self.state.paused_at = self.state.clock;
            if forks {
                self.notes.retain(|note| note.key == TaskKey::Input);
                for note in &mut self.notes {
                    note.output = None;
                }
                self.put_checkpoint(Source::Fork, Vec::new());
            }
            self.show_values(None);
        } else if let Some(start) = start_value(input) {
            if !nested {
                self.check_input(&start)?;
            }
            self.take_input(start, at.superseded)?;
        } else if from_parent.is_none() {
            return Err(ErrorKind::EmptyInput.into());
        }
        if nested {
            self.children.resuming = from_parent;
            self.children.replay = replay;
        } else {
            let now_edited = matches!(self.position.source, Source::Update | Source::Fork);
            let fork_bound = bound.filter(|_| forks);
            let before = fork_bound.or(self.position.parent.filter(|_| now_edited));
            self.children.resuming = Some(resuming);
            self.children.replay =
                travels.then(|| Replay::new(before.unwrap_or(self.position.checkpoint)));
        }
        Ok(())
    }

    /// Answers that a run which was cut short had on their way: they go down once more. A graph that took one
    /// has moved on to another question.
    fn give_again(&mut self) {
        let given = self.notes.iter().flat_map(|note| &note.extras.given);
        let given = given.map(|(id, answer)| (*id, answer.clone())).collect();
        self.config.parent.answers.add(given);
    }

    /// A plain answer is for the one question that is open: it goes there by id, so that no later question
    /// takes it if the run is cut.
    fn bind_answer(&self, input: RunInput) -> RunInput {
        let RunInput::Command(command, Some(Resume::Next(answer))) = input else {
            return input;
        };
        let binds = self.config.fidelity.gives_plain_answers_once() && !self.progress.replaying;
        let resume = match self.open_asks().as_slice() {
            [id] if binds => Resume::ById(HashMap::from([(*id, answer)])),
            _ => Resume::Next(answer),
        };
        RunInput::Command(command, Some(resume))
    }

    /// Refuses input that the options of the run do not allow, before anything is stored.
    fn check_input(&self, start: &StartValue) -> Result<(), Error> {
        if self.config.keep_asks {
            let pending = self.open_asks();
            if !pending.is_empty() {
                return Err(ErrorKind::OpenAsks { pending }.into());
            }
        }
        // The input of an entrypoint, or of a state that is one value, has no names.
        let bare = self.plan.root.or(self.plan.previous).is_some();
        if bare || !(self.config.strict_input || self.plan.strict) {
            return Ok(());
        }
        let given: Vec<(&str, &Value)> = match start {
            StartValue::Input(Value::Map(map)) => {
                map.iter().map(|(name, value)| (&**name, value)).collect()
            }
            StartValue::Input(other) => {
                let got = other.kind().to_owned();
                return Err(ErrorKind::BadReturn { got }.into());
            }
            StartValue::Command(command) => {
                let update = command.update.iter();
                update.map(|(name, value)| (&**name, value)).collect()
            }
        };
        let mut names = Vec::new();
        for (name, value) in given {
            match self.plan.channel(name) {
                Some(channel) if self.plan.input.contains(&channel) => {
                    // What does not fit its channel is found out here.
                    self.state.channels.peek(channel, &[value])?;
                }
                _ => names.push(name.to_owned()),
            }
        }
        if names.is_empty() {
            return Ok(());
        }
        let of = "the input".to_owned();
        Err(ErrorKind::UnknownKeys { of, names }.into())
    }

    /// The open questions in the order of their tasks: ids have none that means anything.
    fn open_asks(&self) -> Vec<AskId> {
        let due = self.state.due(&self.plan, None);
        let place = |note: &&TaskNote| {
            let key = note.key.root();
            let place = due.iter().position(|(due, _)| due == key);
            (place.unwrap_or(due.len()), note.key.clone())
        };
        let mut asking: Vec<&TaskNote> = self.notes.iter().collect();
        asking.retain(|note| !note.extras.asks.is_empty());
        asking.sort_by_cached_key(place);
        if self.config.fidelity.closes_answered_questions() {
            let open = open_asks(asking.iter().copied());
            return open.into_iter().map(|ask| ask.id).collect();
        }
        let mut open: Vec<AskId> = Vec::new();
        for ask in asking.into_iter().flat_map(TaskNote::listed_asks) {
            if !open.contains(&ask.id) {
                open.push(ask.id);
            }
        }
        open
    }

    fn take_command(
        &mut self,
        input: &RunInput,
        forks: bool,
        superseded: bool,
    ) -> Result<(), Error> {
        let RunInput::Command(command, resume) = input else {
            return Ok(());
        };
        if let Some(resume) = resume {
            self.check_resume(resume, superseded)?;
        }
        if command.target == Target::Parent {
            return Err(ErrorKind::BadUpdate {
                why: "there is no parent graph".into(),
            }
            .into());
        }
        let mut writes = Vec::new();
        for goto in &command.goto {
            self.plan.goto_write(goto, &mut writes);
        }
        for (name, value) in &command.update {
            let channel = self.plan.channel(name);
            writes.extend(channel.map(|channel| Write::State(channel, value.clone())));
        }
        let silent = command.goto.is_empty() && command.update.is_empty();
        if silent && resume.is_none() {
            return Err(ErrorKind::EmptyInput.into());
        }
        self.plan.name_messages(&mut writes, &*self.config.ids);
        let mut note = match self
            .notes
            .iter()
            .position(|note| note.key == TaskKey::Input)
        {
            Some(at) => self.notes.swap_remove(at),
            None => TaskNote::new(TaskKey::Input),
        };
        let once = self.config.fidelity.gives_plain_answers_once();
        note.extras.resume = match (resume, note.extras.resume.take(), once) {
            (Some(Resume::Next(answer)), _, false) => Some(PlainAnswer::Given(answer.clone())),
            (Some(Resume::ById(_)), stale, false) => stale,
            // What is stored must not come back and reach another question. So a plain answer that no
            // open question waited for is this run's alone, and one that nobody took gives way for good.
            (_, Some(PlainAnswer::Given(_)), true) => Some(PlainAnswer::Taken),
            _ => None,
        };
        if !writes.is_empty() {
            note.output.get_or_insert_default().extend(writes);
        }
        let stores = !forks && self.position.loaded.is_some() && self.stores_notes();
        let says = note.output.is_some() || note.extras.resume.is_some();
        if stores && says {
            let stored = vec![self.storable(note.clone())];
            self.acts.push(Act::Note(self.position.checkpoint, stored));
        }
        self.notes.push(note);
        Ok(())
    }

    fn check_resume(&self, resume: &Resume, superseded: bool) -> Result<(), Error> {
        if !self.config.saves {
            return Err(ErrorKind::ResumeWithoutSaver.into());
        }
        let is_past = superseded && !self.config.fidelity.checks_answers_in_the_past();
        let strict = self.config.strict_resume && !self.config.parent.nested && !is_past;
        let pending = self.open_asks();
        let unknown = |reason, pending| Err(ErrorKind::UnknownAsk { reason, pending }.into());
        match resume {
            Resume::ById(answers) if strict && answers.is_empty() => {
                unknown(Unmatched::EmptyMap, pending)
            }
            Resume::ById(answers) if strict && answers.keys().any(|id| !pending.contains(id)) => {
                unknown(Unmatched::NotPending, pending)
            }
            // It was meant for a question that has its answer: what continues is not what it says.
            Resume::Next(_) if pending.is_empty() && self.has_answered(superseded) => {
                unknown(Unmatched::NotPending, pending)
            }
            Resume::Next(_) if pending.len() > 1 && strict => {
                unknown(Unmatched::Ambiguous, pending)
            }
            Resume::Next(_) if pending.len() > 1 => {
                Err(ErrorKind::AmbiguousResume { pending }.into())
            }
            _ => Ok(()),
        }
    }

    /// Whether a task that has not ended has the answers to what it asked.
    fn has_answered(&self, superseded: bool) -> bool {
        let is_root = !self.config.parent.nested && !superseded;
        let has_answers = |note: &TaskNote| note.output.is_none() && !note.extras.asks.is_empty();
        is_root
            && self.config.fidelity.closes_answered_questions()
            && self.notes.iter().any(has_answers)
    }

    /// Applies updates and destinations that came with commands to this checkpoint.
    fn apply_input_writes(&mut self) -> Result<(), Error> {
        let Some(note) = self.notes.iter().find(|note| note.key == TaskKey::Input) else {
            return Ok(());
        };
        if let Some(PlainAnswer::Given(answer)) = note.extras.resume.clone() {
            self.config.parent.answers.offer(answer);
        }
        let Some(writes) = note.output.clone() else {
            return Ok(());
        };
        let mut applied = self.state.apply(
            &self.plan,
            &mut [Applying::input(&writes)],
            self.recording(),
        )?;
        self.unstored.add(&mut applied.changes);
        if let Some(touched) = &mut self.schedule.touched {
            touched.extend(applied.touched);
        }
        Ok(())
    }

    /// New input: what was about to run is dropped, the input waits for the start node.
    fn take_input(&mut self, start: StartValue, superseded: bool) -> Result<(), Error> {
        if !self.config.parent.nested {
            self.config.parent.answers.take_next();
        }
        let mut due = std::mem::take(&mut self.schedule.due);
        self.state
            .due_into(&self.plan, self.schedule.touched.as_deref(), &mut due);
        let start = Applying {
            start: Some(start),
            ..Applying::input(&[])
        };
        let mut applied = match due.as_slice() {
            [] => {
                let recording = self.recording();
                self.state.apply(&self.plan, &mut [start], recording)?
            }
            due => self.drop_due(due, start, superseded)?,
        };
        due.clear();
        self.schedule.due = due;
        self.unstored.add(&mut applied.changes);
        std::mem::swap(
            self.schedule.touched.get_or_insert_default(),
            &mut applied.touched,
        );
        self.state.recycle(applied);
        self.notes.clear();
        self.put_checkpoint(Source::Input, Vec::new());
        Ok(())
    }

    /// Applies new input to an open step.
    fn drop_due(
        &mut self,
        due: &[(TaskKey, NodeIx)],
        start: Applying<'_>,
        superseded: bool,
    ) -> Result<Applied, Error> {
        // What finished tasks wrote stays in the state. What would have followed from it gives way to the input.
        // A past checkpoint is the state before its tasks: what they wrote is in the branch that was left.
        let keeps = self.config.fidelity.keeps_finished_tasks() && !superseded;
        let fields = |key: &TaskKey| -> Vec<Write> {
            let note = self.notes.iter().find(|note| note.key == *key && keeps);
            let writes = note.and_then(|note| note.output.as_ref());
            let is_field = |write: &&Write| matches!(write, Write::State(..));
            writes
                .into_iter()
                .flatten()
                .filter(is_field)
                .cloned()
                .collect()
        };
        let finished: Vec<Vec<Write>> = due.iter().map(|(key, _)| fields(key)).collect();
        let mut dropped: Vec<Applying<'_>> = due
            .iter()
            .zip(&finished)
            .map(|((key, node), writes)| Applying::task(&self.plan, key, *node, writes))
            .collect();
        dropped.push(start);
        let recording = self.recording();
        Ok(self.state.apply(&self.plan, &mut dropped, recording)?)
    }
}

struct Addressing {
    addressed: bool,
    own_address: bool,
    superseded: bool,
}

fn start_value(input: RunInput) -> Option<StartValue> {
    match input {
        RunInput::Nothing => None,
        RunInput::Value(value) => Some(StartValue::Input(value)),
        RunInput::Command(command, _) => Some(StartValue::Command(command)),
    }
}

impl From<Value> for RunInput {
    fn from(value: Value) -> Self {
        if value.is_null() {
            Self::Nothing
        } else {
            Self::Value(value)
        }
    }
}

impl From<serde_json::Value> for RunInput {
    fn from(value: serde_json::Value) -> Self {
        Value::from(value).into()
    }
}

impl From<Command> for RunInput {
    fn from(command: Command) -> Self {
        Self::Command(Box::new(command), None)
    }
}
