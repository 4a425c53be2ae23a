//! What a run stores, and when: checkpoints, notes about open tasks, journaled effects.

use std::sync::Arc;

use super::{Act, Loop, Stop, Task};
use crate::{
    channel,
    channel_state::Recording,
    plan::Plan,
    policy::Durability,
    record::{
        Effect, Layout, NoteExtras, Pending, PlainAnswer, Record, Source, TaskKey, TaskNote, Write,
    },
    table::{ChannelIx, Key as _, NodeIx},
    value::Value,
};

impl Loop {
    /// Whether records and notes are stored as the run proceeds, and not when it exits.
    pub(super) fn stores_notes(&self) -> bool {
        self.config.saves && self.config.durability != Durability::Exit
    }

    pub(super) fn recording(&self) -> Recording {
        if self.stores_notes() {
            Recording::On
        } else {
            Recording::Off
        }
    }

    /// Closes the present state as a checkpoint, and stores it unless that waits for the exit.
    pub(super) fn put_checkpoint(&mut self, source: Source, tasks: Vec<TaskNote>) {
        // Without a saver nobody can name a checkpoint, and the step alone distinguishes tasks.
        if self.config.saves {
            let parents = self.config.parent.parents.values().copied();
            self.position.checkpoint = self
                .config
                .ids
                .next(parents.max().max(Some(self.position.checkpoint)));
        }
        self.position.source = source;
        if self.stores_notes() {
            let record = self.record(tasks);
            self.position.parent = self.position.head;
            self.position.head = Some(self.position.checkpoint);
            self.log_with_checkpoint();
            self.acts.push(Act::Commit(Arc::new(record)));
        }
        self.position.step += 1;
    }

    fn record(&mut self, tasks: Vec<TaskNote>) -> Record {
        let full = std::mem::take(&mut self.unstored.must_snapshot);
        let changes = std::mem::take(&mut self.unstored.changes);
        Record {
            id: self.position.checkpoint,
            parent: self.position.head,
            step: self.position.step,
            source: self.position.source,
            durability: self.config.durability,
            layout: self.plan.layout.clone(),
            changes: if full {
                self.state.all_changes(&self.plan)
            } else {
                changes
            },
            full,
            pending: self.pending(),
            touched: self.schedule.touched.clone(),
            last_ran: self.state.last_ran.clone(),
            last_seen: self.state.last_seen,
            clock: self.state.clock,
            paused_at: self.state.paused_at,
            parents: self.config.parent.parents.clone(),
            tasks,
        }
    }

    fn pending(&self) -> Pending {
        let mut pending = self.state.scheduler.pending(&self.plan, self.state.clock);
        if !self.plan.untracked.is_empty() {
            for send in Arc::make_mut(&mut pending.sends) {
                self.plan.forget_untracked(send);
            }
            if self.config.fidelity.never_stores_untracked_values()
                && let Some(start) = &mut pending.start
            {
                self.plan.forget_untracked_input(start);
            }
        }
        pending
    }

    /// The notes of tasks that go into the record which ends their step.
    pub(super) fn take_unsaved_notes(&mut self) -> Vec<TaskNote> {
        let mut notes = Vec::new();
        if !self.stores_notes() {
            return notes;
        }
        // Records are kept, so they take no more room than they need.
        notes.reserve_exact(self.tasks.iter().filter(|task| task.unsaved).count());
        let unsaved = self.tasks.iter_mut().filter(|task| task.unsaved);
        notes.extend(unsaved.map(|task| {
            task.unsaved = false;
            std::mem::replace(&mut task.note, TaskNote::new(TaskKey::Input))
        }));
        if !self.plan.untracked.is_empty() {
            notes = notes.into_iter().map(|note| self.storable(note)).collect();
        }
        notes
    }

    /// Has what tasks did so far stored, for a step that cannot end.
    pub(super) fn save_unsaved_notes(&mut self) {
        let unsaved = self.tasks.iter().filter_map(Task::unsaved_note);
        let unsaved: Vec<TaskNote> = unsaved.map(|note| self.storable(note)).collect();
        if !unsaved.is_empty() && self.stores_notes() {
            self.acts.push(Act::Note(self.position.checkpoint, unsaved));
        }
    }

    /// The last task of a step is stored with the step itself: one commit, not two.
    pub(super) fn save_note_if_others_run(&mut self, at: usize) {
        let alone = self.progress.running == 0
            && self.progress.failure.is_none()
            && self.progress.parent_command.is_none()
            && self.tasks.iter().all(|task| task.suspended.is_none());
        if !alone || self.tasks.get(at).is_some_and(Task::is_call) {
            self.save_note(at);
        } else {
            self.unstored.lacks_note = true;
        }
    }

    pub(super) fn save_note(&mut self, at: usize) {
        if !self.stores_notes() {
            return;
        }
        let mut notes: Vec<TaskNote> = self.taken_resume().into_iter().collect();
        // A task that finished as the last one running has no note yet if a sibling then halts.
        let lacking = if std::mem::take(&mut self.unstored.lacks_note) {
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
        self.acts.push_notes(self.position.checkpoint, notes);
    }

    /// The plain answer that came with the input has been taken: it must not be given again.
    fn taken_resume(&mut self) -> Option<TaskNote> {
        let forgets = self.config.fidelity.gives_plain_answers_once() && self.takes_resume();
        forgets.then(|| {
            let extras = NoteExtras {
                resume: Some(PlainAnswer::Taken),
                ..NoteExtras::NONE
            };
            TaskNote::with(TaskKey::Input, extras)
        })
    }

    /// Marks the plain answer as taken if a question has taken it; returns whether it just was.
    fn takes_resume(&mut self) -> bool {
        if self.config.parent.answers.has_next() {
            return false;
        }
        let note = self
            .notes
            .iter_mut()
            .find(|note| note.key == TaskKey::Input);
        let Some(note) = note else { return false };
        let given = matches!(note.extras.resume, Some(PlainAnswer::Given(_)));
        if given {
            note.extras.resume = Some(PlainAnswer::Taken);
        }
        given
    }

    /// A note without what must not be stored.
    pub(super) fn storable(&self, mut note: TaskNote) -> TaskNote {
        if self.plan.untracked.is_empty() {
            return note;
        }
        if let Some(output) = &mut note.output {
            output.retain(|write| match write {
                Write::State(channel, _) => !self.plan.untracked.contains(channel),
                _ => true,
            });
            for write in output {
                if let Write::Send(send) = write {
                    self.plan.forget_untracked(send);
                }
            }
        }
        note
    }

    /// A task journaled an effect: what to store, at once and in this order, before it continues.
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
        note.extras.effects.insert(key, effect);
        note.extras.answers = match answers.len() > task.note.extras.answers.len() {
            true => answers,
            false => task.note.extras.answers.clone(),
        };
        task.note.absorb(note.clone());
        if !self.config.saves {
            return Vec::new();
        }
        let mut acts: Vec<Act> = self.store_so_far().into_iter().collect();
        let notes = self.taken_resume().into_iter().chain([note]).collect();
        acts.push(Act::Note(self.position.checkpoint, notes));
        acts.into_iter().map(|act| self.as_stored(act)).collect()
    }

    /// Notes of a checkpoint that another program has made: tasks are named by its ids, and writes bring along the
    /// names behind theirs.
    pub(super) fn as_stored(&self, act: Act) -> Act {
        match (act, &self.stored_as) {
            (Act::Note(of, mut notes), Some(layout)) if Some(of) == self.position.loaded => {
                for note in &mut notes {
                    note.key = stored_key(&note.key, layout, &self.plan);
                    let writes = note
                        .output
                        .as_ref()
                        .is_some_and(|writes| !writes.is_empty());
                    if writes {
                        note.extras.layout = Some(self.plan.layout.clone());
                    }
                }
                Act::Note(of, notes)
            }
            (act, _) => act,
        }
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

    /// Durability `exit`: one record for the whole run, and what its open tasks did.
    pub(super) fn save_on_exit(&mut self, stop: &Stop) {
        let quiet = matches!(stop, Stop::Done);
        let parent = &self.config.parent;
        let skip = parent.nested && quiet && parent.namespace.is_per_task();
        let exits = self.config.durability == Durability::Exit && self.config.saves;
        if !exits || skip || self.state.torn {
            return;
        }
        if self.position.head != Some(self.position.checkpoint) {
            self.put_anchor();
        }
        if let Some(act) = self.store_so_far() {
            self.acts.push(act);
        }
        if self.takes_resume() && !self.config.fidelity.gives_plain_answers_once() {
            let answered = self.notes.iter_mut();
            answered
                .filter(|note| note.extras.resume.is_some())
                .for_each(|note| note.extras.resume = None);
        }
        let fresh = self.tasks.iter().filter_map(Task::unsaved_note);
        let input = self
            .notes
            .iter()
            .filter(|note| note.key == TaskKey::Input)
            .cloned();
        let keeps_all = !self.config.fidelity.never_stores_untracked_values();
        let stored = |note| if keeps_all { note } else { self.storable(note) };
        let notes: Vec<TaskNote> = input.chain(fresh).map(stored).collect();
        if !notes.is_empty() {
            self.acts.push(Act::Note(self.position.checkpoint, notes));
        }
    }

    /// A record of the present checkpoint, unless it is stored already.
    fn store_so_far(&mut self) -> Option<Act> {
        if self.position.head == Some(self.position.checkpoint) {
            return None;
        }
        self.position.step -= 1;
        self.unstored.must_snapshot = true;
        let record = self.record(Vec::new());
        self.position.step += 1;
        self.position.parent = self.position.head;
        self.position.head = Some(self.position.checkpoint);
        Some(Act::Commit(Arc::new(record)))
    }

    /// A delta channel that was updated less often than it is snapshot needs a checkpoint to
    /// stand on, so a first run that is stored at its end leaves one that is empty, unless an effect
    /// had it stored before.
    fn put_anchor(&mut self) {
        let plan = self.plan.clone();
        let hangs = |(channel, updates): &(ChannelIx, Option<u32>)| {
            let every = plan.delta_every(*channel);
            every
                .zip(*updates)
                .is_some_and(|(every, updates)| updates < every)
        };
        if self.position.head.is_some() || !self.unstored.deltas.iter().any(hangs) {
            return;
        }
        let record = Record {
            id: self.position.origin,
            parent: None,
            step: -2,
            source: Source::Anchor,
            durability: self.config.durability,
            layout: plan.layout.clone(),
            changes: Vec::new(),
            full: true,
            pending: Pending::default(),
            touched: None,
            last_ran: Vec::new(),
            last_seen: 0,
            clock: 0,
            paused_at: 0,
            parents: self.config.parent.parents.clone(),
            tasks: Vec::new(),
        };
        self.position.head = Some(self.position.origin);
        self.acts.push(Act::Commit(Arc::new(record)));
    }

    /// Counts updates of delta channels, for [`Loop::put_anchor`].
    pub(super) fn count_deltas(&mut self, written: &[ChannelIx]) {
        if self.config.durability != Durability::Exit || self.position.loaded.is_some() {
            return;
        }
        for channel in written
            .iter()
            .filter(|channel| self.plan.delta_every(**channel).is_some())
        {
            let over = self
                .tasks
                .iter()
                .filter_map(Task::writes)
                .flatten()
                .any(|write| {
                    matches!(write, Write::State(to, value) if to == channel
                    && channel::overwrite(value).is_some())
                });
            match self
                .unstored
                .deltas
                .iter_mut()
                .find(|(known, _)| known == channel)
            {
                Some((_, updates)) => *updates = updates.filter(|_| !over).map(|n| n + 1),
                None => self.unstored.deltas.push((*channel, (!over).then_some(1))),
            }
        }
    }
}

fn stored_key(key: &TaskKey, layout: &Layout, plan: &Plan) -> TaskKey {
    let inner = |key: &TaskKey| Box::new(stored_key(key, layout, plan));
    match key {
        TaskKey::Node(node) => {
            let name = &plan.nodes.row(*node).name;
            let place = layout.nodes.iter().position(|other| other == name);
            TaskKey::Node(place.map_or(*node, NodeIx::at))
        }
        TaskKey::Handler(of) => TaskKey::Handler(inner(of)),
        TaskKey::Call(by, n) => TaskKey::Call(inner(by), *n),
        TaskKey::Input | TaskKey::Send(_) => key.clone(),
    }
}
